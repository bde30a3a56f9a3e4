/** A small chart of bars, one a step, each of several parts. */

import { element } from "./dom.ts";

/** A part of every bar. */
export interface Series {
  readonly name: string;
  /** The colour, by its custom property. */
  readonly colour: string;
  readonly values: readonly number[];
  /** What all of it comes to, for people. */
  readonly total: string;
}

const WIDTH = 240;
const HEIGHT = 56;
const SVG = "http://www.w3.org/2000/svg";

/** A chart with its title and legend. The series are stacked in order. */
export function bars(title: string, unit: string, series: readonly Series[]): HTMLElement {
  const steps = Math.max(0, ...series.map(({ values }) => values.length));
  const sums = Array.from({ length: steps }, (_, step) =>
    series.reduce((sum, { values }) => sum + (values[step] ?? 0), 0),
  );
  const most = Math.max(...sums, Number.MIN_VALUE);
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("role", "img");
  const words = series.map(({ name, total }) => `${name} ${total}`).join(", ");
  svg.setAttribute("aria-label", `${title}, by step: ${words}; at most ${unit}`);
  const slot = WIDTH / Math.max(1, steps);
  const gap = Math.min(2, slot / 5);
  for (let step = 0; step < steps; step++) {
    let foot = HEIGHT;
    for (const { colour, values } of series) {
      const height = ((values[step] ?? 0) / most) * (HEIGHT - 1);
      if (height <= 0) continue;
      foot -= height;
      const bar = document.createElementNS(SVG, "rect");
      const box = { x: step * slot + gap / 2, y: foot, width: slot - gap, height };
      for (const [name, value] of Object.entries(box))
        bar.setAttribute(name, String(Math.round(value * 100) / 100));
      bar.setAttribute("fill", `var(${colour})`);
      svg.append(bar);
    }
  }
  const legend = series.map(({ name, colour, total }) => {
    const swatch = element("i", { class: "key" });
    swatch.style.background = `var(${colour})`;
    return element("li", {}, swatch, `${name} `, element("b", {}, total));
  });
  return element(
    "figure",
    { class: "chart" },
    element("figcaption", {}, title, element("span", {}, unit)),
    svg,
    element("ul", {}, ...legend),
  );
}
