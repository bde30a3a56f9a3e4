/** Regular expressions for the editor. */

import { StreamLanguage, type StreamParser } from "@codemirror/language";
import { withTags } from "./tags.ts";

/** Whether the place is within a class, and how deep: classes nest. */
interface State {
  classes: number;
}

export const regexParser: StreamParser<State> = {
  name: "regex",
  startState: () => ({ classes: 0 }),
  token(stream, state) {
    if (
      stream.match(
        /^\\(?:[pP](?:\{[^}]*\}?|.)|x(?:\{[^}]*\}?|[0-9a-fA-F]{2})|u(?:\{[^}]*\}?|[0-9a-fA-F]{4})|U[0-9a-fA-F]{8}|.)/,
      )
    ) {
      return "escape";
    }
    if (stream.match(/^\[:\^?[a-z]+:\]/)) return "atom";
    if (stream.match(/^\[\^?/)) {
      state.classes++;
      return "regexp";
    }
    if (state.classes > 0) {
      if (stream.eat("]")) state.classes--;
      else if (stream.match(/^(?:&&|--|~~)/)) return "operator";
      else stream.next();
      return "regexp";
    }
    if (stream.match(/^\(\?(?:P?<[^>=!][^>]*>|[a-zA-Z-]*:|[a-zA-Z-]+\))/)) return "keyword";
    if (stream.match(/^[()]/)) return "paren";
    if (stream.match(/^(?:[*+?]\??|\{\d*,?\d*\}\??|\|)/)) return "operator";
    if (stream.match(/^[.^$]/)) return "atom";
    stream.next();
    return "string";
  },
};

export const regex = () => StreamLanguage.define(withTags(regexParser));
