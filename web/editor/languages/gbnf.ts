/** GBNF for the editor: a parser of one line after the other. */

import { StreamLanguage, type StreamParser } from "@codemirror/language";
import { withTags } from "./tags.ts";

/** What a line is within: nothing, or a literal that goes on. */
interface State {
  inLiteral: boolean;
}

export const gbnfParser: StreamParser<State> = {
  name: "gbnf",
  startState: () => ({ inLiteral: false }),
  token(stream, state) {
    if (state.inLiteral || stream.peek() === '"') {
      if (!state.inLiteral) {
        stream.next();
        state.inLiteral = true;
        return "string";
      }
      if (stream.match(/^\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)/)) {
        return "stringEscape";
      }
      if (stream.match(/^[^"\\]+/)) return "string";
      state.inLiteral = stream.next() !== '"';
      return "string";
    }
    if (stream.eatSpace()) return null;
    if (stream.match(/^#.*/)) return "comment";
    if (stream.match(/^\[\^?(?:\\.|[^\]\\])*\]?/)) return "regexp";
    if (stream.match(/^!?<[^>]*>?/)) return "atom";
    if (stream.match(/^[a-zA-Z][\w-]*(?=\s*::=)/)) return "definition";
    if (stream.match(/^[a-zA-Z][\w-]*/)) return "variableName";
    if (stream.match("::=")) return "definitionOperator";
    if (stream.match(/^(?:[*+?|.]|\{\d*,?\d*\})/)) return "operator";
    if (stream.match(/^[()]/)) return "paren";
    stream.next();
    return "invalid";
  },
  languageData: { commentTokens: { line: "#" }, closeBrackets: { brackets: ["(", "[", '"'] } },
};

export const gbnf = () => StreamLanguage.define(withTags(gbnfParser));
