// `npm run screenshots`: makes the pictures of docs/ and the animation from the real pages.

import { mkdirSync, writeFileSync } from "node:fs";
import { build } from "./build.mjs";
import { animate } from "./lib/animation.mjs";
import { chromium } from "./lib/browser.mjs";
import { requireModel } from "./lib/model.mjs";
import { inside } from "./lib/paths.mjs";
import { main, stage } from "./lib/report.mjs";
import { serve } from "./lib/serve.mjs";

const PICTURES = [
  { name: "page-light", width: 1280, colorScheme: "light" },
  { name: "page-dark", width: 1280, colorScheme: "dark" },
  { name: "page-phone", width: 390, colorScheme: "light" },
];

/** Milliseconds that a step of the animation is shown, and its last. */
const [STEP_MS, LAST_MS] = [350, 2500];

/** Opens the demo in a window of its own, and lets it write. */
async function demo(browser, address, { width, colorScheme, deviceScaleFactor }) {
  const viewport = { width, height: 900 };
  const page = await browser.newPage({ viewport, colorScheme, deviceScaleFactor });
  await page.goto(address);
  await page.locator("#run:enabled").click();
  await page.getByText("Done.", { exact: true }).waitFor({ timeout: 120_000 });
  // The last cells settle.
  await page.waitForTimeout(1_000);
  return page;
}

async function take(browser, address, { name, ...look }) {
  const page = await demo(browser, address, { ...look, deviceScaleFactor: 1.5 });
  await page.screenshot({ path: inside("docs", `${name}.png`), fullPage: true });
  await page.close();
}

/** A run, step by step: the canvas and the methods below it. */
async function film(browser, address) {
  const look = { width: 1280, colorScheme: "light", deviceScaleFactor: 1 };
  const page = await demo(browser, address, look);
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

await main(async () => {
  await build();
  requireModel();
  const executablePath = await chromium();
  const playwright = await import("@playwright/test");
  mkdirSync(inside("docs"), { recursive: true });
  const { address, close } = await serve({ port: 0 });
  const browser = await playwright.chromium.launch({ executablePath, args: ["--no-sandbox"] });
  for (const picture of PICTURES) {
    await stage(`docs/${picture.name}.png`, () => take(browser, address, picture));
  }
  await stage("docs/run.png", () => film(browser, address));
  await browser.close();
  close();
});
