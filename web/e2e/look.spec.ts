import { expect, type Page, test } from "@playwright/test";
import { ALONE } from "./browser.ts";
import { fakeEngine } from "./fake-engine.ts";
import {
  expectToBePressed,
  expectToFit,
  expectToFitEverywhere,
  findings,
  inWindow,
  LOOKS,
} from "./looks.ts";
import {
  alert,
  cells,
  compareWith,
  open,
  openOptions,
  runToTheEnd,
  setGrammar,
  setOptions,
  status,
} from "./page-object.ts";

for (const look of LOOKS) {
  const { width, colorScheme } = look;
  test(`nothing sticks out at ${width} pixels, ${colorScheme}, and axe finds nothing`, async ({
    browser,
  }) => {
    await inWindow(browser, look, async (page) => {
      await open(page);
      await runToTheEnd(page);
      await expectToFit(page, `page-${width}-${colorScheme}`);
      await expectToBePressed(page);
      expect(await findings(page)).toEqual([]);
    });
  });
}

test("nothing sticks out from the narrowest phone to the widest screen", async ({ page }) => {
  await open(page);
  await openOptions(page);
  await runToTheEnd(page);
  await expectToFitEverywhere(page, "page");
});

test("axe finds nothing where things go wrong, or are unfolded", async ({ page }) => {
  await open(page);
  await setOptions(page, { Cells: 48 });
  await setGrammar(page, '{ "type": "array", "minItems": 3, "maxItems": 2 }');
  await expect(page.locator("#findings li")).not.toHaveCount(0);
  await page.getByRole("button", { name: "Run" }).click();
  await expect(alert(page)).toBeVisible();
  expect(await findings(page)).toEqual([]);
});

test("axe finds nothing in the colours of the commit order", async ({ page }) => {
  await open(page);
  await compareWith(page);
  await runToTheEnd(page);
  await page.getByRole("radio", { name: "When" }).check({ force: true });
  expect(await findings(page)).toEqual([]);
});

test("who listens hears how far a run is", async ({ page }) => {
  await fakeEngine(page, { cells: 64, steps: 16, stepMs: 200 });
  await open(page);
  await page.getByRole("button", { name: "Run" }).click();
  const words = page.locator("#progress-words");
  await expect(words).toHaveAttribute("aria-live", "polite");
  await expect(words).toHaveText(/^Step \d+ of 16, \d+ cells masked\.$/);
  const first = await words.textContent();
  await expect(words).not.toHaveText(first ?? "");
  await expect(status(page)).toHaveText("Done.");
  await expect(words).toBeEmpty();
});

test("nothing moves for whoever asked for that, and nothing is slowed down", {
  tag: ALONE,
}, async ({ page }) => {
  await fakeEngine(page, { cells: 64, steps: 16, stepMs: 0 });
  await open(page);
  await page.evaluate(() => {
    const seen: string[] = [];
    Object.assign(window, { seen });
    document.addEventListener("animationstart", ({ animationName }) => seen.push(animationName));
  });
  const timed = async () => {
    const started = Date.now();
    await runToTheEnd(page);
    return Date.now() - started;
  };
  const moved = () => page.evaluate(() => (window as unknown as { seen: string[] }).seen.splice(0));
  const slowed = await timed();
  expect(await moved()).toContain("settle");
  await page.emulateMedia({ reducedMotion: "reduce" });
  await moved();
  expect(await timed()).toBeLessThan(slowed - 500);
  // What was refused is shown for a moment, without moving.
  expect((await moved()).filter((name) => name !== "pass")).toEqual([]);
});

test("everything can be done with the keyboard", async ({ page }) => {
  await open(page);
  await setOptions(page, { Cells: 48, Steps: 4 });
  await compareWith(page);
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
  await expect(status(page)).toHaveText("Done.", { timeout: 90_000 });

  await tabTo("step");
  // A run may be over before its last step.
  const last = Number(await page.locator("#step").inputValue());
  await page.keyboard.press("ArrowLeft");
  await expect(page.locator("#step-text")).toHaveText(`${last - 1} / ${last}`);

  await page.locator("#canvas .cell").first().focus();
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("tooltip")).toContainText("Cell 2");
  await page.keyboard.press("End");
  await expect(page.getByRole("tooltip")).toContainText("Cell 48");
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

/** Notes the milliseconds between frames; hands over those since it was last asked. */
async function watchFrames(page: Page): Promise<() => Promise<readonly number[]>> {
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
  return () => page.evaluate(() => (window as unknown as { gaps: number[] }).gaps.splice(0));
}

/** Tells the milliseconds that the page's thread worked so far: others' work does not count. */
async function watchWork(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  return async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    const named = new Map(metrics.map(({ name, value }) => [name, value]));
    const parts = ["ScriptDuration", "LayoutDuration", "RecalcStyleDuration"];
    return parts.reduce((sum, name) => sum + (named.get(name) ?? 0), 0) * 1000;
  };
}

/** Values that so many of them do not exceed. */
function quantiles(gaps: readonly number[], shares: readonly number[]): readonly number[] {
  const sorted = [...gaps].sort((a, b) => a - b);
  return shares.map((share) => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0));
}

/** Measures up to three times: what else these cores are busy with only ever adds. */
async function measured<Found>(
  measure: () => Promise<Found>,
  holds: (found: Found) => boolean,
): Promise<Found> {
  const first = await measure();
  if (holds(first)) return first;
  const second = await measure();
  return holds(second) ? second : measure();
}

test("the page draws on while the engine works", { tag: ALONE }, async ({ page }) => {
  await open(page);
  await setOptions(page, { Cells: 128, Steps: 8 });
  const frames = await watchFrames(page);
  const busy = await watchWork(page);
  const measure = async () => {
    await frames();
    const before = await busy();
    await runToTheEnd(page);
    const gaps = await frames();
    const each = ((await busy()) - before) / gaps.length;
    const [median = 0, longest = 0] = quantiles(gaps, [0.5, 1]);
    console.log(
      `${gaps.length} frames, ${each.toFixed(1)} ms of work each; gaps: median ${median}, longest ${longest} ms`,
    );
    return { each, median, longest };
  };
  // Steps on the page's own thread would be its work, and make the gap of every frame as long
  // as a step; the longest leaves room for whatever else these two cores do.
  const most = { each: 8, median: 50, longest: 500 };
  const { each, median, longest } = await measured(
    measure,
    (it) => it.each < most.each && it.median < most.median && it.longest < most.longest,
  );
  expect(each).toBeLessThan(most.each);
  expect(median).toBeLessThan(most.median);
  expect(longest).toBeLessThan(most.longest);
});

/** What a page of so many words that changes a few of them every frame takes here and now. */
async function plainPage(page: Page, cells: number): Promise<{ each: number; median: number }> {
  const plain = await page.context().newPage();
  await plain.setContent(`<main>${"<span>token</span> ".repeat(cells)}</main>`);
  const frames = await watchFrames(plain);
  const busy = await watchWork(plain);
  await frames();
  const before = await busy();
  await plain.evaluate(async () => {
    const words = [...document.querySelectorAll("span")];
    for (let frame = 0; frame < 60; frame++) {
      await new Promise(requestAnimationFrame);
      for (let at = frame; at < words.length; at += 64) {
        const word = words[at];
        if (word) word.textContent = `word${frame}`;
      }
    }
  });
  const gaps = await frames();
  const each = ((await busy()) - before) / gaps.length;
  await plain.close();
  const [median = 0] = quantiles(gaps, [0.5]);
  return { each, median };
}

test("512 cells of four methods take few times the work of a plain page of words", {
  tag: ALONE,
}, async ({ page }) => {
  const plain = await plainPage(page, 512);
  console.log(
    `plain page: ${plain.each.toFixed(1)} ms of work each; gaps: median ${plain.median} ms`,
  );
  await fakeEngine(page, { cells: 512, steps: 64, stepMs: 16 });
  await open(page);
  const frames = await watchFrames(page);
  const busy = await watchWork(page);
  const show = {
    live: async () => {
      await page.getByRole("button", { name: "Run" }).click();
      await expect(status(page)).toHaveText("Done.");
      await expect(cells(page)).toHaveCount(512);
    },
    "played again": async () => {
      await page.getByLabel("Speed").selectOption("4");
      await page.getByRole("button", { name: "Play" }).click();
      await expect(page.locator("#step-text")).toHaveText("64 / 64");
    },
  };
  for (const what of ["live", "played again"] as const) {
    const measure = async () => {
      await frames();
      const before = await busy();
      await show[what]();
      const gaps = await frames();
      const each = ((await busy()) - before) / gaps.length;
      const [median = 0, ninth = 0] = quantiles(gaps, [0.5, 0.9]);
      console.log(
        `${what}: ${gaps.length} frames, ${each.toFixed(1)} ms of work each; gaps: median ${median}, nine in ten ${ninth} ms`,
      );
      return { each, median };
    };
    // What a frame takes is up to the machine, and how often frames come to what else its
    // cores are busy with: a page that only writes words says what is usual here and now. Where
    // that takes its 3 ms, five times as much leaves frames for sixty a second.
    const most = { each: 5 * plain.each, median: 6 * plain.median };
    const found = await measured(measure, (it) => it.each < most.each && it.median < most.median);
    expect(found.each).toBeLessThan(most.each);
    expect(found.median).toBeLessThan(most.median);
  }
});
