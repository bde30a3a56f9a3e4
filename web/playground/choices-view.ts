/** What may stand first in a gap: characters, tokens, and why something else may not. */

import type { Fault } from "lacuna-lm/grammar";
import { pieces } from "../src/page/bytes.ts";
import { element, replaceInPlace, seen } from "../src/page/dom.ts";
import { sentence } from "../src/page/findings-view.ts";
import { counted, whole } from "../src/page/words.ts";
import type { Choices, Tried } from "./protocol.ts";
import { isText, PART, type Spelling, tokenLabel, tokenName } from "./tokens.ts";
import { expectedWords } from "./verdict-view.ts";
import { quoted, rangeWords } from "./words.ts";

/** Tokens that are shown at once. */
const SHOWN_TOKENS = 160;

/** Blanks, and the signs that stand for them in tokens. */
const BLANKS = [
  [" ", "␣"],
  ["\n", "↵"],
  ["\t", "→"],
] as const;

const withBlanks = (shown: string): string =>
  BLANKS.reduce((text, [blank, sign]) => text.replaceAll(sign, blank), shown);

/** A token as it is shown: blanks by their signs, bytes that are no characters by their numbers. */
function seenToken(spelling: Spelling): (Node | string)[] {
  if (isText(spelling))
    return seen(BLANKS.reduce((text, [blank, sign]) => text.replaceAll(blank, sign), spelling));
  return pieces(spelling).map(({ kind, shown }) =>
    kind === "byte" ? element("span", { class: "named" }, `<${shown}>`) : shown,
  );
}

/** What the view asks of the page. */
export interface ChoicesActions {
  /** Another gap was chosen. */
  gap(gap: number): void;
  /** Something is to be put into the gap. */
  put(text: string): void;
  /** Whether a text, or a token, may stand first, and why not. */
  tried(what: { readonly text: string } | { readonly token: number }): Promise<Tried>;
}

interface Parts {
  readonly gaps: HTMLElement;
  readonly list: HTMLElement;
  readonly form: HTMLFormElement;
  readonly input: HTMLInputElement;
  readonly reason: HTMLElement;
}

interface NamedToken {
  readonly id: number;
  readonly spelling: Spelling;
  readonly name: string;
}

export class ChoicesView {
  readonly #parts: Parts;
  readonly #actions: ChoicesActions;
  readonly #words = element("p", { class: "hint" });
  readonly #characters = element("div");
  /** Stays as it is while choices come in: somebody may be typing in it. */
  readonly #search = element("input", {
    type: "search",
    dir: "auto",
    "aria-label": "Find a token",
    placeholder: "Find a token",
  });
  readonly #tokenWords = element("p", { class: "hint" });
  readonly #tokenChips = element("ul", { class: "chips", "aria-label": "Tokens" });
  readonly #tokenBox: HTMLElement;
  /** Whether the text has no gap. */
  #hasNone = false;
  /** How much was told since something new is looked at. */
  #told: "nothing" | "some" | "all" = "nothing";
  /** All tokens that spell something. */
  #named: readonly NamedToken[] = [];
  #tokens: ReadonlySet<number> = new Set();

  constructor(parts: Parts, actions: ChoicesActions) {
    this.#parts = parts;
    this.#actions = actions;
    const { list } = parts;
    const box = { class: "tokens", hidden: true };
    this.#tokenBox = element("div", box, this.#tokenWords, this.#search, this.#tokenChips);
    list.append(this.#words, this.#characters, this.#tokenBox);
    this.#search.addEventListener("input", () => this.#fillTokens());
    parts.form.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = parts.input.value;
      if (text !== "") void this.#try(text, { text });
    });
  }

  /** Whether the grammar admits more than is valid. */
  isJudged = false;

  /** Learns what tokens spell. */
  set spellings(spellings: readonly (Spelling | null)[]) {
    this.#named = spellings.flatMap((spelling, id) =>
      spelling === null ? [] : [{ id, spelling, name: tokenName(spelling) }],
    );
  }

  /** Shows which gaps there are; the chosen one is marked. */
  gaps(cells: readonly (number | null)[], chosen: number | null): void {
    const buttons = cells.map((count, at) => {
      const name = count === null ? "□" : `□${count}`;
      const label = `Gap ${at + 1}, ${count === null ? "any length" : counted(count, "cell")}`;
      const attributes = {
        type: "button",
        "aria-pressed": String(at === chosen),
        "aria-label": label,
      };
      const button = element("button", attributes, name);
      button.addEventListener("click", () => this.#actions.gap(at));
      return button;
    });
    replaceInPlace(this.#parts.gaps, ...buttons);
    this.#parts.form.hidden = chosen === null;
    this.#told = "nothing";
    // What was said of a text that was tried may hold no more.
    this.#parts.reason.replaceChildren();
    if (cells.length === 0) this.nothing("The text has no gap. Put one in with Ctrl+G.");
    else if (this.#hasNone) this.nothing("");
    this.#hasNone = cells.length === 0;
  }

  /** Nothing can be chosen, and why. */
  nothing(words: string): void {
    this.#say(words === "" ? [] : [words]);
    this.#characters.replaceChildren();
    this.#tokenBox.hidden = true;
    this.#parts.reason.replaceChildren();
  }

  /** No more will be found out, and why. */
  stopped(words: string): void {
    if (this.#told === "nothing") this.nothing(words);
    else if (this.#told === "some") this.#say([words]);
  }

  show({ characters, tokens, empty, progress, undecided }: Choices): void {
    this.#told = progress < 1 ? "some" : "all";
    const words: string[] = [];
    if (empty) words.push("It may stay empty.");
    if (progress < 1) words.push(`Looking: ${Math.round(100 * progress)} %.`);
    if (undecided > 0) {
      words.push(`${counted(undecided, "class is", "classes are")} undecided within the budget.`);
    }
    if (this.isJudged) words.push("Of what may stand, some may turn out not to be valid.");
    this.#say(words);
    replaceInPlace(this.#characters, ...(characters ? [this.#characterList(characters)] : []));
    this.#tokenBox.hidden = tokens === undefined;
    if (!tokens) return;
    this.#tokens = new Set(tokens);
    const count = whole(this.#named.length);
    this.#tokenWords.textContent = `${counted(tokens.length, "token")} of ${count} may stand first.`;
    this.#fillTokens();
  }

  #say(words: readonly string[]): void {
    this.#words.textContent = words.join(" ");
    this.#words.hidden = words.length === 0;
  }

  #characterList(ranges: readonly (readonly [number, number])[]): HTMLElement {
    const { shown, beyond } = rangeWords(ranges);
    const chips = shown.map(({ words, only }) => this.#chip(words, only));
    if (beyond > 0) {
      const words = `${counted(beyond, "character")} beyond ASCII`;
      chips.push(element("li", {}, element("span", { class: "chip wide" }, words)));
    }
    if (chips.length === 0) return element("p", { class: "hint" }, "No character may stand first.");
    const label = "Characters that may stand first";
    return element("ul", { class: "chips", "aria-label": label }, ...chips);
  }

  #chip(words: string, only: string | undefined): HTMLElement {
    if (only === undefined) return element("li", {}, element("span", { class: "chip" }, words));
    const label = `Put ${quoted(only)} into the gap`;
    const button = element("button", { type: "button", class: "chip", "aria-label": label }, words);
    button.addEventListener("click", () => this.#actions.put(only));
    return element("li", {}, button);
  }

  /** Allowed ones first; of refused ones only those that were looked for. */
  #fillTokens(): void {
    // Blanks are found as they are shown, too.
    const wanted = [this.#search.value, withBlanks(this.#search.value)];
    const found = this.#named.filter(({ name }) => wanted.some((it) => name.includes(it)));
    const allowed = found.filter(({ id }) => this.#tokens.has(id));
    const refused = wanted[0] === "" ? [] : found.filter(({ id }) => !this.#tokens.has(id));
    const all = [...allowed, ...refused];
    const chips = all.slice(0, SHOWN_TOKENS).map((token) => this.#tokenChip(token));
    if (all.length > SHOWN_TOKENS) {
      const words = `and ${whole(all.length - SHOWN_TOKENS)} more: look for them`;
      chips.push(element("li", {}, element("span", { class: "chip wide" }, words)));
    }
    replaceInPlace(this.#tokenChips, ...chips);
  }

  #tokenChip({ id, spelling, name }: NamedToken): HTMLElement {
    const isAllowed = this.#tokens.has(id);
    const isPart = isAllowed && !isText(spelling);
    const button = element(
      "button",
      {
        type: "button",
        class: "chip",
        "aria-label": tokenLabel(spelling, isAllowed),
        // Who comes by with the keyboard is to hear why.
        "aria-disabled": isPart ? "true" : undefined,
        title: isPart ? PART : undefined,
        "data-refused": !isAllowed,
      },
      ...seenToken(spelling),
    );
    button.addEventListener("click", () => {
      if (!isAllowed) void this.#try(name, { token: id });
      else if (isText(spelling)) this.#actions.put(spelling);
    });
    return element("li", {}, button);
  }

  async #try(
    name: string,
    what: { readonly text: string } | { readonly token: number },
  ): Promise<void> {
    const { reason } = this.#parts;
    try {
      reason.replaceChildren(...reasonWords(name, await this.#actions.tried(what)));
    } catch (fault) {
      reason.replaceChildren(sentence((fault as Fault).message));
    }
  }
}

/** Why a text may not stand first in a gap, or that it may. */
function reasonWords(name: string, { explanation, before }: Tried): (Node | string)[] {
  const shown = element("code", {}, ...seen(name));
  switch (explanation.why) {
    case "invalid":
      return [shown, " is refused: the schema’s keywords refuse the text."];
    case "completable":
      return [shown, " may stand here: ", element("code", {}, ...seen(explanation.witness))];
    case "empty":
      return [shown, " is refused: no text belongs to this grammar."];
    case "cells":
      return [
        shown,
        " is refused: the cells that are left are too few or too many. With others: ",
        element("code", {}, ...seen(explanation.witness)),
      ];
    case "breaks": {
      const { found } = explanation;
      const what =
        found === undefined ? "the text would end too early" : `${quoted(found)} could not stand`;
      const where = before === "" ? "at the beginning" : element("code", {}, ...seen(before));
      return [
        shown,
        before === "" ? " is refused: " : " is refused: behind ",
        where,
        ` ${what}. `,
        expectedWords(explanation),
      ];
    }
  }
}
