/** The languages of stages that JupyterLab does not have. */
import type { StreamParser } from '@codemirror/language';
import { amdgcn } from './amdgcn';
import { llvm } from './llvm';
import { mlir } from './mlir';
import { ptx } from './ptx';
import { sass } from './sass';

export interface Language {
  name: string;
  displayName: string;
  mime: string;
  extensions: string[];
  parser: StreamParser<unknown>;
}

const own = <State>(
  name: string,
  displayName: string,
  extensions: string[],
  parser: StreamParser<State>
): Language => ({
  name,
  displayName,
  mime: `text/x-${name}`,
  extensions,
  parser: { ...parser, name } as StreamParser<unknown>
});

export const LANGUAGES: Language[] = [
  own('mlir', 'MLIR', ['mlir', 'ttir', 'ttgir'], mlir),
  own('llvm', 'LLVM IR', ['ll', 'llir'], llvm),
  own('ptx', 'PTX', ['ptx'], ptx),
  own('sass', 'SASS', ['sass'], sass),
  own('amdgcn', 'AMD GCN assembly', ['amdgcn'], amdgcn)
];
