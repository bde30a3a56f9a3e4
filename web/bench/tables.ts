/** Tables: Markdown, and the same in the page. */

import { counted } from "../src/page/words.ts";
import type { CpuEntry, Report } from "./report.ts";

/** The whole report in Markdown. */
export function markdown(report: Report): string {
  const parts = [
    `${report.browser}; ${counted(report.processors, "processor")}; ` +
      `${report.isolated ? "" : "not "}cross-origin isolated`,
    cpuTable(report.cpu),
    report.gpu?.markdown ?? `No figures of a graphics card: ${report.withoutGpu}.`,
  ];
  for (const { canvas, times } of report.gpu?.rivals ?? []) {
    parts.push(`onnxruntime-web on the card, 10 M in f32, ${canvas} cells: ${ms(times.median)} ms`);
  }
  return parts.join("\n\n");
}

function cpuTable(entries: readonly CpuEntry[]): string {
  const names = entries[0]?.rivals.map(({ name }) => name) ?? [];
  const head = [
    ...["model", "cells", "threads", "ms a step (median)", "fastest to slowest", "16 steps, s"],
    "of the microkernel's rate",
    ...names.flatMap((name) => [`${name}: ms`, "times ours", "largest difference"]),
  ];
  const rows = entries.map((entry) => [
    ...[entry.model, String(entry.canvas), String(entry.threads), ms(entry.step.median)],
    `${ms(entry.step.fastest)} to ${ms(entry.step.slowest)}`,
    ((entry.step.median * 16) / 1000).toFixed(2),
    entry.ofMicrokernel === undefined ? "" : `${Math.round(entry.ofMicrokernel * 100)} %`,
    ...entry.rivals.flatMap(({ times, ratio, difference }) => [
      ms(times.median),
      ratio.toFixed(2),
      `${difference.toPrecision(2)} of ${entry.largestLogit.toPrecision(2)}`,
    ]),
  ]);
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const rule = head.map((_, at) => (at === 0 ? "---" : "--:"));
  return [head, rule, ...rows].map(line).join("\n");
}

const ms = (milliseconds: number) => milliseconds.toFixed(2);

/** Markdown as elements: its tables as tables, the rest as paragraphs. */
export function elementsOf(text: string): HTMLElement[] {
  return text
    .split(/\n\n+/)
    .filter((block) => block.trim() !== "")
    .map((block) => (block.startsWith("|") ? tableOf(block) : paragraphOf(block)));
}

function paragraphOf(text: string): HTMLElement {
  const paragraph = document.createElement("p");
  paragraph.textContent = text.replaceAll("**", "");
  return paragraph;
}

function tableOf(block: string): HTMLElement {
  const table = document.createElement("table");
  const lines = block.trim().split("\n");
  for (const [at, line] of lines.entries()) {
    if (at === 1) continue;
    const row = table.insertRow();
    for (const text of line.split("|").slice(1, -1)) {
      const cell = document.createElement(at === 0 ? "th" : "td");
      cell.textContent = text.trim();
      row.append(cell);
    }
  }
  return table;
}
