/** The canvas with all that goes with it: the scrubber, the inspector, the refusals. */

import type { EngineEvent } from "lacuna-lm";
import { plain } from "./bytes.ts";
import { CanvasView } from "./canvas-view.ts";
import { byId, element } from "./dom.ts";
import { FramePump } from "./frame-pump.ts";
import type { Timeline } from "./timeline.ts";

/** Milliseconds a step is shown when a run is played again. */
const BEAT = 260;

const HINT = "Point at a cell, or go there with Tab and the arrow keys, to see how it came.";

/** Milliseconds of a step, and of a whole run, that showing it may take. */
const LONGEST_PACE = 90;
const SLOWED_RUN = 1_600;

/** Refusals beyond this many are only counted. */
const LISTED = 200;

export class Stage {
  readonly #canvas: CanvasView;
  readonly #slider = byId("step", HTMLInputElement);
  readonly #stepText = byId("step-text", HTMLSpanElement);
  readonly #play = byId("play", HTMLButtonElement);
  readonly #inspector = byId("inspector", HTMLParagraphElement);
  readonly #refusals = byId("refusals", HTMLDetailsElement);
  readonly #pump = new FramePump<EngineEvent>((event) => this.#happen(event), paceOf);
  #timeline: Timeline | undefined;
  #live = false;
  #liveSteps = 0;
  #inspected: number | undefined;
  #playing: ReturnType<typeof setInterval> | undefined;

  constructor() {
    this.#canvas = new CanvasView(byId("canvas", HTMLElement), (cell) => {
      this.#inspected = cell;
      this.#inspect();
    });
    this.#slider.addEventListener("input", () => {
      this.#stop();
      this.#showStep(this.#slider.valueAsNumber);
    });
    this.#play.addEventListener("click", () => this.#toggle());
  }

  /** Shows an empty canvas. */
  clear(length: number): void {
    this.#stop();
    this.#pump.clear();
    this.#timeline = undefined;
    this.#live = false;
    this.#canvas.reset(length);
    this.#enable(false);
    this.#slider.value = "0";
    this.#stepText.textContent = "";
    this.#refusals.hidden = true;
    this.#inspect();
  }

  /** Brings the canvas into view where it is below the screen's edge. */
  reveal(): void {
    const section = byId("canvas", HTMLElement).closest("section.stage");
    if (section && section.getBoundingClientRect().top > window.innerHeight * 0.75) {
      section.scrollIntoView({ block: "start" });
    }
  }

  /** Begins to follow a run on an empty canvas; its events come through {@link Stage.push}. */
  follow(timeline: Timeline, length: number): void {
    this.clear(length);
    this.#timeline = timeline;
    this.#live = true;
    this.#liveSteps = 0;
  }

  /** Events of the run that is followed. */
  push(events: readonly EngineEvent[]): void {
    this.#pump.push(events);
  }

  /** Resolves when all events of the run have been shown. */
  async caughtUp(): Promise<void> {
    await this.#pump.drained();
  }

  /** Shows a run that is over, at its last step. */
  show(timeline: Timeline): void {
    this.#stop();
    this.#pump.clear();
    this.#timeline = timeline;
    this.#live = false;
    this.#slider.max = String(timeline.taken);
    this.#enable(timeline.length > 0);
    this.#showStep(timeline.taken);
    this.#list(timeline);
  }

  #happen(event: EngineEvent): void {
    if (event.type === "begin") {
      this.#canvas.reset(event.length);
      this.#slider.max = String(event.steps);
    } else if (event.type === "step") {
      this.#canvas.beginStep();
      this.#liveSteps = event.step + 1;
      this.#slider.value = String(event.step + 1);
      this.#stepText.textContent = `${event.step + 1} / ${event.steps}`;
    } else if (event.type === "commit") {
      this.#canvas.commit(event);
      if (event.cell === this.#inspected) this.#inspect();
    } else if (event.type === "refusal") {
      this.#canvas.refuse(event);
    }
  }

  #showStep(step: number): void {
    if (!this.#timeline) return;
    this.#slider.value = String(step);
    this.#stepText.textContent = `${step} / ${this.#timeline.taken}`;
    this.#canvas.show(this.#timeline, step);
    this.#inspect();
  }

  #enable(on: boolean): void {
    this.#slider.disabled = !on;
    this.#play.disabled = !on;
  }

  #toggle(): void {
    if (this.#playing !== undefined) {
      this.#stop();
      return;
    }
    const last = this.#timeline?.taken ?? 0;
    let step = this.#slider.valueAsNumber >= last ? 0 : this.#slider.valueAsNumber;
    this.#showStep(step);
    this.#play.textContent = "Pause";
    this.#playing = setInterval(() => {
      this.#showStep(++step);
      if (step >= last) this.#stop();
    }, BEAT);
  }

  #stop(): void {
    clearInterval(this.#playing);
    this.#playing = undefined;
    this.#play.textContent = "Play";
  }

  #inspect(): void {
    this.#inspector.textContent =
      this.#inspected === undefined ? HINT : this.#describe(this.#inspected);
  }

  #describe(cell: number): string {
    const name = `Cell ${cell + 1}`;
    if (!this.#timeline) return `${name} · mask`;
    const step = this.#live ? this.#liveSteps : this.#slider.valueAsNumber;
    const commit = this.#timeline.at(cell, step);
    const refused = this.#timeline.refusedFor(cell, step);
    const parts = [name];
    if (commit) {
      const what = commit.end ? "end of text" : plain(commit.bytes);
      parts.push(
        what,
        `token ${commit.token}`,
        `step ${commit.step + 1}`,
        percent(commit.probability),
        HOW[commit.how],
      );
    } else {
      parts.push("mask");
    }
    if (refused.length > 0)
      parts.push(`refused: ${refused.map(({ bytes }) => plain(bytes) || "end").join(", ")}`);
    return parts.join(" · ");
  }

  #list({ refusals }: Timeline): void {
    this.#refusals.hidden = refusals.length === 0;
    byId("refusals-title", HTMLElement).textContent =
      `${refusals.length} refused ${refusals.length === 1 ? "candidate" : "candidates"}`;
    const items = refusals
      .slice(0, LISTED)
      .map(({ step, cell, bytes, probability, reason }) =>
        element(
          "li",
          {},
          element("span", { class: "when" }, `Step ${step + 1}, cell ${cell + 1}`),
          element("del", {}, plain(bytes) || "end"),
          element("span", { class: "why" }, `${percent(probability)} · ${reason}`),
        ),
      );
    if (refusals.length > LISTED)
      items.push(element("li", {}, `… and ${refusals.length - LISTED} more`));
    byId("refusals-list", HTMLOListElement).replaceChildren(...items);
  }
}

/**
 * Milliseconds that a step is shown at least: a run that takes a blink is
 * slowed down to what an eye can follow, a long one is not.
 */
function paceOf(event: EngineEvent): number {
  if (event.type !== "step" || matchMedia("(prefers-reduced-motion: reduce)").matches) return 0;
  return Math.min(LONGEST_PACE, SLOWED_RUN / event.steps);
}

const HOW = {
  model: "chosen by the model",
  batch: "chosen in a batch",
  recovery: "taken from the witness",
} as const;

const percent = (probability: number): string =>
  `${(probability * 100).toFixed(probability < 0.1 ? 1 : 0)} %`;
