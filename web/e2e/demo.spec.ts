/** What the page tells of a run: sources, cells, methods, figures, links. */

import { expect, type Page, test } from "@playwright/test";
import type { DecodingOptions } from "lacuna-lm";
import { ALONE } from "./browser.ts";
import {
  alert,
  cells,
  compareWith,
  editor,
  file,
  lane,
  open,
  openOptions,
  ready,
  runToTheEnd,
  setGrammar,
  setOptions,
  status,
  writtenText,
} from "./page-object.ts";

const REQUEST = "rate the novel Salt and Thunder four out of six";

test("the source of each bound value is marked in the request, as the value is", async ({
  page,
}) => {
  await open(page);
  await expect(page.getByLabel("Request")).toHaveValue(REQUEST);
  await compareWith(page);
  await runToTheEnd(page);
  await expect(page.locator("#sources")).toHaveText(REQUEST);
  const marks = page.locator("#sources mark");
  expect(await marks.count()).toBeGreaterThan(1);
  for (const mark of await marks.all()) {
    const pointer = await mark.getAttribute("title");
    const hue = await mark.getAttribute("data-hue");
    const value = page.locator(`#text mark[title="${pointer}"][data-hue="${hue}"]`);
    await expect(value).toHaveText(JSON.stringify(await mark.textContent()));
  }
  await expect(page.locator("#notes")).toContainText("Every bound value stands in the request.");
});

test("a cell's card tells its token, probability, step, and how it came", async ({ page }) => {
  await open(page);
  await compareWith(page);
  await runToTheEnd(page);
  const card = page.getByRole("tooltip");
  await expect(card).toBeHidden();
  await cells(page).first().hover();
  await expect(card).toContainText("Cell 1");
  await expect(card).toContainText(/\d %/);
  await expect(card).toContainText(/Token \d+ · step \d+/);
  await expect(card).toContainText(/proposed by the model|the only token left|written to recover/);
  await page.mouse.move(0, 0);
  await expect(card).toBeHidden();

  // By the keyboard too; the card describes the cell, and goes away on demand.
  await cells(page).first().focus();
  await page.keyboard.press("ArrowRight");
  await expect(card).toContainText("Cell 2");
  await expect(cells(page).nth(1)).toHaveAttribute("aria-describedby", "cell-card");
  await page.keyboard.press("Escape");
  await expect(card).toBeHidden();
});

test("what was refused for a cell is on its card, with the reason", async ({ page }) => {
  await open(page);
  await compareWith(page);
  await setOptions(page, { Steps: 8, Temperature: 2, Seed: 6 });
  await runToTheEnd(page);
  const first = page.locator("#refusals-list li").first();
  const when = (await first.locator(".when").textContent()) ?? "";
  const cell = Number(/cell (\d+)/.exec(when)?.[1]);
  await cells(page)
    .nth(cell - 1)
    .hover();
  const card = page.getByRole("tooltip");
  await expect(card).toContainText("Refused");
  await expect(card).toContainText(
    /no text of the grammar has it here|behind the end|not decided within the budget/,
  );
});

test("methods stand side by side, keep one rhythm, and can be shown large", { tag: ALONE }, async ({
  page,
}) => {
  await open(page);
  // At each frame, how many steps of each method are on show.
  await page.evaluate(() => {
    const rhythm: number[][] = [];
    const look = () => {
      const states = [...document.querySelectorAll<HTMLElement>(".lane-state > span:last-child")];
      rhythm.push(states.map(({ textContent }) => Number.parseInt(textContent ?? "", 10)));
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
    Object.assign(window, { rhythm });
  });
  await page.getByRole("button", { name: "Run" }).click();
  await expect(status(page)).toHaveText("Done.");
  const rhythm = await page.evaluate(() => (window as unknown as { rhythm: number[][] }).rhythm);
  // Under way, before the first of them is over.
  const going = rhythm.filter((steps) => steps.length === 4 && steps.every((step) => step < 14));
  const seen = new Set(going.map((steps) => Math.min(...steps)));
  expect(seen.size).toBeGreaterThan(6);
  for (const steps of going) expect(Math.max(...steps) - Math.min(...steps)).toBeLessThan(2);
  for (const method of ["lacuna", "epic", "mundler", "unconstrained"]) {
    await expect(lane(page, method).locator(".badge")).toHaveText(/Valid|Not valid|Not JSON/);
    await expect(lane(page, method).locator(".lane-figures")).toContainText(/model [\d.,]+ ms/);
    await lane(page, method).getByRole("radio").check();
    const name = await lane(page, method).locator(".lane-title").textContent();
    await expect(page.locator("#results-title")).toHaveText(`Result: ${name}`);
    const text = (await lane(page, method).locator(".lane-text").textContent()) ?? "";
    await page.getByRole("radio", { name: "Raw" }).check({ force: true });
    await expect(page.locator("#text")).toHaveText(text);
  }
  await expect(lane(page, "lacuna").locator(".badge")).toHaveText("Valid");
});

test("figures stand as charts, with their sums in words", async ({ page }) => {
  await open(page);
  await runToTheEnd(page);
  const chart = (name: string) => page.getByRole("img", { name: new RegExp(`^${name}, by step`) });
  await expect(chart("Time a step")).toHaveAccessibleName(/model [\d.,]+ ms, checker [\d.,]+ ms/);
  await expect(chart("Questions a step")).toHaveAccessibleName(
    /checked [\d,]+, known from the witness [\d,]+, refused [\d,]+/,
  );
  await expect(chart("In batches, a step")).toHaveAccessibleName(/together [\d,]+/);
  await expect(chart("Time a step").locator("rect")).not.toHaveCount(0);
  for (const method of ["lacuna", "epic"]) {
    await lane(page, method).getByRole("radio").check();
    await expect(chart("Memo look-ups a step")).toHaveAccessibleName(
      /known [1-9][\d,]*, looked up anew [\d,]+/,
    );
  }
  // No chart stands in a row of its own.
  const tops = await page
    .locator(".charts > *")
    .evaluateAll((charts) => charts.map((chart) => chart.getBoundingClientRect().top));
  expect([1, 2]).toContain(new Set(tops).size);
  expect(tops[2]).toBe(tops[3]);
  await lane(page, "unconstrained").getByRole("radio").check();
  await expect(chart("Memo look-ups a step")).toHaveCount(0);
});

test("the order of the commits can be seen as colours", async ({ page }) => {
  await open(page);
  await compareWith(page);
  await runToTheEnd(page);
  const colours = () =>
    cells(page).evaluateAll(
      (cells) => new Set(cells.map((cell) => getComputedStyle(cell).backgroundColor)).size,
    );
  const before = await colours();
  await page.getByRole("radio", { name: "When" }).check({ force: true });
  await expect(page.locator("#legend-when")).toBeVisible();
  await expect(page.locator("#legend-how")).toBeHidden();
  await expect.poll(colours).toBeGreaterThan(Math.max(6, before));
});

test("a link carries everything, and so does nothing else", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await open(page);
  const schema = '{ "enum": ["rain", "shine"] }';
  await setGrammar(page, schema);
  await page.getByLabel("Request").fill("will it rain on Zanzibar");
  await setOptions(page, { Cells: 12, Steps: 3, Seed: 9, Temperature: 0.5 });
  await page.getByLabel("Cells first").selectOption("margin");
  await page.getByLabel("When stuck").selectOption("witness");
  await page.getByLabel("Together").selectOption("sequential");
  await page.getByLabel("Schedule").selectOption("cosine");
  await page.getByLabel("Keys kept").selectOption("dual");
  await setOptions(page, { "Cells a block": 6 });
  await compareWith(page, "EPIC");
  await page.getByRole("button", { name: "Share" }).click();
  await expect(status(page)).toHaveText("The link is copied.");
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(new URL(link).search).toBe("");
  expect(new URL(link).hash).toMatch(/^#s=/);

  const other = await context.newPage();
  await open(other, link);
  await expect(other.getByLabel("Request")).toHaveValue("will it rain on Zanzibar");
  await expect(editor(other)).toHaveText(schema);
  await openOptions(other);
  const expected = { Cells: "12", Steps: "3", Seed: "9", Temperature: "0.5" };
  for (const [name, value] of Object.entries(expected))
    await expect(other.getByLabel(name, { exact: true })).toHaveValue(value);
  await expect(other.getByLabel("Cells first")).toHaveValue("margin");
  await expect(other.getByLabel("When stuck")).toHaveValue("witness");
  await expect(other.getByLabel("Together")).toHaveValue("sequential");
  await expect(other.getByLabel("Schedule")).toHaveValue("cosine");
  await expect(other.getByLabel("Keys kept")).toHaveValue("dual");
  await expect(other.getByLabel("Cells a block")).toHaveValue("6");
  await expect(other.getByLabel("EPIC")).toBeChecked();
  await expect(other.getByLabel("no grammar")).not.toBeChecked();
  await runToTheEnd(other);
  await expect(other.locator("#text")).toHaveText(/^"(rain|shine)"$/);

  // Half of it is said to be none, at once and where it is pasted.
  const half = link.slice(0, -20);
  const third = await context.newPage();
  await open(third, half);
  await expect(alert(third)).toContainText("This link could not be read.");
  await other.evaluate((hash) => location.assign(hash), new URL(half).hash);
  await expect(alert(other)).toContainText("This link could not be read.");
});

test("the result can be copied, and is shown, as it is written", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await open(page);
  await setGrammar(page, '{"const": {"id": 12345678901234567890, "10": "b", "2": "a"}}');
  await compareWith(page);
  await runToTheEnd(page);
  await expect(page.locator("#text")).toContainText(/"id": 12345678901234567890,\s+"10".*\s+"2"/);
  await page.getByRole("button", { name: "Copy" }).click();
  await expect(status(page)).toHaveText("Lacuna: copied.");
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toBe(await writtenText(page));
});

for (const [name, choice] of [
  ["Schedule", "threshold"],
  ["Schedule", "cosine"],
  ["Schedule", "linear"],
  ["Schedule", "factor"],
  ["Cells first", "left-to-right"],
  ["Cells first", "margin"],
  ["Cells first", "entropy"],
  ["Cells first", "random"],
  ["Together", "relaxed"],
  ["Together", "whole"],
  ["Together", "sequential"],
  ["Together", "best"],
  ["When stuck", "finish"],
  ["When stuck", "best"],
  ["When stuck", "witness"],
  ["Keys kept", "prefix"],
  ["Keys kept", "dual"],
] as const) {
  test(`“${name}” can be ${choice}, which the engine is told, and the text is valid`, async ({
    page,
  }) => {
    const asked = await noteAsked(page);
    await open(page);
    await openOptions(page);
    await page.getByLabel(name).selectOption(choice);
    if (name === "Keys kept") await setOptions(page, { "Cells a block": 16 });
    await compareWith(page);
    await runToTheEnd(page);
    await expect(lane(page, "lacuna").locator(".badge")).toHaveText("Valid");
    const { schedule, order, commit, recovery, keyCache, block } = (await asked()) ?? {};
    const told = [schedule, order, commit, recovery, keyCache].flatMap((it) =>
      typeof it === "object" ? Object.keys(it) : [it],
    );
    expect(told).toContain(choice);
    expect(block).toBe(name === "Keys kept" ? 16 : undefined);
  });
}

/** Notes how the engine was last told to decode. */
async function noteAsked(page: Page): Promise<() => Promise<DecodingOptions | undefined>> {
  await page.addInitScript(() => {
    window.Worker = class extends Worker {
      override postMessage(message: { request?: { decoding: unknown } }) {
        if (message.request) Object.assign(window, { asked: message.request.decoding });
        super.postMessage(message);
      }
    };
  });
  return () => page.evaluate(() => (window as unknown as { asked?: DecodingOptions }).asked);
}

test("what is said of a grammar stands in place, as it is typed", async ({ page }) => {
  await open(page);
  const lark = "start: digit+\n\ndigit: /[0-9/\n";
  await page.getByLabel("Task", { exact: true }).selectOption("molecules");
  await ready(page);
  await setGrammar(page, lark);
  await expect(page.locator("#findings")).toContainText("Line 3");
  await expect(editor(page).locator(".cm-lintRange-error")).not.toHaveCount(0);
  await setGrammar(page, file("grammars/smiles.lark").toString());
  await expect(page.locator("#findings li")).toHaveCount(0);
});

test("says how much of the model is there while it loads", async ({ page }) => {
  let go = () => {};
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  await page.route("**/model.safetensors", async (route) => {
    await held;
    await route.continue();
  });
  await page.goto("/");
  await expect(status(page)).toHaveText("Loading the model.");
  await expect(page.locator("#load-text")).toHaveText(/^[\d.]+ of [\d.]+ MB$/);
  await expect(page.getByRole("progressbar", { name: "Model download" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Run" })).toBeDisabled();
  await page.getByRole("button", { name: "Run" }).press("Enter");
  await expect(status(page)).toHaveText("The model is still loading.");
  go();
  await ready(page);
  await expect(page.locator("#loading")).toBeHidden();
  await expect(status(page)).toHaveText("Ready.");
});

test("says why the model is not on a graphics card", async ({ page }) => {
  await open(page);
  await expect(page.locator("#device")).toHaveText(/^On the CPU: .*(WebGPU|adapter)/);
  await openOptions(page);
  await page.getByLabel("Model runs on").selectOption("gpu");
  await expect(alert(page)).toContainText("The model could not be loaded");
  await expect(alert(page)).toContainText(/WebGPU|adapter/);
  await page.getByLabel("Model runs on").selectOption("cpu");
  await ready(page);
  await expect(alert(page)).toBeHidden();
});

test("whoever uses the keyboard keeps his place through a run", async ({ page }) => {
  await open(page);
  await compareWith(page);
  await setOptions(page, { Cells: 64, Steps: 64 });
  const run = page.getByRole("button", { name: "Run" });
  const cancel = page.getByRole("button", { name: "Cancel" });
  await run.focus();
  await page.keyboard.press("Enter");
  await expect(run).toBeDisabled();
  await expect(page.locator("#progress-words")).toHaveText(/^Step \d+ of 64/);
  await expect(run).toBeFocused();
  // It does nothing while a run goes on.
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await expect(cancel).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(status(page)).toHaveText("Cancelled.");
  await expect(page.locator("#progress-words")).toBeEmpty();
  await expect(cancel).toBeDisabled();
  await expect(cancel).toBeFocused();
});

test("a run that is cancelled says so, and can be looked at as far as it came", async ({
  page,
}) => {
  await open(page);
  await setOptions(page, { Cells: 128, Steps: 128 });
  await page.getByRole("button", { name: "Run" }).click();
  await expect(page.locator("#step-text")).toHaveText(/^([3-9]|\d\d+) \/ 128/);
  await page.keyboard.press("Escape");
  await expect(status(page)).toHaveText("Cancelled.");
  await expect(page.getByRole("slider", { name: "Step" })).toBeEnabled();
  await expect(alert(page)).toBeHidden();
  await expect(page.locator("#results")).toBeHidden();
  await ready(page);
});
