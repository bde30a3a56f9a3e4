import { expect, test } from "@playwright/test";
import {
  alert,
  cells,
  editor,
  file,
  masks,
  open,
  ready,
  runToTheEnd,
  setGrammar,
  setOptions,
  status,
  writtenText,
} from "./page-object.ts";

const MODEL = "models/lacuna-small";

/** No step was taken: every cell is masked. */
async function expectUntouched(page: import("@playwright/test").Page): Promise<void> {
  expect(await masks(page).count()).toBe(await cells(page).count());
  await expect(page.locator("#step-text")).toHaveText("");
}

test("nonsense in the schema is an error with its place", async ({ page }) => {
  await open(page);
  await setGrammar(page, '{\n  "type": "object",\n  "properties": {{\n}');
  const findings = page.locator("#findings");
  await expect(findings).toContainText("Line 3");
  await expect(page.getByLabel("JSON Schema")).toHaveAttribute("aria-invalid", "true");
  await expect(editor(page).locator(".cm-lintRange-error")).not.toHaveCount(0);

  await page.getByRole("button", { name: "Run" }).click();
  await expect(alert(page)).toContainText("Line 3");
  await expectUntouched(page);
});

test("an unsupported keyword is named with its pointer", async ({ page }) => {
  await open(page);
  const order = { type: "object", dependencies: { card: ["address"] } };
  const draft = "https://json-schema.org/draft/2020-12/schema";
  const schema = { $schema: draft, type: "object", properties: { order } };
  await setGrammar(page, JSON.stringify(schema, null, 2));
  const findings = page.locator("#findings");
  await expect(findings).toContainText("/properties/order/dependencies");

  await findings.getByRole("button").first().click();
  const selected = await page.evaluate(() => getSelection()?.toString());
  expect(selected).toContain("dependencies");
});

test("what only whole texts can be judged by is written all the same", async ({ page }) => {
  await open(page);
  const items = { type: "string", minLength: 1, maxLength: 8 };
  const tags = { type: "array", items, minItems: 4, uniqueItems: true };
  const schema = { type: "object", properties: { tags }, required: ["tags"] };
  await setGrammar(page, JSON.stringify({ ...schema, additionalProperties: false }));
  await runToTheEnd(page);
  const written = JSON.parse(await writtenText(page)).tags;
  expect(new Set(written).size).toBe(written.length);
  expect(written.length).toBeGreaterThanOrEqual(4);
  await expect(page.locator("#findings li[data-severity=warning]")).toContainText("uniqueItems");
});

test("a schema that no text satisfies says where it denies itself", async ({ page }) => {
  await open(page);
  const tags = { type: "array", minItems: 3, maxItems: 2 };
  const schema = { type: "object", properties: { tags }, required: ["tags"] };
  await setGrammar(page, JSON.stringify(schema));
  await expect(page.locator("#findings")).toContainText("/properties/tags");
  await expect(page.locator("#findings")).toContainText("minItems is more than maxItems.");

  await page.getByRole("button", { name: "Run" }).click();
  await expect(alert(page)).toBeVisible();
  await expectUntouched(page);
});

test("a mended schema is no error any more", async ({ page }) => {
  await open(page);
  await setGrammar(page, "{");
  await expect(page.locator("#findings li")).not.toHaveCount(0);
  await setGrammar(page, '{"type": "boolean"}');
  await expect(page.locator("#findings li")).toHaveCount(0);
});

test("a schema that no text of the length satisfies is refused before the first model call", async ({
  page,
}) => {
  await open(page);
  await page.getByLabel("Task", { exact: true }).selectOption("contact");
  await setOptions(page, { Cells: 5 });
  await page.getByRole("button", { name: "Run" }).click();
  await expect(alert(page)).toBeVisible();
  await expect(alert(page)).toContainText(/\b5\b/);
  await expectUntouched(page);

  await setOptions(page, { Cells: 64 });
  // It was about another request.
  await expect(alert(page)).toBeHidden();
  await runToTheEnd(page);
  await expect(alert(page)).toBeHidden();
  // Not even the last run's word stands beside an alert.
  await setOptions(page, { Temperature: 9 });
  await page.getByRole("button", { name: "Run" }).click();
  await expect(alert(page)).toContainText("Temperature");
  await expect(status(page)).toHaveText("Not started.");
});

test("weights that are cut short are a clear error, and can be fetched again", async ({ page }) => {
  const whole = file(`${MODEL}/model.safetensors`);
  await page.route("**/model.safetensors", (route) =>
    route.fulfill({ body: whole.subarray(0, Math.floor(whole.length / 2)) }),
  );
  await page.goto("/");
  await expect(alert(page)).toContainText("The model could not be loaded");
  await expect(alert(page)).toContainText(/weights|safetensors/i);
  await expect(page.getByRole("button", { name: "Run" })).toBeDisabled();

  await page.unroute("**/model.safetensors");
  await page.getByRole("button", { name: "Try again" }).press("Enter");
  await expect(page.getByRole("button", { name: "Run" })).toBeEnabled();
  await expect(alert(page)).toBeHidden();
  // The button that was pressed is gone.
  await expect(page.getByRole("button", { name: "Run" })).toBeFocused();
});

test("a task that is chosen while another's model is on its way does not wait for it", async ({
  page,
}) => {
  await open(page);
  const task = page.getByLabel("Task", { exact: true });
  const first = await task.inputValue();
  let gaveUp = 0;
  page.on("requestfailed", () => (gaveUp += 1));
  await page.route("**/lacuna-molecules/model.safetensors", () => {});
  const asked = page.waitForRequest("**/lacuna-molecules/model.safetensors");
  await task.selectOption("molecules");
  await asked;
  await expect(page.getByRole("button", { name: "Run" })).toBeDisabled();
  await task.selectOption(first);
  await ready(page);
  await expect(status(page)).toHaveText("Ready.");
  await expect(page.locator("#loading")).toBeHidden();
  await expect.poll(() => gaveUp).toBe(1);

  // What was given up can be asked for again.
  await page.unroute("**/lacuna-molecules/model.safetensors");
  await task.selectOption("molecules");
  await ready(page);
});

test("a model that is asked for without a network is said to lack that", async ({
  page,
  context,
}) => {
  await open(page);
  await context.setOffline(true);
  await page.getByLabel("Task", { exact: true }).selectOption("molecules");
  await expect(alert(page)).toContainText("There is no connection to the network.");
  await context.setOffline(false);
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByRole("button", { name: "Run" })).toBeEnabled();
  await expect(alert(page)).toBeHidden();
});

test("a tokenizer that does not fit the model is a clear error", async ({ page }) => {
  const tokenizer = JSON.parse(file(`${MODEL}/tokenizer.json`).toString());
  const { vocab } = tokenizer.model;
  vocab["a token too many"] = Math.max(...(Object.values(vocab) as number[])) + 1000;
  await page.route("**/tokenizer.json", (route) => route.fulfill({ json: tokenizer }));
  await page.goto("/");
  await expect(alert(page)).toContainText("The model could not be loaded");
  await expect(alert(page)).toContainText(/tokenizer/i);
});

test("a server that has no model is a clear error", async ({ page }) => {
  await page.route("**/config.json", (route) => route.fulfill({ status: 404, body: "" }));
  await page.goto("/");
  await expect(alert(page)).toContainText("config.json");
  await expect(alert(page)).toContainText("404");
});

test("a worker that cannot start is a clear error", async ({ page }) => {
  await page.route("**/assets/start-*.js", (route) => route.abort());
  await page.goto("/");
  await expect(alert(page)).toContainText("worker");
});

test("an engine that is taken away in mid-run is said, and can be started again", async ({
  page,
}) => {
  await page.addInitScript(() => {
    const workers: Worker[] = [];
    Object.assign(window, { workers });
    window.Worker = class extends Worker {
      constructor(...parameters: ConstructorParameters<typeof Worker>) {
        super(...parameters);
        workers.push(this);
      }
    };
  });
  await open(page);
  await setOptions(page, { Cells: 128, Steps: 128 });
  await page.getByRole("button", { name: "Run" }).click();
  await expect(page.locator("#step-text")).toHaveText(/^([3-9]|\d\d+) \/ 128/);
  await page.evaluate(() => {
    for (const worker of (window as unknown as { workers: Worker[] }).workers) {
      worker.terminate();
      worker.dispatchEvent(new ErrorEvent("error", { message: "taken away" }));
    }
  });
  await expect(alert(page)).toContainText("The run broke off");
  await expect(alert(page)).toContainText("taken away");
  await expect(page.locator("#status")).toHaveText("Broken off.");
  await setOptions(page, { Cells: 48, Steps: 4 });
  await page.getByRole("button", { name: "Restart the engine" }).click();
  await expect(alert(page)).toBeHidden();
  await runToTheEnd(page);
});

test("options out of their bounds are said at the field", async ({ page }) => {
  await open(page);
  await setOptions(page, { Steps: 0 });
  await page.getByRole("button", { name: "Run" }).click();
  await expect(alert(page)).toContainText("Steps");
  await expect(page.getByLabel("Steps")).toBeFocused();
});
