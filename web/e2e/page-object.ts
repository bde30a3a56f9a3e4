/** The page as the tests handle it. */

import { readFileSync } from "node:fs";
import { expect, type Page } from "@playwright/test";
import Ajv from "ajv/dist/2020.js";

/** A file of the repository, by its path from the root. */
export const file = (path: string): Buffer =>
  readFileSync(new URL(`../../${path}`, import.meta.url));

/** Opens the page and waits for the model. */
export async function open(page: Page): Promise<void> {
  await page.goto("/");
  await expect(page.getByRole("button", { name: "Run" })).toBeEnabled();
}

/** Sets the options of the form. */
export async function setOptions(
  page: Page,
  options: Readonly<Record<string, number>>,
): Promise<void> {
  const fold = page.locator("details.options");
  if (!(await fold.evaluate((details) => (details as HTMLDetailsElement).open))) {
    await fold.locator("summary").click();
  }
  for (const [name, value] of Object.entries(options)) {
    await page.getByLabel(name, { exact: true }).fill(String(value));
  }
}

/** Starts a run and waits until it and the one to compare are over. */
export async function runToTheEnd(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Run" }).click();
  await expect(page.getByRole("status")).toHaveText("Done.", { timeout: 90_000 });
}

/** The text that was written with the grammar, byte for byte. */
export async function writtenText(page: Page): Promise<string> {
  await page.getByRole("radio", { name: "Raw" }).check({ force: true });
  return (await page.locator("#constrained .text").textContent()) ?? "";
}

/** Whether a text is valid under a schema, says ajv. */
export function isValid(text: string, schema: string): boolean {
  return new Ajv({ strict: false }).validate(JSON.parse(schema), JSON.parse(text));
}

/** The page's alert. */
export const alert = (page: Page) => page.locator("#alert");

/** Cells of the canvas that are masked. */
export const masks = (page: Page) => page.locator('#canvas .cell[data-how="mask"]');

/** Cells of the canvas. */
export const cells = (page: Page) => page.locator("#canvas .cell");
