import { expect, test } from "vitest";
import { parseGaps } from "../playground/gaps.ts";
import { placesOfNamed } from "../playground/places.ts";
import { completedPlace, writtenPlaces } from "../playground/text-places.ts";

const written = "a\\□b□2c□";
const parts = parseGaps(written);
const completed = {
  text: "a□bxyc",
  fillings: [
    [3, 5],
    [6, 6],
  ] as const,
};

test.each([
  [0, 1, ["a"]],
  [1, 2, ["\\□"]],
  [0, 3, ["a\\□b"]],
  [2, 4, ["b", "□2"]],
  [4, 5, ["□2"]],
  [0, 6, ["a\\□b", "□2", "c"]],
])("%i to %i of the completion, as it is written", (start, end, expected) => {
  const places = writtenPlaces(written, parts, completed, [{ start, end }]);
  expect(places.map(({ start, end }) => written.slice(start, end))).toEqual(expected);
});

test("places that lie on one another are written once, in order", () => {
  const places = [
    { start: 5, end: 6 },
    { start: 1, end: 2 },
    { start: 0, end: 2 },
    { start: 2, end: 4 },
    { start: 4, end: 5 },
  ];
  const found = writtenPlaces(written, parts, completed, places);
  expect(found.map(({ start, end }) => written.slice(start, end))).toEqual([
    "a\\□",
    "b",
    "□2",
    "□2",
    "c",
  ]);
});

test("a cursor in the text, in the completion", () => {
  const at = (cursor: number) => completedPlace(written, parts, completed, cursor);
  expect([0, 1, 3, 4, 5, 6, 7].map(at)).toEqual([0, 1, 2, 3, 3, 5, 6]);
  expect(at(written.length)).toBeUndefined();
});

test.each([
  [
    "gbnf",
    'é ::= 1\nroot ::= "é" a\na ::= "x"',
    [
      ["root", 'root ::= "é" a'],
      ["x", 'a ::= "x"'],
    ],
  ],
  [
    "lark",
    "// é\nstart: A\nA: /é/",
    [
      ["start", "start: A"],
      ["A:", "A: /é/"],
    ],
  ],
  ["regex", "é+x", [["x", "é+x"]]],
] as const)("rules of %s in the grammar, whole", (kind, grammar, rules) => {
  const bytes = (text: string) => new TextEncoder().encode(text).length;
  const named = rules.map(([name]) => {
    const start = bytes(grammar.slice(0, grammar.indexOf(name)));
    return { name, place: { span: { start, end: start + bytes(name) } } };
  });
  const places = placesOfNamed(named, { kind, grammar });
  expect(places.map((place) => grammar.slice(place?.start, place?.end))).toEqual(
    rules.map(([, rule]) => rule),
  );
});

test("places of a long text and of many rules are found in no time", () => {
  const written = "a\\□".repeat(100_000);
  const parts = parseGaps(written);
  const text = "a□".repeat(100_000);
  const all = { text, fillings: [] };
  const rules = Array.from({ length: 20_000 }, (_, at) => `r${at} ::= "é" r${at}\n`);
  const grammar = rules.join("");
  const named = rules.map((_, at) => ({ name: "", place: { span: { start: 15 * at, end: 0 } } }));
  const begun = performance.now();
  expect(completedPlace(written, parts, all, written.length - 2)).toBe(text.length - 1);
  const places = Array.from(text, (_, at) => ({ start: at, end: at + 1 }));
  expect(writtenPlaces(written, parts, all, places)).toHaveLength(text.length);
  expect(placesOfNamed(named, { kind: "gbnf", grammar })).toHaveLength(rules.length);
  // Looking anew for each of them would take minutes.
  expect(performance.now() - begun).toBeLessThan(5_000);
});
