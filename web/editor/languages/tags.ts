/** What the words of our parsers mean to the highlighter. */

import type { StreamParser } from "@codemirror/language";
import { tags } from "@lezer/highlight";

const TABLE = {
  definition: tags.definition(tags.variableName),
  terminal: tags.special(tags.variableName),
  definitionOperator: tags.definitionOperator,
  paren: tags.paren,
  escape: tags.escape,
  stringEscape: tags.escape,
};

/** A parser whose words the highlighter knows. */
export function withTags<State>(parser: StreamParser<State>): StreamParser<State> {
  return { ...parser, tokenTable: TABLE };
}
