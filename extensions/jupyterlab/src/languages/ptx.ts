/** PTX: directives, instructions with their modifiers, registers, predicates, labels. */
import { parser } from './rules';

const TYPE = '\\.(?:[busf]\\d+(?:x\\d+)?|bf16(?:x2)?|tf32|e4m3(?:x2)?|e5m2(?:x2)?|pred)\\b';

export const ptx = parser({
  lineComment: '//',
  blockComment: ['/*', '*/'],
  lineStart: [
    [/[$\w]+:/, 'labelName'],
    [/[a-z]\w*(?=[\s.;])/, 'keyword']
  ],
  rules: [
    [/\/\/.*/, 'comment'],
    [/"(?:[^"\\]|\\.)*"/, 'string'],
    [/@!?(?=%)/, 'operator'],
    [/%[a-zA-Z_][\w.]*/, 'variableName'],
    [new RegExp(TYPE), 'typeName'],
    [/\.(?:global|shared|local|param|const|reg|sreg|tex|generic)\b(?:::\w+)?/, 'modifier'],
    [
      /\.(?:version|target|address_size|visible|extern|weak|entry|func|file|loc|section|maxntid|reqntid|minnctapersm|maxnreg|align|pragma)\b/,
      'meta'
    ],
    [/\.[a-z_]\w*(?:::\w+)*/, 'modifier'],
    [/0[fFdD][\da-fA-F]+|0x[\da-fA-F]+U?|-?\d+(?:\.\d+)?U?\b/, 'number'],
    [/\$\w+/, 'labelName'],
    // After a predicate the instruction stands further in.
    [/[a-z]\w*(?=\.[a-z])|(?:ret|exit|bra|trap)\b/, 'keyword']
  ]
});
