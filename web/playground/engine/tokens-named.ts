/** Terminals that name tokens: among characters there are none that they could mean. */

import type { Diagnostic } from "../../lacuna/src/fault.ts";
import type { GrammarState } from "../protocol.ts";

/** Literals, classes and comments of GBNF, and what names tokens beside them. */
const PART = /"(?:\\.|[^"\\])*"|\[(?:\\.|[^\]\\])*\]|#[^\n]*|(!?<[^>\n]*>)/gs;

/** What is wrong with each of them. */
export function tokensNamed({ kind, text }: Pick<GrammarState, "kind" | "text">): Diagnostic[] {
  if (kind !== "gbnf") return [];
  return [...text.matchAll(PART)].flatMap(({ 1: name, index }) => {
    if (name === undefined) return [];
    const before = text.slice(0, index);
    const start = new TextEncoder().encode(before).length;
    const lines = before.split("\n");
    return [
      {
        kind: "token-terminal",
        severity: "error",
        message: `${name} names a token, and cells hold characters: choose Tokens`,
        span: { start, end: start + new TextEncoder().encode(name).length },
        line: lines.length,
        column: Array.from(lines.at(-1) ?? "").length + 1,
      },
    ];
  });
}
