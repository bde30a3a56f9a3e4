/** What the build packs, the loader unpacks. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { packTables } from "../../../scripts/lib/pack-tables.mjs";
import { unpackTables } from "../src/grammar/tables.ts";

const leb = (value: number): number[] =>
  value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb(value >>> 7)];

/** A module with one memory, exported, and some bytes in it. */
function moduleWith(address: number, bytes: Uint8Array): Buffer {
  const section = (id: number, content: number[]) => [id, ...leb(content.length), ...content];
  const data = [1, 0, 0x41, ...leb(address), 0x0b, ...leb(bytes.length), ...bytes];
  return Buffer.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(5, [1, 0, 4]),
    ...section(7, [1, 6, ...Buffer.from("memory"), 2, 0]),
    ...section(11, data),
  ]);
}

it.each([0, 1, 2, 3])("gives back every byte, %i beside a word's edge", async (beside) => {
  const bytes = new Uint8Array(20_000);
  let seed = 7;
  const next = () => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fff_ffff;
    return seed;
  };
  // Noise, a set of characters, noise, a table of records, noise.
  for (let at = 0; at < bytes.length; at++) bytes[at] = next() >> 16;
  const view = new DataView(bytes.buffer);
  const first = (4 - beside) % 4;
  for (let word = 0; word < 901; word++) {
    view.setUint32(first + 1000 + 4 * word, 40 * word + (word % 2) * 7, true);
    view.setUint32(first + 9000 + 4 * word, [5 * word, 7, 900][word % 3] ?? 0, true);
  }
  const folder = mkdtempSync(join(tmpdir(), "lacuna-"));
  try {
    const address = 1024 + beside;
    const path = join(folder, "lacuna_wasm_bg.wasm");
    writeFileSync(path, moduleWith(address, bytes));
    packTables(folder);
    const packed = readFileSync(path);
    expect(packed.includes(Buffer.from(bytes.subarray(1000, 4000)))).toBe(false);
    const { default: tables } = await import(join(folder, "lacuna_wasm_tables.js"));
    expect(tables.sets).toBe(address + first + 1000);
    expect(tables.columns).toContainEqual([address + first + 9000, 901, 3]);
    const { instance } = await WebAssembly.instantiate(packed);
    const memory = instance.exports.memory as WebAssembly.Memory;
    unpackTables(memory, tables);
    expect(Buffer.from(memory.buffer, address, bytes.length).equals(bytes)).toBe(true);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
