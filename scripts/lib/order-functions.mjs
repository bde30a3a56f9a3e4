// The order of a WebAssembly module's functions, chosen so that it packs well.
//
// gzip finds what is alike within 32 KB, and a module has a megabyte of functions, many of
// them made of the same generic ones. So each is put behind those that it is most like:
// functions are compared by which four bytes in a row they hold, and how often. Here they
// get names in that order; `wasm-opt --reorder-functions-by-name` does the rest.

import { readFileSync, writeFileSync } from "node:fs";
import { readNumber, sectionsOf, writeNumber } from "./wasm-sections.mjs";

/** Counts that a function is described by, after hashing. */
const FEATURES = 384;
/** Functions of fewer bytes hold too little to be compared by; they come last. */
const LEAST_BYTES = 24;
/** How much of what stood before counts beside the last function. */
const MEMORY = 0.6;

const [CUSTOM, IMPORTS, CODE] = [0, 2, 10];
/** Kinds of imports. */
const [FUNCTION, MEMORY_KIND] = [0, 2];

/** Names the functions of the module in a file by the order in which they pack well. */
export function nameByLikeness(path) {
  const module = readFileSync(path);
  const sections = sectionsOf(module);
  const bodies = bodiesOf(module, sections);
  const numbers = bodies.map((_, body) => body);
  const large = numbers.filter((body) => bodies[body].length >= LEAST_BYTES);
  const small = numbers.filter((body) => bodies[body].length < LEAST_BYTES);
  const alike = likeness(large.map((body) => describe(bodies[body])));
  const order = [...alike.map((place) => large[place]), ...small];
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

function describe(body) {
  const counts = new Float32Array(FEATURES);
  for (let at = 0; at + 4 <= body.length; at++) {
    const four = body.readUInt32LE(at);
    counts[(Math.imul(four ^ (four >>> 15), 0x2c1b3c6d) >>> 0) % FEATURES]++;
  }
  let square = 0;
  for (let feature = 0; feature < FEATURES; feature++) {
    square += counts[feature];
    counts[feature] = Math.sqrt(counts[feature]);
  }
  const length = Math.sqrt(square) || 1;
  return counts.map((count) => count / length);
}

/** A greedy order: the next is the one most like what stands before. */
function likeness(described) {
  const left = described.map((_, index) => index);
  const order = [left.shift()];
  const before = Float32Array.from(described[0]);
  while (left.length > 0) {
    let best = 0;
    let most = -1;
    for (let candidate = 0; candidate < left.length; candidate++) {
      const features = described[left[candidate]];
      let like = 0;
      for (let feature = 0; feature < FEATURES; feature++) {
        like += before[feature] * features[feature];
      }
      if (like > most) [best, most] = [candidate, like];
    }
    const [next] = left.splice(best, 1);
    order.push(next);
    for (let feature = 0; feature < FEATURES; feature++) {
      before[feature] = MEMORY * before[feature] + (1 - MEMORY) * described[next][feature];
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
