import { expect, test } from "@playwright/test";
import { packed } from "../src/fragment.ts";
import type { Shared } from "../src/page/share.ts";
import { alert, cells, editor, open, openOptions, ready, setGrammar } from "./page-object.ts";

const shared: Shared = {
  ...{ model: "lacuna-small", kind: "jsonSchema", grammar: "true", request: "x" },
  ...{ fields: {}, methods: [] },
};

const addressOf = async (more: Partial<Shared>): Promise<string> =>
  `/${await packed("s=", { ...shared, ...more }, 10_000)}`;

test("a link with values that no field takes opens, and a run says which", async ({ page }) => {
  const odd = { schedule: "?", order: "", commit: "toString", recovery: "9", keyCache: "all" };
  const fields = { ...odd, length: "3000000", steps: "3", temperature: "0.123" };
  await open(page, await addressOf({ fields }));
  await expect(cells(page)).toHaveCount(64);
  await openOptions(page);
  for (const [name, choice] of [
    ["Schedule", "fixed"],
    ["Cells first", "confidence"],
    ["Together", "bisect"],
    ["When stuck", "guided"],
    ["Keys kept", "none"],
    ["Temperature", "0.123"],
  ] as const)
    await expect(page.getByLabel(name)).toHaveValue(choice);
  await page.getByRole("button", { name: "Run" }).click();
  await expect(alert(page)).toContainText("Cells");
  await expect(page.getByLabel("Cells", { exact: true })).toBeFocused();
});

test("the options that are not as usual are told where they are folded", async ({ page }) => {
  const fields = { length: "48", temperature: "0.5", commit: "whole", block: "8" };
  await open(page, await addressOf({ fields }));
  const summary = page.locator("#options-summary");
  await expect(summary).toHaveText(
    "48 cells, 16 steps, seed 1, temperature 0.5, together all or none, cells a block 8",
  );
  // A task sets all of them.
  await page.getByLabel("Task", { exact: true }).selectOption("contact");
  await expect(summary).toHaveText("64 cells, 32 steps, seed 1");
});

test("what is written stays through a reload, and a step back brings it back", async ({ page }) => {
  await open(page);
  expect(new URL(page.url()).hash).toBe("");
  const [task, request] = [page.getByLabel("Task", { exact: true }), page.getByLabel("Request")];
  for (const pause of [600, 0]) {
    await request.fill(`a request ${pause}`);
    await setGrammar(page, `{"const": ${pause}}`);
    await expect(task).toHaveValue("own");
    await page.waitForTimeout(pause);
    await page.reload();
    await ready(page);
    await expect(request).toHaveValue(`a request ${pause}`);
    await expect(editor(page)).toHaveText(`{"const": ${pause}}`);
    await expect(task).toHaveValue("own");
  }
  await task.selectOption("contact");
  await expect(editor(page)).toContainText("subscribed");
  await page.waitForTimeout(200);
  await page.goBack();
  await expect(editor(page)).toHaveText('{"const": 0}');
  await expect(task).toHaveValue("own");
  await page.goForward();
  await expect(task).toHaveValue("contact");
  // By the link to itself the page is as it is at first.
  await page.getByRole("link", { name: "Demo" }).click();
  await expect(task).toHaveValue("snips");
});

test("a link that could not be read is forgotten at the next that can", async ({ page }) => {
  await open(page, await addressOf({ request: "first" }));
  await page.evaluate(() => location.assign("#s=nonsense"));
  await expect(alert(page)).toContainText("This link could not be read.");
  await page.goBack();
  await expect(alert(page)).toBeHidden();
  await expect(page.getByLabel("Request")).toHaveValue("first");
});
