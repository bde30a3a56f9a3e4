import { expect, test } from "vitest";
import { decodeWhole } from "../playground/engine/utf8.ts";
import { isText, tokenLabel, tokenName } from "../playground/tokens.ts";

test.each([
  [[0x61], "a", 'Token "a", allowed'],
  [[0x20, 0xe5, 0x90, 0x8d], " 名", 'Token " 名", allowed'],
  [[0xef, 0xbf, 0xbd], "\ufffd", 'Token "\ufffd", allowed'],
])("the token of bytes %j is a text", (bytes, name, label) => {
  const spelling = decodeWhole(new Uint8Array(bytes));
  expect([isText(spelling), tokenName(spelling)]).toEqual([true, name]);
  expect(tokenLabel(spelling, true)).toBe(label);
});

test.each([
  [[0xc3], "<C3>"],
  [[0xc4], "<C4>"],
  [[0x20, 0xe5, 0x90], "␣<E5><90>"],
  [[0x8d, 0x22], '<8D>"'],
])("the token of bytes %j is part of a character, named by them", (bytes, name) => {
  const spelling = decodeWhole(new Uint8Array(bytes));
  expect([isText(spelling), tokenName(spelling)]).toEqual([false, name]);
  expect(tokenLabel(spelling, true)).toMatch(`Token ${name}, allowed. It holds part`);
  expect(tokenLabel(spelling, false)).toBe(`Token ${name}, refused`);
});
