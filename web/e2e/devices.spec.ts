/** Models on WebGPU: which device is taken, and what happens when it goes. */

import { expect, type Page, test } from "@playwright/test";
import type { EngineEvent } from "lacuna-lm";
import type { GenerateRequest } from "../lacuna/src/worker/protocol.ts";
import type { LoadedEngine } from "../lacuna/src/worker/server.ts";
import { launchOptions, SOFTWARE_GPU } from "./browser.ts";
import {
  compareWith,
  file,
  open,
  openOptions,
  runToTheEnd,
  setOptions,
  writtenText,
} from "./page-object.ts";

test.use({ launchOptions: launchOptions(...SOFTWARE_GPU) });
// SwiftShader computes some hundred million operations a second.
test.setTimeout(300_000);

const device = (page: Page) => page.locator("#device");
const run = { Cells: 24, Steps: 4 };

/** Opens the page with the model on the processor. */
async function openOnCpu(page: Page): Promise<void> {
  await page.addInitScript(() => {
    if (!localStorage.getItem("lacuna-device")) localStorage.setItem("lacuna-device", "cpu");
  });
  await open(page);
  await setOptions(page, run);
  await compareWith(page);
  await expect(device(page)).toHaveText("On the CPU: as asked for.");
}

/** Has the model loaded anew on the card. */
async function chooseGpu(page: Page): Promise<void> {
  await page.getByLabel("Model runs on").selectOption("gpu");
  await expect(page.getByRole("button", { name: "Run" })).toBeEnabled({ timeout: 120_000 });
}

/**
 * Lets the test destroy the devices of the engine's worker, by a line in front of
 * the worker's script: there is no such call in the page.
 */
async function makeDestroyable(page: Page): Promise<() => Promise<void>> {
  await page.route("**/assets/start-*.js", async (route) => {
    const response = await route.fetch();
    const body = `
      const requestDevice = GPUAdapter.prototype.requestDevice;
      GPUAdapter.prototype.requestDevice = async function (...parameters) {
        const device = await requestDevice.apply(this, parameters);
        new BroadcastChannel("destroy").onmessage = () => device.destroy();
        return device;
      };
      ${await response.text()}`;
    await route.fulfill({ response, body });
  });
  return () => page.evaluate(() => new BroadcastChannel("destroy").postMessage(null));
}

/** What {@link openModule} puts into the page's window. */
interface Module {
  readonly memory: WebAssembly.Memory;
  readonly request: GenerateRequest;
  loadEngine(options: object): Promise<LoadedEngine & { gpuBytes(): Promise<number> }>;
}

/** Opens a page with nothing in it but the engine's module, and the model's files. */
async function openModule(page: Page): Promise<void> {
  for (const name of ["lacuna_wasm.js", "lacuna_wasm_bg.wasm"]) {
    const contentType = name.endsWith("js") ? "text/javascript" : "application/wasm";
    const body = file(`web/lacuna/wasm/full/${name}`);
    await page.route(`**/pkg/${name}`, (route) => route.fulfill({ body, contentType }));
  }
  await page.goto("/icon.svg");
  await page.evaluate(async () => {
    const address = `${location.origin}/pkg/lacuna_wasm.js`;
    const { default: init, Engine, WeightFiles } = await import(address);
    const { memory } = await init();
    const folder = `${location.origin}/models/lacuna-mini/`;
    const part = async (name: string) =>
      new Uint8Array(await (await fetch(folder + name)).arrayBuffer());
    const names = ["config.json", "tokenizer.json", "model.safetensors"];
    const [config, tokenizer, file] = await Promise.all(names.map(part));
    const request = {
      request: "play some jazz",
      grammar: { kind: "regex", text: "[a-z ]+" },
      length: 8,
      steps: 2,
      seed: 1,
    };
    const loadEngine = (options: object) => {
      const weights = new WeightFiles();
      weights.add("model.safetensors", file);
      return Engine.load(config, tokenizer, weights, options);
    };
    Object.assign(window, { memory, request, loadEngine });
  });
}

test("a GPU that is the processor itself is not taken, and the page says so", async ({ page }) => {
  await page.goto("/");
  await expect(device(page)).toContainText("On the CPU", { timeout: 120_000 });
  await expect(device(page)).toContainText(/times as long/);
});

test("the GPU writes what the CPU writes", async ({ page }) => {
  await openOnCpu(page);
  await runToTheEnd(page);
  const expected = await writtenText(page);
  await chooseGpu(page);
  await expect(device(page)).toContainText("On the GPU");
  await runToTheEnd(page);
  expect(await writtenText(page)).toBe(expected);

  await page.reload();
  await openOptions(page);
  await expect(page.getByLabel("Model runs on")).toHaveValue("gpu");
});

test("a run outlives its devices", async ({ page }) => {
  const destroy = await makeDestroyable(page);
  await openOnCpu(page);
  await runToTheEnd(page);
  const expected = await writtenText(page);

  await chooseGpu(page);
  await page.getByRole("button", { name: "Run" }).click();
  await expect(page.locator("#step-text")).toHaveText(/^1 \/ 4/);
  await destroy();
  await expect(device(page)).toHaveText("GPU lost; went on on a fresh device.");
  await destroy();
  await expect(device(page)).toHaveText("GPU lost; went on on the CPU.", { timeout: 60_000 });
  await expect(page.locator("#status")).toHaveText("Done.", { timeout: 120_000 });
  expect(await writtenText(page)).toBe(expected);
});

test("a card that does not answer in time is given up", async ({ page }) => {
  await openModule(page);
  const [ours, theirs] = await page.evaluate(async () => {
    const { loadEngine, request } = window as unknown as Module;
    const write = async (options: object) => {
      const engine = await loadEngine(options);
      const run = engine.start(request, async () => true);
      const events: EngineEvent[] = [];
      while (!run.done) events.push(...(await run.step()));
      const { device } = engine.info();
      run.free();
      engine.free();
      return { events, device };
    };
    return [await write({ device: "cpu" }), await write({ device: "gpu", patience: 0.001 })];
  });
  const moves = theirs?.events.filter(({ type }) => type === "move");
  expect(moves).toMatchObject([
    { step: 0, device: "cpu", message: "GPU timed out; went on on the CPU" },
  ]);
  expect(theirs?.device.why).toContain("did not answer");
  const text = (events: readonly EngineEvent[] = []) =>
    events.flatMap((event) => (event.type === "done" ? [event.text] : []));
  expect(text(theirs?.events)).toEqual(text(ours?.events));
});

test("loading and freeing again and again leaves nothing behind", async ({ page }) => {
  test.setTimeout(240_000);
  await openModule(page);
  const cycles = await page.evaluate(async () => {
    // Bytes of the buffers on the card that were made and not destroyed.
    const live = new Map<GPUBuffer, number>();
    const { createBuffer } = GPUDevice.prototype;
    GPUDevice.prototype.createBuffer = function (descriptor) {
      const buffer = createBuffer.call(this, descriptor);
      live.set(buffer, descriptor.size);
      return buffer;
    };
    const { destroy } = GPUBuffer.prototype;
    GPUBuffer.prototype.destroy = function () {
      live.delete(this);
      return destroy.call(this);
    };
    const bytesOnCard = () => [...live.values()].reduce((sum, bytes) => sum + bytes, 0);

    const { memory, loadEngine, request } = window as unknown as Module;
    const cycles = [];
    // Memory only grows; where little is left behind, it grows now and then. The allocator
    // may grow it once more when answers come at other times than before.
    let same = 0;
    while (same < 9 && cycles.length < 32) {
      const engine = await loadEngine({ device: "gpu" });
      const run = engine.start(request, async () => true);
      await run.step();
      const loaded = { counted: bytesOnCard(), told: await engine.gpuBytes() };
      run.free();
      engine.free();
      const { byteLength } = memory.buffer;
      same = cycles.at(-1)?.memory === byteLength ? same + 1 : 0;
      cycles.push({ ...loaded, left: bytesOnCard(), memory: byteLength });
    }
    return cycles;
  });
  console.log(JSON.stringify(cycles));
  for (const { counted, told, left } of cycles) {
    expect(told).toBeGreaterThan(5_000_000);
    expect(counted).toBe(told);
    expect(left).toBe(0);
  }
  // What some cycles needed is enough for nine later ones.
  expect(cycles.length).toBeLessThan(32);
});
