/** MLIR as Triton prints it: values, symbols, types, dialect operations, attributes, locations. */
import { parser } from './rules';

export const mlir = parser({
  lineComment: '//',
  rules: [
    [/\/\/.*/, 'comment'],
    [/"(?:[^"\\]|\\.)*"/, 'string'],
    [/%[\w$.-]+(?::\d+)?(?:#\d+)?/, 'variableName'],
    [/@[\w$.-]+|@"[^"]*"/, 'variableName.function'],
    [/\^\w+/, 'labelName'],
    [/#[\w$.-]+/, 'meta'],
    [/!\w[\w.]*/, 'typeName'],
    [/loc(?=\()/, 'comment'],
    [/(?:tensor|memref|vector|index|none|ptr)\b/, 'typeName'],
    [/(?:\d+x)+(?=[a-z!])/, 'number'],
    [/[su]?i\d+\b|[bt]?f\d+(?:E\d+M\d+\w*)?\b|bf16\b/, 'typeName'],
    [/[a-z_]\w*(?:\.\w+)+/, 'keyword'],
    [/(?:module|func|return|attributes|dense|true|false|unit|to|step|iter_args|else|do|private|public)\b/, 'keyword'],
    [/-?0x[\da-fA-F]+|-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?/, 'number'],
    [/[a-zA-Z_][\w$]*(?=\s*=)/, 'propertyName'],
    [/->|[=:,]/, 'operator']
  ]
});
