/** What is built exports what its sources do: bundling renames. */

import { expect, it } from "vitest";

const DOORS = {
  lacuna: [import("../dist/index.js"), import("../src/index.ts")],
  grammar: [import("../dist/grammar/index.js"), import("../src/grammar/index.ts")],
  worker: [import("../dist/worker/index.js"), import("../src/worker/index.ts")],
  "ai-sdk": [import("../dist/ai-sdk/index.js"), import("../src/ai-sdk/index.ts")],
  openai: [import("../dist/openai/index.js"), import("../src/openai/index.ts")],
  react: [import("../dist/react/index.js"), import("../src/react/index.ts")],
};

it.each(Object.entries(DOORS))(
  "exports from %s, by name, what its source does",
  async (_, door) => {
    const [built = {}, source = {}] = await Promise.all<object>(door);
    expect(Object.keys(built).sort()).toEqual(Object.keys(source).sort());
  },
);

it("has one class of errors, whichever door they come from", async () => {
  const [whole, grammar] = await Promise.all([
    import("../dist/index.js"),
    import("../dist/grammar/index.js"),
  ]);
  expect(grammar.LacunaError).toBe(whole.LacunaError);
});
