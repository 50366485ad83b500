/** AMD GCN assembly: directives, instructions, registers, modifiers, waits. */
import { parser } from './rules';

export const amdgcn = parser({
  lineComment: ';',
  blockComment: ['/*', '*/'],
  lineStart: [
    [/[\w$.]+:/, 'labelName'],
    [/\.[a-z_]\w*/, 'meta']
  ],
  rules: [
    [/(?:;|\/\/).*/, 'comment'],
    [/"(?:[^"\\]|\\.)*"/, 'string'],
    [/(?:s|v|ds|buffer|global|flat|scratch|image|tbuffer|exp|lds)_\w+/, 'keyword'],
    [/[vsa](?:\d+|\[\d+(?::\d+)?\])(?![\w])/, 'variableName'],
    [/(?:vcc|exec|m0|scc|flat_scratch|src_\w+|ttmp\d+|null)(?:_lo|_hi)?\b/, 'variableName'],
    [
      /(?:offset|offen|idxen|off|glc|slc|dlc|lds|gds|nt|sc[01]|row_\w+|quad_perm|bank_mask|bound_ctrl|op_sel\w*|neg_\w+|clamp|cbsz|abid|blgp)\b/,
      'modifier'
    ],
    [/(?:vmcnt|lgkmcnt|expcnt|vscnt|depctr_\w+)(?=\()/, 'modifier'],
    [/0x[\da-fA-F]+|-?\d+(?:\.\d+)?\b/, 'number'],
    [/\.[A-Za-z_]\w*/, 'labelName'],
    [/@\w+/, 'meta']
  ]
});
