import { StringStream } from '@codemirror/language';
import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../src/languages/all';

/** The tags of the words of a line: "tag:word". */
function tags(name: string, line: string): string[] {
  const parser = LANGUAGES.find(language => language.name === name)!.parser;
  const state = parser.startState!(2);
  const stream = new StringStream(line, 2, 2);
  const found: string[] = [];
  while (!stream.eol()) {
    stream.start = stream.pos;
    const tag = parser.token(stream, state);
    expect(stream.pos).toBeGreaterThan(stream.start);
    if (tag) {
      found.push(`${tag}:${stream.current()}`);
    }
  }
  return found;
}

describe('highlighting', () => {
  it('of MLIR', () => {
    expect(tags('mlir', '%x = tt.load %p : tensor<128x64xf16, #blocked> loc(#loc4)')).toEqual(
      expect.arrayContaining([
        'variableName:%x',
        'keyword:tt.load',
        'typeName:tensor',
        'number:128x64x',
        'typeName:f16',
        'meta:#blocked'
      ])
    );
  });

  it('of LLVM IR', () => {
    expect(tags('llvm', '  %3 = fadd float %1, 0x3FF0 ; sum')).toEqual(
      expect.arrayContaining(['variableName:%3', 'keyword:fadd', 'typeName:float', 'number:0x3FF0', 'comment:; sum'])
    );
  });

  it('of PTX', () => {
    expect(tags('ptx', '\t@%p1 ld.global.v4.b32 { %r1 }, [ %rd1 + 0 ];')).toEqual(
      expect.arrayContaining(['variableName:%p1', 'keyword:ld', 'modifier:.global', 'typeName:.b32'])
    );
  });

  it('of SASS', () => {
    expect(tags('sass', '        /*0040*/  @!P0 LDG.E R2, desc[UR4][R2.64] ;')).toEqual(
      expect.arrayContaining(['comment:/*0040*/', 'operator:@!P0', 'keyword:LDG.E', 'variableName:R2'])
    );
  });

  it('of AMD GCN assembly', () => {
    expect(tags('amdgcn', '\tv_mfma_f32_32x32x8_f16 a[0:15], v[2:3], v1 ; acc')).toEqual(
      expect.arrayContaining(['keyword:v_mfma_f32_32x32x8_f16', 'variableName:a[0:15]', 'comment:; acc'])
    );
  });

  it('goes through any line of every language', () => {
    const odd = ['', ' ', '\t', '/* open', '"open', '%', '@', '!', '#', '\\', 'µ → 🚀', '.', '$', '`', '-', '0x'];
    LANGUAGES.forEach(({ name }) => odd.forEach(line => tags(name, line)));
  });
});
