/** Tokens in words: of those that hold part of a character, the bytes. */

import { plain } from "../src/page/bytes.ts";

/** What a token spells: bytes where they are not whole characters. */
export type Spelling = string | Uint8Array;

/** Why a token cannot be put into a text. */
export const PART = "It holds part of a character, which a text cannot hold alone.";

/** Whether a text can hold what a token spells. */
export const isText = (spelling: Spelling): spelling is string => typeof spelling === "string";

/** What a token is called and found by. */
export const tokenName = (spelling: Spelling): string =>
  isText(spelling) ? spelling : plain(spelling);

/** What assistive technology says of a token. */
export function tokenLabel(spelling: Spelling, isAllowed: boolean): string {
  const name = isText(spelling) ? JSON.stringify(spelling) : tokenName(spelling);
  const label = `Token ${name}, ${isAllowed ? "allowed" : "refused"}`;
  return isAllowed && !isText(spelling) ? `${label}. ${PART}` : label;
}
