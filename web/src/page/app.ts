/** The page: what its controls set going, and what comes of it. */

import {
  type DevicePreference,
  type Diagnostic,
  type Engine,
  type EngineEvent,
  FAULT,
  LacunaError,
} from "lacuna-lm";
import { UNREADABLE } from "../fragment.ts";
import { Keeper, leftBehind } from "../keeping.ts";
import { byId, isComposed } from "./dom.ts";
import type { Engines } from "./engines.ts";
import { type Ask, Form, isWrong } from "./form.ts";
import { GrammarEditor } from "./grammar-editor.ts";
import { Lane } from "./lane.ts";
import { load, sayDevice } from "./loader.ts";
import { judgeMember } from "./member.ts";
import { remember, remembered } from "./memory.ts";
import { TITLES } from "./methods.ts";
import { type Kind, type ModelName, presetOf } from "./presets.ts";
import { type Layout, showResult } from "./result-view.ts";
import { fromFragment, isLink, sharedOf, toFragment } from "./share.ts";
import { Speech } from "./speech.ts";
import { Stage } from "./stage.ts";
import { textsOf } from "./texts.ts";
import { judge, notJudged, prepareJudge, type Verdict } from "./verdict.ts";
import { counted } from "./words.ts";

const DEVICES = ["auto", "cpu", "gpu"] as const satisfies readonly DevicePreference[];
const DEVICE_KEY = "lacuna-device";

/** What the form holds is kept by, for the tab. */
const KEEP_KEY = "lacuna-demo";

/** Faults behind which the next call starts a fresh engine. */
const DEADLY: readonly string[] = [FAULT.worker, FAULT.trap];

export class App {
  readonly #engines: Engines;
  readonly #editor: GrammarEditor;
  readonly #form: Form;
  readonly #speech: Speech;
  /** Whether an alert stands there of what was asked, and not of the engine. */
  #isAskAtFault = false;
  readonly #stage: Stage;
  readonly #run = byId("run", HTMLButtonElement);
  readonly #cancel = byId("cancel", HTMLButtonElement);
  readonly #deviceChoice = byId("device-choice", HTMLSelectElement);
  #loaded: ModelName | undefined;
  #loading: { readonly model: ModelName; readonly abort: AbortController } | undefined;
  #abort: AbortController | undefined;
  /** The run on show, and the request that it answers. */
  #shown: { readonly lane: Lane; readonly ask: Ask } | undefined;
  #asked: Ask | undefined;
  /** Whether the address carries something that cannot be read. */
  #isLinkLost = false;
  #keeper: Keeper | undefined;

  constructor(engines: Engines) {
    this.#engines = engines;
    this.#editor = new GrammarEditor(
      byId("editor", HTMLDivElement),
      byId("findings", HTMLDivElement),
      (kind, text) => this.#findings(kind, text),
      () => this.#edited(),
    );
    this.#form = new Form(this.#editor);
    this.#stage = new Stage({
      shown: (lane, event) => this.#noteEvent(lane, event),
      chosen: (lane) => this.#show(lane),
    });
    this.#speech = new Speech(this.#editor, this.#run, () => this.#stage.reveal());
    this.#connect();
  }

  /** Fills the form, from the address if that carries something, and loads the model. */
  async begin(): Promise<void> {
    if (matchMedia("(max-width: 56rem)").matches) {
      byId("grammar-fold", HTMLDetailsElement).open = false;
    }
    const left = sharedOf(leftBehind(KEEP_KEY));
    if (left) this.#form.restore(left);
    else if (!(await this.#restore())) this.#form.choose(presetOf(""));
    this.#keeper = new Keeper({
      key: KEEP_KEY,
      state: () => this.#form.share(),
      fragment: () => toFragment(this.#form.share()),
    });
    if (left) this.#keeper.changed();
    this.#stage.clear(this.#form.cells);
    const loading = this.#load();
    this.#judgeLink();
    await loading;
  }

  get #engine(): Engine {
    return this.#engines.of(this.#form.model);
  }

  #connect(): void {
    const preset = byId("preset", HTMLSelectElement);
    preset.addEventListener("change", async () => {
      this.#askedAnew();
      const chosen = presetOf(preset.value);
      const choose = () => this.#form.choose(chosen);
      // A step back brings back what was written.
      if (this.#form.isOwn) await this.#keeper?.turn(choose);
      else choose();
      await this.#load();
    });
    byId("ask", HTMLFormElement).addEventListener("input", () => {
      this.#keeper?.changed();
      this.#askedAnew();
    });
    byId("ask", HTMLFormElement).addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#start();
    });
    byId("request", HTMLTextAreaElement).addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || isComposed(event)) return;
      event.preventDefault();
      void this.#start();
    });
    this.#cancel.addEventListener("click", () => this.#abort?.abort());
    document.addEventListener("keydown", (event) => {
      // Where something else was closed by it, the run goes on.
      if (event.key !== "Escape" || event.defaultPrevented || isComposed(event)) return;
      this.#abort?.abort();
    });
    this.#deviceChoice.value = remembered(DEVICE_KEY, DEVICES);
    this.#deviceChoice.addEventListener("change", () => {
      remember(DEVICE_KEY, this.#deviceChoice.value);
      void this.#reload();
    });
    for (const radio of document.querySelectorAll("input[name=layout]")) {
      radio.addEventListener("change", () => this.#showAgain());
    }
    byId("share", HTMLButtonElement).addEventListener("click", () => void this.#share());
    byId("copy", HTMLButtonElement).addEventListener("click", () => void this.#copy());
    addEventListener("hashchange", async () => {
      const wasLost = this.#isLinkLost;
      if (await this.#restore()) await this.#load();
      if (wasLost && !this.#isLinkLost) this.#speech.calm();
      this.#judgeLink();
    });
  }

  /** What an alert was about that came of what was asked is not asked any more. */
  #askedAnew(): void {
    if (!this.#isAskAtFault) return;
    this.#isAskAtFault = false;
    this.#speech.calm();
    this.#speech.say("Ready.");
  }

  /** The grammar is another one than it was. */
  #edited(): void {
    this.#askedAnew();
    if (!this.#keeper) return;
    this.#form.nameTask();
    this.#keeper.changed();
  }

  async #restore(): Promise<boolean> {
    const shared = await fromFragment(location.hash);
    if (shared) this.#form.restore(shared);
    this.#isLinkLost = !shared && isLink(location.hash);
    return shared !== undefined;
  }

  /** Says that the address carries something that cannot be read, if it does. */
  #judgeLink(): void {
    if (this.#isLinkLost) this.#speech.complain(UNREADABLE.title, UNREADABLE.message);
  }

  /** Loads the model of the task, in place of another that is on its way. */
  async #load(): Promise<void> {
    const { model } = this.#form;
    if ((this.#loading?.model ?? this.#loaded) === model) return;
    this.#loading?.abort.abort();
    const abort = new AbortController();
    this.#loading = { model, abort };
    this.#loaded = undefined;
    this.#enable();
    this.#speech.calm();
    this.#speech.say("Loading the model.");
    try {
      const device = this.#deviceChoice.value as DevicePreference;
      await load(this.#engine, device, abort.signal);
      if (abort.signal.aborted) return;
      this.#loaded = model;
      this.#speech.say("Ready.");
      // It is asked for again when it is needed; there a failure is said.
      prepareJudge().catch(() => {});
    } catch (error) {
      if (abort.signal.aborted) return;
      const act = () => void this.#reload();
      const why = isOffline(error) ? new Error("There is no connection to the network.") : error;
      this.#speech.complain("The model could not be loaded", why, { words: "Try again", act });
      this.#speech.say("No model.");
    }
    this.#loading = undefined;
    this.#enable();
  }

  async #reload(): Promise<void> {
    this.#loaded = undefined;
    this.#editor.recheck();
    await this.#load();
  }

  async #findings(kind: Kind, text: string): Promise<readonly Diagnostic[]> {
    try {
      // Any text will do: what is wrong with the schema is wrong for every request.
      const texts = textsOf("a request");
      const grammar = kind === "lark" ? { lark: text } : { jsonSchema: text };
      const { diagnostics } = await this.#engine.validate(grammar, { texts });
      return diagnostics.filter(({ kind }) => kind !== "unbounded-nesting");
    } catch (error) {
      // What is wrong with the engine and not with the grammar is said elsewhere.
      if (error instanceof LacunaError) return [];
      throw error;
    }
  }

  async #start(): Promise<void> {
    if (this.#abort) return;
    if (!this.#loaded) {
      if (this.#loading) this.#speech.say("The model is still loading.");
      return;
    }
    const ask = this.#form.read();
    if (isWrong(ask)) {
      this.#isAskAtFault = true;
      this.#speech.say("Not started.");
      this.#speech.warn(ask.message, ask.where);
      return;
    }
    const abort = new AbortController();
    this.#abort = abort;
    this.#asked = ask;
    this.#shown = undefined;
    this.#isAskAtFault = false;
    this.#speech.calm();
    byId("results", HTMLElement).hidden = true;
    const lanes = this.#form.methods.map((method) => new Lane(method));
    const [own, ...others] = lanes as [Lane, ...Lane[]];
    this.#stage.follow(lanes, ask.length);
    this.#enable();
    this.#stage.reveal();
    this.#speech.say("Writing.");
    const turns = crypto.randomUUID?.() ?? String(performance.now());
    const write = (lane: Lane) => this.#write(lane, ask, { turns, signal: abort.signal });
    try {
      const writing = write(own);
      const beside = others.map((lane) =>
        write(lane).catch((error: unknown) => {
          if (!isCancelled(error))
            lane.fault = error instanceof Error ? error.message : String(error);
        }),
      );
      await writing;
      await Promise.all(beside);
      await this.#stage.caughtUp();
      await Promise.all(lanes.map((lane) => this.#judge(lane, ask)));
      this.#stage.settle();
      this.#show(own);
      this.#speech.say(abort.signal.aborted ? "Cancelled." : "Done.");
    } catch (error) {
      abort.abort();
      this.#stage.settle();
      const begun = own.timeline.length > 0;
      if (!begun) this.#stage.clear(ask.length);
      this.#failed(error, begun);
    }
    this.#abort = undefined;
    this.#speech.arrived();
    this.#enable();
  }

  /** Has one of the methods write, its events shown as they come. */
  async #write(
    lane: Lane,
    ask: Ask,
    call: { readonly turns: string; readonly signal: AbortSignal },
  ): Promise<void> {
    const { method } = lane;
    const own = method === "lacuna" ? this.#form.own : {};
    for await (const event of this.#engine.generate({ ...ask, ...own, ...call, method })) {
      this.#stage.push(lane, event);
    }
  }

  async #judge(lane: Lane, ask: Ask): Promise<void> {
    const { done } = lane.timeline;
    if (!done) return;
    lane.verdict = await verdictOf(done.text, ask).catch(notJudged);
    this.#stage.refresh(lane);
  }

  #noteEvent(lane: Lane, event: EngineEvent): void {
    if (event.type === "move") sayDevice(`${event.message}.`);
    if (event.type !== "step" || lane.method !== "lacuna") return;
    const { step, steps, masked } = event;
    this.#speech.progress(`Step ${step + 1} of ${steps}, ${counted(masked, "cell")} masked.`);
  }

  #failed(error: unknown, begun: boolean): void {
    if (isCancelled(error)) {
      this.#speech.say("Cancelled.");
      return;
    }
    this.#speech.say(begun ? "Broken off." : "Nothing was written.");
    const dead = error instanceof LacunaError && DEADLY.includes(error.kind);
    const act = () => void this.#reload();
    this.#isAskAtFault = !dead;
    const again = dead ? { words: "Restart the engine", act } : undefined;
    this.#speech.complain(begun ? "The run broke off" : "This cannot be written", error, again);
  }

  #show(lane: Lane): void {
    if (!this.#asked) return;
    this.#shown = { lane, ask: this.#asked };
    this.#showAgain();
  }

  #showAgain(): void {
    if (!this.#shown) return;
    const layout = document.querySelector<HTMLInputElement>("input[name=layout]:checked");
    showResult(this.#shown.lane, this.#shown.ask.prompt, (layout?.value ?? "pretty") as Layout);
  }

  async #share(): Promise<void> {
    if (!(await this.#keeper?.save())) return this.#speech.say("This is too much for a link.");
    await this.#toClipboard(
      location.href,
      "The link is copied.",
      "The link is in the address bar.",
    );
  }

  async #copy(): Promise<void> {
    if (!this.#shown) return;
    const { method, timeline } = this.#shown.lane;
    const { text = "" } = timeline.done ?? {};
    if (text === "") return this.#speech.say(`${TITLES[method]}: there is nothing to copy.`);
    const refused = "The browser does not let pages copy.";
    await this.#toClipboard(text, `${TITLES[method]}: copied.`, refused);
  }

  async #toClipboard(text: string, done: string, refused: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      this.#speech.say(done);
    } catch {
      this.#speech.say(refused);
    }
  }

  #enable(): void {
    able(this.#run, this.#loaded !== undefined && this.#abort === undefined);
    able(this.#cancel, this.#abort !== undefined);
    this.#deviceChoice.disabled = this.#loading !== undefined || this.#abort !== undefined;
    byId("preset", HTMLSelectElement).disabled = this.#abort !== undefined;
  }
}

/** Says of a button whether it does something. It keeps the focus if not. */
function able(button: HTMLButtonElement, isAble: boolean): void {
  button.disabled = false;
  button.ariaDisabled = String(!isAble);
}

/** Faults of what cannot be fetched, the engine's own files too. */
const UNFETCHED: readonly string[] = [FAULT.network, FAULT.worker, FAULT.unavailable];

/** Whether something could not be fetched because the browser has no network. */
const isOffline = (error: unknown): boolean =>
  error instanceof LacunaError && UNFETCHED.includes(error.kind) && !navigator.onLine;

const isCancelled = (error: unknown): boolean =>
  error instanceof LacunaError && error.kind === FAULT.cancelled;

/** What others make of a text. */
function verdictOf(text: string, { grammar, prompt }: Ask): Promise<Verdict> {
  if ("lark" in grammar) return judgeMember(text, grammar.lark, prompt);
  return judge(text, grammar.jsonSchema, prompt);
}
