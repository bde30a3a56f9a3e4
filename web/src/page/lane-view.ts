/** A method's run as a card: its cells as small squares, its text, what others say of it. */

import type { EngineEvent } from "lacuna-lm";
import { element } from "./dom.ts";
import type { Lane } from "./lane.ts";
import { ABOUT, TITLES } from "./methods.ts";
import { milliseconds } from "./words.ts";

export class LaneView {
  readonly root: HTMLElement;
  readonly #lane: Lane;
  readonly #radio: HTMLInputElement;
  readonly #badge = element("span", { class: "badge" });
  readonly #state = element("span");
  readonly #dots = element("div", { class: "dots", "aria-hidden": "true" });
  readonly #text = element("p", { class: "lane-text" });
  readonly #figures = element("p", { class: "lane-figures" });
  #shown: (string | undefined)[] = [];

  /** `onChosen` is called when its run is to be shown large. */
  constructor(lane: Lane, onChosen: (lane: Lane) => void) {
    this.#lane = lane;
    this.#radio = element("input", { type: "radio", name: "which", value: lane.method });
    this.#radio.addEventListener("change", () => onChosen(lane));
    const title = element("span", { class: "lane-title" }, TITLES[lane.method]);
    this.root = element(
      "article",
      { class: "lane", id: `lane-${lane.method}`, "aria-label": TITLES[lane.method] },
      element("label", {}, this.#radio, title),
      element("p", { class: "lane-about" }, ABOUT[lane.method]),
      this.#dots,
      element("p", { class: "lane-state" }, this.#badge, this.#state),
      this.#text,
      this.#figures,
    );
    this.#badge.hidden = true;
  }

  /** Marks it as the one that is shown large. */
  set chosen(chosen: boolean) {
    this.#radio.checked = chosen;
  }

  /** Lays out so many masked cells. */
  reset(length: number): void {
    this.#shown = [];
    this.#dots.style.setProperty("--columns", String(columnsFor(length)));
    const dots = Array.from({ length }, () => element("i", { "data-how": "mask" }));
    this.#dots.replaceChildren(...dots);
  }

  /** Shows what happened next, as it comes. */
  happen(event: EngineEvent): void {
    if (event.type === "begin") this.reset(event.length);
    else if (event.type === "commit") this.#dot(event.cell, event.end ? "end" : event.how);
    else if (event.type === "remask") this.#dot(event.cell, undefined);
    else if (event.type === "figures") this.#words(event.step + 1);
  }

  /** Shows the run as it stood after so many steps. */
  show(steps: number): void {
    const { timeline } = this.#lane;
    if (this.#dots.childElementCount !== timeline.length) this.reset(timeline.length);
    for (let cell = 0; cell < timeline.length; cell++) {
      const commit = timeline.at(cell, steps);
      this.#dot(cell, commit && (commit.end ? "end" : commit.how));
    }
    this.#words(steps);
  }

  #dot(cell: number, how: string | undefined): void {
    if (this.#shown[cell] === how) return;
    this.#shown[cell] = how;
    const dot = this.#dots.children[cell];
    if (dot instanceof HTMLElement) dot.dataset.how = how ?? "mask";
  }

  #words(steps: number): void {
    const { timeline, fault, verdict } = this.#lane;
    const { done } = timeline;
    const ended = done !== undefined && steps >= timeline.taken;
    this.#text.textContent = fault ?? (ended ? done.text || "(nothing)" : timeline.text(steps));
    this.#badge.hidden = !ended || verdict === undefined;
    if (verdict) {
      this.#badge.textContent = verdict.word;
      this.#badge.dataset.good = String(verdict.valid);
    }
    const sums = { model: 0, checker: 0, checks: 0, refusals: 0 };
    for (const figures of timeline.figures.slice(0, steps)) {
      sums.model += figures.modelMs;
      sums.checker += figures.checkerMs;
      sums.checks += figures.checks;
      sums.refusals += figures.refusals;
    }
    const parts = [`model ${milliseconds(sums.model)}`];
    if (this.#lane.method !== "unconstrained") {
      parts.push(`checker ${milliseconds(sums.checker)}`, `${sums.refusals} refused`);
    }
    this.#figures.textContent = parts.join(" · ");
    const gaveUp = ended && done.outcome === "recovered";
    this.#state.textContent = gaveUp ? "gave up" : `${Math.min(steps, timeline.taken)} steps`;
  }
}

/** Squares in a row: a large canvas has small ones. */
const columnsFor = (cells: number): number => (cells <= 64 ? 16 : cells <= 256 ? 32 : 48);
