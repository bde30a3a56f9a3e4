import { expect, test } from "@playwright/test";
import {
  cells,
  isValid,
  masks,
  open,
  runToTheEnd,
  setOptions,
  writtenText,
} from "./page-object.ts";

const UNSEEN = "queue up the Zanzibar Foghorn Quartet on my Tuesday ironing playlist";

test("writes valid JSON for a request nobody trained on", async ({ page }) => {
  await open(page);
  await page.getByLabel("Request").fill(UNSEEN);
  await runToTheEnd(page);

  const schema = await page.getByLabel("JSON Schema").inputValue();
  const text = await writtenText(page);
  expect(isValid(text, schema)).toBe(true);
  for (const value of Object.entries(JSON.parse(text)).flatMap(([key, v]) =>
    key === "intent" ? [] : [v],
  )) {
    expect(UNSEEN).toContain(value);
  }
  await expect(page.locator("#constrained .badge")).toHaveText("Valid");
  await expect(page.locator("#free .badge")).toHaveText(/Valid|Not valid|Not JSON/);
  await expect(masks(page)).toHaveCount(0);
});

for (const preset of ["Restaurants", "Flights", "Contact card"]) {
  test(`writes what the schema “${preset}” allows, whatever the model knows`, async ({ page }) => {
    await open(page);
    await page.getByLabel("Schema", { exact: true }).selectOption(preset);
    await setOptions(page, { Steps: 8, Temperature: 1, Seed: 3 });
    await runToTheEnd(page);
    const schema = await page.getByLabel("JSON Schema").inputValue();
    expect(isValid(await writtenText(page), schema)).toBe(true);
  });
}

test("the same seed writes the same text", async ({ page }) => {
  await open(page);
  await setOptions(page, { Cells: 48, Steps: 6, Temperature: 1, Seed: 11 });
  await runToTheEnd(page);
  const first = await writtenText(page);
  await runToTheEnd(page);
  expect(await writtenText(page)).toBe(first);
});

test("cancels a run within one step", async ({ page }) => {
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
  await page.getByRole("button", { name: "Run" }).click();
  await expect(page.locator("#step-text")).toHaveText(/^[3-9] \/ 128/);
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByRole("status")).toHaveText("Cancelled.", { timeout: 5_000 });

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

test("the scrubber shows each step again", async ({ page }) => {
  await open(page);
  await setOptions(page, { Cells: 48, Steps: 8 });
  await runToTheEnd(page);
  await expect(cells(page)).toHaveCount(48);

  const scrubber = page.getByRole("slider", { name: "Step" });
  await scrubber.focus();
  await page.keyboard.press("Home");
  await expect(masks(page)).toHaveCount(48);
  let last = 48;
  const steps = Number(await scrubber.getAttribute("max"));
  for (let step = 1; step <= steps; step++) {
    await page.keyboard.press("ArrowRight");
    const now = await masks(page).count();
    expect(now).toBeLessThanOrEqual(last);
    last = now;
  }
  expect(last).toBe(0);

  await page.keyboard.press("Home");
  await page.getByRole("button", { name: "Play" }).click();
  await expect(masks(page)).toHaveCount(0);
  await page.getByRole("radio", { name: "Without", exact: true }).check({ force: true });
  await expect(cells(page)).toHaveCount(48);
});
