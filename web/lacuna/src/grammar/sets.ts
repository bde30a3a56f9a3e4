/** Sets of characters, as `scripts/lib/pack-sets.mjs` writes them: tables again, in place. */
export function unpackSets(memory: WebAssembly.Memory, address: number): void {
  const packed = new Uint8Array(memory.buffer, address).slice();
  const words = new Uint32Array(memory.buffer);
  let at = 0;
  const next = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = packed[at++] ?? 0;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const list = (): number[] => Array.from({ length: next() }, next);

  const places = list();
  const lengths = list();
  const recency = list();
  const kinds: Set<number>[] = [];
  for (let left = next(); left > 0; left--) {
    const kind = new Set(kinds[kinds.length - next()]);
    let set = 0;
    for (const step of list()) {
      set += step;
      if (!kind.delete(set)) kind.add(set);
    }
    kinds.push(kind);
  }

  const sets: number[][] = places.map(() => []);
  const recent: (Set<number> | undefined)[] = [];
  let met = 0;
  let from = 0;
  lengths.forEach((length, piece) => {
    // The selection before belongs to the characters up to this cut.
    const to = from + length;
    for (const set of recent[0] ?? []) {
      const ranges = sets[set];
      if (ranges?.at(-1) === from - 1) ranges[ranges.length - 1] = to - 1;
      else ranges?.push(from, to - 1);
    }
    const place = recency[piece] ?? 0;
    recent.unshift(place === 0 ? kinds[met++] : recent.splice(place - 1, 1)[0]);
    from = to;
  });

  let word = 0;
  sets.forEach((ranges, set) => {
    word += places[set] ?? 0;
    // What is packed here was copied, and is written over or was zeros.
    words.set(ranges, word);
    word += ranges.length;
  });
}
