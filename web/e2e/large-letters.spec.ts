/** The pages in a browser whose letters are set large. */

import { expect, test } from "@playwright/test";
import { launchOptions } from "./browser.ts";
import { expectToFit } from "./looks.ts";
import { open, openOptions, runToTheEnd } from "./page-object.ts";
import { openPlayground, rows } from "./playground-page.ts";

test.use({
  launchOptions: launchOptions("--disable-gpu", "--blink-settings=defaultFontSize=32"),
  viewport: { width: 390, height: 844 },
});

test.beforeEach(async ({ page }) => {
  await page.goto("about:blank");
  await expect(page.locator("html")).toHaveCSS("font-size", "32px");
});

test("nothing of the demo sticks out on a phone", async ({ page }) => {
  await open(page);
  await openOptions(page);
  await runToTheEnd(page);
  await expectToFit(page, "page-large-letters");
});

test("nothing of the playground sticks out on a phone", async ({ page }) => {
  await openPlayground(page);
  await expect(rows(page).first()).toBeVisible();
  await expectToFit(page, "playground-large-letters");
});
