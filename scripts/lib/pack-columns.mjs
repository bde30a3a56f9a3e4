// Words in ascending order in a WebAssembly module's data, written as columns.
//
// Characters, addresses and lengths stand in records, which gzip finds little in. Here a
// run of such words becomes as many columns as its records have words, and of each column
// the differences of neighbours, the low bytes of all of them first: as long as before, and
// packed less than half. `src/grammar/columns.ts` of the npm package undoes it.

import { gzipSync } from "node:zlib";

/** The words that a record may have. */
const MOST_COLUMNS = 6;

/** Packs a run of words in place, where that helps; gives its columns, or 0. */
export function packColumns(run) {
  const packedSize = (bytes) => gzipSync(bytes, { level: 9 }).length;
  let best = { columns: 0, size: packedSize(run) };
  for (let columns = 1; columns <= MOST_COLUMNS; columns++) {
    const coded = inColumns(run, columns);
    const size = packedSize(coded);
    if (size < best.size) best = { columns, size, coded };
  }
  best.coded?.copy(run);
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
