/** The rules of a grammar text: where they are defined, for completion and for jumping. */

import type { CompletionContext, CompletionResult } from "@codemirror/autocomplete";

/** A notation with named rules. */
export type RuleNotation = "gbnf" | "lark";

/** A definition. */
export interface Definition {
  readonly name: string;
  /** Where the name stands, in UTF-16 units. */
  readonly start: number;
  /** The end of what belongs to it. */
  readonly end: number;
}

const HEADS: Readonly<Record<RuleNotation, RegExp>> = {
  gbnf: /^[ \t]*([a-zA-Z][a-zA-Z0-9_-]*)[ \t]*::=/gm,
  lark: /^[ \t]*(?:%(?:override|extend|slot)[ \t]+)?[?!]?([_a-zA-Z][a-zA-Z0-9_-]*)(?:\.-?\d+|\{[^}\n]*\})*[ \t]*:(?!:)/gm,
};

/** All definitions, in order. */
export function definitions(notation: RuleNotation, text: string): Definition[] {
  const heads = Array.from(text.matchAll(HEADS[notation]), (match) => ({
    name: match[1] ?? "",
    start: match.index + match[0].indexOf(match[1] ?? ""),
    line: match.index,
  }));
  return heads.map(({ name, start }, at) => {
    const next = heads[at + 1]?.line ?? text.length;
    const rule = text.slice(start, next);
    return { name, start, end: start + rule.trimEnd().length };
  });
}

const WORD: Readonly<Record<RuleNotation, RegExp>> = {
  gbnf: /[a-zA-Z][a-zA-Z0-9_-]*/,
  lark: /[%_a-zA-Z][a-zA-Z0-9_]*/,
};

const DIRECTIVES = ["%ignore", "%import", "%override", "%extend", "%constrain", "%forbid", "%slot"];

/** Completes names of rules, and Lark's directives. */
export function completeRules(notation: RuleNotation) {
  return (context: CompletionContext): CompletionResult | null => {
    const word = context.matchBefore(WORD[notation]);
    if (!word && !context.explicit) return null;
    if (insideText(notation, context.state.doc.lineAt(context.pos).text, context)) return null;
    const own = word?.text;
    const names = new Set(definitions(notation, context.state.doc.toString()).map((it) => it.name));
    if (own) names.delete(own);
    const rules = [...names].map((label) => ({
      label,
      type: notation === "lark" && label === label.toUpperCase() ? "constant" : "variable",
    }));
    const directives =
      notation === "lark" ? DIRECTIVES.map((label) => ({ label, type: "keyword" })) : [];
    return {
      from: word?.from ?? context.pos,
      options: [...rules, ...directives],
      validFor: /^[\w%-]*$/,
    };
  };
}

/** Whether the place is in a literal, a class, a pattern or a comment. */
function insideText(notation: RuleNotation, line: string, context: CompletionContext): boolean {
  const before = line.slice(0, context.pos - context.state.doc.lineAt(context.pos).from);
  let open = "";
  for (let at = 0; at < before.length; at++) {
    const character = before[at] ?? "";
    if (open) {
      if (character === "\\") at++;
      else if (character === open) open = "";
    } else if (character === '"') open = '"';
    else if (notation === "gbnf" && character === "[") open = "]";
    else if (notation === "gbnf" && character === "#") return true;
    else if (notation === "lark" && before.startsWith("//", at)) return true;
    else if (notation === "lark" && character === "/") open = "/";
  }
  return open !== "";
}
