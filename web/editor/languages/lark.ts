/** Lark's notation for the editor: a parser of one line after the other. */

import { StreamLanguage, type StreamParser } from "@codemirror/language";
import { withTags } from "./tags.ts";

export const larkParser: StreamParser<null> = {
  name: "lark",
  startState: () => null,
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.match(/^(?:\/\/|#).*/)) return "comment";
    if (stream.match(/^%[a-z]+/)) return "keyword";
    if (stream.match(/^->/)) return "operator";
    if (stream.match(/^"(?:\\.|[^"\\])*"?i?/)) return "string";
    if (stream.match(/^\/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\])+\/?[imslux]*/)) return "regexp";
    if (stream.match(/^[?!]?[_a-zA-Z][\w-]*(?:\.-?\d+|\{[^}]*\})*(?=\s*:(?!:))/)) {
      return "definition";
    }
    if (stream.match(/^_?[A-Z][A-Z0-9_]*\b/)) return "terminal";
    if (stream.match(/^[_a-z][a-z0-9_-]*/)) return "variableName";
    if (stream.match(/^\.-?\d+/) || stream.match(/^~?\s*\d+(?:\.\.\d+)?/)) return "number";
    if (stream.match(/^\{\d*,?\d*\}/)) return "operator";
    if (stream.match(/^(?:\.\.|[*+?|~&,])/)) return "operator";
    if (stream.match(/^[()[\]{}]/)) return "paren";
    if (stream.match(/^:{1,2}/)) return "definitionOperator";
    if (stream.match(/^<[^>]*>?/)) return "atom";
    stream.next();
    return stream.current() === "\\" || stream.current() === "-" ? "operator" : "invalid";
  },
  languageData: { commentTokens: { line: "//" }, closeBrackets: { brackets: ["(", "[", '"'] } },
};

export const lark = () => StreamLanguage.define(withTags(larkParser));
