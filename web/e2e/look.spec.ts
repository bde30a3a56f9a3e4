import { fileURLToPath } from "node:url";
import { expect, test } from "@playwright/test";
import { open, runToTheEnd, setOptions } from "./page-object.ts";

const pictures = fileURLToPath(new URL("../../test-results/", import.meta.url));

for (const width of [1280, 390]) {
  for (const colorScheme of ["light", "dark"] as const) {
    test(`nothing sticks out at ${width} pixels, ${colorScheme}`, async ({ browser }) => {
      const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
      const page = await context.newPage();
      await open(page);
      await runToTheEnd(page);
      const { scroll, client } = await page.evaluate(() => ({
        scroll: document.documentElement.scrollWidth,
        client: document.documentElement.clientWidth,
      }));
      expect(scroll).toBe(client);
      await page.screenshot({
        path: `${pictures}page-${width}-${colorScheme}.png`,
        fullPage: true,
      });
      await context.close();
    });
  }
}

test("everything can be done with the keyboard", async ({ page }) => {
  await open(page);
  await setOptions(page, { Cells: 48, Steps: 4 });
  await page.locator("body").focus();
  const focused = () => page.evaluate(() => document.activeElement?.id ?? "");
  const tabTo = async (id: string) => {
    for (let press = 0; press < 60 && (await focused()) !== id; press++)
      await page.keyboard.press("Tab");
    expect(await focused()).toBe(id);
  };
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());

  await tabTo("request");
  await page.keyboard.press("Control+A");
  await page.keyboard.type("wake me when the rain over Ulaanbaatar is gone");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("status")).toHaveText("Done.", { timeout: 90_000 });

  await tabTo("step");
  // A run may be over before its last step.
  const last = Number(await page.locator("#step").inputValue());
  await page.keyboard.press("ArrowLeft");
  await expect(page.locator("#step-text")).toHaveText(`${last - 1} / ${last}`);

  await page.locator("#canvas .cell").first().focus();
  await page.keyboard.press("ArrowRight");
  await expect(page.locator("#inspector")).toContainText("Cell 2");
  await page.keyboard.press("End");
  await expect(page.locator("#inspector")).toContainText("Cell 48");
});

test("the colours can be chosen, and stay chosen", async ({ page }) => {
  await page.emulateMedia({ colorScheme: "light" });
  await open(page);
  const background = () =>
    page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const light = await background();
  const button = page.getByRole("button", { name: /^Colours/ });
  await button.click();
  await button.click();
  await expect(button).toHaveText("Dark");
  expect(await background()).not.toBe(light);
  await page.reload();
  await expect(button).toHaveText("Dark");
});

test("the page draws on while the engine works", async ({ page }) => {
  await open(page);
  await setOptions(page, { Cells: 128, Steps: 8 });
  await page.evaluate(() => {
    const gaps: number[] = [];
    let last = performance.now();
    const tick = (now: number) => {
      gaps.push(now - last);
      last = now;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
    Object.assign(window, { gaps });
  });
  await runToTheEnd(page);
  const gaps = await page.evaluate(() => (window as unknown as { gaps: number[] }).gaps);
  const sorted = [...gaps].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  const [median, ninth, longest] = [at(0.5), at(0.9), at(1)].map((gap) => Math.round(gap));
  console.log(
    `${gaps.length} frames; gaps: median ${median}, nine in ten ${ninth}, longest ${longest} ms`,
  );
  // Steps on the page's own thread would make the gap of every frame as long as
  // a step; the longest leaves room for whatever else these two cores do.
  expect(median).toBeLessThan(25);
  expect(ninth).toBeLessThan(45);
  expect(longest).toBeLessThan(500);
});
