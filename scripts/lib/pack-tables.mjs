// Tables in a WebAssembly module's data, written so that they pack well: sets of
// characters as one partition (`pack-sets.mjs`), other words as columns
// (`pack-columns.mjs`). Everything stays in its place and keeps its length; the npm
// package's `src/grammar/tables.ts` undoes it when the module was loaded, by what
// `lacuna_wasm_tables.js` tells.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packColumns } from "./pack-columns.mjs";
import { packSets, setsIn } from "./pack-sets.mjs";
import { readNumber, sectionsOf } from "./wasm-sections.mjs";

/** So many words in a row that are characters, lengths or addresses make a run. */
const LEAST_WORDS = 64;

const DATA_SECTION = 11;

/** Packs the tables of the module in a folder, and writes down where they are. */
export function packTables(folder) {
  const path = join(folder, "lacuna_wasm_bg.wasm");
  const module = readFileSync(path);
  const parts = segments(module);
  const sets = parts.flatMap((segment) => takeSets(module, segment));
  const columns = parts.flatMap((segment) => packRuns(module, segment, isTaken(sets), parts));
  const tables = { sets: placeSets(module, parts, sets), columns };
  writeFileSync(path, module);
  writeFileSync(
    join(folder, "lacuna_wasm_tables.js"),
    `export default ${JSON.stringify(tables)};\n`,
  );
  const column = "readonly [address: number, words: number, columns: number]";
  const type = `{ readonly sets: number; readonly columns: readonly (${column})[] }`;
  writeFileSync(
    join(folder, "lacuna_wasm_tables.d.ts"),
    `declare const tables: ${type};\nexport default tables;\n`,
  );
}

/** The active data segments, cut to whole words: where they are in the module, and in memory. */
function segments(module) {
  const section = sectionsOf(module).find(({ id }) => id === DATA_SECTION);
  if (!section) return [];
  const found = [];
  let { value: count, at } = readNumber(module, section.start);
  for (; count > 0; count--) {
    const flags = module[at++];
    let address;
    // Those that are not passive begin with the address that they are copied to.
    if (flags !== 1) ({ address, at } = readAddress(module, flags === 2 ? at + 1 : at));
    const size = readNumber(module, at);
    at = size.at + size.value;
    if (address === undefined) continue;
    const skipped = -address & 3;
    const words = (size.value - skipped) >> 2;
    if (words > 0) found.push({ at: size.at + skipped, address: address + skipped, words });
  }
  return found;
}

/** `i32.const`, a number with a sign, `end`. */
function readAddress(module, from) {
  const { value, at } = readNumber(module, from + 1);
  if (module[from] !== 0x41 || module[at] !== 0x0b) {
    throw new Error("a data segment's address is no constant");
  }
  const bits = 7 * (at - from - 1);
  return { address: value >= 2 ** (bits - 1) ? value - 2 ** bits : value, at: at + 1 };
}

const wordsOf = (module, { at, words }) =>
  Uint32Array.from({ length: words }, (_, word) => module.readUInt32LE(at + 4 * word));

/** The sets of a segment, by the numbers of words in memory; zeros are left behind. */
function takeSets(module, segment) {
  const sets = setsIn(wordsOf(module, segment));
  for (const { at, ranges } of sets) {
    module.fill(0, segment.at + 4 * at, segment.at + 4 * at + 8 * ranges.length);
  }
  return sets.map(({ at, ranges }) => ({ at: at + segment.address / 4, ranges }));
}

function isTaken(sets) {
  const taken = new Set();
  for (const { at, ranges } of sets) {
    for (let word = 0; word < 2 * ranges.length; word++) taken.add(at + word);
  }
  return (address) => taken.has(address / 4);
}

/** Writes the sets where the longest run of them was; gives its address, or 0. */
function placeSets(module, segments, sets) {
  const runs = [];
  for (const { at, ranges } of sets) {
    const last = runs.at(-1);
    if (last?.end === at) last.end += 2 * ranges.length;
    else runs.push({ start: at, end: at + 2 * ranges.length });
  }
  if (runs.length === 0) return 0;
  const longest = runs.reduce((one, other) =>
    other.end - other.start > one.end - one.start ? other : one,
  );
  const bytes = packSets(sets);
  const address = 4 * longest.start;
  if (bytes.length > 4 * (longest.end - longest.start)) {
    throw new Error("the sets of characters need more room than they left");
  }
  const within = ({ address: start, words }) => start <= address && address < start + 4 * words;
  const segment = segments.find(within);
  bytes.copy(module, segment.at + address - segment.address);
  return address;
}

/** Packs the runs of a segment; gives the address, words and columns of each. */
function packRuns(module, segment, isTaken, segments) {
  const bound = Math.max(...segments.map(({ address, words }) => address + 4 * words));
  const words = wordsOf(module, segment);
  const belongs = (word) => words[word] < bound && !isTaken(segment.address + 4 * word);
  const packed = [];
  for (let from = 0; from < words.length; ) {
    let to = from;
    while (to < words.length && belongs(to)) to++;
    if (to - from >= LEAST_WORDS) {
      const columns = packColumns(module.subarray(segment.at + 4 * from, segment.at + 4 * to));
      if (columns > 0) packed.push([segment.address + 4 * from, to - from, columns]);
    }
    from = to + 1;
  }
  return packed;
}
