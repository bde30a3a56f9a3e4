/** The engine's module takes weights in shards as those in one file. */

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type * as engine from "../wasm/full/lacuna_wasm.js";
import { INDEX, shardsOf } from "./shards.ts";

const at = (path: string) => new URL(path, import.meta.url);
const shipped = (name: string) => readFileSync(at(`../../../models/lacuna-mini/${name}`));

async function load(): Promise<typeof engine> {
  const module = await import("../wasm/full/lacuna_wasm.js");
  const bytes = readFileSync(at("../wasm/full/lacuna_wasm_bg.wasm"));
  await module.default({ module_or_path: bytes });
  return module;
}

async function written(module: typeof engine, weights: engine.WeightFiles): Promise<string[]> {
  const [config, tokenizer] = [shipped("config.json"), shipped("tokenizer.json")];
  const model = await module.Engine.load(config, tokenizer, weights, { device: "cpu" });
  const texts: string[] = [];
  for (const temperature of [0, 1]) {
    const request = {
      request: "play some jazz by Nina Simone",
      grammar: { kind: "regex", text: "[a-z ]{3,40}" },
      length: 16,
      steps: 4,
      seed: 5,
      decoding: { temperature },
    };
    const run = model.start(request, async () => true);
    while (!run.done) {
      const events = (await run.step()) as { type: string; text?: string }[];
      for (const { type, text } of events) if (type === "done") texts.push(text ?? "");
    }
    run.free();
  }
  model.free();
  return texts;
}

it("writes the same text", async () => {
  const module = await load();
  const whole = new module.WeightFiles();
  whole.add("model.safetensors", shipped("model.safetensors"));
  const expected = await written(module, whole);
  expect(expected).toHaveLength(2);

  for (const most of [1, 1_000_000]) {
    const shards = shardsOf(shipped("model.safetensors"), most);
    const index = shards.get(INDEX) ?? new Uint8Array();
    shards.delete(INDEX);
    for (const isIndexed of [true, false]) {
      const parts = new module.WeightFiles();
      if (isIndexed) expect(parts.index(index)).toEqual([...shards.keys()]);
      for (const [name, shard] of shards) parts.add(name, shard);
      expect(await written(module, parts)).toEqual(expected);
    }
  }
});

it("says what is wrong, as a fault of the weights", async () => {
  const module = await load();
  const parts = new module.WeightFiles();
  const index = (name: string) => Buffer.from(JSON.stringify({ weight_map: { a: name } }));
  const fault = (message: string) => ({
    kind: "weights",
    message: expect.stringContaining(message),
  });
  const thrown = (call: () => unknown) => {
    try {
      return call();
    } catch (error) {
      return error;
    }
  };
  expect(thrown(() => parts.index(index("../a.safetensors")))).toMatchObject(fault("../a.safe"));
  expect(thrown(() => parts.add("a.safetensors", new Uint8Array(3)))).toMatchObject(
    fault("a.safetensors: 8 bytes are declared"),
  );
  parts.index(index("a.safetensors"));
  const loaded = module.Engine.load(shipped("config.json"), shipped("tokenizer.json"), parts, {});
  await expect(loaded).rejects.toMatchObject(fault("the shard a.safetensors is not there"));
});
