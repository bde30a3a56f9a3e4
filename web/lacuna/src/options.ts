/**
 * Options as callers without types hand them over: what makes no sense is refused by name,
 * with what was given, before anything is done.
 */

import { isSignal } from "./abortable.ts";
import { invalid, type LacunaError } from "./fault.ts";

/** Throws a fault that names the option, what it must be, and what it is. */
export type Rule = (name: string, value: unknown) => void;

/** The options that a call has. */
export type Rules = Readonly<Record<string, Rule>>;

/** Characters of a value that a message shows. */
const MOST_SHOWN = 60;

/** Edits by which a name may be off that is taken for a slip of the pen. */
const MOST_EDITS = 2;

/** Throws a fault that names the first option which is none, or makes no sense. */
export function expectOptions(
  of: string,
  options: unknown,
  rules: Rules,
  needed: readonly string[] = [],
): void {
  if (!isObject(options)) throw invalid(`${of} takes an object of options, not ${shown(options)}`);
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined && !Object.hasOwn(rules, name)) throw unknown(of, name, value, rules);
  }
  for (const [name, expect] of Object.entries(rules)) {
    if (options[name] !== undefined || needed.includes(name)) expect(name, options[name]);
  }
}

function unknown(of: string, name: string, value: unknown, rules: Rules): LacunaError {
  const near = nearest(name, Object.keys(rules));
  const hint = near === undefined ? "" : `: did you mean ${near}?`;
  return invalid(`${name} is ${shown(value)}, but ${of} has no such option${hint}`);
}

/** A rule by a condition, and its words. */
export const rule =
  (holds: (value: unknown) => boolean, words: string): Rule =>
  (name, value) => {
    if (!holds(value)) throw wrong(name, value, words);
  };

/** A rule for an object of options within an option. */
export const fields =
  (rules: Rules): Rule =>
  (name, value) => {
    const inner = Object.entries(rules).map(([field, expect]) => {
      const within: Rule = (field, value) => expect(`${name}.${field}`, value);
      return [field, within] as const;
    });
    expectOptions(name, value, Object.fromEntries(inner));
  };

/** A rule for an object that has something for each of some names. */
const byName =
  (each: Rule, what: string): Rule =>
  (name, value) => {
    const words = `an object with ${what} for each name`;
    if (!isObject(value)) throw wrong(name, value, words);
    for (const [key, inner] of Object.entries(value)) each(`${name}.${key}`, inner);
  };

/** The most that the engine's module counts to. */
const MOST = 2 ** 32 - 1;

export const count =
  (least: number, most = MOST): Rule =>
  (name, value) => {
    if (isCount(value, most) && value >= least) return;
    const isBounded = most < MOST || (isNumber(value) && value > most);
    throw wrong(name, value, `a whole number from ${least} ${isBounded ? `to ${most}` : "up"}`);
  };
export const oneOf = (names: readonly string[]): Rule =>
  rule((value) => names.includes(value as string), `one of ${quotedList(names)}`);
/** Names as code writes them. */
export const quotedList = (names: readonly string[]): string =>
  names.map((name) => JSON.stringify(name)).join(", ");
export const isNumber = (value: unknown): value is number =>
  typeof value === "number" && Number.isFinite(value);
/** Whether a value is a whole number from 0 on. */
export const isCount = (value: unknown, most = MOST): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most;
const isText = (value: unknown) => typeof value === "string";
export const text = rule(isText, "a text");
export const flag = rule((value) => typeof value === "boolean", "true or false");
export const callback = rule((value) => typeof value === "function", "a function");
/** What is looked at elsewhere. */
export const anything: Rule = () => {};
export const texts = byName(text, "a text");
export const lists = byName(
  rule((value) => Array.isArray(value) && value.every(isText), "a list of texts"),
  "a list of texts",
);
export const signal = rule(isSignal, "an AbortSignal");

/** A fault for an option that must be something else. */
const wrong = (name: string, value: unknown, words: string): LacunaError =>
  invalid(`${name} is ${shown(value)}: it must be ${words}`);

/** Whether a value is an object of fields; maps, sets, lists and dates are none. */
function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return Object.prototype.toString.call(value) === "[object Object]";
}

/** A value in a few characters. */
export function shown(value: unknown): string {
  const whole = spelled(value);
  return whole.length > MOST_SHOWN ? `${whole.slice(0, MOST_SHOWN)}…` : whole;
}

function spelled(value: unknown): string {
  if (typeof value === "function") return "a function";
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value !== "string" && !Array.isArray(value) && !isObject(value)) {
    if (typeof value !== "object" || value === null) return String(value);
    return `a ${value.constructor?.name ?? "strange object"}`;
  }
  try {
    return JSON.stringify(value);
  } catch {
    return Array.isArray(value) ? "a list" : "an object";
  }
}

/** The name that was meant, if one is near. */
function nearest(name: string, names: readonly string[]): string | undefined {
  const bare = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, "");
  const [best] = names
    .map((known) => ({ known, off: edits(bare(name), bare(known)) }))
    .sort((a, b) => a.off - b.off);
  const isNear = best && best.off <= MOST_EDITS && best.off < best.known.length / 2;
  return isNear ? best.known : undefined;
}

/** Characters to add, leave out or change, to make one of the other. */
function edits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let at = 1; at <= from.length; at++) {
    const next = [at];
    for (let index = 1; index <= to.length; index++) {
      const changed = (row[index - 1] ?? 0) + (from[at - 1] === to[index - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[index] ?? 0) + 1, (next[index - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

/** Whether a value is one that texts can be asked of. */
export const isEngine = (value: unknown): boolean =>
  typeof (value as { generate?: unknown } | null | undefined)?.generate === "function";
