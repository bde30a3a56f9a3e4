// Sets of characters in a WebAssembly module's data, written as one partition.
//
// Unicode's properties are tables of ranges, hundreds of them, and most of their bounds
// are those of others. Here the characters are cut wherever any table begins or ends a
// range. What lies between two cuts belongs to the same tables throughout, and there are
// few such selections of tables: so each piece is a length and the number of its
// selection, and each selection the difference to one before. That packs to a third of
// what the tables' differences do. `src/grammar/sets.ts` of the npm package undoes it.

import { writeNumber } from "./wasm-sections.mjs";

const CHARACTERS = 0x11_0000;
/** Tables of fewer ranges are left as they are. */
const LEAST_RANGES = 3;
/** So many selections before it are looked at for one that is nearly the same. */
const WINDOW = 400;

/**
 * The tables among words, in order: where each begins, and its ranges, which neither
 * overlap nor touch, first and last character.
 */
export function setsIn(words) {
  const sets = [];
  for (let at = 0; at + 1 < words.length; ) {
    const ranges = rangesAt(words, at);
    if (ranges.length < LEAST_RANGES) {
      at += 1;
      continue;
    }
    sets.push({ at, ranges });
    at += 2 * ranges.length;
  }
  return sets;
}

function rangesAt(words, start) {
  const ranges = [];
  for (let at = start, before = -2; at + 1 < words.length; at += 2) {
    const [first, last] = [words[at], words[at + 1]];
    if (first > last || last >= CHARACTERS || first <= before + 1) break;
    ranges.push([first, last]);
    before = last;
  }
  return ranges;
}

/** Sets as bytes: where they are, the lengths of pieces, their selections, these in full. */
export function packSets(sets) {
  const bounds = sets.flatMap(({ ranges }) => ranges.flatMap(([first, last]) => [first, last + 1]));
  const cuts = [...new Set(bounds)].sort((one, other) => one - other);
  const selections = selectionsBetween(cuts, sets);
  const places = sets.map(({ at }, set) => at - (set === 0 ? 0 : endOf(sets[set - 1])));
  const lengths = cuts.map((cut, piece) => cut - (piece === 0 ? 0 : cuts[piece - 1]));
  const { kinds, recency } = byRecency(selections);
  const parts = [places, lengths, recency];
  return Buffer.concat([
    ...parts.flatMap((part) => [part.length, ...part]).map(writeNumber),
    ...[kinds.length, ...kinds.flatMap((kind, at) => asDifference(kinds, kind, at))].map(
      writeNumber,
    ),
  ]);
}

const endOf = ({ at, ranges }) => at + 2 * ranges.length;

/** For each cut, the sets that hold what follows it. */
function selectionsBetween(cuts, sets) {
  const piece = new Map(cuts.map((cut, index) => [cut, index]));
  const selections = cuts.map(() => []);
  sets.forEach(({ ranges }, set) => {
    for (const [first, last] of ranges) {
      for (let at = piece.get(first); at < piece.get(last + 1); at++) selections[at].push(set);
    }
  });
  return selections;
}

/** Each selection by how many others came since it last did, and one; a new one is 0. */
function byRecency(selections) {
  const kinds = new Map();
  const recent = [];
  const recency = selections.map((selection) => {
    const name = selection.join();
    const place = recent.indexOf(name);
    if (place < 0) kinds.set(name, selection);
    else recent.splice(place, 1);
    recent.unshift(name);
    return place + 1;
  });
  return { kinds: [...kinds.values()], recency };
}

/** How far back a selection is that differs little, and by which sets, in steps; 0 is none. */
function asDifference(kinds, kind, at) {
  let back = 0;
  let least = kind;
  for (let candidate = 1; candidate <= Math.min(at, WINDOW); candidate++) {
    const difference = symmetric(kind, kinds[at - candidate]);
    if (difference.length < least.length) [back, least] = [candidate, difference];
  }
  const steps = least.map((set, index) => set - (index === 0 ? 0 : least[index - 1]));
  return [back, steps.length, ...steps];
}

function symmetric(one, other) {
  const [ours, theirs] = [new Set(one), new Set(other)];
  const only = [...one.filter((set) => !theirs.has(set)), ...other.filter((set) => !ours.has(set))];
  return only.sort((one, other) => one - other);
}
