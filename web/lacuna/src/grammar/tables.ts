/**
 * Tables of characters, as the module's file holds them and as its code reads them: see
 * `scripts/lib/pack-tables.mjs`, which packs what is unpacked here.
 */

/** Undoes the packing of tables, each a run of words at an address. */
export function unpackTables(
  memory: WebAssembly.Memory,
  tables: readonly (readonly [address: number, words: number])[],
): void {
  for (const [address, words] of tables) {
    const table = new Uint32Array(memory.buffer, address, words);
    // Differences with their sign in the lowest bit, the lowest byte of each first.
    const packed = new Uint8Array(memory.buffer, address, 4 * words).slice();
    const byte = (plane: number, index: number) => packed[plane * words + index] ?? 0;
    let word = 0;
    for (let index = 0; index < words; index++) {
      const code =
        byte(0, index) | (byte(1, index) << 8) | (byte(2, index) << 16) | (byte(3, index) << 24);
      word += (code >>> 1) ^ -(code & 1);
      table[index] = word;
    }
  }
}
