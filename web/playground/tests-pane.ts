/** Texts that must, and must not, belong, checked as the grammar changes. */

import { element, replaceInPlace } from "../src/page/dom.ts";
import { sentence } from "../src/page/findings-view.ts";
import { whole } from "../src/page/words.ts";
import type { TestResult } from "./protocol.ts";
import type { Test } from "./state.ts";

interface Parts {
  readonly list: HTMLElement;
  readonly summary: HTMLElement;
  readonly addMember: HTMLButtonElement;
  readonly addOther: HTMLButtonElement;
}

/** What a test came to. */
type Outcome = "passed" | "failed" | "undecided";

export class TestsPane {
  readonly #parts: Parts;
  readonly #changed: (tests: readonly Test[]) => void;
  #tests: Test[] = [];
  #rows: HTMLElement[] = [];
  #outcomes: (Outcome | undefined)[] = [];

  constructor(parts: Parts, changed: (tests: readonly Test[]) => void) {
    this.#parts = parts;
    this.#changed = changed;
    parts.addMember.addEventListener("click", () => this.add("", true));
    parts.addOther.addEventListener("click", () => this.add("", false));
  }

  get tests(): readonly Test[] {
    return this.#tests;
  }

  set tests(tests: readonly Test[]) {
    this.#tests = [...tests];
    this.#render();
  }

  /** Keeps a text beside the grammar. */
  add(text: string, belongs: boolean): void {
    this.#tests.push({ text, belongs });
    this.#render();
    this.#changed(this.#tests);
    if (text === "") this.#rows.at(-1)?.querySelector("textarea")?.focus();
  }

  /** All are looked at anew. */
  waiting(): void {
    this.#outcomes = this.#tests.map(() => undefined);
    this.#summarise();
  }

  /** Nothing is known of any. */
  unknown(): void {
    this.waiting();
    this.stopped();
  }

  /** No more will be known of those that were not looked at yet. */
  stopped(): void {
    for (const [at, row] of this.#rows.entries()) {
      if (this.#outcomes[at] !== undefined) continue;
      delete row.dataset.outcome;
      sayOf(row, "Not checked");
    }
  }

  result(at: number, result: TestResult): void {
    const test = this.#tests[at];
    const row = this.#rows[at];
    if (!test || !row) return;
    const outcome = outcomeOf(test, result);
    this.#outcomes[at] = outcome;
    row.dataset.outcome = outcome;
    sayOf(
      row,
      "fault" in result ? faultWords(result.fault.message) : wordsOf(test, result.belongs),
    );
    this.#summarise();
  }

  #render(): void {
    this.#rows = this.#tests.map((test, at) => this.#row(test, at));
    replaceInPlace(this.#parts.list, ...this.#rows);
    this.waiting();
  }

  #row({ text, belongs }: Test, at: number): HTMLElement {
    const kind = belongs ? "must match" : "must not match";
    const area = element("textarea", {
      rows: String(Math.min(6, text.split("\n").length)),
      dir: "auto",
      spellcheck: "false",
      autocapitalize: "off",
      "aria-label": `Text ${at + 1}, ${kind}`,
    });
    area.value = text;
    area.addEventListener("input", () => {
      area.rows = Math.min(6, area.value.split("\n").length);
      this.#set(at, { text: area.value, belongs: this.#tests[at]?.belongs ?? belongs });
    });
    const toggle = element("button", { type: "button", class: "kind", title: "Change" }, kind);
    toggle.addEventListener("click", () => {
      this.#set(at, { text: area.value, belongs: !belongs });
      this.#render();
    });
    const remove = element(
      "button",
      { type: "button", class: "remove", "aria-label": `Remove text ${at + 1}` },
      "×",
    );
    remove.addEventListener("click", () => {
      this.#tests.splice(at, 1);
      this.#render();
      if (this.#tests.length === 0) this.#parts.addMember.focus();
      this.#changed(this.#tests);
    });
    const mark = element("span", { class: "mark", role: "img", "aria-label": "Not checked yet" });
    return element("li", { "data-belongs": String(belongs) }, mark, area, toggle, remove);
  }

  #set(at: number, test: Test): void {
    this.#tests[at] = test;
    this.#changed(this.#tests);
  }

  #summarise(): void {
    const { summary } = this.#parts;
    const count = this.#tests.length;
    const known = this.#outcomes.filter((it) => it !== undefined);
    const of = (outcome: Outcome) => known.filter((it) => it === outcome).length;
    const [passed, failed, undecided] = [of("passed"), of("failed"), of("undecided")];
    summary.dataset.failed = String(failed > 0);
    const rest = undecided > 0 ? [`${whole(undecided)} undecided`] : [];
    if (count === 0) summary.textContent = "none yet";
    else if (known.length < count)
      summary.textContent = `${whole(known.length)} of ${whole(count)} checked`;
    else if (failed > 0) {
      const fail = `${whole(failed)} of ${whole(count)} ${failed === 1 ? "fails" : "fail"}`;
      summary.textContent = [fail, ...rest].join(", ");
    } else if (undecided > 0) {
      const pass = `${whole(passed)} of ${whole(count)} ${passed === 1 ? "passes" : "pass"}`;
      summary.textContent = [pass, ...rest].join(", ");
    } else summary.textContent = count === 1 ? "it passes" : `all ${whole(count)} pass`;
  }
}

function outcomeOf({ belongs }: Test, result: TestResult): Outcome {
  if ("fault" in result) return "undecided";
  return result.belongs === belongs ? "passed" : "failed";
}

/** Says of a row what it came to. */
function sayOf(row: HTMLElement, words: string): void {
  const mark = row.querySelector<HTMLElement>(".mark");
  mark?.setAttribute("title", words);
  mark?.setAttribute("aria-label", words);
}

const faultWords = (message: string): string =>
  sentence(`Undecided: ${message.replace(/^undecided: /, "")}`);

function wordsOf({ belongs }: Test, found: boolean): string {
  if (belongs === found) return found ? "Passes: it matches" : "Passes: it does not match";
  return found ? "Fails: it matches" : "Fails: it does not match";
}
