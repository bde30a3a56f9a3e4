/** The form: what is asked for, checked, kept in links, and put in from tasks. */

import type { CellOrder, CommitMethod, KeyCache, Method, Recovery, Schedule } from "lacuna-lm";
import { byId } from "./dom.ts";
import type { GrammarEditor } from "./grammar-editor.ts";
import { METHODS } from "./methods.ts";
import {
  MODELS,
  type ModelName,
  PRESETS,
  type Preset,
  presetWith,
  type TaskOptions,
} from "./presets.ts";
import type { Shared } from "./share.ts";
import { counted } from "./words.ts";

/** A request as the engine takes it, but for the method. */
export interface Ask {
  readonly prompt: string;
  readonly task?: string;
  readonly grammar: { readonly jsonSchema: string } | { readonly lark: string };
  readonly length: number;
  readonly steps: number;
  readonly seed: number;
  readonly temperature: number;
  readonly schedule: Schedule;
  readonly order: CellOrder;
  /** Left out where all cells are one block. */
  readonly block?: number;
  readonly keyCache: KeyCache;
}

/** What only our own method is told. */
export interface OwnOptions {
  readonly commit: CommitMethod;
  readonly recovery: Recovery;
}

/** Why a form is no request, and where. */
export interface Wrong {
  readonly message: string;
  readonly where: HTMLElement;
}

/** Schedules that need a number, with the one that the form means. */
const SCHEDULES: Readonly<Record<string, Schedule>> = {
  threshold: { threshold: 0.9 },
  factor: { factor: 1 },
};

/** Fields that links carry and tasks set, with what they hold where those do not say it. */
const DEFAULTS = {
  ...{ length: "64", steps: "16", seed: "1", temperature: "0" },
  ...{ schedule: "fixed", order: "confidence", commit: "bisect", recovery: "guided" },
  ...{ block: "", keyCache: "none" },
} as const;

/** The task of a grammar that comes with none. */
const OWN = "own";

const FIELDS = Object.keys(DEFAULTS) as (keyof typeof DEFAULTS)[];

/** Fields that the folded options tell in any case. */
const ALWAYS_TOLD: readonly string[] = ["length", "steps", "seed"];

export class Form {
  readonly #editor: GrammarEditor;
  readonly #request = byId("request", HTMLTextAreaElement);
  readonly #preset = byId("preset", HTMLSelectElement);
  readonly #task = byId("task", HTMLInputElement);
  #model: ModelName = MODELS[0];
  #isOwn = false;

  constructor(editor: GrammarEditor) {
    this.#editor = editor;
    for (const { id, title } of PRESETS) this.#preset.add(new Option(title, id));
    // It is what a grammar becomes that is written to; there is nothing to choose.
    const own = new Option("Your own", OWN);
    own.hidden = true;
    own.disabled = true;
    this.#preset.add(own);
    byId("ask", HTMLFormElement).addEventListener("input", () => this.#summarise());
  }

  /** The model of the task. */
  get model(): ModelName {
    return this.#model;
  }

  get request(): string {
    return this.#request.value.trim();
  }

  /** Methods that are to be shown, ours first. */
  get methods(): readonly Method[] {
    const boxes = methodBoxes().filter(({ checked }) => checked);
    const chosen = new Set(boxes.map(({ value }) => value));
    return METHODS.filter((method) => method === "lacuna" || chosen.has(method));
  }

  get own(): OwnOptions {
    return { commit: value("commit") as CommitMethod, recovery: value("recovery") as Recovery };
  }

  /** Cells that a canvas is laid out with before it is asked for. */
  get cells(): number {
    return control("length").validity.valid ? number("length") : Number(DEFAULTS.length);
  }

  /** Puts a task in, and its request unless the user has written one. */
  choose({ model, kind, grammar, request, task, options = {} }: Preset): void {
    const untouched = PRESETS.some(({ request }) => request === this.#request.value);
    if (untouched || this.request === "") this.#request.value = request;
    this.#model = model;
    this.#tell(task);
    this.#editor.open(kind, grammar);
    this.#set(options);
    this.#name();
  }

  /** The form as a request; or what is wrong with it. */
  read(): Ask | Wrong {
    if (this.request === "") return { message: "Write a request first.", where: this.#request };
    const inputs = document.querySelectorAll<HTMLInputElement>(".options input");
    const wrong = [...inputs].find((input) => !input.checkValidity());
    if (wrong) {
      const details = wrong.closest("details");
      if (details) details.open = true;
      const name = wrong.closest("label")?.textContent?.trim() ?? "An option";
      return { message: `${name}: ${wrong.validationMessage}`, where: wrong };
    }
    const { kind, text } = this.#editor;
    return {
      prompt: this.request,
      ...this.#told,
      grammar: kind === "lark" ? { lark: text } : { jsonSchema: text },
      length: number("length"),
      steps: number("steps"),
      seed: number("seed"),
      temperature: number("temperature"),
      schedule: SCHEDULES[value("schedule")] ?? (value("schedule") as Schedule),
      order: value("order") as CellOrder,
      ...(value("block") === "" ? {} : { block: number("block") }),
      keyCache: value("keyCache") as KeyCache,
    };
  }

  /** All that the form holds. */
  share(): Shared {
    const fields = Object.fromEntries(FIELDS.map((id) => [id, value(id)]));
    const { kind, text: grammar } = this.#editor;
    return {
      model: this.#model,
      ...{ kind, grammar, request: this.#request.value, fields },
      ...this.#told,
      methods: this.methods,
    };
  }

  /** Puts in what was shared. */
  restore({ model, kind, grammar, request, task, fields, methods }: Shared): void {
    this.#model = model;
    this.#tell(task);
    this.#request.value = request;
    fill(fields);
    for (const box of methodBoxes()) box.checked = methods.includes(box.value);
    this.#editor.open(kind, grammar);
    this.#name();
  }

  /** Whether the grammar is none that comes with a task. */
  get isOwn(): boolean {
    return this.#isOwn;
  }

  /** Says which task the grammar is of, as it stands. */
  nameTask(): void {
    const { kind, text } = this.#editor;
    const preset = presetWith(this.#model, kind, text);
    this.#isOwn = preset === undefined;
    this.#preset.value = preset?.id ?? OWN;
  }

  /** Puts the task line in; there is no field where the grammar says it. */
  #tell(task: string | undefined): void {
    this.#task.value = task ?? "";
    byId("task-field", HTMLDivElement).hidden = task === undefined;
  }

  /** The task line, where there is a field for it. */
  get #told(): { readonly task?: string } {
    const hidden = byId("task-field", HTMLDivElement).hidden;
    return hidden ? {} : { task: this.#task.value.trim() };
  }

  #set({ methods, ...given }: TaskOptions): void {
    const texts = Object.entries(given).map(([id, value]) => [id, String(value)]);
    fill(Object.fromEntries(texts));
    for (const box of methodBoxes()) box.checked = methods?.includes(box.value) ?? true;
    this.#summarise();
  }

  #name(): void {
    this.nameTask();
    byId("grammar-title", HTMLElement).textContent = this.#editor.name;
    this.#summarise();
  }

  #summarise(): void {
    const others = FIELDS.filter((id) => !ALWAYS_TOLD.includes(id) && value(id) !== DEFAULTS[id]);
    byId("options-summary", HTMLSpanElement).textContent = [
      ...[many("length", "cell"), many("steps", "step"), `seed ${value("seed")}`],
      ...others.map(told),
    ].join(", ");
  }
}

/** Whether a form is no request. */
export const isWrong = (read: Ask | Wrong): read is Wrong => "message" in read;

function control(id: string): HTMLInputElement | HTMLSelectElement {
  const found = document.getElementById(id);
  if (found instanceof HTMLInputElement || found instanceof HTMLSelectElement) return found;
  throw new Error(`the page has no control with the id ${id}`);
}

/** Puts into the fields what is given; into those of which nothing is, or no choice, the default. */
function fill(given: Readonly<Record<string, string>>): void {
  for (const id of FIELDS) {
    const field = control(id);
    field.value = given[id] ?? DEFAULTS[id];
    if (field instanceof HTMLSelectElement && field.selectedIndex < 0) field.value = DEFAULTS[id];
  }
}

/** A field with its name, in words. */
function told(id: string): string {
  const field = control(id);
  const name = field.labels?.[0]?.firstChild?.textContent?.trim() ?? id;
  const choice = field instanceof HTMLSelectElement ? field.selectedOptions[0]?.text : undefined;
  return `${name.toLowerCase()} ${choice ?? field.value}`;
}

const value = (id: string): string => control(id).value;
const number = (id: string): number => byId(id, HTMLInputElement).valueAsNumber;
const many = (id: string, noun: string): string => counted(number(id) || 0, noun);
const methodBoxes = (): HTMLInputElement[] => [
  ...document.querySelectorAll<HTMLInputElement>("input[name=method]"),
];
