// `npm run bench:web`: measures steps in headless Chromium, with onnxruntime-web
// beside, and prints Markdown. `--json FILE` keeps the measurements; `--serve`
// only serves the page, for a browser of one's own; `--canvases`, `--seconds`,
// `--sizes` and `--gpu-canvases` fill in its form. `--gpu` starts Chromium with
// WebGPU on the machine's card; with `--software` even one that is only pretended.
// `--built` takes the page as it was last built.

import { writeFileSync } from "node:fs";
import { benchEngine, benchPage, otherRuntime } from "./lib/bench-page.mjs";
import { chromium } from "./lib/browser.mjs";
import { requireModels } from "./lib/models.mjs";
import { nodePackages } from "./lib/node-packages.mjs";
import { inside } from "./lib/paths.mjs";
import { main, optionsOf, stage } from "./lib/report.mjs";

const FORM = ["canvases", "seconds", "sizes", "gpu-canvases"];
const text = { type: "string" };
const flag = { type: "boolean", default: false };
const values = optionsOf({
  ...Object.fromEntries(FORM.map((name) => [name, text])),
  json: text,
  port: { type: "string", default: "4318" },
  serve: flag,
  built: flag,
  gpu: flag,
  software: flag,
});

await main(async () => {
  if (!values.built) await build();
  // Only now, since the packages may have been installed just before.
  const { preview } = await import("vite");
  const server = await preview({
    root: inside("web", "bench"),
    preview: { port: Number(values.port) },
    logLevel: "warn",
  });
  const address = server.resolvedUrls?.local[0];
  if (values.serve) {
    console.log(`The page is at ${address}`);
    return;
  }
  try {
    await measure(address);
  } finally {
    await server.close();
  }
});

async function build() {
  requireModels();
  await stage("node packages", nodePackages);
  await stage("engine for benchmarks (WebAssembly)", () => benchEngine());
  await stage("onnxruntime-web", otherRuntime);
  await stage("page for benchmarks", benchPage);
}

async function measure(address) {
  const graphics = values.software
    ? ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"]
    : values.gpu
      ? ["--enable-unsafe-webgpu", "--enable-features=Vulkan", "--use-angle=vulkan"]
      : ["--disable-gpu"];
  const { chromium: playwright } = await import("@playwright/test");
  const browser = await playwright.launch({
    executablePath: await chromium(),
    args: ["--no-sandbox", "--disable-dev-shm-usage", ...graphics],
  });
  try {
    const page = await browser.newPage();
    const form = FORM.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]]));
    if (values.software) form.push(["software", "1"]);
    await page.goto(`${address}?${new URLSearchParams(form)}`);
    await page.getByRole("button", { name: "Measure" }).click();
    const status = page.locator("#status");
    await status.filter({ hasText: /^(Done|Failed)/ }).waitFor({ timeout: 0 });
    const said = await status.textContent();
    if (!said?.startsWith("Done")) throw new Error(said ?? "the page says nothing");
    const { report, markdown } = await page.evaluate(() => window.lacunaBench);
    console.log(`\n${markdown}`);
    if (values.json) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
  } finally {
    await browser.close();
  }
}
