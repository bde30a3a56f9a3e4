import { readdirSync } from "node:fs";
import { expect, test } from "@playwright/test";
import { packed } from "../src/fragment.ts";
import { ALONE } from "./browser.ts";
import {
  grammarText,
  openExample,
  openPlayground,
  rows,
  settled,
  text,
  verdict,
  witness,
  writeGrammar,
  writeText,
} from "./playground-page.ts";

test.describe("the grammar", () => {
  test("what a visitor sees first can be completed, and all tests pass", async ({ page }) => {
    await openPlayground(page);
    await expect(verdict(page)).toContainText("Can be completed.");
    await expect(witness(page)).toHaveText('{"name": "", "tags": [0, "x"]}');
    await expect(page.locator("#tests-summary")).toHaveText("all 10 pass");
    await expect(page.locator("#facts")).toContainText("9 rules");
    expect(await page.evaluate(() => scrollY)).toBe(0);
    await page.getByRole("link", { name: "Demo" }).click();
    await expect(page.locator("#run")).toBeVisible();
    await page.getByRole("link", { name: "Playground" }).click();
    await expect(verdict(page)).toBeVisible();
  });

  test("each notation is read and highlighted", async ({ page }) => {
    await openPlayground(page);
    for (const [kind, grammar, word] of [
      ["GBNF", 'root ::= "a"+', "root"],
      ["Lark", 'start: "a"+', "start"],
      ["Regex", "a+|[b]", "["],
      ["JSON Schema", '{"const": "a"}', '"const"'],
    ] as const) {
      await writeGrammar(page, kind, grammar);
      await writeText(page, "□");
      await expect(verdict(page)).toContainText("Can be completed.");
      await expect(witness(page)).toHaveText(kind === "JSON Schema" ? '"a"' : /^[ab]$/);
      const highlighted = grammarText(page).locator('[class*="tok-"]', { hasText: word });
      await expect(highlighted.first()).toBeVisible();
    }
  });

  test("names of rules are completed", async ({ page }) => {
    await openPlayground(page);
    await writeGrammar(page, "GBNF", 'root ::= expression\nexpression ::= "x"\nother ::= exp');
    await page.keyboard.press("Control+Space");
    const options = page.getByRole("option");
    await expect(options.filter({ hasText: "expression" })).toBeVisible();
    // A completion is not taken by keys that came before it was seen.
    await page.waitForTimeout(150);
    await page.keyboard.press("Enter");
    await expect(grammarText(page)).toContainText("other ::= expression");

    await writeGrammar(page, "Lark", "start: word\nword: LETTER+\nLETTER: /[a-z]/\nother: LET");
    await page.keyboard.press("Control+Space");
    await expect(options.filter({ hasText: "LETTER" })).toBeVisible();
  });

  test("references and keywords of a schema are completed", async ({ page }) => {
    await openPlayground(page);
    const schema = '{"$defs": {"city": {"type": "string"}}, "items": {"$ref": "#';
    await writeGrammar(page, "JSON Schema", schema);
    await page.keyboard.press("Control+Space");
    await expect(page.getByRole("option", { name: "#/$defs/city" })).toBeVisible();
    await writeGrammar(page, "JSON Schema", '{"min');
    await page.keyboard.press("Control+Space");
    await expect(page.getByRole("option", { name: "minItems" })).toBeVisible();
  });

  test("errors and warnings stand in place and in words", async ({ page }) => {
    await openPlayground(page);
    await writeGrammar(page, "GBNF", 'root ::= "a" missing\nleft ::= "b"');
    await expect(page.locator("#findings li")).toContainText(["missing"]);
    await expect(grammarText(page).locator(".cm-lintRange-error")).toHaveText("missing");
    await expect(verdict(page)).toContainText("The grammar cannot be read.");
    await expect(page.locator("#tests-summary")).toHaveText("0 of 10 checked");
    // What was said of another text does not stay.
    const choices = page.locator("#choices");
    await writeText(page, "a");
    await expect(choices).toContainText("no gap");
    await writeText(page, "a□");
    await expect(choices).not.toContainText("no gap");
    // What was said before stays in sight, but is of no use.
    await expect(witness(page)).toBeVisible();
    await expect(page.locator("#witness-pane")).toHaveAttribute("inert");
    await page
      .locator("#findings")
      .getByRole("button", { name: /Line 1/ })
      .click();
    await page.keyboard.insertText('"c"');
    await settled(page);
    await expect(grammarText(page).locator(".cm-lintRange-error")).toHaveCount(0);
    await expect(page.locator("#witness-pane")).not.toHaveAttribute("inert");
    // What nothing uses is worth a warning.
    await expect(grammarText(page).locator(".cm-lintRange-warning")).toHaveText("left");
  });

  test("values can be taken from a text", async ({ page }) => {
    await openPlayground(page);
    await openExample(page, "flights.schema.json");
    const request = page.getByLabel("Text that values may be taken from");
    await expect(request).toHaveValue(/Reykjavik/);
    await writeText(page, '{"origin_city": "Reykjavik□}');
    await expect(verdict(page)).toContainText("Can be completed.");
    await request.fill("from Oslo");
    await settled(page);
    await expect(verdict(page)).toContainText("Cannot be completed.");
  });

  test("what no grammar says is judged as a whole", async ({ page }) => {
    await openPlayground(page);
    const items = { type: "string", pattern: "^[ab]*$" };
    const schema = { type: "array", items, minItems: 2, uniqueItems: true };
    await writeGrammar(page, "JSON Schema", JSON.stringify(schema));
    await expect(page.locator("#findings li")).toContainText(["/uniqueItems"]);
    await writeText(page, '["a", □, □]');
    await expect(verdict(page)).toContainText("Can be completed.");
    const found = JSON.parse((await witness(page).textContent()) ?? "") as string[];
    expect(new Set(found).size).toBe(found.length);
    await expect(page.locator("#choices")).toContainText("may turn out not to be valid");
    await writeText(page, '["a", "b", "a"]');
    await expect(verdict(page)).toContainText("Cannot be completed.");
    await expect(verdict(page)).toContainText('Column 12: "a" stands before, too');
    await writeText(page, '["a", "a", □]');
    await expect(verdict(page)).toContainText("Not decided.");
    await page.locator("#export-buttons").getByRole("button", { name: "GBNF" }).click();
    await expect(page.locator("#exported")).toContainText("No grammar says all");
  });

  test("one that cannot be read at first leaves nothing empty, and is not exported", async ({
    page,
  }) => {
    const state = { kind: "gbnf", grammar: "root ::= (", text: "a□", tests: [] };
    await openPlayground(page, await packed("p=", state, 1000));
    await expect(verdict(page)).toContainText("The grammar cannot be read.");
    for (const pane of ["witness", "choices", "tree"])
      await expect(page.locator(`#${pane}-pane`)).toBeHidden();
    const lark = page.locator("#export-buttons").getByRole("button", { name: "Lark" });
    await expect(lark).toBeDisabled();
    await writeGrammar(page, "GBNF", 'root ::= "a"+');
    await expect(page.locator("#witness-pane")).toBeVisible();
    await lark.click();
    await expect(page.locator("#exported")).toContainText("start:");
    await writeGrammar(page, "GBNF", "root ::= )");
    await expect(lark).toBeDisabled();
    await expect(page.locator("#exported")).toBeEmpty();
  });

  test("one that names tokens is read with tokens only", async ({ page }) => {
    await openPlayground(page);
    await writeGrammar(page, "GBNF", 'root ::= "a" <[300]>');
    await writeText(page, "a□");
    await expect(verdict(page)).toContainText("The grammar cannot be read.");
    await expect(page.locator("#findings li")).toContainText("Line 1, column 14");
    await expect(page.locator("#findings li")).toContainText("choose Tokens");
    await expect(grammarText(page).locator(".cm-lintRange-error")).toHaveText("<[300]>");
    await page.getByRole("radio", { name: "Tokens" }).check({ force: true });
    await expect(verdict(page)).toContainText("Can be completed.");
  });

  test("tokens that cannot be fetched are no fault of the grammar", async ({ page, context }) => {
    await openPlayground(page);
    await context.setOffline(true);
    await page.getByRole("radio", { name: "Tokens" }).check({ force: true });
    await expect(verdict(page)).toContainText("The tokens could not be fetched.");
    await expect(page.locator("#findings li[data-severity=error]")).toHaveCount(0);
    await context.setOffline(false);
    await verdict(page).getByRole("button", { name: "Try again" }).press("Enter");
    await expect(verdict(page)).toContainText("Can be completed.");
    await expect(verdict(page)).toBeFocused();
  });

  test("each slot has a field, which a link carries", async ({ page, context }) => {
    await openPlayground(page);
    const city = { type: "string", "x-oneOf": "city" };
    const schema = { properties: { city, note: { "x-spanOf": "note" } } };
    await writeGrammar(page, "JSON Schema", JSON.stringify(schema));
    await writeText(page, '{"city": "B□", "note": "two□');
    await expect(verdict(page)).toContainText("The grammar cannot be read.");
    await page.getByLabel("city is one of these lines").fill("Rome\n\nBern");
    await page.getByLabel("note is words of this text").fill("one two three");
    await settled(page);
    await expect(witness(page)).toHaveText('{"city": "Bern", "note": "two"}');

    // A slot of a Lark grammar takes either.
    await writeGrammar(page, "Lark", "start: CITY\n%slot CITY\n");
    await writeText(page, "B□");
    const lines = page.getByLabel("CITY is", { exact: true });
    await lines.fill("Rome\nBern at night");
    await settled(page);
    await expect(witness(page)).toHaveText("Bern at night");
    await page.getByLabel("What CITY is").selectOption("words of this text");
    await settled(page);
    await expect(witness(page)).toHaveText("Bern");
    await page.getByRole("button", { name: "Share" }).click();
    await expect(page.locator("#share")).toHaveText(/Link/);
    const other = await context.newPage();
    await openPlayground(other, new URL(page.url()).hash);
    await expect(other.getByLabel("CITY is", { exact: true })).toHaveValue("Rome\nBern at night");
    await expect(witness(other)).toHaveText("Bern");
    // The request's slot has the request's field.
    await writeGrammar(page, "Lark", "start: REQUEST\n%slot REQUEST\n");
    await expect(lines).toHaveCount(0);
    await page.getByLabel("Text that values may be taken from").fill("a Bear");
    await settled(page);
    await expect(witness(page)).toHaveText("Bear");
  });
});

test.describe("a text with gaps", () => {
  test("where it breaks and what was expected, at each key", async ({ page }) => {
    await openPlayground(page);
    await writeGrammar(page, "GBNF", 'root ::= "(" [0-9]+ ")"');
    await writeText(page, "(1");
    await expect(verdict(page)).toContainText("the text ends too early");
    await expect(verdict(page)).toContainText("Expected: ) 0–9.");
    await page.keyboard.insertText("□");
    await expect(verdict(page)).toContainText("Can be completed.");
    await expect(witness(page)).toHaveText("(1)");
    await expect(witness(page).locator(".filled")).toHaveText(")");
    await page.keyboard.insertText("x");
    await expect(verdict(page)).toContainText("Column 4: “x” cannot stand");
    await expect(text(page).locator(".cm-lintRange-error")).toHaveText("x");
    await page.keyboard.press("Backspace");
    await expect(verdict(page)).toContainText("Can be completed.");
  });

  test("gaps of so many cells", async ({ page }) => {
    await openPlayground(page);
    await writeGrammar(page, "GBNF", 'root ::= "(" [0-9]{3,4} ")"');
    await writeText(page, "(□3)");
    await expect(verdict(page)).toContainText("Can be completed.");
    await expect(witness(page).locator(".filled")).toHaveText(/^\d{3}$/);
    await writeText(page, "(1□1)");
    await expect(verdict(page)).toContainText("With other numbers of cells it could be");
    await writeText(page, "(□2□)");
    await expect(verdict(page)).toContainText("Can be completed.");
  });

  test("a fourth digit of a gap is marked: it is text", async ({ page }) => {
    await openPlayground(page);
    await writeText(page, "□1000 □10");
    await expect(text(page).locator(".cm-lintRange-warning")).toHaveText("0");
  });

  test("what cannot be seen is told by its number", async ({ page }) => {
    await openPlayground(page);
    await writeGrammar(page, "GBNF", "root ::= [\\u200b\\u202e\\u0301] [a-c]+");
    await writeText(page, "□b");
    const chips = page.getByRole("list", { name: "Characters that may stand first" });
    await expect(chips.getByRole("listitem")).toHaveText(["U+0301", "U+200B", "U+202E"]);
    await chips.getByRole("button", { name: "Put U+202E into the gap" }).click();
    await expect(witness(page)).toHaveText("U+202Eb");
    await expect(witness(page).locator(".named")).toHaveText("U+202E");
    await expect(rows(page).first()).toContainText("U+202Eb");
  });

  test("gaps can be put in by buttons and keys", async ({ page }) => {
    await openPlayground(page);
    await writeGrammar(page, "GBNF", "root ::= [a-z]*");
    await writeText(page, "a");
    await page.keyboard.press("Control+g");
    await page.getByRole("button", { name: "three cells" }).click();
    await expect(text(page)).toHaveText("a□□3");
    await expect(text(page).locator(".gap")).toHaveText(["□", "□3"]);
    await page.getByRole("button", { name: "any length", exact: true }).click();
    await expect(text(page)).toHaveText("a□□3□");
  });

  test("more completions, each another one", async ({ page }) => {
    await openPlayground(page);
    const another = page.getByRole("button", { name: "Another" });
    await another.click();
    await expect(page.locator("#witnesses li")).toHaveCount(2);
    await another.click();
    await expect(page.locator("#witnesses li")).toHaveCount(3);
    const texts = await page.locator("#witnesses button").allInnerTexts();
    expect(new Set(texts).size).toBe(3);
    await page.locator("#witnesses button").first().click();
    await expect(witness(page)).toHaveText('{"name": "", "tags": [0, "x"]}');
    await writeGrammar(page, "GBNF", 'root ::= "only"');
    await writeText(page, "□");
    await another.click();
    await expect(page.locator("#another-note")).toHaveText("No other one was found.");
  });
});

test.describe("the derivation", () => {
  const GRAMMAR =
    'root ::= pair ("," pair)*\npair ::= name "=" value\nname ::= [a-z]+\nvalue ::= [0-9]+';

  test("parts, the text and the rules point at one another", async ({ page }) => {
    await openPlayground(page);
    await writeGrammar(page, "GBNF", GRAMMAR);
    await writeText(page, "a=1,bc=□");
    const second = rows(page).filter({ hasText: "name bc" });
    await second.hover();
    await expect(witness(page).locator(".pointed")).toHaveText("bc");
    await expect(grammarText(page).locator(".pointed")).toHaveText(["name ::= [a-z]+"]);
    await expect(text(page).locator(".pointed")).toHaveText("bc");
    await rows(page).filter({ hasText: "value 0" }).hover();
    await expect(text(page).locator(".pointed")).toHaveText("□");

    await witness(page).getByText("a", { exact: true }).hover();
    await expect(page.locator(".row.pointed")).toContainText("name a");

    await text(page).click();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await expect(page.locator(".row.pointed")).toContainText("value 1");

    await grammarText(page).getByText("value").last().click();
    await expect(page.locator(".row.pointed")).toContainText(["value 1", "value 0"]);
    await expect(witness(page).locator(".pointed")).toHaveText(["1", "0"]);
  });

  test("nested parts by one rule are tinted once", async ({ page }) => {
    await openPlayground(page);
    await writeGrammar(page, "GBNF", 'root ::= list\nlist ::= "[" list? "]"');
    await writeText(page, "[[[□]]]");
    await expect(rows(page).filter({ hasText: "list" }).first()).toBeVisible();
    await grammarText(page).getByText("list").last().click();
    await expect(text(page).locator(".pointed").first()).toBeVisible();
    await expect(text(page).locator(".pointed .pointed")).toHaveCount(0);
  });

  test("nothing is tinted while the grammar cannot be read", async ({ page }) => {
    await openPlayground(page);
    await writeGrammar(page, "GBNF", GRAMMAR);
    await writeText(page, "a=1,bc=□");
    await grammarText(page).getByText("value").last().click();
    await expect(text(page).locator(".pointed").first()).toBeVisible();
    await page.keyboard.type("(");
    await expect(verdict(page)).toContainText("cannot be read");
    await expect(page.locator(".pointed")).toHaveCount(0);
    await page.keyboard.press("ArrowLeft");
    await text(page).click();
    await page.keyboard.press("Home");
    await expect(page.locator(".pointed")).toHaveCount(0);
  });

  test("the tree is used with the keyboard", async ({ page }) => {
    await openPlayground(page);
    await writeGrammar(page, "GBNF", GRAMMAR);
    await writeText(page, "a=1,bc=□");
    await page.locator('#tree [role="treeitem"]').first().focus();
    await page.keyboard.press("ArrowDown");
    await expect(witness(page).locator(".pointed").first()).toHaveText("a");
    await page.keyboard.press("ArrowLeft");
    const first = page.locator('#tree [role="treeitem"]').nth(1);
    await expect(first).toHaveAttribute("aria-expanded", "false");
    await page.keyboard.press("ArrowRight");
    await expect(first).toHaveAttribute("aria-expanded", "true");
    await page.keyboard.press("End");
    await expect(page.locator('#tree [role="treeitem"]:focus')).toContainText("value 0");
  });

  test("a schema’s parts are its pointers", async ({ page }) => {
    await openPlayground(page);
    await writeGrammar(
      page,
      "JSON Schema",
      '{"type": "object", "properties": {"a": {"type": "array", "items": {"type": "integer"}}}}',
    );
    await writeText(page, '{"a": [1, □2]}');
    await rows(page).filter({ hasText: "/properties/a" }).first().hover();
    await expect(grammarText(page).locator(".pointed").first()).toContainText('"a"');
  });
});

test.describe("what may come next", () => {
  test("characters at each gap, which can be put in", async ({ page }) => {
    await openPlayground(page);
    await writeGrammar(page, "GBNF", 'root ::= "<" [a-f] [0-9]* ">" | "."');
    await writeText(page, "<□>");
    const chips = page.getByRole("list", { name: "Characters that may stand first" });
    await expect(chips.getByRole("listitem")).toHaveText(["a–f"]);
    await writeText(page, "<a□>□");
    await page.getByRole("button", { name: "Gap 1, any length" }).click();
    await expect(page.locator("#choices")).toContainText("It may stay empty.");
    await expect(chips.getByRole("listitem")).toHaveText(["0–9"]);
    await page.getByRole("button", { name: "Gap 2, any length" }).click();
    await expect(page.locator("#choices")).toContainText("No character may stand first.");

    await writeGrammar(page, "GBNF", 'root ::= ("+" | "-") "1"*');
    await writeText(page, "□3");
    await chips.getByRole("button", { name: "Put “-” into the gap" }).click();
    await expect(text(page)).toHaveText("-□2");
    await expect(witness(page)).toHaveText("-11");
  });

  test("whether a text would be taken, and why not", async ({ page }) => {
    await openPlayground(page);
    await writeGrammar(page, "GBNF", 'root ::= "(" [0-9]+ ")"');
    await writeText(page, "(□)");
    const input = page.getByLabel("Would it take");
    await input.fill("12");
    await input.press("Enter");
    await expect(page.locator("#reason")).toContainText("12 may stand here");
    await input.fill("1x");
    await input.press("Enter");
    await expect(page.locator("#reason")).toContainText(
      "1x is refused: behind (1 “x” could not stand.",
    );
    await expect(page.locator("#reason")).toContainText("Expected: ) 0–9.");
  });

  test("tokens of a model, and why one is refused", async ({ page }) => {
    await openPlayground(page);
    await page.getByRole("radio", { name: "Tokens" }).check({ force: true });
    await settled(page);
    await writeText(page, '{"name": □3}');
    await expect(page.locator("#choices")).toContainText(/[\d,]+ tokens of 2,045 may stand first/);
    const tokens = page.getByRole("list", { name: "Tokens" });
    // Blanks as they are shown.
    await page.getByLabel("Find a token").fill("␣");
    await expect(tokens.getByText("␣", { exact: true })).toBeVisible();
    await page.getByLabel("Find a token").fill("e");
    await expect(tokens).toContainText(/and \d+ more: look for them$/);
    await page.getByLabel("Find a token").fill("Find");
    const refused = tokens.getByRole("button", { name: /refused/ });
    await refused.first().click();
    await expect(page.locator("#reason")).toContainText("is refused: behind");
    await page.getByLabel("Find a token").fill('"');
    await tokens.getByRole("button", { name: 'Token "\\"", allowed' }).click();
    await expect(text(page)).toHaveText('{"name": "□2}');
    await expect(verdict(page)).toContainText("Can be completed.");
  });
});

test.describe("beside the grammar", () => {
  test("tests run as the grammar changes", async ({ page }) => {
    await openPlayground(page);
    const summary = page.locator("#tests-summary");
    await page.getByRole("button", { name: "Add one that must match" }).click();
    await page.keyboard.insertText("[1, 2]");
    await expect(summary).toHaveText("all 11 pass");
    await page.getByRole("button", { name: "Add one that must not" }).click();
    await page.keyboard.insertText("[1 2]");
    await expect(summary).toHaveText("all 12 pass");
    await page.locator("#tests li").last().getByRole("button", { name: "must not match" }).click();
    await expect(summary).toHaveText("1 of 12 fails");
    await expect(page.getByLabel("Fails: it does not match")).toBeVisible();
    await page.getByRole("button", { name: "Remove text 12" }).click();
    await writeGrammar(page, "GBNF", 'root ::= "[1, 2]" | "{}"');
    await expect(summary).toHaveText("4 of 11 fail");
  });

  test("one that is not decided has not failed", async ({ page }) => {
    await openPlayground(page);
    const items = { type: "string", pattern: "^[ab]*$" };
    const schema = { type: "array", items, minItems: 2, uniqueItems: true };
    const tests = [
      { text: '["a", "b"]', belongs: true },
      { text: '["a", "a", □]', belongs: true },
    ];
    const state = { kind: "jsonSchema", grammar: JSON.stringify(schema), text: "□", tests };
    await openPlayground(page, await packed("p=", state, 1000));
    await expect(page.locator("#tests-summary")).toHaveText("1 of 2 passes, 1 undecided");
    await expect(page.locator("#tests-summary")).toHaveAttribute("data-failed", "false");
    await expect(page.getByLabel(/^Undecided: /)).toBeVisible();
  });

  test("every grammar of the gallery opens, with texts that pass", async ({ page }) => {
    await openPlayground(page);
    const gallery = page.getByLabel("Examples");
    const files = await gallery
      .locator("option")
      .evaluateAll((options) =>
        options.map((option) => (option as HTMLOptionElement).value).filter(Boolean),
      );
    const shipped = readdirSync(new URL("../../grammars", import.meta.url));
    const isGrammar = /\.(gbnf|lark|regex|schema\.json)$/;
    expect([...files].sort()).toEqual(shipped.filter((file) => isGrammar.test(file)).sort());
    for (const file of files) {
      await openExample(page, file);
      await expect(verdict(page), file).toContainText("Can be completed.");
      await expect(page.locator("#tests-summary"), file).toHaveText(/^(all \d+ pass|none yet)$/);
      await expect(rows(page).first(), file).toBeVisible();
    }
  });

  test("a link carries everything", async ({ page, context }) => {
    await openPlayground(page);
    await writeGrammar(page, "Lark", 'start: "名" /[a-z]/+');
    await writeText(page, "名□2");
    await page.getByRole("button", { name: "Add one that must match" }).click();
    await page.keyboard.insertText("名x");
    await page.getByRole("button", { name: "Share" }).click();
    await expect(page.locator("#share")).toHaveText(/Link/);
    const other = await context.newPage();
    await openPlayground(other, new URL(page.url()).hash);
    await expect(other.getByRole("radio", { name: "Lark" })).toBeChecked();
    await expect(grammarText(other)).toHaveText('start: "名" /[a-z]/+');
    await expect(text(other)).toHaveText("名□2");
    await expect(other.locator("#tests li")).toHaveCount(11);
    // A reload keeps what was typed, just now or before, however long it takes.
    let delay = 0;
    await other.route("**/playground/index.html", async (route) => {
      await new Promise((answer) => setTimeout(answer, delay));
      await route.continue();
    });
    for (const [pause, wait] of [
      [600, 0],
      [0, 0],
      [0, 1000],
    ] as const) {
      delay = wait;
      await writeText(other, `名${pause}a${wait}`);
      await other.waitForTimeout(pause);
      await other.reload();
      await expect(text(other)).toHaveText(`名${pause}a${wait}`);
    }
    await settled(other);
    await other.goto("/playground/index.html");
    await expect(text(other)).toContainText("tags");

    const third = await context.newPage();
    await openPlayground(third, new URL(page.url()).hash.slice(0, -20));
    const lost = third.getByRole("alert");
    await expect(lost).toContainText("This link could not be read.");
    await expect(lost).toBeInViewport();
    await writeText(third, "{}");
    await expect(lost).toBeHidden();
  });

  test("an example is opened by a button, and a step back brings back what there was", async ({
    page,
  }) => {
    await openPlayground(page);
    await writeGrammar(page, "GBNF", 'root ::= "mine"');
    const gallery = page.getByLabel("Examples");
    await gallery.focus();
    for (let press = 0; press < 6; press++) await page.keyboard.press("ArrowDown");
    await expect(gallery).toHaveValue("iso8601.regex");
    await expect(grammarText(page)).toHaveText('root ::= "mine"');
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("radio", { name: "Regex" })).toBeChecked();
    const regex = await grammarText(page).textContent();
    // What was written in another notation is not to be had by undoing.
    await grammarText(page).click();
    await page.keyboard.press("Control+z");
    await expect(grammarText(page)).toHaveText(regex ?? "");
    await page.goBack();
    await expect(grammarText(page)).toHaveText('root ::= "mine"');
    await expect(page.getByRole("radio", { name: "GBNF" })).toBeChecked();
    await page.goForward();
    await expect(grammarText(page)).toHaveText(regex ?? "");
  });

  test("what is too much for a link is said to be so", async ({ page }) => {
    await openPlayground(page);
    await page.evaluate(() => {
      const area = document.querySelector<HTMLTextAreaElement>("#tests textarea");
      if (!area) return;
      area.value = "x".repeat(2_000_000);
      area.dispatchEvent(new Event("input"));
    });
    await page.getByRole("button", { name: "Share" }).click();
    await expect(page.locator("#share")).toHaveText("Too much for a link");
  });

  test("exports that can be gone on with, and what cannot be held", async ({ page }) => {
    await openPlayground(page);
    const buttons = page.locator("#export-buttons");
    await buttons.getByRole("button", { name: "Regex" }).click();
    await expect(page.locator("#exported")).toContainText("Regex cannot hold this grammar.");
    await expect(page.locator("#exported li")).toContainText("Line 3, column 1");
    await expect(page.locator("#exported li")).toContainText("The rule value is recursive");
    await buttons.getByRole("button", { name: "JSON Schema" }).click();
    await expect(page.locator("#exported")).toContainText("describes JSON values");
    await buttons.getByRole("button", { name: "Lark" }).click();
    await page.getByRole("button", { name: "Open here" }).click();
    await settled(page);
    await expect(page.getByRole("radio", { name: "Lark" })).toBeChecked();
    await expect(page.locator("#tests-summary")).toHaveText("all 10 pass");
    await expect(verdict(page)).toContainText("Can be completed.");
    await openExample(page, "sql.lark");
    await expect(grammarText(page)).toContainText("One statement of SQLite");
    await buttons.getByRole("button", { name: "GBNF" }).click();
    await expect(page.locator("#exported li")).toContainText("the longest lexeme");

    await writeGrammar(page, "Lark", 'start: "in" NAME\nNAME: /[a-z]+/\n%ignore " "');
    await buttons.getByRole("button", { name: "GBNF" }).click();
    await page.getByRole("button", { name: "Open here" }).click();
    await writeText(page, "in □");
    await expect(verdict(page)).toContainText("Can be completed.");
    await writeText(page, "inn");
    await expect(verdict(page)).toContainText("Cannot be completed.");
  });
});

test("what takes too long is stopped, and typing goes on meanwhile", { tag: ALONE }, async ({
  page,
}) => {
  await openPlayground(page);
  await page.getByLabel("Stop after").selectOption("1 s");
  // Milliseconds from each key to the frame behind the one that it is drawn in.
  await page.evaluate(() => {
    const waits: number[] = [];
    const listen = () => {
      const pressed = performance.now();
      requestAnimationFrame(() =>
        requestAnimationFrame(() => waits.push(performance.now() - pressed)),
      );
    };
    document.querySelector("#text")?.addEventListener("keydown", listen, { capture: true });
    Object.assign(window, { waits });
  });
  // Whose derivations take the cube of the text.
  await writeGrammar(page, "GBNF", 'root ::= "a" root root | "a"');
  await text(page).click();
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText("a".repeat(1599));
  await expect(verdict(page)).toContainText("Can be completed.");
  const waits = () =>
    page.evaluate(() => (window as unknown as { waits: number[] }).waits.splice(0));
  await waits();
  await page.keyboard.type("a".repeat(20));
  await expect(text(page)).toHaveText("a".repeat(1619));
  // The worker is at it all the while.
  expect(await page.locator("#tree-note").textContent()).toBe("");
  await expect.poll(() => page.evaluate(() => document.body.dataset.looking)).toBe("");
  // The last keys' frames may still be to come.
  const seen = () => page.evaluate(() => (window as unknown as { waits: number[] }).waits.length);
  await expect.poll(seen).toBeGreaterThan(15);
  const sorted = (await waits()).sort((a, b) => a - b);
  const [median = 0, longest = 0] = [sorted[10], sorted.at(-1)];
  console.log(`keys are seen after ${Math.round(median)} ms, at most ${Math.round(longest)} ms`);
  expect(median).toBeLessThan(60);
  expect(longest).toBeLessThan(300);
  await expect(page.locator("#tree-note")).toHaveText("Stopped after 1 s without a result.");
  await expect(verdict(page)).toContainText("Can be completed.");

  // What there was time for is told.
  await expect(page.locator("#tests-summary")).toHaveText("5 of 10 fail");

  // The next grammar is looked at by a worker that was started afresh.
  await writeGrammar(page, "Regex", "a+");
  await expect(verdict(page)).toContainText("Can be completed.");
});
