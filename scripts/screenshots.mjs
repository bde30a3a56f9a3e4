// `npm run screenshots`: makes the pictures of docs/ and the animation from the real pages.

import { mkdirSync, writeFileSync } from "node:fs";
import { build } from "./build.mjs";
import { animate } from "./lib/animation.mjs";
import { chromium } from "./lib/browser.mjs";
import { requireModels } from "./lib/models.mjs";
import { inside } from "./lib/paths.mjs";
import { main, optionsOf, stage } from "./lib/report.mjs";
import { serve } from "./lib/serve.mjs";

const LOOKS = [
  { look: "light", width: 1280, colorScheme: "light" },
  { look: "dark", width: 1280, colorScheme: "dark" },
  { look: "phone", width: 390, colorScheme: "light" },
];

/** The pages, and how each comes to show what it can. */
const PAGES = [
  { name: "page", address: "", show: write },
  { name: "playground", address: "playground/index.html", show: look },
];

/** Milliseconds that a step of the animation is shown, and its last. */
const [STEP_MS, LAST_MS] = [350, 2500];

/** Lets the demo write. */
async function write(page) {
  await page.locator("#run:enabled").click();
  await page.getByText("Done.", { exact: true }).waitFor({ timeout: 120_000 });
  // The last cells settle.
  await page.waitForTimeout(1_000);
}

/** Waits until the playground has looked at everything. */
async function look(page) {
  await page.locator("body:not([data-looking])").waitFor({ timeout: 60_000 });
  await page.waitForTimeout(1_000);
}

/** Opens a page in a window of its own, and has it show what it can. */
async function open(browser, address, { width, colorScheme, deviceScaleFactor }, show) {
  const viewport = { width, height: 900 };
  const page = await browser.newPage({ viewport, colorScheme, deviceScaleFactor });
  await page.goto(address);
  await show(page);
  return page;
}

async function take(browser, address, picture, look, show) {
  const page = await open(browser, address, { ...look, deviceScaleFactor: 1.5 }, show);
  await page.screenshot({ path: inside("docs", picture), fullPage: true });
  await page.close();
}

/** A run, step by step: the canvas and the methods below it. */
async function film(browser, address) {
  const look = { width: 1280, colorScheme: "light", deviceScaleFactor: 1 };
  const page = await open(browser, address, look, write);
  const [canvas, lanes] = await Promise.all(
    ["#canvas", "#lanes"].map((part) => page.locator(part).boundingBox()),
  );
  const margin = 12;
  const clip = {
    x: canvas.x - margin,
    y: canvas.y - margin,
    width: canvas.width + 2 * margin,
    height: lanes.y + lanes.height - canvas.y + 2 * margin,
  };
  const slider = page.locator("#step");
  const steps = Number(await slider.getAttribute("max"));
  const frames = [];
  for (let step = 0; step <= steps; step++) {
    await slider.fill(String(step));
    await page.waitForTimeout(250);
    const png = await page.screenshot({ clip, fullPage: true });
    frames.push({ png, ms: step === steps ? LAST_MS : STEP_MS });
  }
  writeFileSync(inside("docs", "run.png"), animate(frames));
  await page.close();
}

optionsOf();
await main(async () => {
  await build();
  requireModels();
  const executablePath = await chromium();
  const playwright = await import("@playwright/test");
  mkdirSync(inside("docs"), { recursive: true });
  const { address, close } = await serve({ port: 0 });
  const browser = await playwright.chromium.launch({ executablePath, args: ["--no-sandbox"] });
  for (const { name, address: path, show } of PAGES) {
    for (const look of LOOKS) {
      const picture = `${name}-${look.look}.png`;
      await stage(`docs/${picture}`, () => take(browser, address + path, picture, look, show));
    }
  }
  await stage("docs/run.png", () => film(browser, address));
  await browser.close();
  close();
});
