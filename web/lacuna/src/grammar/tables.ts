/**
 * Tables of characters, as the module's file holds them and as its code reads them: see
 * `scripts/lib/pack-tables.mjs`, which packs what is unpacked here.
 */

/** Undoes the packing of tables: runs of words at an address, in so many columns. */
export function unpackTables(
  memory: WebAssembly.Memory,
  tables: readonly (readonly [address: number, words: number, columns: number])[],
): void {
  for (const [address, words, columns] of tables) {
    const table = new Uint32Array(memory.buffer, address, words);
    const packed = new Uint8Array(memory.buffer, address, 4 * words).slice();
    let read = 0;
    for (let column = 0; column < columns; column++) {
      const rows = Math.ceil((words - column) / columns);
      // Differences with their sign in the lowest bit, the lowest byte of each first.
      const byte = (plane: number, row: number) => packed[read + plane * rows + row] ?? 0;
      let word = 0;
      for (let row = 0; row < rows; row++) {
        const code =
          byte(0, row) | (byte(1, row) << 8) | (byte(2, row) << 16) | (byte(3, row) << 24);
        word += (code >>> 1) ^ -(code & 1);
        table[row * columns + column] = word;
      }
      read += 4 * rows;
    }
  }
}
