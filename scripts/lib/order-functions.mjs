// The order of a WebAssembly module's functions, chosen so that it packs well.
//
// gzip finds what was there before within 32 KB, and a module has a megabyte of functions,
// many of them made of the same generic ones. So the next is always the one of which most
// stands in what came just before: of each function it is known which runs of bytes it
// holds, and of the last functions which runs are among them. Here they get names in that
// order; `wasm-opt --reorder-functions-by-name` does the rest.

import { readFileSync, writeFileSync } from "node:fs";
import { readNumber, sectionsOf, writeNumber } from "./wasm-sections.mjs";

/** The bytes of a run, and how many runs are told apart, after hashing. */
const RUN = 6;
const RUNS = 2 ** 20;
/** So many bytes are looked back. */
const WINDOW = 31_000;
/** Functions of fewer bytes hold too little to be compared by; they come last. */
const LEAST_BYTES = 16;

const [CUSTOM, IMPORTS, CODE] = [0, 2, 10];
/** Kinds of imports. */
const [FUNCTION, MEMORY_KIND] = [0, 2];

/**
 * Names the functions of the module in a file by an order in which they pack well. What is
 * found of a function is weighed against its size to a power: below 1, large ones come first.
 */
export function nameByLikeness(path, sizePower) {
  const module = readFileSync(path);
  const sections = sectionsOf(module);
  const bodies = bodiesOf(module, sections);
  const numbers = bodies.map((_, body) => body);
  const large = numbers.filter((body) => bodies[body].length >= LEAST_BYTES);
  const small = numbers.filter((body) => bodies[body].length < LEAST_BYTES);
  const near = byNearness(
    large.map((body) => bodies[body]),
    sizePower,
  );
  const order = [...near.map((place) => large[place]), ...small];
  const first = importedFunctions(module, sections);
  const rank = new Array(bodies.length);
  order.forEach((body, place) => {
    rank[body] = place;
  });
  const names = rank.map((place, body) => [first + body, String(place).padStart(6, "0")]);
  const kept = sections.filter(
    ({ id, start, end }) => id !== CUSTOM || !isNames(module, start, end),
  );
  const parts = kept.map(({ from, end }) => module.subarray(from, end));
  writeFileSync(path, Buffer.concat([module.subarray(0, 8), ...parts, nameSection(names)]));
}

function bodiesOf(module, sections) {
  const code = sections.find(({ id }) => id === CODE);
  let { value: count, at } = readNumber(module, code.start);
  const bodies = [];
  for (; count > 0; count--) {
    const size = readNumber(module, at);
    bodies.push(module.subarray(size.at, size.at + size.value));
    at = size.at + size.value;
  }
  return bodies;
}

/** The runs of a function, and how often each is in it. */
function runsOf(body) {
  const runs = new Map();
  for (let at = 0; at + RUN <= body.length; at++) {
    let hash = 0;
    for (let byte = at; byte < at + RUN; byte++) {
      hash = Math.imul(hash ^ body[byte], 0x01000193) ^ (hash >>> 13);
    }
    const run = (Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 8) % RUNS;
    runs.set(run, (runs.get(run) ?? 0) + 1);
  }
  return runs;
}

/** A greedy order: the next is the one of which most stands within the window. */
function byNearness(bodies, sizePower) {
  const runs = bodies.map(runsOf);
  const weights = bodies.map(({ length }) => length ** sizePower);
  const holders = new Map();
  runs.forEach((counts, body) => {
    for (const [run, count] of counts) {
      const list = holders.get(run) ?? [];
      list.push([body, count]);
      holders.set(run, list);
    }
  });
  const found = new Float64Array(bodies.length);
  const within = new Map();
  const change = (run, sign) => {
    const before = within.get(run) ?? 0;
    within.set(run, before + sign);
    if (Math.max(before, before + sign) !== 1) return;
    for (const [body, count] of holders.get(run)) found[body] += sign * count;
  };

  const order = [];
  let [oldest, size] = [0, 0];
  const left = new Set(bodies.keys());
  while (left.size > 0) {
    let best;
    for (const body of left) {
      if (best === undefined || found[body] / weights[body] > found[best] / weights[best]) {
        best = body;
      }
    }
    left.delete(best);
    order.push(best);
    size += bodies[best].length;
    for (const run of runs[best].keys()) change(run, 1);
    for (; size > WINDOW && oldest + 1 < order.length; oldest++) {
      size -= bodies[order[oldest]].length;
      for (const run of runs[order[oldest]].keys()) change(run, -1);
    }
  }
  return order;
}

/** How many functions are imported: theirs are the first numbers. */
function importedFunctions(module, sections) {
  const imports = sections.find(({ id }) => id === IMPORTS);
  if (!imports) return 0;
  let { value: count, at } = readNumber(module, imports.start);
  let functions = 0;
  const skipNumber = () => {
    ({ at } = readNumber(module, at));
  };
  const skipName = () => {
    const length = readNumber(module, at);
    at = length.at + length.value;
  };
  for (; count > 0; count--) {
    skipName();
    skipName();
    const kind = module[at++];
    if (kind === FUNCTION) {
      functions += 1;
      skipNumber();
    } else if (kind === MEMORY_KIND) {
      const bounded = (module[at++] & 1) === 1;
      skipNumber();
      if (bounded) skipNumber();
    } else {
      throw new Error("only functions and memory are expected among the imports");
    }
  }
  return functions;
}

function isNames(module, start, end) {
  const { value: length, at } = readNumber(module, start);
  return at + length <= end && module.toString("latin1", at, at + length) === "name";
}

function nameSection(names) {
  const entries = names.map(([index, name]) =>
    Buffer.concat([writeNumber(index), writeNumber(name.length), Buffer.from(name, "latin1")]),
  );
  const list = Buffer.concat([writeNumber(entries.length), ...entries]);
  const functions = Buffer.concat([Buffer.of(1), writeNumber(list.length), list]);
  const section = Buffer.concat([writeNumber(4), Buffer.from("name", "latin1"), functions]);
  return Buffer.concat([Buffer.of(CUSTOM), writeNumber(section.length), section]);
}
