/** The playground as the tests handle it. */

import { expect, type Page } from "@playwright/test";

/** Opens it, with what is in a fragment, and waits until all is looked at. */
export async function openPlayground(page: Page, fragment = ""): Promise<void> {
  await page.goto(`/playground/index.html${fragment}`);
  await settled(page);
}

/** Waits until everything was looked at. */
export async function settled(page: Page): Promise<void> {
  await expect(page.locator("body:not([data-looking])")).toBeAttached();
  await expect(page.locator("#verdict")).not.toHaveAttribute("data-verdict", "waiting");
}

export const verdict = (page: Page) => page.locator("#verdict");
export const witness = (page: Page) => page.locator("#witness");
export const rows = (page: Page) => page.locator("#tree .row");
export const grammarText = (page: Page) => page.locator("#grammar .cm-content");
export const text = (page: Page) => page.locator("#text .cm-content");

/** Puts a text into an editor, in place of what is there. */
async function retype(page: Page, editor: ReturnType<typeof text>, written: string): Promise<void> {
  await editor.click();
  await page.keyboard.press("Control+A");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(written);
  await settled(page);
}

export const writeText = (page: Page, written: string) => retype(page, text(page), written);

/** Writes a grammar in a notation. */
export async function writeGrammar(page: Page, kind: string, written: string): Promise<void> {
  await page.getByRole("radio", { name: kind, exact: true }).check({ force: true });
  await retype(page, grammarText(page), written);
}

/** Opens one of the examples, by its file. */
export async function openExample(page: Page, file: string): Promise<void> {
  await page.getByLabel("Examples").selectOption(file);
  const entries = await page.evaluate(() => history.length);
  await page.getByRole("button", { name: "Open", exact: true }).click();
  await page.waitForFunction((entries) => history.length > entries, entries);
  await settled(page);
}
