/** What has to hold of every page, at every width and in both themes. */

import { fileURLToPath } from "node:url";
import AxeBuilder from "@axe-core/playwright";
import { type Browser, expect, type Page } from "@playwright/test";

const pictures = fileURLToPath(new URL("../../test-results/", import.meta.url));

/** From the narrowest phone to the widest screen. */
const WIDTHS = [320, 480, 768, 1024, 1920, 2560];

/** Windows that people have, in both themes. */
export const LOOKS = [1280, 390].flatMap((width) =>
  (["light", "dark"] as const).map((colorScheme) => ({ width, colorScheme })),
);

/** What axe finds, in words. */
export async function findings(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

/** Shows a page in a window of its own, and hands it over. */
export async function inWindow(
  browser: Browser,
  { width, colorScheme }: (typeof LOOKS)[number],
  use: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
  await use(await context.newPage());
  await context.close();
}

/** Nothing is wider than the window; a picture of it is kept under this name. */
export async function expectToFit(page: Page, picture: string): Promise<void> {
  const { scroll, client } = await page.evaluate(() => ({
    scroll: document.documentElement.scrollWidth,
    client: document.documentElement.clientWidth,
  }));
  expect(scroll, picture).toBe(client);
  await page.screenshot({ path: `${pictures}${picture}.png`, fullPage: true });
}

/** What is pressed is as large as a finger needs; what stands in a sentence is as high as that. */
export async function expectToBePressed(page: Page): Promise<void> {
  const small = await page.evaluate(() => {
    const pressed = "button, summary, select, .pages a, [role=treeitem] > .row";
    return [...document.querySelectorAll(pressed)].flatMap((element) => {
      const { width, height } = element.getBoundingClientRect();
      const isLarge = width >= 24 && height >= 24;
      return width === 0 || isLarge || element.closest("p") ? [] : [element.outerHTML];
    });
  });
  expect(small).toEqual([]);
}

/** The same at each of the widths. */
export async function expectToFitEverywhere(page: Page, picture: string): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await expectToFit(page, `${picture}-${width}`);
  }
}
