/** What is known of a cell, on a card beside it: token, probability, when and how it came. */

import type { CommitEvent, RefusalEvent } from "lacuna-lm";
import { plain } from "./bytes.ts";
import { element } from "./dom.ts";
import { whole } from "./words.ts";

/** What is known of a cell at some step. */
export interface CellFacts {
  readonly cell: number;
  readonly commit: CommitEvent | undefined;
  readonly refused: readonly RefusalEvent[];
}

/** How tokens come, in words. */
export const HOW = {
  model: "proposed by the model, checked alone",
  batch: "proposed by the model, checked with others",
  forced: "the only token left for the cell",
  recovery: "written to recover, within the witness",
} as const;

/** Why tokens are refused, in words. */
export const WHY = {
  impossible: "no text of the grammar has it here",
  exhausted: "not decided within the budget",
  "end-before-text": "text would stand behind the end",
} as const;

/** Tokens that a card names as refused; more are counted. */
const NAMED = 6;

/** Pixels between a cell and its card. */
const GAP = 8;

export class CellCard {
  readonly #card: HTMLElement;
  #at: HTMLElement | undefined;

  constructor(card: HTMLElement) {
    this.#card = card;
    // It stays beside its cell.
    const follow = () => this.#at && this.#place(this.#at.getBoundingClientRect());
    addEventListener("scroll", follow, { passive: true, capture: true });
  }

  /** Shows a cell's facts beside it. */
  show(facts: CellFacts, at: HTMLElement): void {
    if (this.#at !== at) this.hide();
    this.#at = at;
    at.setAttribute("aria-describedby", this.#card.id);
    this.#card.replaceChildren(...parts(facts));
    this.#card.hidden = false;
    this.#place(at.getBoundingClientRect());
  }

  get isShown(): boolean {
    return !this.#card.hidden;
  }

  hide(): void {
    this.#at?.removeAttribute("aria-describedby");
    this.#at = undefined;
    this.#card.hidden = true;
  }

  /** Above the cell where there is room, else below, and within the window. */
  #place(cell: DOMRect): void {
    const { width, height } = this.#card.getBoundingClientRect();
    const most = document.documentElement.clientWidth - width - GAP;
    const left = Math.max(GAP, Math.min(most, cell.left + cell.width / 2 - width / 2));
    const above = cell.top - height - GAP;
    const top = above >= GAP ? above : cell.bottom + GAP;
    this.#card.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
  }
}

function parts({ cell, commit, refused }: CellFacts): Node[] {
  const found: Node[] = [
    element(
      "p",
      { class: "card-head" },
      element("strong", {}, commit ? tokenOf(commit) : "mask"),
      element("span", {}, `Cell ${cell + 1}`),
    ),
  ];
  if (commit) {
    const bar = element("meter", { min: "0", max: "1", value: String(commit.probability) });
    bar.setAttribute("aria-hidden", "true");
    found.push(
      element("p", {}, bar, percent(commit.probability)),
      element("p", {}, `Token ${commit.token} · step ${commit.step + 1}`),
      element("p", {}, `${HOW[commit.how]}`),
    );
  }
  if (refused.length > 0) {
    const tokens = byToken(refused);
    const items = tokens.slice(0, NAMED).map(refusedItem);
    if (tokens.length > NAMED)
      items.push(element("li", {}, `and ${whole(tokens.length - NAMED)} more`));
    found.push(element("p", { class: "card-title" }, "Refused"), element("ul", {}, ...items));
  }
  return found;
}

/** Refusals of the same token for the same reason, together. */
function byToken(refused: readonly RefusalEvent[]): RefusalEvent[][] {
  const groups = new Map<string, RefusalEvent[]>();
  for (const refusal of refused) {
    const key = `${refusal.token} ${refusal.reason}`;
    groups.set(key, [...(groups.get(key) ?? []), refusal]);
  }
  return [...groups.values()];
}

function refusedItem(refused: readonly RefusalEvent[]): HTMLElement {
  const [first] = refused;
  const last = refused.at(-1);
  if (!first || !last) return element("li");
  const most = Math.max(...refused.map(({ probability }) => probability));
  const steps =
    first === last ? `step ${first.step + 1}` : `steps ${first.step + 1} to ${last.step + 1}`;
  return element(
    "li",
    {},
    element("del", {}, plain(first.bytes) || "end"),
    ` ${percent(most)}, ${steps}: ${WHY[first.reason]}`,
  );
}

const tokenOf = (commit: CommitEvent): string => (commit.end ? "end of text" : plain(commit.bytes));

/** A probability for people. */
export const percent = (probability: number): string =>
  `${(probability * 100).toFixed(probability < 0.1 ? 1 : 0)} %`;
