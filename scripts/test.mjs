// `npm test`: every check, in the order of what fails soonest; stops at the
// first that fails.

import { availableParallelism } from "node:os";
import { apiDocs } from "./api-docs.mjs";
import { build } from "./build.mjs";
import { benchBuilds } from "./lib/bench-page.mjs";
import { chromium } from "./lib/browser.mjs";
import { requireModels } from "./lib/models.mjs";
import { inside } from "./lib/paths.mjs";
import { pythonTests } from "./lib/python.mjs";
import { main, optionsOf, stage } from "./lib/report.mjs";
import { capture, run } from "./lib/run.mjs";
import { runtimes } from "./lib/runtimes.mjs";
import { requireAllListed } from "./lib/rust-tests.mjs";
import { requireRust } from "./lib/toolchain.mjs";
import { vulkanAdapter } from "./lib/vulkan.mjs";

const tool = (name, ...path) => [process.execPath, inside("node_modules", name, ...path)];
const node = ([program, script], args, options) => run(program, [script, ...args], options);

async function cargoTests() {
  const env = await vulkanAdapter();
  const nextest = await capture("cargo", ["nextest", "--version"]);
  if (nextest.status === 0) await run("cargo", ["nextest", "run", "--workspace"], { env });
  else await run("cargo", ["test", "--workspace", "--lib", "--bins", "--tests"], { env });
}

async function endToEnd() {
  const env = { LACUNA_CHROMIUM: await chromium() };
  const test = (...args) =>
    node(tool("@playwright/test", "cli.js"), ["test", "--config", "web", ...args], { env });
  // A page and its engine wait for one another: two pages take little longer than one. What
  // measures time (`ALONE` in web/e2e/browser.ts) comes by itself.
  const pages = Math.min(availableParallelism(), 2);
  await test("--grep-invert", "@alone", "--workers", `${pages}`);
  await test("--grep", "@alone");
}

optionsOf();
await main(async () => {
  requireRust();
  requireAllListed();
  await stage("rustfmt", () =>
    run("cargo", ["fmt", "--all", "--check"], { mend: "npm run format" }),
  );
  await stage("clippy", () =>
    run("cargo", ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
  );
  await stage("Rust tests", cargoTests);
  await stage("Rust doc tests", () => run("cargo", ["test", "--doc", "--workspace"]));
  await stage("Python tests", pythonTests);
  await build(benchBuilds({ threads: false }));
  await stage("Biome", () =>
    node(tool("@biomejs/biome", "bin", "biome"), ["ci", "--error-on-warnings"], {
      mend: "npm run format",
    }),
  );
  await stage("TypeScript", () => node(tool("typescript", "bin", "tsc"), ["--project", "web"]));
  await stage("unit tests", () => node(tool("vitest", "vitest.mjs"), ["run", "--root", "web"]));
  await apiDocs();
  await stage("the grammar door in Node, Deno and Bun", runtimes);
  requireModels();
  await stage("end-to-end tests", endToEnd);
  console.log("\nEverything passed.");
});
