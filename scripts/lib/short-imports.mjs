// Short names for what a module imports from its bindings: theirs end in hashes, which no
// packing makes smaller, once in the module and once in the JavaScript beside it.

import { readFileSync, writeFileSync } from "node:fs";
import { readNumber, sectionsOf, writeNumber } from "./wasm-sections.mjs";

const IMPORTS = 2;
const FUNCTION = 0;

/** Renames the imported functions of a module, in its file and in its bindings. */
export function shortenImports(modulePath, bindingsPath) {
  const module = readFileSync(modulePath);
  const section = sectionsOf(module).find(({ id }) => id === IMPORTS);
  if (!section) return;
  let bindings = readFileSync(bindingsPath, "utf8");
  let { value: count, at } = readNumber(module, section.start);
  const parts = [writeNumber(count)];
  for (let nth = 0; nth < count; nth++) {
    const from = at;
    at = nameAt(module, at).end;
    const { name, end } = nameAt(module, at);
    if (module[end] !== FUNCTION) throw new Error(`${name} is imported, and no function`);
    const short = nth.toString(36);
    const key = new RegExp(`(?<=[{,\\s])${name}(?=:)`);
    if (!key.test(bindings)) throw new Error(`the bindings do not define ${name}`);
    bindings = bindings.replace(key, JSON.stringify(short));
    parts.push(module.subarray(from, at), writeNumber(short.length), Buffer.from(short));
    at = readNumber(module, end + 1).at;
    parts.push(module.subarray(end, at));
  }
  const body = Buffer.concat(parts);
  const head = Buffer.concat([Buffer.of(IMPORTS), writeNumber(body.length)]);
  const [before, after] = [module.subarray(0, section.from), module.subarray(section.end)];
  writeFileSync(modulePath, Buffer.concat([before, head, body, after]));
  writeFileSync(bindingsPath, bindings);
}

/** A name, and where it ends. */
function nameAt(module, at) {
  const length = readNumber(module, at);
  const end = length.at + length.value;
  return { name: module.toString("utf8", length.at, end), end };
}
