/**
 * A grammar of XML whose tags balance, for a list of element names:
 *
 *     node grammars/make/xml.mjs NAME… > FILE.lark
 *
 * What does not depend on the names is taken from `grammars/xml.lark`, which is made
 * of its own names.
 */

import { readFileSync } from "node:fs";
import { command } from "./command.mjs";

const SHIPPED = readFileSync(new URL("../xml.lark", import.meta.url), "utf8");

/** From the rule for elements to the last of their tags. */
const ELEMENTS = /\nelement: EMPTY\n[\s\S]*\nCLOSE_\w+:[^\n]*\n/;

const START =
  ":A-Z_a-z\\xC0-\\xD6\\xD8-\\xF6\\xF8-\\u02FF\\u0370-\\u037D\\u037F-\\u1FFF\\u200C\\u200D";
const FIRST = `[${START}\\u2070-\\u218F\\u2C00-\\u2FEF\\u3001-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFFD]`;
const NAME = new RegExp(`^${FIRST}(?:${FIRST}|[-.0-9\\xB7\\u0300-\\u036F\\u203F\\u2040])*$`);

/** The grammar for elements of these names. */
export function xmlGrammar(names) {
  const wrong = names.find((name, at) => !NAME.test(name) || names.indexOf(name) < at);
  if (wrong !== undefined || names.length === 0) {
    throw new Error(`expected different names of elements: ${JSON.stringify(wrong ?? names)}`);
  }
  const terminals = terminalNames(names);
  const lines = (line) => names.map((name, at) => `${line(name, terminals[at])}\n`).join("");
  const elements = [
    "\nelement: EMPTY\n",
    lines((_, terminal) => `       | OPEN_${terminal} content CLOSE_${terminal}`),
    `NAMES: ${names.map((name) => `"${name}"`).join(" | ")}\n`,
    lines((name, terminal) => `OPEN_${terminal}: "<${name}" ATTRIBUTES ">"`),
    lines((name, terminal) => `CLOSE_${terminal}: "</${name}" BLANKS? ">"`),
  ];
  return SHIPPED.replace(ELEMENTS, () => elements.join(""));
}

/** The names as parts of terminals' names, with numbers where two would be one. */
function terminalNames(names) {
  const plain = names.map((name) => name.toUpperCase().replace(/[^A-Z0-9]/g, "_"));
  const isAlone = (name) => plain.indexOf(name) === plain.lastIndexOf(name);
  return plain.map((name, at) => (isAlone(name) ? name : `${at + 1}_${name}`));
}

command(import.meta.url, "node grammars/make/xml.mjs NAME… > FILE.lark", xmlGrammar);
