import { expect, test } from "@playwright/test";
import {
  expectToBePressed,
  expectToFit,
  expectToFitEverywhere,
  findings,
  inWindow,
  LOOKS,
} from "./looks.ts";
import { openPlayground, rows, writeGrammar, writeText } from "./playground-page.ts";

test("nothing sticks out from the narrowest phone to the widest screen", async ({ page }) => {
  await openPlayground(page);
  await expect(rows(page).first()).toBeVisible();
  await expectToFitEverywhere(page, "playground");
});

for (const look of LOOKS) {
  const { width, colorScheme } = look;
  test(`nothing sticks out at ${width} pixels, ${colorScheme}`, async ({ browser }) => {
    await inWindow(browser, look, async (page) => {
      await openPlayground(page);
      await expect(rows(page).first()).toBeVisible();
      // Lines that are scrolled sideways do not show through their numbers.
      const backgrounds = [".cm-editor", ".cm-gutters"].map((part) =>
        page.locator(`#grammar ${part}`).evaluate((it) => getComputedStyle(it).backgroundColor),
      );
      const [sheet, gutters] = await Promise.all(backgrounds);
      expect(gutters).toBe(sheet);
      await expectToFit(page, `playground-${width}-${colorScheme}`);
      await expectToBePressed(page);
    });
  });
}

for (const colorScheme of ["light", "dark"] as const) {
  test(`axe finds nothing, ${colorScheme}`, async ({ browser }) => {
    const context = await browser.newContext({ colorScheme, reducedMotion: "reduce" });
    const page = await context.newPage();
    await openPlayground(page);
    await page.getByRole("button", { name: "Another" }).click();
    await expect(page.locator("#witnesses li")).toHaveCount(2);
    await page.locator("#export-buttons").getByRole("button", { name: "Lark" }).click();
    await page.getByRole("radio", { name: "Tokens" }).check({ force: true });
    await expect(page.locator("#choices")).toContainText("tokens of");
    expect(await findings(page)).toEqual([]);
    await writeText(page, '{"a" □ x}');
    await expect(page.locator("#verdict")).toHaveAttribute("data-verdict", "no");
    expect(await findings(page)).toEqual([]);
    const slots = "A_SLOT_WITH_A_NAME_THAT_IS_AS_LONG_AS_NAMES_GET CITY REQUEST";
    const asked = slots.replaceAll(/\w+/g, "%slot $&\n");
    await writeGrammar(page, "Lark", `start: ${slots}\n${asked}`);
    await expect(page.getByLabel("CITY is", { exact: true })).toBeVisible();
    expect(await findings(page)).toEqual([]);
    await page.setViewportSize({ width: 320, height: 900 });
    await expectToFit(page, `playground-slots-${colorScheme}`);
    await context.close();
  });
}
