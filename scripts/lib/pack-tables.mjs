// Tables of characters in a WebAssembly module, written so that they pack well.
//
// The tables of Unicode's properties are hundreds of kilobytes of 32-bit words in
// ascending order, in which gzip finds little. Here such a run of words becomes columns,
// as many as its records have words, and of each column the differences of neighbours, the
// low bytes of all of them first: as long as before, and packed less than half.
// `src/grammar/tables.ts` of the npm package undoes it when the module was loaded, by the
// list that `lacuna_wasm_tables.js` holds.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { readNumber, sectionsOf } from "./wasm-sections.mjs";

/** Words that can be characters, and how many in a row make a table. */
const WORD_BOUND = 0x11_0000;
const LEAST_WORDS = 64;
/** The words that a record of a table may have. */
const MOST_COLUMNS = 6;

const DATA_SECTION = 11;

/** Packs the tables of the module in a folder, and writes down where they are. */
export function packTables(folder) {
  const path = join(folder, "lacuna_wasm_bg.wasm");
  const module = readFileSync(path);
  const tables = segments(module).flatMap((segment) => packSegment(module, segment));
  writeFileSync(path, module);
  const list = JSON.stringify(tables);
  writeFileSync(join(folder, "lacuna_wasm_tables.js"), `export default ${list};\n`);
  const type = "readonly (readonly [address: number, words: number, columns: number])[]";
  writeFileSync(
    join(folder, "lacuna_wasm_tables.d.ts"),
    `declare const tables: ${type};\nexport default tables;\n`,
  );
}

/** The active data segments: where their bytes are in the module, and in memory. */
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
    if (address !== undefined) found.push({ at: size.at, address, length: size.value });
    at = size.at + size.value;
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

function packSegment(module, { at, address, length }) {
  const tables = [];
  const skipped = -address & 3;
  const words = Math.max(0, (length - skipped) >> 2);
  const start = at + skipped;
  for (let from = 0; from < words; ) {
    let to = from;
    while (to < words && module.readUInt32LE(start + 4 * to) < WORD_BOUND) to++;
    if (to - from >= LEAST_WORDS) {
      const columns = packRun(module.subarray(start + 4 * from, start + 4 * to));
      tables.push([address + skipped + 4 * from, to - from, columns]);
    }
    from = to + 1;
  }
  return tables;
}

/** Packs a run in place; gives the columns that do it best. */
function packRun(run) {
  const ways = Array.from({ length: MOST_COLUMNS }, (_, index) => {
    const coded = inColumns(run, index + 1);
    return { coded, columns: index + 1, size: gzipSync(coded, { level: 9 }).length };
  });
  const best = ways.reduce((best, way) => (way.size < best.size ? way : best));
  best.coded.copy(run);
  return best.columns;
}

function inColumns(run, columns) {
  const words = run.length >> 2;
  const coded = Buffer.alloc(run.length);
  let written = 0;
  for (let column = 0; column < columns; column++) {
    const rows = Math.ceil((words - column) / columns);
    let before = 0;
    for (let row = 0; row < rows; row++) {
      const word = run.readUInt32LE(4 * (row * columns + column));
      const difference = word - before;
      // The sign in the lowest bit.
      const code = ((difference << 1) ^ (difference >> 31)) >>> 0;
      before = word;
      for (let plane = 0; plane < 4; plane++) {
        coded[written + plane * rows + row] = (code >>> (8 * plane)) & 0xff;
      }
    }
    written += 4 * rows;
  }
  return coded;
}
