/** The text of the run on show, with what others make of it and where its values come from. */

import { plain } from "./bytes.ts";
import { percent, WHY } from "./cell-card.ts";
import { byId, element, seen } from "./dom.ts";
import { figuresOf } from "./figures-view.ts";
import type { Lane } from "./lane.ts";
import { TITLES } from "./methods.ts";
import { type Marked, markedJson, markedRequest, sourcesOf } from "./spans.ts";
import type { Verdict } from "./verdict.ts";
import { counted, whole } from "./words.ts";

/** How a text is laid out. */
export type Layout = "pretty" | "raw";

/** Refusals beyond this many are only counted. */
const LISTED = 200;

/** Hues that sources are told apart by. */
const HUES = 6;

/** Shows a run that is over; nothing for one that is not. */
export function showResult(lane: Lane, request: string, layout: Layout): void {
  const { timeline, verdict } = lane;
  const { done } = timeline;
  const section = byId("results", HTMLElement);
  section.hidden = done === undefined;
  if (!done) return;
  section.dataset.method = lane.method;
  byId("results-title", HTMLElement).textContent = `Result: ${TITLES[lane.method]}`;
  const sources = sourcesOf(verdict?.spans ?? [], request);
  const bound = byId("sources", HTMLElement);
  bound.hidden = sources.length === 0;
  bound.replaceChildren(...markedRequest(request, sources).flatMap(marked));
  const text = byId("text", HTMLPreElement);
  if (done.text === "") text.replaceChildren("(nothing)");
  else if (layout === "pretty" && verdict?.parses)
    text.replaceChildren(...markedJson(done.text, sources).flatMap(marked));
  else text.replaceChildren(...seen(done.text));
  byId("notes", HTMLUListElement).replaceChildren(...(verdict ? notes(lane, verdict) : []));
  byId("figures", HTMLDivElement).replaceChildren(...figuresOf(lane));
  listRefusals(lane);
}

function marked({ text, source }: Marked): (Node | string)[] {
  if (!source) return seen(text);
  const hue = String(source.number % HUES);
  return [element("mark", { "data-hue": hue, title: source.pointer }, ...seen(text))];
}

function notes({ timeline }: Lane, verdict: Verdict): Node[] {
  const found: Node[] = [];
  const add = (good: boolean | "unknown", words: string) =>
    found.push(element("li", { "data-good": String(good) }, words));
  if (verdict.valid) add(true, verdict.praise ?? "Valid under the schema, says ajv.");
  for (const problem of verdict.problems) add(false, `${problem}.`);
  for (const format of verdict.formats ?? [])
    add("unknown", `The format “${format}” is not checked.`);
  const strays = verdict.spans.filter(({ stands }) => !stands);
  if (verdict.spans.length > 0 && strays.length === 0)
    add(true, "Every bound value stands in the request.");
  for (const { pointer, value } of strays)
    add(false, `${pointer}: “${value}” does not stand in the request.`);
  if (timeline.done?.outcome === "unfinished")
    add(false, "The text did not come to an end within the canvas.");
  if (timeline.done?.outcome === "recovered")
    add(false, "The method gave up: the rest is a text that it knew of, not the model’s.");
  return found;
}

function listRefusals({ timeline: { refusals } }: Lane): void {
  byId("refusals", HTMLDetailsElement).hidden = refusals.length === 0;
  byId("refusals-title", HTMLElement).textContent = counted(refusals.length, "refused candidate");
  const items = refusals
    .slice(0, LISTED)
    .map(({ step, cell, bytes, probability, reason }) =>
      element(
        "li",
        {},
        element("span", { class: "when" }, `Step ${step + 1}, cell ${cell + 1}`),
        element("del", {}, plain(bytes) || "end"),
        element("span", { class: "why" }, `${percent(probability)} · ${WHY[reason]}`),
      ),
    );
  if (refusals.length > LISTED)
    items.push(element("li", {}, `… and ${whole(refusals.length - LISTED)} more`));
  byId("refusals-list", HTMLOListElement).replaceChildren(...items);
}
