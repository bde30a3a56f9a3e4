import { expect, test } from "vitest";
import { handedOver, slotsOf } from "../playground/slots.ts";

const schema = {
  $defs: { "x-oneOf": { type: "string", "x-oneOf": "city" } },
  properties: {
    const: { "x-spanOf": "note" },
    from: { "x-oneOf": "city" },
    to: { "x-spanOf": "request", constructor: "no keyword" },
    data: { const: { "x-oneOf": "none" }, "x-oneOf": 7 },
  },
  default: { "x-spanOf": "none" },
  items: [{ anyOf: [{ "x-oneOf": "note" }] }],
};

test("slots are where keywords and directives name them, each once", () => {
  expect(slotsOf("jsonSchema", JSON.stringify(schema))).toEqual([
    { name: "city", filling: "list" },
    { name: "note", filling: "text" },
    { name: "request", filling: "text" },
    { name: "note", filling: "list" },
  ]);
  const lark = "start: A B\n%slot A: quoted\n  %slot _B.2\n// %slot C\nD: /%slot E/\n%slot A\n";
  expect(slotsOf("lark", lark)).toEqual([
    { name: "A", filling: "any" },
    { name: "_B", filling: "any" },
  ]);
  expect(slotsOf("gbnf", lark)).toEqual([]);
  expect(slotsOf("jsonSchema", '{"x-oneOf": "city"')).toBeUndefined();
});

test("what is asked for and written is handed over, empty lines are no values", () => {
  const filled = [
    { name: "note", as: "text", written: "two words" },
    { name: "city", as: "list", written: "\nBern\r\n\nRome\n" },
    { name: "gone", as: "list", written: "x" },
    { name: "A", as: "text", written: "" },
  ] as const;
  const slots = slotsOf("jsonSchema", JSON.stringify(schema)) ?? [];
  expect(handedOver(slots, filled, "to Oslo")).toEqual({
    texts: { request: "to Oslo", REQUEST: "to Oslo", note: "two words" },
    lists: { city: ["Bern", "Rome"] },
  });
  expect(handedOver([{ name: "A", filling: "any" }], filled, "").lists).toEqual({});
});
