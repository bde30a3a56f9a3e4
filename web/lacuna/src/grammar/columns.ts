/** Words in columns, as `scripts/lib/pack-columns.mjs` writes them: unpacked in place. */
export function unpackColumns(
  memory: WebAssembly.Memory,
  [address, words, columns]: readonly [address: number, words: number, columns: number],
): void {
  const table = new Uint32Array(memory.buffer, address, words);
  const packed = new Uint8Array(memory.buffer, address, 4 * words).slice();
  let read = 0;
  for (let column = 0; column < columns; column++) {
    const rows = Math.ceil((words - column) / columns);
    // Differences with their sign in the lowest bit, the lowest byte of each first.
    const byte = (plane: number, row: number) => packed[read + plane * rows + row] ?? 0;
    let word = 0;
    for (let row = 0; row < rows; row++) {
      const code = byte(0, row) | (byte(1, row) << 8) | (byte(2, row) << 16) | (byte(3, row) << 24);
      word += (code >>> 1) ^ -(code & 1);
      table[row * columns + column] = word;
    }
    read += 4 * rows;
  }
}
