/** The page as the tests handle it. */

import { readFileSync } from "node:fs";
import { expect, type Page } from "@playwright/test";
import Ajv from "ajv/dist/2020.js";

/** A file of the repository, by its path from the root. */
export const file = (path: string): Buffer =>
  readFileSync(new URL(`../../${path}`, import.meta.url));

/** Opens the page and waits for the model. */
export async function open(page: Page, address = "/"): Promise<void> {
  await page.goto(address);
  await ready(page);
}

/** Waits until the page can be asked to write. */
export async function ready(page: Page): Promise<void> {
  await expect(page.getByRole("button", { name: "Run" })).toBeEnabled();
}

/** Sets the options of the form. */
export async function setOptions(
  page: Page,
  options: Readonly<Record<string, number>>,
): Promise<void> {
  await openOptions(page);
  for (const [name, value] of Object.entries(options)) {
    await page.getByLabel(name, { exact: true }).fill(String(value));
  }
}

/** Unfolds the options of the form. */
export async function openOptions(page: Page): Promise<void> {
  const fold = page.locator("details.options");
  if (!(await fold.evaluate((details) => (details as HTMLDetailsElement).open))) {
    await fold.locator("summary").click();
  }
}

/** Chooses which methods are shown beside ours. */
export async function compareWith(page: Page, ...names: string[]): Promise<void> {
  for (const name of ["EPIC", "Mündler et al.", "no grammar"])
    await page.getByLabel(name, { exact: true }).setChecked(names.includes(name));
}

/** The grammar's editor. */
export const editor = (page: Page) => page.locator("#editor .cm-content");

/** Puts a text into the grammar's editor, as pasting does. */
export async function setGrammar(page: Page, text: string): Promise<void> {
  await editor(page).focus();
  await page.keyboard.press("ControlOrMeta+A");
  await editor(page).evaluate((content, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    const bubbles = { bubbles: true, cancelable: true };
    content.dispatchEvent(new ClipboardEvent("paste", { clipboardData, ...bubbles }));
  }, text);
}

/** Starts a run and waits until all methods are done. */
export async function runToTheEnd(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Run" }).click();
  await expect(status(page)).toHaveText("Done.", { timeout: 90_000 });
}

/** The page's state, in a line. */
export const status = (page: Page) => page.locator("#status");

/** The text that is shown large, byte for byte. */
export async function writtenText(page: Page): Promise<string> {
  await page.getByRole("radio", { name: "Raw" }).check({ force: true });
  return (await page.locator("#text").textContent()) ?? "";
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

/** The card of a method. */
export const lane = (page: Page, method: string) => page.locator(`#lane-${method}`);
