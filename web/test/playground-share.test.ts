import { expect, test } from "vitest";
import { fromFragment, stateOf, toFragment } from "../playground/share.ts";
import type { State } from "../playground/state.ts";
import { packed } from "../src/fragment.ts";

const state: State = {
  kind: "lark",
  grammar: 'start: "名" /[a-z]+/',
  text: "名□3 — □",
  request: "a request",
  slots: [{ name: "CITY", as: "list", written: "Bern\nRome" }],
  cells: "tokens",
  tests: [
    { text: "名a", belongs: true },
    { text: "□", belongs: false },
  ],
};

test("a link carries everything", async () => {
  const fragment = (await toFragment(state)) ?? "";
  expect(fragment).toMatch(/^#p=[\w-]+$/);
  expect(await fromFragment(fragment)).toEqual(state);
});

test("a long grammar makes a short link", async () => {
  const grammar = 'rule: "text"\n'.repeat(2000);
  expect((await toFragment({ ...state, grammar }))?.length).toBeLessThan(1000);
});

test.each(["", "#", "#p=", "#p=%%%", "#p=AAAA", "#s=AAAA"])("%j is no link", async (fragment) => {
  expect(await fromFragment(fragment)).toBeUndefined();
});

test("a link that unpacks to very much is none, and none is made of that", async () => {
  const much = { ...state, grammar: "a".repeat(3_000_000) };
  expect(await toFragment(much)).toBeUndefined();
  expect(await fromFragment((await packed("p=", much, Infinity)) ?? "")).toBeUndefined();
});

test("what comes from outside is looked at field by field", () => {
  expect(stateOf({ kind: "yacc", grammar: "", text: "" })).toBeUndefined();
  expect(stateOf({ kind: "gbnf", grammar: 1, text: "" })).toBeUndefined();
  expect(stateOf({ kind: "gbnf", grammar: "x", text: "", tests: [1, { text: "" }, null] })).toEqual(
    {
      kind: "gbnf",
      grammar: "x",
      text: "",
      request: "",
      slots: [],
      cells: "characters",
      tests: [],
    },
  );
});
