/** SASS as nvdisasm and cuobjdump print it: addresses, predicates, instructions, registers, constants. */
import { parser } from './rules';

export const sass = parser({
  lineComment: '//',
  blockComment: ['/*', '*/'],
  lineStart: [
    [/\.?[\w$.]+:/, 'labelName'],
    [/\.\w+/, 'meta']
  ],
  rules: [
    [/\/\/.*/, 'comment'],
    [/"(?:[^"\\]|\\.)*"/, 'string'],
    [/@!?U?P[T\d]+/, 'operator'],
    [/-?\|?U?R(?:Z|\d+)(?:\.\w+)*\|?/, 'variableName'],
    [/!?U?P(?:T|\d+)\b/, 'variableName'],
    [/SR_[\w.]+|SB\d|B\d+\b/, 'variableName'],
    [/c\s*\[[^\]]*\]\s*\[[^\]]*\]/, 'typeName'],
    [/desc(?=\[)|\[|\]/, 'operator'],
    [/-?0x[\da-fA-F]+|-?\d+(?:\.\d+)?(?:e[-+]?\d+)?\b|[-+](?:INF|QNAN)\b/, 'number'],
    [/`?\(?\.L_[\w.$]+\)?/, 'labelName'],
    [/[A-Z][A-Z\d]+(?:\.[\w]+)*/, 'keyword']
  ]
});
