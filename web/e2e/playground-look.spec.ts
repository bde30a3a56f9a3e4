import { fileURLToPath } from "node:url";
import AxeBuilder from "@axe-core/playwright";
import { expect, test } from "@playwright/test";
import { openPlayground, rows, writeText } from "./playground-page.ts";

const pictures = fileURLToPath(new URL("../../test-results/", import.meta.url));

test("nothing sticks out from the narrowest phone to the widest screen", async ({ page }) => {
  await openPlayground(page);
  await expect(rows(page).first()).toBeVisible();
  for (const width of [320, 480, 768, 1024, 1920, 2560]) {
    await page.setViewportSize({ width, height: 900 });
    const { scroll, client } = await page.evaluate(() => ({
      scroll: document.documentElement.scrollWidth,
      client: document.documentElement.clientWidth,
    }));
    expect(scroll, `at ${width} pixels`).toBe(client);
    await page.screenshot({ path: `${pictures}playground-${width}.png`, fullPage: true });
  }
});

for (const colorScheme of ["light", "dark"] as const) {
  for (const width of [1280, 390]) {
    test(`nothing sticks out at ${width} pixels, ${colorScheme}`, async ({ browser }) => {
      const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
      const page = await context.newPage();
      await openPlayground(page);
      await expect(rows(page).first()).toBeVisible();
      const { scroll, client } = await page.evaluate(() => ({
        scroll: document.documentElement.scrollWidth,
        client: document.documentElement.clientWidth,
      }));
      expect(scroll).toBe(client);
      const path = `${pictures}playground-${width}-${colorScheme}.png`;
      await page.screenshot({ path, fullPage: true });
      await context.close();
    });
  }

  test(`axe finds nothing, ${colorScheme}`, async ({ browser }) => {
    const context = await browser.newContext({ colorScheme, reducedMotion: "reduce" });
    const page = await context.newPage();
    const violations = async () => {
      const found = (await new AxeBuilder({ page }).analyze()).violations;
      return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
    };
    await openPlayground(page);
    await page.getByRole("button", { name: "Another" }).click();
    await expect(page.locator("#witnesses li")).toHaveCount(2);
    await page.locator("#export-buttons").getByRole("button", { name: "Lark" }).click();
    await page.getByRole("radio", { name: "Tokens" }).check({ force: true });
    await expect(page.locator("#choices")).toContainText("tokens of");
    expect(await violations()).toEqual([]);
    await writeText(page, '{"a" □ x}');
    await expect(page.locator("#verdict")).toHaveAttribute("data-verdict", "no");
    expect(await violations()).toEqual([]);
    await context.close();
  });
}
