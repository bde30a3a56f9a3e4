import { expect, test } from "@playwright/test";
import { ALONE } from "./browser.ts";
import {
  cells,
  compareWith,
  file,
  isValid,
  lane,
  masks,
  open,
  openOptions,
  ready,
  runToTheEnd,
  setOptions,
  writtenText,
} from "./page-object.ts";

const UNSEEN = "queue up the Zanzibar Foghorn Quartet on my Tuesday ironing playlist";
const schema = (name: string) => file(`grammars/${name}.schema.json`).toString();

test("a request and a schema are there, and one button fills masks out of order", async ({
  page,
}) => {
  await open(page);
  await expect(page.getByLabel("Request")).not.toHaveValue("");
  await expect(page.locator("#editor")).toContainText("Voice assistant");
  await page.getByRole("button", { name: "Run" }).click();
  // Some cell is filled behind one that is not yet.
  await expect(
    page.locator('.cell[data-how="mask"] ~ .cell:not([data-how="mask"])'),
  ).not.toHaveCount(0, { timeout: 5_000 });
  await expect(page.locator("#status")).toHaveText("Done.");
});

test("writes valid JSON for a request nobody trained on", async ({ page }) => {
  await open(page);
  await page.getByLabel("Request").fill(UNSEEN);
  await runToTheEnd(page);

  const text = await writtenText(page);
  expect(isValid(text, schema("snips"))).toBe(true);
  for (const value of Object.entries(JSON.parse(text)).flatMap(([key, v]) =>
    key === "intent" ? [] : [v],
  )) {
    expect(UNSEEN).toContain(value);
  }
  await expect(lane(page, "lacuna").locator(".badge")).toHaveText("Valid");
  await expect(lane(page, "unconstrained").locator(".badge")).toHaveText(
    /Valid|Not valid|Not JSON/,
  );
  await expect(masks(page)).toHaveCount(0);
});

const TASKS = { restaurants: "Restaurants", flights: "Flights", contact: "Contact card" };

for (const [name, title] of Object.entries(TASKS)) {
  test(`writes what the schema of “${title}” allows, whatever the model knows`, async ({
    page,
  }) => {
    await open(page);
    await page.getByLabel("Task", { exact: true }).selectOption(name);
    await setOptions(page, { Steps: 8, Temperature: 1, Seed: 3 });
    await compareWith(page);
    await runToTheEnd(page);
    // Values that are bound to the request are marked there.
    const bound = await page.locator("#sources mark").allTextContents();
    const request = await page.getByLabel("Request").inputValue();
    expect(bound.length).toBeGreaterThan(0);
    for (const value of bound) expect(request).toContain(value);
    expect(isValid(await writtenText(page), schema(name))).toBe(true);
  });
}

for (const task of ["molecules", "sql"]) {
  test(`“${task}” brings its own model, and a grammar that is no schema`, async ({ page }) => {
    await open(page);
    await page.getByLabel("Task", { exact: true }).selectOption(task);
    await expect(page.locator("#grammar-title")).toHaveText("Lark grammar");
    await ready(page);
    await setOptions(page, { Steps: 16 });
    await runToTheEnd(page);
    await expect(lane(page, "lacuna").locator(".badge")).toHaveText("In the grammar");
    await expect(lane(page, "unconstrained").locator(".badge")).toHaveText(
      /In the grammar|Not in it/,
    );
  });
}

test("a question becomes a query of the table’s columns and the request’s words", async ({
  page,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await open(page);
  const line = page.getByLabel("Task line");
  await expect(line).toBeHidden();
  await page.getByLabel("Task", { exact: true }).selectOption("sql");
  await ready(page);
  await expect(line).toHaveValue("sql player,team,points,season");
  await openOptions(page);
  await expect(page.getByLabel("Cells first")).toHaveValue("left-to-right");
  await compareWith(page);
  await runToTheEnd(page);
  await expect(lane(page, "lacuna").locator(".badge")).toHaveText("In the grammar");
  const column = "(player|team|points|season)";
  const result = new RegExp(
    `^SELECT (${column}|[A-Z]+\\(${column}\\)) FROM t( WHERE ${column} .*)?$`,
  );
  expect(await writtenText(page)).toMatch(result);

  await line.fill("sql season,points,team,player");
  await page.getByLabel("Request").fill("what is the highest number of points of Utah Jazz");
  await runToTheEnd(page);
  const query = await writtenText(page);
  expect(query).toMatch(result);
  await page.getByRole("button", { name: "Share" }).click();
  await expect(page.locator("#status")).toHaveText("The link is copied.");
  const link = await page.evaluate(() => navigator.clipboard.readText());
  const other = await context.newPage();
  await open(other, link);
  await expect(other.getByLabel("Task line")).toHaveValue("sql season,points,team,player");
  await runToTheEnd(other);
  expect(await writtenText(other)).toBe(query);

  await page.getByLabel("Task", { exact: true }).selectOption("snips");
  await expect(line).toBeHidden();
  await expect(page.getByLabel("Cells first")).toHaveValue("confidence");
});

test("the same seed writes the same text", async ({ page }) => {
  await open(page);
  await setOptions(page, { Cells: 48, Steps: 6, Temperature: 1, Seed: 11 });
  await compareWith(page);
  await runToTheEnd(page);
  const first = await writtenText(page);
  await runToTheEnd(page);
  expect(await writtenText(page)).toBe(first);
});

test("cancels a run within one step", { tag: ALONE }, async ({ page }) => {
  // Counts the steps that are told of after the cancellation was sent.
  await page.addInitScript(() => {
    const count = { sent: false, steps: 0 };
    Object.assign(window, { count });
    window.Worker = class extends Worker {
      constructor(...parameters: ConstructorParameters<typeof Worker>) {
        super(...parameters);
        this.addEventListener("message", ({ data }) => {
          if (count.sent && data.type === "events") count.steps += 1;
        });
      }
      override postMessage(message: { type: string }) {
        if (message.type === "cancel") count.sent = true;
        super.postMessage(message);
      }
    };
  });
  await open(page);
  await setOptions(page, { Cells: 128, Steps: 128 });
  await compareWith(page);
  await page.getByRole("button", { name: "Run" }).click();
  await expect(page.locator("#step-text")).toHaveText(/^[3-9] \/ 128/);
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page.locator("#status")).toHaveText("Cancelled.", { timeout: 5_000 });

  // One may be on its way when the cancellation is sent, one under way when it
  // is heard.
  const count = await page.evaluate(
    () => (window as unknown as { count: { steps: number } }).count,
  );
  expect(count).toMatchObject({ sent: true });
  expect(count.steps).toBeLessThanOrEqual(2);
  expect(await masks(page).count()).toBeGreaterThan(0);

  await setOptions(page, { Cells: 48, Steps: 4 });
  await runToTheEnd(page);
});

test("the scrubber shows each step again, of all methods at once", { tag: ALONE }, async ({
  page,
}) => {
  await open(page);
  await setOptions(page, { Cells: 48, Steps: 8 });
  await runToTheEnd(page);
  await expect(cells(page)).toHaveCount(48);
  const dots = lane(page, "unconstrained").locator(".dots");

  const scrubber = page.getByRole("slider", { name: "Step" });
  await scrubber.focus();
  await page.keyboard.press("Home");
  await expect(masks(page)).toHaveCount(48);
  await expect(dots).toHaveAttribute("data-filled", "0");
  let last = 48;
  const steps = Number(await scrubber.getAttribute("max"));
  for (let step = 1; step <= steps; step++) {
    await page.keyboard.press("ArrowRight");
    const now = await masks(page).count();
    expect(now).toBeLessThanOrEqual(last);
    if (step === 1) await expect(dots).toHaveAttribute("data-filled", "6");
    last = now;
  }
  expect(last).toBe(0);

  await page.keyboard.press("Home");
  await page.getByLabel("Speed").selectOption("4");
  const started = Date.now();
  await page.getByRole("button", { name: "Play" }).click();
  await expect(masks(page)).toHaveCount(0);
  expect(Date.now() - started).toBeLessThan(steps * 260);
});
