import { describe, expect, it } from "vitest";
import { packed } from "../src/fragment.ts";
import { fromFragment, type Shared, toFragment } from "../src/page/share.ts";

const shared: Shared = {
  model: "lacuna-molecules",
  kind: "lark",
  grammar: 'start: "é"\n'.repeat(50),
  request: "2 rings, F",
  task: "molecule",
  fields: { length: "48", seed: "7", order: "margin" },
  methods: ["unconstrained"],
};

/** A fragment that holds anything, of any size. */
const holding = async (thing: unknown) => (await packed("s=", thing, Infinity)) ?? "";

describe("a shared link", () => {
  it("carries all of it, packed", async () => {
    const fragment = (await toFragment(shared)) ?? "";
    expect(fragment).toMatch(/^#s=[\w-]+$/);
    expect(fragment.length).toBeLessThan(400);
    expect(await fromFragment(fragment)).toEqual(shared);
  });

  it("is nothing where it is damaged, or of something else", async () => {
    const fragment = (await toFragment(shared)) ?? "";
    for (const text of ["", "#", "#top", "#s=", "#s=%%%", fragment.slice(0, -9)])
      expect(await fromFragment(text)).toBeUndefined();
    for (const thing of [null, 7, {}, { ...shared, model: "../x" }, { ...shared, grammar: 7 }])
      expect(await fromFragment(await holding(thing))).toBeUndefined();
  });

  it("is nothing where it unpacks to too much, and is not made of that", async () => {
    const much = { ...shared, grammar: " ".repeat(2_000_000) };
    expect(await toFragment(much)).toBeUndefined();
    const huge = await holding(much);
    expect(huge.length).toBeLessThan(10_000);
    expect(await fromFragment(huge)).toBeUndefined();
  });

  it("leaves aside what it does not know", async () => {
    const odd = { ...shared, fields: { length: 3, steps: "4" }, methods: ["epic", 9] };
    const read = await fromFragment(await holding(odd));
    expect(read).toMatchObject({ fields: { steps: "4" }, methods: ["epic"] });
  });
});
