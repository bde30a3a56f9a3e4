/** The runs on show: one large, all of them as cards, and the clock that they share. */

import type { EngineEvent } from "lacuna-lm";
import { CanvasView } from "./canvas-view.ts";
import { CellCard } from "./cell-card.ts";
import { byId } from "./dom.ts";
import { FramePump } from "./frame-pump.ts";
import type { Lane } from "./lane.ts";
import { LaneView } from "./lane-view.ts";
import { Player } from "./player.ts";

/** Milliseconds of a step, and of a whole run, that showing it may take at speed 1. */
const LONGEST_PACE = 90;
const SLOWED_RUN = 1_600;

interface Happened {
  readonly lane: Lane;
  readonly event: EngineEvent;
}

/** What the page wants to know of. */
export interface Listeners {
  /** Something was shown. */
  shown(lane: Lane, event: EngineEvent): void;
  /** Another run is shown large. */
  chosen(lane: Lane): void;
}

export class Stage {
  readonly #canvas: CanvasView;
  readonly #card = new CellCard(byId("cell-card", HTMLElement));
  readonly #player = new Player((step) => this.#showStep(step));
  readonly #pump = new FramePump<Happened>(
    (happened) => this.#happen(happened),
    (happened) => this.#pace(happened),
  );
  readonly #listeners: Listeners;
  #views = new Map<Lane, LaneView>();
  #chosen: Lane | undefined;
  #live = false;
  #inspected: { readonly cell: number; readonly at: HTMLElement } | undefined;

  constructor(listeners: Listeners) {
    this.#listeners = listeners;
    this.#canvas = new CanvasView(byId("canvas", HTMLElement), (cell, at) => {
      this.#inspected = cell === undefined || !at ? undefined : { cell, at };
      this.#inspect();
    });
    document.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.#card.isShown) return;
      this.#card.hide();
      event.preventDefault();
    });
    for (const radio of document.querySelectorAll<HTMLInputElement>("input[name=colours]")) {
      radio.addEventListener("change", () => this.#colour(radio.value as "how" | "when"));
    }
  }

  /** Shows an empty canvas. */
  clear(length: number): void {
    this.#pump.clear();
    this.#player.clear();
    this.#views.clear();
    this.#chosen = undefined;
    this.#live = false;
    this.#canvas.reset(length);
    byId("lanes", HTMLElement).replaceChildren();
    this.#card.hide();
  }

  /** Brings the canvas into view where it is below the screen's edge. */
  reveal(): void {
    const section = byId("canvas", HTMLElement).closest("section.stage");
    if (section && section.getBoundingClientRect().top > window.innerHeight * 0.75) {
      section.scrollIntoView({ block: "start" });
    }
  }

  /** Begins to follow runs on empty canvases, the first of them large. */
  follow(lanes: readonly Lane[], length: number): void {
    this.clear(length);
    this.#live = true;
    this.#chosen = lanes[0];
    for (const lane of lanes) {
      const view = new LaneView(lane, (chosen) => this.#choose(chosen));
      view.chosen = lane === this.#chosen;
      view.reset(length);
      this.#views.set(lane, view);
    }
    byId("lanes", HTMLElement).replaceChildren(
      ...[...this.#views.values()].map(({ root }) => root),
    );
  }

  /** An event of a run that is followed. */
  push(lane: Lane, event: EngineEvent): void {
    this.#pump.push([{ lane, event }]);
  }

  /** Resolves when all that was pushed has been shown. */
  caughtUp(): Promise<void> {
    return this.#pump.drained();
  }

  /** Shows all that has come, at its last step. */
  settle(): void {
    this.#pump.flush();
    this.#live = false;
    this.#player.open(Math.max(0, ...this.#lanes().map(({ timeline }) => timeline.taken)));
  }

  /** Shows a run's card as it stands: something was found out about it. */
  refresh(lane: Lane): void {
    this.#views.get(lane)?.show(this.#live ? lane.timeline.taken : this.#player.step);
  }

  #lanes(): Lane[] {
    return [...this.#views.keys()];
  }

  #choose(lane: Lane): void {
    this.#chosen = lane;
    this.#canvas.show(lane.timeline, this.#live ? lane.timeline.taken : this.#player.step);
    this.#listeners.chosen(lane);
    this.#inspect();
  }

  #happen({ lane, event }: Happened): void {
    lane.timeline.add(event);
    this.#views.get(lane)?.happen(event);
    if (lane === this.#leader() && event.type === "step")
      this.#player.follow(event.step + 1, event.steps);
    if (lane === this.#chosen) this.#happenLarge(event);
    this.#listeners.shown(lane, event);
  }

  #happenLarge(event: EngineEvent): void {
    if (event.type === "begin") this.#canvas.reset(event.length, event.steps);
    else if (event.type === "step") this.#canvas.beginStep();
    else if (event.type === "commit") this.#canvas.commit(event);
    else if (event.type === "remask") this.#canvas.remask(event.cell);
    else if (event.type === "refusal") this.#canvas.refuse(event);
    if ("cell" in event && event.cell === this.#inspected?.cell) this.#inspect();
  }

  /** The first run that is not over: all keep its rhythm. */
  #leader(): Lane | undefined {
    return this.#lanes().find((lane) => !lane.over) ?? this.#lanes().at(-1);
  }

  /**
   * Milliseconds that a step is shown at least: a run that takes a blink is slowed down to
   * what an eye can follow, a long one is not.
   */
  #pace({ lane, event }: Happened): number {
    if (event.type !== "step" || lane !== this.#leader()) return 0;
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return 0;
    return Math.min(LONGEST_PACE, SLOWED_RUN / event.steps) / this.#player.speed;
  }

  #showStep(step: number): void {
    if (this.#chosen) this.#canvas.show(this.#chosen.timeline, step);
    for (const view of this.#views.values()) view.show(step);
    this.#inspect();
  }

  #colour(by: "how" | "when"): void {
    this.#canvas.colour(by);
    byId("legend-how", HTMLElement).hidden = by !== "how";
    byId("legend-when", HTMLElement).hidden = by !== "when";
  }

  #inspect(): void {
    if (!this.#inspected?.at.isConnected) {
      this.#card.hide();
      return;
    }
    const { cell, at } = this.#inspected;
    const timeline = this.#chosen?.timeline;
    const step = this.#live ? (timeline?.taken ?? 0) : this.#player.step;
    const [commit, refused] = [timeline?.at(cell, step), timeline?.refusedFor(cell, step)];
    this.#card.show({ cell, commit, refused: refused ?? [] }, at);
  }
}
