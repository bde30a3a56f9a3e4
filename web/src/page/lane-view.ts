/** A method's run as a card: its cells as small squares, its text, what others say of it. */

import type { EngineEvent } from "lacuna-lm";
import { element, seen } from "./dom.ts";
import { DotsView } from "./dots-view.ts";
import type { Lane } from "./lane.ts";
import { ABOUT, TITLES } from "./methods.ts";
import { counted, milliseconds, whole } from "./words.ts";

export class LaneView {
  readonly root: HTMLElement;
  readonly #lane: Lane;
  readonly #radio: HTMLInputElement;
  readonly #badge = element("span", { class: "badge" });
  readonly #state = element("span");
  readonly #dots = new DotsView();
  // It may have more lines than it shows, to be scrolled by keys too.
  readonly #text = element("p", { class: "lane-text", tabindex: "0" });
  readonly #figures = element("p", { class: "lane-figures" });

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
      this.#dots.root,
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
    this.#dots.reset(length);
  }

  /** Shows what happened next, as it comes. */
  happen(event: EngineEvent): void {
    if (event.type === "begin") this.reset(event.length);
    else if (event.type === "commit") this.#dots.set(event.cell, event.end ? "end" : event.how);
    else if (event.type === "remask") this.#dots.set(event.cell);
    else if (event.type === "figures") this.#words(event.step + 1);
  }

  /** Shows the run as it stood after so many steps. */
  show(steps: number): void {
    const { timeline } = this.#lane;
    if (this.#dots.length !== timeline.length) this.reset(timeline.length);
    for (let cell = 0; cell < timeline.length; cell++) {
      const commit = timeline.at(cell, steps);
      this.#dots.set(cell, commit && (commit.end ? "end" : commit.how));
    }
    this.#words(steps);
  }

  #words(steps: number): void {
    const { timeline, fault, verdict } = this.#lane;
    const { done } = timeline;
    const ended = done !== undefined && steps >= timeline.taken;
    const text = ended ? done.text || "(nothing)" : beginning(timeline.text(steps));
    this.#text.replaceChildren(...(fault === undefined ? seen(text) : [fault]));
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
      parts.push(`checker ${milliseconds(sums.checker)}`, `${whole(sums.refusals)} refused`);
    }
    this.#figures.textContent = parts.join(" · ");
    const gaveUp = ended && done.outcome === "recovered";
    this.#state.textContent = gaveUp ? "gave up" : counted(Math.min(steps, timeline.taken), "step");
  }
}

/** Characters of a text under way that are shown: laying out long ones takes a frame's time. */
const SHOWN = 400;

const beginning = (text: string): string =>
  text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`;
