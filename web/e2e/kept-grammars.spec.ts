import { expect, type Page, test } from "@playwright/test";
import {
  compareWith,
  isValid,
  open,
  runToTheEnd,
  setGrammar,
  setOptions,
  writtenText,
} from "./page-object.ts";

/**
 * A schema that takes its time to compile, which is what is worth keeping: an automaton that
 * reads from the left which letter stands thirteen before the end has 8,192 states.
 */
const SCHEMA = JSON.stringify({
  type: "object",
  properties: {
    intent: { enum: ["AddToPlaylist", "PlayMusic"] },
    from: { type: "string", pattern: "^[a-z]*a[a-z]{12}$" },
  },
  required: ["intent"],
  additionalProperties: false,
});

/** Notes where the grammars of runs came from, in `window.origins`. */
async function noteOrigins(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const origins: string[] = [];
    Object.assign(window, { origins });
    window.Worker = class extends Worker {
      constructor(...parameters: ConstructorParameters<typeof Worker>) {
        super(...parameters);
        this.addEventListener("message", ({ data }) => {
          for (const event of data.type === "events" ? data.events : []) {
            if (event.type === "begin" && event.grammar) origins.push(event.grammar);
          }
        });
      }
    };
  });
}

const origins = (page: Page) =>
  page.evaluate(() => (window as unknown as { origins: string[] }).origins);

/** Opens the page, runs, and says where the run's grammar came from. */
async function run(page: Page): Promise<string[]> {
  await open(page);
  await setGrammar(page, SCHEMA);
  await setOptions(page, { Cells: 64, Steps: 4 });
  await compareWith(page);
  await runToTheEnd(page);
  expect(isValid(await writtenText(page), SCHEMA)).toBe(true);
  return origins(page);
}

/** Waits until entries were written; changes a byte of each if asked to. */
const entries = (page: Page, damage: boolean) =>
  page.evaluate(async (damage) => {
    const cache = await caches.open("lacuna-grammars");
    const kept = await cache.keys();
    for (const request of damage ? kept : []) {
      const entry = new Uint8Array((await (await cache.match(request))?.arrayBuffer()) ?? []);
      entry[entry.length - 1] = (entry.at(-1) ?? 0) ^ 1;
      await cache.put(request, new Response(entry));
    }
    return kept.length;
  }, damage);

test("a grammar is compiled once, and again if what was kept is damaged", async ({ page }) => {
  await noteOrigins(page);
  expect(await run(page)).toEqual(["compiled"]);
  await expect(page.locator("#figures")).toContainText("compiled");
  await expect.poll(() => entries(page, false)).toBeGreaterThan(0);

  // The entry that was seen may be of another grammar, and this one still on its way.
  await expect.poll(async () => (await run(page))[0]).toBe("storage");
  await expect(page.locator("#figures")).toContainText("from storage");

  expect(await entries(page, true)).toBeGreaterThan(0);
  expect(await run(page)).toEqual(["rebuilt"]);
  await expect.poll(async () => (await run(page))[0]).toBe("storage");
});
