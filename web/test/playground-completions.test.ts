import { expect, test } from "vitest";
import { CompletionList, type Wanted } from "../playground/completion-list.ts";
import type { Completed } from "../playground/protocol.ts";

const completed = (text: string): Completed => ({ text, fillings: [[0, text.length]] });
const texts = ({ all }: CompletionList) => all.map(({ text }) => text);

/** A list with these, and the last of them chosen. */
async function listOf(...[first = "", ...others]: string[]): Promise<CompletionList> {
  const list = new CompletionList();
  list.begin(completed(first), "a");
  for (const text of others) {
    const found = await list.findAnother(async () => completed(text));
    if (found) list.choose(found);
  }
  return list;
}

test("what was found stays while the text, its grammar and the first completion do", async () => {
  const list = await listOf("x", "y");
  expect(list.begin(completed("x"), "a")).toBe(false);
  expect([texts(list), list.chosen?.text]).toEqual([["x", "y"], "y"]);
  const seeds: number[] = [];
  await list.findAnother(async ({ seed }) => {
    seeds.push(seed);
    return null;
  });
  expect(seeds).toEqual([2]);
});

test.each([
  ["another text", completed("x"), "b", ["x"]],
  ["another completion", completed("z"), "a", ["z"]],
  ["other gaps in it", { ...completed("x"), fillings: [] }, "a", ["x"]],
  ["no completion", null, "a", []],
])("%s makes it another list", async (_, first, about, expected) => {
  const list = await listOf("x", "y");
  expect(list.begin(first, about)).toBe(true);
  expect([texts(list), list.chosen?.text]).toEqual([expected, expected[0]]);
});

test("one is looked for at a time, and none is listed twice", async () => {
  const list = await listOf("x");
  const asked: Wanted[] = [];
  const answers: ((found: Completed) => void)[] = [];
  const ask = (wanted: Wanted) => {
    asked.push(wanted);
    return new Promise<Completed>((resolve) => answers.push(resolve));
  };
  const found = list.findAnother(ask);
  expect(await list.findAnother(ask)).toBeUndefined();
  expect([list.isBusy, asked]).toEqual([true, [{ seed: 1, known: ["x"] }]]);
  answers[0]?.(completed("y"));
  expect(await found).toEqual(completed("y"));
  expect(list.isBusy).toBe(false);
  expect(await list.findAnother(async () => completed("x"))).toBeNull();
  expect(texts(list)).toEqual(["x", "y"]);
});

test("what comes for a list that is gone is dropped, and so is why it did not come", async () => {
  for (const late of [Promise.resolve(completed("y")), Promise.reject(new Error("over"))]) {
    const list = await listOf("x");
    const found = list.findAnother(() => late);
    list.begin(completed("x"), "b");
    expect(await found).toBeUndefined();
    expect([texts(list), list.isBusy]).toEqual([["x"], false]);
  }
});

test("why none came is told, and the next may be looked for", async () => {
  const list = await listOf("x");
  await expect(list.findAnother(() => Promise.reject("over"))).rejects.toBe("over");
  expect((await list.findAnother(async () => completed("y")))?.text).toBe("y");
});
