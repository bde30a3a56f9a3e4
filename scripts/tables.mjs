// `npm run tables -- --page docs/benchmarks-decoder.md`: makes the tables of a page anew.
//
// The page holds the commands, each block behind `<!-- runs NAME -->`, and before a table
// `<!-- table {...} -->`: from which runs (`of`), which `columns` of what they print ("printed =
// shown" renames one, and what need not be printed has a ? behind it), told from other tables that
// they print by a column (`has`); of which `methods`, where not all are shown; and what to call the
// rows of each printed table (`labels`), or all rows (`head`). Blocks run from the repository's
// folder with `lacuna` on the path, as it is built there.
//
// `--only NAME,…` runs some blocks. What a block prints is kept in `target/tables`, and the tables
// of blocks that are not run are made of that; `--kept` runs none.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter } from "node:path";
import { inside } from "./lib/paths.mjs";
import { main, optionsOf, SetupError, stage } from "./lib/report.mjs";
import { capture, run } from "./lib/run.mjs";

const values = optionsOf({
  page: { type: "string", default: "docs/benchmarks-decoder.md" },
  only: { type: "string" },
  kept: { type: "boolean", default: false },
});

/** What `lacuna eval` prints in its first table alone. */
const FIRST = "relative time %";

const KEPT = inside("target", "tables");

await main(async () => {
  const path = inside(...values.page.split("/"));
  const page = readFileSync(path, "utf8");
  const blocks = new Map(
    Array.from(page.matchAll(/<!-- runs ([\w-]+) -->\n```sh\n(.*?)```/gs), (found) => [
      found[1],
      found[2],
    ]),
  );
  const chosen = values.kept ? [] : (values.only?.split(",") ?? [...blocks.keys()]);
  const unknown = chosen.find((name) => !blocks.has(name));
  if (unknown) throw new SetupError(`${values.page} runs nothing named ${unknown}`);
  mkdirSync(KEPT, { recursive: true });
  if (chosen.length > 0) {
    const build = ["build", "--release", "--package", "lacuna-cli"];
    await stage("command line", () => run("cargo", build));
  }
  for (const name of chosen) {
    await stage(name, async () => {
      writeFileSync(keptOf(name), await printedBy(name, blocks.get(name)));
    });
  }
  writeFileSync(path, withTables(page));
});

function keptOf(name) {
  return `${KEPT}/${name}.md`;
}

/** What the commands of a block print. */
async function printedBy(name, commands) {
  const path = `${inside("target", "release")}${delimiter}${process.env.PATH}`;
  const { status, output } = await capture("bash", ["-e", "-c", commands], { env: { PATH: path } });
  if (status === 0) return output;
  const last = output.trimEnd().split("\n").slice(-5).join("\n");
  throw new SetupError(`the runs of ${name} ended with status ${status}:\n${last}`);
}

/** The page with its tables made of what is kept; those of which nothing is kept stay. */
function withTables(page) {
  return page.replace(/<!-- table (\{.*?\}) -->\n(?:\|.*\n)*/g, (old, json) => {
    const asked = JSON.parse(json);
    if (!existsSync(keptOf(asked.of))) return old;
    return `<!-- table ${json} -->\n${table(asked)}`;
  });
}

function table({ of, columns, has = FIRST, methods, labels = [], head }) {
  const printed = tablesIn(readFileSync(keptOf(of), "utf8"));
  const those = printed.filter(({ heads }) => heads.includes(has));
  if (those.length === 0) throw new SetupError(`the runs of ${of} print no column "${has}"`);
  const shown = columns.map((column) => {
    const [name, as = name] = column
      .replace(/\?$/, "")
      .split("=")
      .map((part) => part.trim());
    return { name, as, isOptional: column.endsWith("?") };
  });
  const first = head ?? (labels.length > 0 ? "task" : "method");
  const lines = [
    row([first, ...shown.map(({ as }) => as)]),
    `|---|${"--:|".repeat(columns.length)}`,
  ];
  those.forEach(({ heads, rows }, number) => {
    const places = shown.map(({ name, isOptional }) => {
      const place = heads.indexOf(name);
      if (place < 0 && !isOptional)
        throw new SetupError(`the runs of ${of} print no column "${name}"`);
      return place;
    });
    const method = heads.indexOf("method");
    for (const cells of rows) {
      if (methods && !methods.includes(cells[method])) continue;
      const parts = [labels[number], cells[method] ?? cells[0]];
      if (method >= 0) parts.push(`${cells[heads.indexOf("steps")]} steps`);
      const name = parts.filter((part) => part !== undefined).join(", ");
      lines.push(row([name, ...places.map((place) => cells[place] ?? "–")]));
    }
  });
  return `${lines.join("\n")}\n`;
}

function row(cells) {
  return `| ${cells.join(" | ")} |`;
}

/** The Markdown tables of a text. */
function tablesIn(text) {
  const cellsOf = (line) =>
    line
      .replace(/^\||\|$/g, "")
      .split("|")
      .map((cell) => cell.trim());
  return Array.from(text.matchAll(/(\|.*\n)\|[-:|]+\n((?:\|.*\n)*)/g), ([, heads, rows]) => ({
    heads: cellsOf(heads.trim()),
    rows: rows.trimEnd().split("\n").map(cellsOf),
  }));
}
