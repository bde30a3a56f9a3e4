/** Milliseconds a step against cells of the canvas, both on scales of doublings. */

import { counted } from "../src/page/words.ts";
import type { Report } from "./report.ts";

interface Series {
  name: string;
  points: [cells: number, milliseconds: number][];
}

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [720, 360, 52, 250, 12, 32];
const COLOURS = ["--model", "--batch", "--recovery", "--refused", "--accent-strong", "--ink-soft"];

/** The plot; with nothing to draw, only its frame. */
export function plot(report: Report): SVGElement {
  const all = seriesOf(report);
  const cells = all.flatMap(({ points }) => points.map(([x]) => x));
  const times = all.flatMap(({ points }) => points.map(([, y]) => y));
  const across = scale(cells, LEFT, WIDTH - RIGHT);
  const up = scale(times, HEIGHT - BOTTOM, TOP);
  const svg = element("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" });
  for (const x of new Set(cells)) {
    svg.append(text(across.at(x), HEIGHT - 12, String(x), "middle"));
  }
  for (const y of doublings(times)) {
    const [y1, y2] = [up.at(y), up.at(y)];
    svg.append(element("line", { class: "rule", x1: LEFT, x2: WIDTH - RIGHT, y1, y2 }));
    svg.append(text(LEFT - 6, up.at(y) + 4, String(y), "end"));
  }
  for (const [at, { name, points }] of all.entries()) {
    const colour = `var(${COLOURS[at % COLOURS.length]})`;
    const dash = at >= COLOURS.length ? "5 4" : "none";
    const line = points.map(([x, y]) => `${across.at(x)},${up.at(y)}`).join(" ");
    const style = `stroke: ${colour}; stroke-dasharray: ${dash}`;
    svg.append(element("polyline", { class: "line", points: line, style }));
    const label = text(WIDTH - RIGHT + 14, TOP + 12 + at * 17, name, "start");
    label.setAttribute("style", `fill: ${colour}`);
    svg.append(label);
  }
  return svg;
}

function seriesOf({ cpu, gpu }: Report): Series[] {
  const byName = new Map<string, Series>();
  const add = (name: string, cells: number, milliseconds: number) => {
    const series = byName.get(name) ?? { name, points: [] };
    series.points.push([cells, milliseconds]);
    byName.set(name, series);
  };
  // The model of which there are figures on both.
  for (const { model, threads, canvas, step, rivals } of cpu) {
    if (model === "lacuna-mini") continue;
    const on = counted(threads, "thread");
    add(`wasm, ${on}`, canvas, step.median);
    for (const { name, times } of rivals) add(`${name}, ${on}`, canvas, times.median);
  }
  for (const { size, format, half, canvas, step } of gpu?.report.steps ?? []) {
    if (step) add(`GPU, ${size}, ${format}${half ? ", f16" : ""}`, canvas, step.step_micros / 1000);
  }
  return [...byName.values()];
}

function scale(values: readonly number[], from: number, to: number) {
  const logs = values.map(Math.log2);
  const least = Math.min(...logs);
  const span = Math.max(...logs) - least || 1;
  return {
    at: (value: number) => from + ((Math.log2(value) - least) / span) * (to - from),
  };
}

/** Powers of two within the values. */
function doublings(values: readonly number[]): number[] {
  const logs = values.map(Math.log2);
  const first = Math.ceil(Math.min(...logs));
  const powers = [];
  for (let log = first; log <= Math.max(...logs); log++) powers.push(2 ** log);
  return powers;
}

function text(x: number, y: number, content: string, anchor: string): SVGElement {
  const label = element("text", { x, y, "text-anchor": anchor });
  label.textContent = content;
  return label;
}

function element(name: string, attributes: Record<string, string | number>): SVGElement {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}
