/** A finished run's text with what others make of it. */

import type { DoneEvent, GrammarOrigin } from "lacuna-lm";
import { element } from "./dom.ts";
import type { Verdict } from "./verdict.ts";

/** How a text is laid out. */
export type Layout = "pretty" | "raw";

/** A run that is over, judged. */
export interface Judged {
  readonly done: DoneEvent;
  readonly verdict: Verdict;
  readonly plannedSteps: number;
  readonly constrained: boolean;
  readonly grammar: GrammarOrigin | undefined;
}

const ORIGINS: Readonly<Record<GrammarOrigin, string>> = {
  compiled: "compiled",
  memory: "from memory",
  storage: "from storage",
  rebuilt: "compiled again",
};

/** Fills a panel with a judged run. */
export function showResult(
  panel: HTMLElement,
  title: string,
  judged: Judged,
  layout: Layout,
): void {
  const { done, verdict } = judged;
  panel.dataset.verdict = verdict.valid ? "valid" : "invalid";
  panel.removeAttribute("data-waiting");
  panel.replaceChildren(
    heading(title, verdict),
    element(
      "pre",
      { class: "text", tabindex: "0", "aria-label": `${title}: text` },
      laidOut(done, verdict, layout),
    ),
    notes(done, verdict),
    figures(judged),
  );
}

/** Fills a panel with a word in place of a result. */
export function showNote(panel: HTMLElement, title: string, note: string): void {
  delete panel.dataset.verdict;
  panel.setAttribute("data-waiting", "");
  panel.replaceChildren(element("h3", {}, title), element("p", { class: "waiting" }, note));
}

function heading(title: string, { valid, parses }: Verdict): HTMLElement {
  const words = valid ? "Valid" : parses ? "Not valid" : "Not JSON";
  const badge = element("span", { class: "badge", "data-good": String(valid) }, words);
  return element("h3", {}, title, " ", badge);
}

function laidOut(done: DoneEvent, { parses, value }: Verdict, layout: Layout): string {
  if (done.text === "") return "(nothing)";
  return layout === "pretty" && parses ? JSON.stringify(value, null, 2) : done.text;
}

function notes(done: DoneEvent, verdict: Verdict): HTMLElement {
  const list = element("ul", { class: "notes" });
  const add = (good: boolean, words: string) =>
    list.append(element("li", { "data-good": String(good) }, words));
  if (verdict.valid) add(true, "Valid under the schema, says ajv.");
  for (const problem of verdict.problems) add(false, `${problem}.`);
  const strays = verdict.spans.filter(({ stands }) => !stands);
  if (verdict.spans.length > 0 && strays.length === 0)
    add(true, "Every bound value stands in the request.");
  for (const { pointer, value } of strays)
    add(false, `${pointer}: “${value}” does not stand in the request.`);
  if (done.outcome === "unfinished")
    add(false, "The text did not come to an end within the canvas.");
  return list;
}

function figures({ done, plannedSteps, constrained, grammar }: Judged): HTMLElement {
  const { modelMs, checkerMs, checks, refusals } = done.timings;
  const entries: [string, string][] = [
    ["Steps", `${done.steps} of ${plannedSteps}`],
    ["Model", milliseconds(modelMs)],
  ];
  if (constrained) {
    entries.push(
      ["Checker", milliseconds(checkerMs)],
      ["Checks", String(checks)],
      ["Refusals", String(refusals)],
    );
  }
  if (grammar) entries.push(["Grammar", ORIGINS[grammar]]);
  const pairs = entries.map(([name, value]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, value)),
  );
  return element("dl", { class: "figures" }, ...pairs);
}

function milliseconds(value: number): string {
  return value < 10 ? `${value.toFixed(1)} ms` : `${Math.round(value).toLocaleString("en")} ms`;
}
