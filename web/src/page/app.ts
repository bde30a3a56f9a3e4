/** The page: what its controls do, and what it says. */

import {
  type DevicePreference,
  type DeviceReport,
  type Diagnostic,
  type Engine,
  type EngineEvent,
  FAULT,
  LacunaError,
  type ModelInfo,
  type Progress,
} from "lacuna-lm";
import { byId, element } from "./dom.ts";
import { findingsList, sentence } from "./findings-view.ts";
import { remember, remembered } from "./memory.ts";
import { PRESETS } from "./presets.ts";
import { type Judged, type Layout, showNote, showResult } from "./result-view.ts";
import { SchemaEditor } from "./schema-editor.ts";
import { Stage } from "./stage.ts";
import { Timeline } from "./timeline.ts";
import { judge, prepareJudge } from "./verdict.ts";

/** The two runs of a request. */
type Which = "constrained" | "free";

const DEVICES = ["auto", "cpu", "gpu"] as const satisfies readonly DevicePreference[];
const DEVICE_KEY = "lacuna-device";

/** Faults behind which the next call starts a fresh engine. */
const DEADLY: readonly string[] = [FAULT.worker, FAULT.trap];

const TITLES: Readonly<Record<Which, string>> = {
  constrained: "With the grammar",
  free: "Without the grammar",
};

/** What the form asks for. */
interface Ask {
  readonly prompt: string;
  readonly grammar: { readonly jsonSchema: string };
  readonly length: number;
  readonly steps: number;
  readonly seed: number;
  readonly temperature: number;
}

/** A run with what came of it. */
interface Outcome {
  readonly timeline: Timeline;
  readonly judged: Judged;
}

export class App {
  readonly #engine: Engine;
  readonly #stage = new Stage();
  readonly #editor: SchemaEditor;
  readonly #request = byId("request", HTMLTextAreaElement);
  readonly #preset = byId("preset", HTMLSelectElement);
  readonly #run = byId("run", HTMLButtonElement);
  readonly #cancel = byId("cancel", HTMLButtonElement);
  readonly #status = byId("status", HTMLParagraphElement);
  readonly #alert = byId("alert", HTMLDivElement);
  readonly #which = byId("which", HTMLFieldSetElement);
  readonly #device = byId("device", HTMLParagraphElement);
  readonly #deviceChoice = byId("device-choice", HTMLSelectElement);
  #outcomes: Partial<Record<Which, Outcome>> = {};
  #abort: AbortController | undefined;
  #loaded = false;
  #loading = false;

  constructor(engine: Engine) {
    this.#engine = engine;
    const parts = {
      area: byId("schema", HTMLTextAreaElement),
      gutter: byId("gutter", HTMLPreElement),
      findings: byId("findings", HTMLDivElement),
    };
    this.#editor = new SchemaEditor(parts, (text) => this.#findings(text));
    this.#connect();
  }

  /** Fills the form with the first example and loads the model. */
  async begin(): Promise<void> {
    this.#choosePreset();
    this.#stage.clear(this.#number("length"));
    this.#summarise();
    await this.#load();
  }

  #connect(): void {
    this.#preset.append(...PRESETS.map(({ id, title }) => element("option", { value: id }, title)));
    this.#preset.addEventListener("change", () => this.#choosePreset());
    byId("ask", HTMLFormElement).addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#start();
    });
    this.#request.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      void this.#start();
    });
    this.#cancel.addEventListener("click", () => this.#abort?.abort());
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.#abort?.abort();
    });
    document.querySelector(".options")?.addEventListener("input", () => this.#summarise());
    this.#deviceChoice.value = remembered(DEVICE_KEY, DEVICES);
    this.#deviceChoice.addEventListener("change", () => {
      remember(DEVICE_KEY, this.#deviceChoice.value);
      void this.#reload();
    });
    this.#which.addEventListener("change", () => this.#showChosen());
    for (const radio of document.querySelectorAll("input[name=layout]")) {
      radio.addEventListener("change", () => this.#showResults());
    }
  }

  /** Puts in a preset's schema, and its request unless the user has written one. */
  #choosePreset(): void {
    const preset = PRESETS.find(({ id }) => id === this.#preset.value) ?? PRESETS[0];
    if (!preset) return;
    this.#editor.text = preset.schema;
    const untouched = PRESETS.some(({ request }) => request === this.#request.value);
    if (untouched || this.#request.value.trim() === "") this.#request.value = preset.request;
  }

  async #load(): Promise<void> {
    const bar = byId("load-progress", HTMLProgressElement);
    const text = byId("load-text", HTMLSpanElement);
    const box = byId("loading", HTMLDivElement);
    box.hidden = false;
    this.#loading = true;
    this.#enable();
    text.textContent = "Loading the model…";
    this.#say("Loading the model.");
    const onProgress = ({ loaded, total }: Progress) => {
      if (total !== null) {
        bar.max = total;
        bar.value = loaded;
      }
      const of = total === null ? "" : ` of ${megabytes(total)}`;
      text.textContent = `${megabytes(loaded)}${of} MB`;
    };
    this.#device.textContent = "";
    try {
      const device = this.#deviceChoice.value as DevicePreference;
      const info = await this.#engine.load({ device, onProgress });
      this.#loaded = true;
      this.#introduce(info);
      this.#say("Ready.");
      // It is asked for again when it is needed; there a failure is said.
      prepareJudge().catch(() => {});
    } catch (error) {
      this.#complain("The model could not be loaded", error, "Try again");
      this.#say("No model.");
    }
    box.hidden = true;
    this.#loading = false;
    this.#enable();
  }

  #introduce(info: ModelInfo): void {
    const { parameters, layers, hidden, vocabulary, maxPositions, device } = info;
    const million = (parameters / 1e6).toFixed(1);
    byId("model-facts", HTMLParagraphElement).textContent =
      `Model: ${million} M parameters, ${layers} layers of ${hidden}, ${vocabulary.toLocaleString("en")} tokens.`;
    this.#device.textContent = whereItRuns(device);
    byId("length", HTMLInputElement).max = String(maxPositions);
  }

  async #findings(text: string): Promise<readonly Diagnostic[]> {
    try {
      // Any text will do: what is wrong with the schema is wrong for every request.
      const texts = { request: "a request" };
      const { valid, diagnostics } = await this.#engine.validate({ jsonSchema: text }, { texts });
      return valid ? [] : diagnostics;
    } catch (error) {
      // What is wrong with the engine and not with the schema is said elsewhere.
      if (error instanceof LacunaError) return [];
      throw error;
    }
  }

  async #start(): Promise<void> {
    if (!this.#loaded || this.#abort) return;
    const request = this.#read();
    if (!request) return;
    this.#abort = new AbortController();
    this.#hideAlert();
    this.#outcomes = {};
    this.#which.hidden = true;
    this.#which.querySelector<HTMLInputElement>("input[value=constrained]")?.click();
    byId("results", HTMLElement).hidden = true;
    this.#enable();
    this.#stage.reveal();
    try {
      await this.#perform("constrained", request, this.#abort.signal);
      await this.#perform("free", request, this.#abort.signal);
      this.#say("Done.");
    } catch (error) {
      this.#failed(error);
    }
    this.#abort = undefined;
    this.#enable();
  }

  /** Runs one of the two, on the stage if it is the first, and shows its result. */
  async #perform(which: Which, ask: Ask, signal: AbortSignal): Promise<void> {
    const timeline = new Timeline();
    const onStage = which === "constrained";
    this.#say(onStage ? "Writing." : "Writing the same without the grammar, to compare.");
    if (onStage) this.#stage.follow(timeline, ask.length);
    try {
      const unconstrained = !onStage;
      for await (const event of this.#engine.generate({ ...ask, unconstrained, signal })) {
        timeline.add(event);
        this.#noteMove(event);
        if (onStage) this.#stage.push([event]);
      }
      if (onStage) await this.#stage.caughtUp();
    } finally {
      if (onStage && timeline.length > 0) this.#stage.show(timeline);
    }
    const { done, plannedSteps, grammar } = timeline;
    if (!done)
      throw new LacunaError({ kind: FAULT.internal, message: "The run ended without a result." });
    const verdict = await judge(done.text, ask.grammar.jsonSchema, ask.prompt);
    this.#outcomes[which] = {
      timeline,
      judged: { done, verdict, plannedSteps, constrained: onStage, grammar },
    };
    this.#showResults();
  }

  /** The form as a request; `undefined`, with the reason shown, if it is not one. */
  #read(): Ask | undefined {
    const wrong = [...document.querySelectorAll<HTMLInputElement>(".options input")].find(
      (i) => !i.checkValidity(),
    );
    const text = this.#request.value.trim();
    if (text === "") {
      this.#warn("Write a request first.", this.#request);
      return undefined;
    }
    if (wrong) {
      const details = wrong.closest("details");
      if (details) details.open = true;
      this.#warn(
        `${wrong.closest("label")?.textContent?.trim() ?? "An option"}: ${wrong.validationMessage}`,
        wrong,
      );
      return undefined;
    }
    return {
      prompt: text,
      grammar: { jsonSchema: this.#editor.text },
      length: this.#number("length"),
      steps: this.#number("steps"),
      seed: this.#number("seed"),
      temperature: this.#number("temperature"),
    };
  }

  #number(id: string): number {
    return byId(id, HTMLInputElement).valueAsNumber;
  }

  #summarise(): void {
    const [length, steps, seed] = ["length", "steps", "seed"].map(
      (id) => byId(id, HTMLInputElement).value,
    );
    byId("options-summary", HTMLSpanElement).textContent =
      `${length} cells, ${steps} steps, seed ${seed}`;
  }

  #failed(error: unknown): void {
    if (error instanceof LacunaError && error.kind === FAULT.cancelled) {
      const { constrained } = this.#outcomes;
      this.#say("Cancelled.");
      if (constrained) showNote(byId("free", HTMLElement), TITLES.free, "Cancelled.");
      return;
    }
    this.#say("Nothing was written.");
    const dead = error instanceof LacunaError && DEADLY.includes(error.kind);
    this.#complain("This cannot be written", error, dead ? "Restart the engine" : undefined);
  }

  #showResults(): void {
    const layout = document.querySelector<HTMLInputElement>("input[name=layout]:checked")
      ?.value as Layout;
    byId("results", HTMLElement).hidden = this.#outcomes.constrained === undefined;
    for (const which of ["constrained", "free"] as const) {
      const panel = byId(which, HTMLElement);
      const outcome = this.#outcomes[which];
      if (outcome) showResult(panel, TITLES[which], outcome.judged, layout);
      else showNote(panel, TITLES[which], "Being written…");
    }
    this.#which.hidden = !(this.#outcomes.constrained && this.#outcomes.free);
  }

  #showChosen(): void {
    const chosen = this.#which.querySelector<HTMLInputElement>("input:checked")?.value as Which;
    const outcome = this.#outcomes[chosen];
    if (outcome) this.#stage.show(outcome.timeline);
  }

  #noteMove(event: EngineEvent): void {
    if (event.type === "move") this.#device.textContent = `${event.message}.`;
  }

  #enable(): void {
    this.#run.disabled = !this.#loaded || this.#abort !== undefined;
    this.#cancel.disabled = this.#abort === undefined;
    this.#deviceChoice.disabled = this.#loading || this.#abort !== undefined;
  }

  #say(words: string): void {
    this.#status.textContent = words;
  }

  #warn(message: string, where: HTMLElement): void {
    this.#showAlert(element("p", {}, message));
    where.focus();
  }

  /** Says what went wrong; with `again`, a button that loads anew. */
  #complain(title: string, error: unknown, again?: string): void {
    const message = error instanceof Error ? error.message : String(error);
    const parts: Node[] = [element("strong", {}, title), element("p", {}, sentence(message))];
    if (error instanceof LacunaError && error.diagnostics.length > 0) {
      this.#editor.show(error.diagnostics);
      parts[1] = findingsList(error.diagnostics, this.#editor.text, (place) =>
        this.#editor.goTo(place),
      );
    }
    if (again) {
      const button = element("button", { type: "button" }, again);
      button.addEventListener("click", () => void this.#restart());
      parts.push(button);
    }
    this.#showAlert(...parts);
  }

  async #restart(): Promise<void> {
    this.#editor.recheck();
    await this.#reload();
  }

  async #reload(): Promise<void> {
    this.#hideAlert();
    this.#loaded = false;
    await this.#load();
  }

  #showAlert(...parts: Node[]): void {
    this.#alert.replaceChildren(...parts);
    this.#alert.hidden = false;
    this.#stage.reveal();
  }

  #hideAlert(): void {
    this.#alert.hidden = true;
    this.#alert.replaceChildren();
  }
}

function whereItRuns({ device, adapter, why }: DeviceReport): string {
  const place = device === "cpu" ? "On the CPU" : `On the GPU${adapter ? ` (${adapter})` : ""}`;
  return sentence(`${place}: ${why}`);
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);
