// `npm run screenshots`: makes docs/page-*.png from the real page.

import { mkdirSync } from "node:fs";
import { build } from "./build.mjs";
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

async function take(browser, address, { name, width, colorScheme }) {
  const viewport = { width, height: 900 };
  const page = await browser.newPage({ viewport, colorScheme, deviceScaleFactor: 1.5 });
  await page.goto(address);
  await page.locator("#run:enabled").click();
  await page.getByText("Done.", { exact: true }).waitFor({ timeout: 120_000 });
  // The last cells settle.
  await page.waitForTimeout(1_000);
  await page.screenshot({ path: inside("docs", `${name}.png`), fullPage: true });
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
  await browser.close();
  close();
});
