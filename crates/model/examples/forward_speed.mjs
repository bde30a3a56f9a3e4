// Times the wasm module that forward_speed_wasm.rs describes: node forward_speed.mjs FILE
import { readFileSync } from "node:fs";

const ROUNDS = 60;

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

console.log("weights, positions: ms a pass, multiply-adds a second of pass and tile");
for (const format of ["Int8", "Int4"]) {
  for (const length of [64, 128, 256]) {
    exports.prepare(length, format === "Int4");
    let [pass, tiles] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let i = 0; i < ROUNDS; i++) {
      pass = Math.min(
        pass,
        milliseconds(() => {
          if (exports.pass() !== 1) throw new Error("the pass failed");
        }),
      );
      tiles = Math.min(tiles, milliseconds(exports.tiles));
    }
    const rates = [exports.multiply_adds() / pass, exports.tiles() / tiles];
    const [ofPass, ofTile] = rates.map((rate) => `${(rate / 1e6).toFixed(1)} G/s`);
    const hash = BigInt.asUintN(64, exports.hash()).toString(16).padStart(16, "0");
    console.log(
      `simd128, ${format}, ${length}: ${pass.toFixed(2)} ms, ${ofPass} of ${ofTile}, ` +
        `${Math.round((rates[0] / rates[1]) * 100)} %; logits ${hash}`,
    );
  }
}

/** Of the processor's time, which other work on the machine does not lengthen. */
function milliseconds(run) {
  const begin = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1000;
}
