// Tables of characters in a WebAssembly module, written so that they pack well.
//
// The tables of Unicode's properties are hundreds of kilobytes of 32-bit words in
// ascending order, in which gzip finds little. Here such a run of words becomes the
// differences of its neighbours, the low bytes of all of them first: as long as before,
// and packed less than half. `src/grammar/tables.ts` of the npm package undoes it when
// the module was loaded, by the list that `lacuna_wasm_tables.js` holds.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Words that can be characters, and how many in a row make a table. */
const WORD_BOUND = 0x11_0000;
const LEAST_WORDS = 64;

const DATA_SECTION = 11;

/** Packs the tables of the module in a folder, and writes down where they are. */
export function packTables(folder) {
  const path = join(folder, "lacuna_wasm_bg.wasm");
  const module = readFileSync(path);
  const tables = segments(module).flatMap((segment) => packSegment(module, segment));
  writeFileSync(path, module);
  const list = JSON.stringify(tables);
  writeFileSync(join(folder, "lacuna_wasm_tables.js"), `export default ${list};\n`);
  const type = "readonly (readonly [address: number, words: number])[]";
  writeFileSync(
    join(folder, "lacuna_wasm_tables.d.ts"),
    `declare const tables: ${type};\nexport default tables;\n`,
  );
}

/** The active data segments: where their bytes are in the module, and in memory. */
function segments(module) {
  const reader = new Reader(module, 8);
  while (reader.at < module.length) {
    const section = reader.byte();
    const end = reader.number() + reader.at;
    if (section === DATA_SECTION) return readSegments(reader);
    reader.at = end;
  }
  return [];
}

function readSegments(reader) {
  const found = [];
  for (let count = reader.number(); count > 0; count--) {
    const flags = reader.number();
    const address = flags === 1 ? undefined : reader.constant(flags);
    const length = reader.number();
    if (address !== undefined) found.push({ at: reader.at, address, length });
    reader.at += length;
  }
  return found;
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
      packRun(module.subarray(start + 4 * from, start + 4 * to));
      tables.push([address + skipped + 4 * from, to - from]);
    }
    from = to + 1;
  }
  return tables;
}

function packRun(run) {
  const words = run.length >> 2;
  const coded = Buffer.alloc(run.length);
  let before = 0;
  for (let index = 0; index < words; index++) {
    const word = run.readUInt32LE(4 * index);
    const difference = word - before;
    // The sign in the lowest bit.
    const code = ((difference << 1) ^ (difference >> 31)) >>> 0;
    before = word;
    for (let plane = 0; plane < 4; plane++) {
      coded[plane * words + index] = (code >>> (8 * plane)) & 0xff;
    }
  }
  coded.copy(run);
}

/** Reads what a module is made of. */
class Reader {
  constructor(module, at) {
    this.module = module;
    this.at = at;
  }

  byte() {
    return this.module[this.at++];
  }

  /** A number in LEB128, without a sign. */
  number() {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  }

  /** The address of a segment: `i32.const`, a number with a sign, `end`. */
  constant(flags) {
    if (flags === 2) this.number();
    if (this.byte() !== 0x41) throw new Error("a data segment's address is no constant");
    const from = this.at;
    const value = this.number();
    const bits = 7 * (this.at - from);
    if (this.byte() !== 0x0b) throw new Error("a data segment's address is no constant");
    return value >= 2 ** (bits - 1) ? value - 2 ** bits : value;
  }
}
