/** The one clock of all runs that are shown: a slider, and playing at a speed. */

import { byId } from "./dom.ts";

/** Milliseconds that a step is shown at speed 1. */
const BEAT = 260;

export class Player {
  readonly #slider = byId("step", HTMLInputElement);
  readonly #words = byId("step-text", HTMLSpanElement);
  readonly #play = byId("play", HTMLButtonElement);
  readonly #speed = byId("speed", HTMLSelectElement);
  readonly #onStep: (step: number) => void;
  #playing: ReturnType<typeof setTimeout> | undefined;

  /** `onStep` is called with the steps that are to be shown as taken. */
  constructor(onStep: (step: number) => void) {
    this.#onStep = onStep;
    this.#slider.addEventListener("input", () => {
      this.stop();
      this.#go(this.#slider.valueAsNumber);
    });
    this.#play.addEventListener("click", () => this.#toggle());
  }

  /** How fast things are to go, as a factor. */
  get speed(): number {
    return Number(this.#speed.value);
  }

  /** Steps that are shown as taken. */
  get step(): number {
    return this.#slider.valueAsNumber;
  }

  /** Back to nothing. */
  clear(): void {
    this.stop();
    this.#enable(false);
    this.#slider.value = "0";
    this.#words.textContent = "";
  }

  /** Follows a run that is under way. */
  follow(step: number, steps: number): void {
    this.#slider.max = String(steps);
    this.#slider.value = String(step);
    this.#words.textContent = `${step} / ${steps}`;
  }

  /** Lets a run that is over be looked at, at its last step. */
  open(steps: number): void {
    this.stop();
    this.#slider.max = String(steps);
    this.#enable(steps > 0);
    this.#go(steps);
  }

  stop(): void {
    clearTimeout(this.#playing);
    this.#playing = undefined;
    this.#play.textContent = "Play";
  }

  #go(step: number): void {
    this.follow(step, Number(this.#slider.max));
    this.#slider.setAttribute("aria-valuetext", `step ${step} of ${this.#slider.max}`);
    this.#onStep(step);
  }

  #enable(on: boolean): void {
    this.#slider.disabled = !on;
    this.#play.disabled = !on;
  }

  #toggle(): void {
    if (this.#playing !== undefined) {
      this.stop();
      return;
    }
    const last = Number(this.#slider.max);
    this.#go(this.step >= last ? 0 : this.step);
    this.#play.textContent = "Pause";
    const next = () => {
      this.#go(this.step + 1);
      if (this.step >= last) this.stop();
      else this.#playing = setTimeout(next, BEAT / this.speed);
    };
    this.#playing = setTimeout(next, BEAT / this.speed);
  }
}
