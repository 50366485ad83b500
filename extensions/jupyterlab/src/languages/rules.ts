/** A stream parser from a list of rules: the first whose pattern matches names the token. Enough for assembly, which nests nothing. */
import type { StreamParser } from '@codemirror/language';

/** A pattern (anchored at the place it is tried) and the token's tag; an empty tag leaves the text plain. */
export type Rule = [pattern: RegExp, tag: string];

/** Block comments, and what begins at a line's start only, are given apart from the other rules. */
export interface Rules {
  rules: Rule[];
  lineStart?: Rule[];
  blockComment?: [open: string, close: string];
  lineComment?: string;
}

export interface State {
  inComment: boolean;
}

const anchored = (rules: Rule[]): Rule[] =>
  rules.map(([pattern, tag]) => [new RegExp(`^(?:${pattern.source})`, pattern.flags), tag]);

/** The parser of `rules`; what none of them matches is passed over a word at a time. */
export function parser({ rules, lineStart = [], blockComment, lineComment }: Rules): StreamParser<State> {
  const anywhere = anchored(rules);
  const atStart = anchored(lineStart);
  return {
    startState: () => ({ inComment: false }),
    copyState: state => ({ ...state }),
    token(stream, state) {
      if (blockComment && (state.inComment || stream.match(blockComment[0]))) {
        const end = stream.string.indexOf(blockComment[1], stream.pos);
        state.inComment = end < 0;
        stream.pos = end < 0 ? stream.string.length : end + blockComment[1].length;
        return 'comment';
      }
      const first = /^\s*$/.test(stream.string.slice(0, stream.pos));
      if (stream.eatSpace()) {
        return null;
      }
      for (const [pattern, tag] of first ? [...atStart, ...anywhere] : anywhere) {
        if (stream.match(pattern)) {
          return tag || null;
        }
      }
      if (!stream.match(/^[\w.$]+/)) {
        stream.next();
      }
      return null;
    },
    languageData: lineComment ? { commentTokens: { line: lineComment } } : {}
  };
}
