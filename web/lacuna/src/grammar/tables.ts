/**
 * Tables of characters, as the module's file holds them and as its code reads them: see
 * `scripts/lib/pack-tables.mjs`, which packs what is unpacked here.
 */

import { unpackColumns } from "./columns.ts";
import { unpackSets } from "./sets.ts";

/** Where the packed tables are. */
export interface Tables {
  /** The address of the sets of characters; 0 if there are none. */
  readonly sets: number;
  /** Runs of words at an address, in so many columns. */
  readonly columns: readonly (readonly [address: number, words: number, columns: number])[];
}

/** Undoes the packing of tables. */
export function unpackTables(memory: WebAssembly.Memory, { sets, columns }: Tables): void {
  if (sets > 0) unpackSets(memory, sets);
  for (const run of columns) unpackColumns(memory, run);
}
