/** LLVM IR: values, globals, metadata, types, instructions. */
import { parser } from './rules';

const INSTRUCTIONS =
  'add|fadd|sub|fsub|mul|fmul|udiv|sdiv|fdiv|urem|srem|frem|fneg|shl|lshr|ashr|and|or|xor|icmp|fcmp|phi|select|call|br|switch|ret|' +
  'unreachable|alloca|load|store|fence|cmpxchg|atomicrmw|getelementptr|trunc|zext|sext|fptrunc|fpext|fptoui|fptosi|uitofp|sitofp|' +
  'ptrtoint|inttoptr|bitcast|addrspacecast|extractelement|insertelement|shufflevector|extractvalue|insertvalue|freeze|invoke|resume';
const WORDS =
  'define|declare|target|datalayout|triple|source_filename|attributes|global|constant|external|internal|private|linkonce_odr|weak|' +
  'tail|musttail|notail|nuw|nsw|exact|inbounds|nusw|fast|contract|nnan|ninf|nsz|arcp|afn|reassoc|align|addrspace|volatile|to|asm|' +
  'sideeffect|convergent|nounwind|distinct|true|false|null|undef|poison|zeroinitializer|eq|ne|[su][lg][te]|o[lg][te]|u[lg]e|oeq|one|label';

export const llvm = parser({
  lineComment: ';',
  lineStart: [[/[\w$.-]+:/, 'labelName']],
  rules: [
    [/;.*/, 'comment'],
    [/c?"(?:[^"\\]|\\.)*"/, 'string'],
    [/%(?:[\w$.-]+|"[^"]*")/, 'variableName'],
    [/@(?:[\w$.-]+|"[^"]*")/, 'variableName.function'],
    [/!(?:[\w.-]+)?/, 'meta'],
    [/#\d+/, 'meta'],
    [/(?:i\d+|half|bfloat|float|double|fp128|void|ptr|metadata|token|x86_fp80)\b/, 'typeName'],
    [new RegExp(`(?:${INSTRUCTIONS})\\b`), 'keyword'],
    [new RegExp(`(?:${WORDS})\\b`), 'modifier'],
    [/-?0x[KMLHR]?[\da-fA-F]+|-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?\b/, 'number'],
    [/[a-zA-Z_]\w*(?=:)/, 'propertyName']
  ]
});
