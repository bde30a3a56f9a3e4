// Times the wasm module that forward_speed_wasm.rs describes: node forward_speed.mjs FILE
import { readFileSync } from "node:fs";

const module = new WebAssembly.Module(readFileSync(process.argv[2]));
// The tokenizer's dependencies import functions that the forward pass never calls.
const imports = {};
for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
  if (kind !== "function") throw new Error(`cannot stand in for ${from}.${name}: ${kind}`);
  (imports[from] ??= {})[name] = () => {
    throw new Error(`${from}.${name} was called`);
  };
}
const { exports } = new WebAssembly.Instance(module, imports);

for (const length of [128, 256]) {
  exports.prepare(length);
  const times = [];
  for (let i = 0; i < 16; i++) {
    const begin = performance.now();
    if (exports.pass() !== 1) throw new Error("the pass failed");
    times.push(performance.now() - begin);
  }
  const hash = BigInt.asUintN(64, exports.hash()).toString(16).padStart(16, "0");
  const total = times.reduce((a, b) => a + b);
  console.log(
    `${length} positions, ${length / 2} wanted: fastest ${Math.min(...times).toFixed(1)} ms, ` +
      `16 passes ${total.toFixed(0)} ms, logits ${hash}`,
  );
}
