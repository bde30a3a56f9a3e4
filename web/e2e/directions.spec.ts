/** Words that are written from right to left, in the order that they are read in. */

import { expect, type Locator, test } from "@playwright/test";
import { compareWith, open, runToTheEnd } from "./page-object.ts";
import {
  grammarText,
  openPlayground,
  rows,
  text,
  witness,
  writeGrammar,
  writeText,
} from "./playground-page.ts";

/** The letters of a line as they stand, from the left. */
const shown = (line: Locator) =>
  line.evaluate((root) => {
    const letters: { letter: string; left: number }[] = [];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      for (const [at, letter] of Array.from(node.nodeValue ?? "").entries()) {
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        letters.push({ letter, left: range.getBoundingClientRect().left });
      }
    }
    letters.sort((a, b) => a.left - b.left);
    return letters.map(({ letter }) => letter).join("");
  });

/** Words as they stand: each of these letters, from the left. */
const turned = (words: string) => Array.from(words).reverse().join("");

test("a grammar keeps its order, and its words theirs", async ({ page }) => {
  await openPlayground(page);
  await writeGrammar(page, "GBNF", 'root ::= "שלום" " " [א-ת]+ "!" # סוף');
  const line = grammarText(page).locator(".cm-line").first();
  expect(await shown(line)).toBe(
    `root ::= "${turned("שלום")}" " " [${turned("א-ת")}]+ "!" # ${turned("סוף")}`,
  );
  await writeGrammar(page, "GBNF", 'root ::= ("א\\nב" | "גד")');
  expect(await shown(line)).toBe('root ::= ("ב\\nא" | "דג")');
  await writeGrammar(page, "Lark", 'start: "שלום" /[א-ת]+/ | "עולם"');
  expect(await shown(line)).toBe(
    `start: "${turned("שלום")}" /[${turned("א-ת")}]+/ | "${turned("עולם")}"`,
  );
  await writeGrammar(page, "Regex", "(שלום|[א-ת]+) עולם");
  expect(await shown(line)).toBe(`(${turned("שלום")}|[${turned("א-ת")}]+) ${turned("עולם")}`);
  await writeGrammar(page, "JSON Schema", '{"enum": ["שלום", "עולם"]}');
  expect(await shown(line)).toBe(`{"enum": ["${turned("שלום")}", "${turned("עולם")}"]}`);
});

test("a text and its completion begin where their words do", async ({ page }) => {
  await openPlayground(page);
  await writeGrammar(page, "GBNF", 'root ::= "שלום" " " [א-ת]+ "!"');
  await writeText(page, "שלום □2!");
  expect(await shown(text(page).locator(".cm-line"))).toBe(`!□2 ${turned("שלום")}`);
  expect(await shown(witness(page))).toBe(`!אא ${turned("שלום")}`);
  await expect(rows(page)).toHaveCount(1);
  expect(await shown(rows(page))).toBe(`root !אא ${turned("שלום")}`);
});

test("strings in quotes keep the order of those that have them", async ({ page }) => {
  await openPlayground(page);
  await writeGrammar(page, "JSON Schema", '{"type": "array", "items": {"enum": ["א", "שלום"]}}');
  await writeText(page, '["שלום", □, "שלום"]');
  const word = `"${turned("שלום")}"`;
  expect(await shown(text(page).locator(".cm-line"))).toBe(`[${word}, □, ${word}]`);
  expect(await shown(witness(page))).toBe(`[${word}, "א", ${word}]`);
});

test("a request reads above its result as it was written", async ({ page }) => {
  await open(page);
  await compareWith(page);
  const request = page.locator("#request");
  await request.fill("شغل موسيقى الجاز لنينا سيمون!");
  await expect(request).toHaveCSS("direction", "rtl");
  await runToTheEnd(page);
  const sources = page.locator("#sources");
  await expect(sources.locator("mark").first()).toBeVisible();
  expect(await shown(sources)).toBe(turned("شغل موسيقى الجاز لنينا سيمون!"));
});
