/** What a run cost, step by step: time, checks, batches, and what was known already. */

import type { FiguresEvent, GrammarOrigin } from "lacuna-lm";
import { bars, type Series } from "./bars.ts";
import { element } from "./dom.ts";
import type { Lane } from "./lane.ts";
import { milliseconds, whole } from "./words.ts";

const ORIGINS: Readonly<Record<GrammarOrigin, string>> = {
  compiled: "compiled",
  memory: "from memory",
  storage: "from storage",
  rebuilt: "compiled again",
};

/** The charts of a run that is over. */
export function figuresOf({ timeline, method }: Lane): Node[] {
  const { figures, done, grammar, plannedSteps } = timeline;
  const facts: [string, string][] = [
    ["Steps", `${done?.steps ?? timeline.taken} of ${plannedSteps}`],
  ];
  if (grammar) facts.push(["Grammar", ORIGINS[grammar]]);
  if (done) facts.push(["Recovered cells", whole(done.timings.recovered)]);
  const charts = [time(figures, method !== "unconstrained"), committed(figures)];
  if (method !== "unconstrained") charts.splice(1, 0, checks(figures));
  if (figures.some(({ memoAsked }) => memoAsked !== undefined)) charts.push(memo(figures));
  const pairs = facts.map(([name, value]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, value)),
  );
  return [
    element("div", { class: "charts" }, ...charts),
    element("dl", { class: "facts" }, ...pairs),
  ];
}

type Read = (figures: FiguresEvent) => number;

const total = (figures: readonly FiguresEvent[], read: Read): number =>
  figures.reduce((sum, step) => sum + read(step), 0);

const highest = (figures: readonly FiguresEvent[], read: Read): number =>
  Math.max(0, ...figures.map(read));

function series(
  figures: readonly FiguresEvent[],
  [name, colour]: readonly [string, string],
  read: Read,
  words: (value: number) => string = whole,
): Series {
  const values = figures.map(read);
  return { name, colour, values, total: words(total(figures, read)) };
}

function time(figures: readonly FiguresEvent[], checked: boolean): HTMLElement {
  const parts = [
    series(figures, ["model", "--chart-model"], ({ modelMs }) => modelMs, milliseconds),
    ...(checked
      ? [
          series(
            figures,
            ["checker", "--chart-checker"],
            ({ checkerMs }) => checkerMs,
            milliseconds,
          ),
        ]
      : []),
  ];
  const most = highest(figures, ({ modelMs, checkerMs }) => modelMs + checkerMs);
  return bars("Time a step", milliseconds(most), parts);
}

function checks(figures: readonly FiguresEvent[]): HTMLElement {
  const most = highest(figures, ({ checks, agreed }) => checks + agreed);
  return bars("Questions a step", whole(most), [
    series(figures, ["checked", "--chart-checker"], ({ checks }) => checks),
    series(figures, ["known from the witness", "--chart-known"], ({ agreed }) => agreed),
    series(
      figures,
      ["refused", "--chart-refused"],
      () => 0,
      () => whole(total(figures, ({ refusals }) => refusals)),
    ),
  ]);
}

function committed(figures: readonly FiguresEvent[]): HTMLElement {
  const batches = total(figures, ({ batches }) => batches);
  const tokens = total(figures, ({ batchTokens }) => batchTokens);
  const mean = batches === 0 ? "none" : `${(tokens / batches).toFixed(1)} a batch`;
  return bars("In batches, a step", mean, [
    series(figures, ["together", "--chart-known"], ({ batchTokens }) => batchTokens),
    series(figures, ["to recover", "--chart-recovery"], ({ recovered }) => recovered),
  ]);
}

function memo(figures: readonly FiguresEvent[]): HTMLElement {
  const asked = total(figures, ({ memoAsked = 0 }) => memoAsked);
  const known = total(figures, ({ memoKnown = 0 }) => memoKnown);
  const share = asked === 0 ? "never asked" : `${Math.round((known / asked) * 100)} % known`;
  return bars("Memo look-ups a step", share, [
    series(figures, ["known", "--chart-known"], ({ memoKnown = 0 }) => memoKnown),
    series(
      figures,
      ["looked up anew", "--chart-checker"],
      ({ memoAsked = 0, memoKnown = 0 }) => memoAsked - memoKnown,
    ),
  ]);
}
