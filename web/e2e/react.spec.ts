/** The hook for React, in a page. */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, type Page, test } from "@playwright/test";
import { build } from "esbuild";
import type { CompletionOptions } from "lacuna-lm/react";
import { copyPackageFiles, URLS } from "./package/bundles.ts";
import { serveApp } from "./package/serve.ts";

/** What the app's script puts into its window. */
interface App {
  readonly ready?: boolean;
  readonly seen: string[];
  readonly engine: import("lacuna-lm").Engine;
  show(options: Omit<CompletionOptions, "engine">): Promise<void>;
  unmount(): void;
  complete(prompt: string): Promise<{ text: string; value: unknown } | undefined>;
  stop(): void;
}

const window = globalThis as unknown as App;
const folder = fileURLToPath(new URL("../../test-results/bundles/react", import.meta.url));

let app: { address: string; close: () => void };

test.beforeAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await build({
    entryPoints: [fileURLToPath(new URL("package/react-app.js", import.meta.url))],
    bundle: true,
    format: "esm",
    target: "es2022",
    outfile: `${folder}/app.js`,
    banner: { js: `globalThis.lacunaUrls = ${JSON.stringify(URLS)};` },
    define: { "process.env.NODE_ENV": '"development"' },
    logLevel: "error",
  });
  await copyPackageFiles(folder);
  const script = '<script type="module" src="app.js"></script>';
  writeFileSync(`${folder}/index.html`, `<!doctype html><body>${script}`);
  app = await serveApp(folder);
});

test.afterAll(() => app.close());

const WORDS = { grammar: { regex: "[a-z]{3,9}( [a-z]{3,9})?" }, length: 12, steps: 6 } as const;

/** Opens the page with a component that uses the hook. */
async function open(page: Page, options: Omit<CompletionOptions, "engine">): Promise<void> {
  await page.goto(app.address);
  await page.waitForFunction(() => window.ready);
  await page.evaluate((options) => window.show(options), options);
  await expect(text(page)).toHaveAttribute("data-state", "idle");
}

const text = (page: Page) => page.locator("p");

test("a text fills as it is written, and its value is there when it is whole", async ({ page }) => {
  const jsonSchema = {
    type: "object",
    properties: { artist: { type: "string", "x-spanOf": "request" } },
    required: ["artist"],
    additionalProperties: false,
  };
  await open(page, { grammar: { jsonSchema }, length: 24, steps: 8 });
  const written = await page.evaluate(() => window.complete("play some jazz by Nina Simone"));
  await expect(text(page)).toHaveAttribute("data-state", "idle");
  await expect(text(page)).toHaveText(written?.text ?? "");
  await expect(text(page)).toHaveAttribute("title", JSON.stringify(written?.value));
  const seen = await page.evaluate(() => window.seen);
  const masks = seen.map((text) => text.split("░").length - 1).filter((count) => count > 0);
  expect(masks.length).toBeGreaterThan(1);
  expect(masks).toEqual([...masks].sort((a, b) => b - a));
  // Some cell is filled behind one that is masked: that is what makes it no ordinary stream.
  expect(seen.some((text) => /░[^░]/.test(text))).toBe(true);
});

test("the gaps of a template, and another sign for a mask", async ({ page }) => {
  const { length: _, ...words } = WORDS;
  await open(page, { ...words, template: ["abc", 2, "d ", [3, 4]], mask: "?" });
  const written = await page.evaluate(() => window.complete("hello"));
  expect(written?.text).toMatch(/^abc[a-z]+d [a-z]{3,9}$/);
  const seen = await page.evaluate(() => window.seen);
  expect(seen.some((text) => text.startsWith("abc") && text.includes("?"))).toBe(true);
});

test("is given up by hand, by a newer one, and by unmounting, without an error", async ({
  page,
}) => {
  await open(page, { ...WORDS, length: 256, steps: 200 });
  const begun = () => expect(text(page)).toContainText("░");
  const given = page.evaluate(() => window.complete("hello"));
  await begun();
  await page.evaluate(() => window.stop());
  expect(await given).toBeUndefined();
  await expect(text(page)).toHaveAttribute("data-state", "idle");

  const older = page.evaluate(() => window.complete("hello"));
  await begun();
  await page.evaluate((options) => window.show(options), WORDS);
  const newer = page.evaluate(() => window.complete("hello"));
  expect(await older).toBeUndefined();
  expect((await newer)?.text).toMatch(/^[a-z]{3,9}( [a-z]{3,9})?$/);
  await expect(text(page)).toHaveText((await newer)?.text ?? "");

  await page.evaluate((options) => window.show(options), { ...WORDS, length: 256, steps: 200 });
  const left = page.evaluate(() => window.complete("hello"));
  await begun();
  await page.evaluate(() => window.unmount());
  expect(await left).toBeUndefined();
});

test("what went wrong is on show, and the next one works", async ({ page }) => {
  await open(page, { ...WORDS, grammar: { regex: "(" } });
  expect(await page.evaluate(() => window.complete("hello"))).toBeUndefined();
  await expect(text(page)).toHaveAttribute("data-state", "grammar");
  await page.evaluate((options) => window.show(options), WORDS);
  await page.evaluate(() => window.complete("hello"));
  await expect(text(page)).toHaveAttribute("data-state", "idle");
});
