/** The recipes of the documentation, and the READMEs' first lines, print what they say. */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, type Page, test } from "@playwright/test";
import { build } from "esbuild";
import { copyPackageFiles, URLS } from "./package/bundles.ts";
import { serveApp } from "./package/serve.ts";
import { file } from "./page-object.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const text = file("docs/recipes.md").toString();
const recipes = [
  ...text.matchAll(/^(#{2,3} .*)$|^```js\n([\s\S]*?)^```\n\n```text\n([\s\S]*?)^```$/gm),
];

let title = "";
let number = 0;
for (const [, heading, script, printed] of recipes) {
  if (heading) title = heading.replace(/^#+ /, "");
  if (!script || printed === undefined) continue;
  number += 1;
  test(`${number}. ${title}`, async ({ page }) => {
    const lines = await linesOf(page, script);
    expect(`${lines.join("\n")}\n`).toBe(printed);
  });
}

test("every recipe is run", () => {
  const blocks = text.match(/^```js$/gm)?.length;
  expect(recipes.filter(([, , script]) => script)).toHaveLength(blocks ?? 0);
  expect(blocks).toBeGreaterThan(8);
});

for (const readme of ["README.md", "web/lacuna/README.md"]) {
  test(`the first lines of ${readme} write what stands beside them`, async ({ page }) => {
    const [, script = ""] = /^```js\n([\s\S]*?)^```$/m.exec(file(readme).toString()) ?? [];
    const [, said = ""] = /console\.log\(value\); \/\/ (.*)/.exec(script) ?? [];
    const lines = await linesOf(page, script.replace("log(value)", "log(JSON.stringify(value))"));
    const value = JSON.parse(said.replaceAll(/(\w+):/g, '"$1":'));
    expect(lines.map((line) => JSON.parse(line))).toEqual([value]);
  });
}

/** What a script prints in a page of its own. */
async function linesOf(page: Page, script: string): Promise<string[]> {
  const folder = `${root}test-results/recipe`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // The addresses of the package's files, which this bundler leaves alone.
  const located = script.replaceAll(
    "createEngine({",
    `createEngine({ workerUrl: "${URLS.workerUrl}", wasmUrl: "${URLS.wasmUrl}",`,
  );
  const entry = `import { loadGrammarEngine } from "lacuna-lm/grammar";
    await loadGrammarEngine({ wasmUrl: "${URLS.grammarUrl}" });`;
  await build({
    stdin: { contents: `${entry}\n${located}\nconsole.log("—");`, resolveDir: root },
    bundle: true,
    format: "esm",
    target: "es2022",
    outfile: `${folder}/app.js`,
    logLevel: "error",
  });
  await copyPackageFiles(folder);
  writeFileSync(`${folder}/index.html`, '<script type="module" src="app.js"></script>');
  const { address, close } = await serveApp(folder);
  try {
    const lines: string[] = [];
    page.on("pageerror", (error) => lines.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "log") lines.push(message.text());
    });
    await page.goto(address);
    await expect.poll(() => lines.at(-1), { timeout: 60_000 }).toBe("—");
    return lines.slice(0, -1);
  } finally {
    close();
  }
}
