/** The pages in colours that the system forces: what is chosen, and what colours tell. */

import { expect, type Locator, test } from "@playwright/test";
import { cells, compareWith, open, runToTheEnd } from "./page-object.ts";
import { openPlayground, rows, text, witness } from "./playground-page.ts";

for (const colorScheme of ["light", "dark"] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme });

    test.beforeEach(({ page }) => page.emulateMedia({ forcedColors: "active" }));

    test("the demo", async ({ page }) => {
      await open(page);
      await compareWith(page);
      await runToTheEnd(page);
      await expectToStandOut(page.locator(".pages a[aria-current]"), page.locator(".pages a"));
      for (const choice of ["#colours", ".results-head"]) {
        const chosen = page.locator(`${choice} input:checked + span`);
        await expectToStandOut(chosen, page.locator(`${choice} label span`));
      }
      const swatches = await backgrounds(
        page.locator("#legend-how .swatch:not([data-how=unsure])"),
      );
      expect(new Set(swatches).size).toBe(6);
      const keys = await backgrounds(page.locator(".chart:nth-child(2) .key"));
      expect(new Set(keys).size).toBe(3);
      const sources = await backgrounds(page.locator("#sources mark"));
      expect(new Set(sources).size).toBe(sources.length);
      // As in the legend.
      const how = await cells(page).first().getAttribute("data-how");
      const swatch = page.locator(`#legend-how .swatch[data-how=${how}]`);
      expect(await backgrounds(cells(page).first())).toEqual(await backgrounds(swatch));
    });

    test("the playground", async ({ page }) => {
      await openPlayground(page);
      for (const choice of ["#kinds", "#cells"]) {
        const chosen = page.locator(`${choice} input:checked + span`);
        await expectToStandOut(chosen, page.locator(`${choice} label span`));
      }
      const gaps = page.locator("#gaps button");
      await expectToStandOut(page.locator("#gaps button[aria-pressed=true]"), gaps);
      await expect(rows(page).first()).toBeVisible();
      await rows(page).nth(5).hover();
      await expectToStandOut(page.locator(".row.pointed"), rows(page));
      await expectToStandOut(witness(page).locator(".pointed"), witness(page).locator("span"));
      const words = page.locator("#grammar .cm-line > span");
      await expectToStandOut(page.locator("#grammar .pointed"), words);
      await expect(text(page).locator(".pointed").first()).toBeVisible();
      const filled = witness(page).locator(".filled:not(.pointed)").first();
      await expect(filled).toHaveCSS("text-decoration-line", "underline");
    });
  });
}

const backgrounds = (all: Locator) =>
  all.evaluateAll((elements) =>
    elements.map((element) => {
      const { backgroundColor, backgroundImage } = getComputedStyle(element);
      return `${backgroundColor} ${backgroundImage}`;
    }),
  );

/** Something has another background than most like it, and another colour of its letters. */
async function expectToStandOut(chosen: Locator, all: Locator): Promise<void> {
  await expect(chosen.first()).toBeVisible();
  const looksOf = (some: Locator) =>
    some.evaluateAll((elements) =>
      elements.map((element) => {
        const { backgroundColor, color } = getComputedStyle(element);
        return { backgroundColor, color };
      }),
    );
  const [own] = await looksOf(chosen.first());
  const looks = await looksOf(all);
  const others = looks.filter(({ backgroundColor }) => backgroundColor !== own?.backgroundColor);
  expect(others.length).toBeGreaterThan(0);
  for (const { color } of others) expect(color).not.toBe(own?.color);
}
