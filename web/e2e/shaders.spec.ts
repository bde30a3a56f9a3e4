/** The kernels in Chromium: its compiler takes all of them, and what they compute is right. */

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { expect, type Page, test } from "@playwright/test";
import { launchOptions, SOFTWARE_GPU } from "./browser.ts";
import { file } from "./page-object.ts";

test.use({ launchOptions: launchOptions(...SOFTWARE_GPU) });
// SwiftShader computes some hundred million operations a second.
test.setTimeout(300_000);

interface Source {
  name: string;
  code: string;
}

const repository = new URL("../../", import.meta.url);

const options = { cwd: repository, encoding: "utf8", maxBuffer: 1 << 28 } as const;

/** The WGSL of every variant of every kernel, as Rust fills it in. */
function allSources(): Source[] {
  // With the features that the whole workspace has: what its tests are made of is there already.
  const build = ["build", "--quiet", "--workspace", "--example", "shaders"];
  const told = execFileSync(
    "cargo",
    [...build, "--message-format", "json-render-diagnostics"],
    options,
  );
  const made = told.split("\n").filter((line) => line.startsWith("{"));
  const artifacts = made.map((line) => JSON.parse(line) as { executable?: string | null });
  const program = artifacts.find(({ executable }) => executable)?.executable;
  if (!program) throw new Error(`nothing was built:\n${told}`);
  return JSON.parse(execFileSync(program, options));
}

/** What the compiler has against each source, and the names of those that it was not given. */
const compile = (page: Page, sources: Source[]) =>
  page.evaluate(async (sources) => {
    const adapter = await navigator.gpu.requestAdapter();
    if (!adapter) throw new Error("no adapter");
    const wanted = ["shader-f16", "subgroups"] as const;
    const requiredFeatures = wanted.filter((feature) => adapter.features.has(feature));
    const device = await adapter.requestDevice({ requiredFeatures });
    const missing = wanted.filter((feature) => !requiredFeatures.includes(feature));
    const needs = (code: string, feature: string) =>
      code.includes(`enable ${feature === "shader-f16" ? "f16" : "subgroups"};`);
    const [faults, left]: [string[], string[]] = [[], []];
    for (const { name, code } of sources) {
      if (missing.some((feature) => needs(code, feature))) {
        left.push(name);
        continue;
      }
      device.pushErrorScope("validation");
      const module = device.createShaderModule({ code });
      const { messages } = await module.getCompilationInfo();
      const errors = messages.filter(({ type }) => type === "error");
      faults.push(...errors.map(({ message, lineNum }) => `${name}:${lineNum}: ${message}`));
      const error = await device.popErrorScope();
      if (error && errors.length === 0) faults.push(`${name}: ${error.message}`);
    }
    // A pipeline of each kind: bindings and workgroup memory within the limits.
    const kinds = new Map(sources.map((source) => [source.name.split(/[^a-z]/)[0], source]));
    for (const { name, code } of kinds.values()) {
      if (left.includes(name)) continue;
      const module = device.createShaderModule({ code });
      await device
        .createComputePipelineAsync({ layout: "auto", compute: { module } })
        .catch((error: Error) => faults.push(`${name}: ${error.message}`));
    }
    device.destroy();
    return { faults, left, features: requiredFeatures, kinds: kinds.size };
  }, sources);

test("Chromium compiles every variant of every kernel", async ({ page }) => {
  const sources = allSources();
  expect(sources.length).toBeGreaterThan(100);
  await page.goto("/icon.svg");
  const { faults, left, features, kinds } = await compile(page, sources);
  console.log(
    `${sources.length - left.length} of ${sources.length} compiled, ${kinds} kinds made pipelines ` +
      `(${features.join(", ") || "no features"})`,
  );
  expect(faults).toEqual([]);
  expect(left.length).toBeLessThan(sources.length / 2 + 1);

  const broken = {
    name: "broken",
    code: "@compute @workgroup_size(1) fn main() { let x: u32 = 1.5; }",
  };
  expect((await compile(page, [broken])).faults).not.toEqual([]);
});

test("every kernel computes what its twin on the CPU does", async ({ page }) => {
  // Minutes where other work shares the processor.
  test.setTimeout(900_000);
  test.skip(
    !existsSync(new URL("web/bench/pkg/bench", repository)),
    "the build for it is not there",
  );
  for (const name of ["lacuna_wasm.js", "lacuna_wasm_bg.wasm"]) {
    const contentType = name.endsWith("js") ? "text/javascript" : "application/wasm";
    const body = file(`web/bench/pkg/bench/${name}`);
    await page.route(`**/pkg/${name}`, (route) => route.fulfill({ body, contentType }));
  }
  await page.goto("/icon.svg");
  const checks = await page.evaluate(async () => {
    const address = `${location.origin}/pkg/lacuna_wasm.js`;
    const { default: init, verifyKernels } = await import(address);
    await init();
    return (await verifyKernels()) as { kernel: string; shape: string; passed: boolean }[];
  });
  console.log(
    `${checks.length} checks of ${new Set(checks.map(({ kernel }) => kernel)).size} kernels`,
  );
  expect(checks.length).toBeGreaterThan(30);
  expect(checks.filter(({ passed }) => !passed)).toEqual([]);
});
