/** What callers without types hand over: every slip is said in words, with what was given. */

import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Engine } from "../src/engine/engine.ts";
import { FAULT, LacunaError } from "../src/fault.ts";
import { compileGrammar } from "../src/grammar/index.ts";
import { createEngine } from "../src/index.ts";
import { createOpenAI } from "../src/openai/index.ts";
import { shown } from "../src/options.ts";
import { FakeWorker, files, info, until } from "./doubles.ts";

const hello = { prompt: "say hello", grammar: { regex: "hello" } };
const untyped = (thing: unknown) => thing as never;

function connected() {
  const worker = new FakeWorker();
  return { worker, engine: new Engine({ model: files }, () => worker) };
}

/** What a call fails with; it must not have reached the worker. */
async function refusal(call: (engine: Engine) => Promise<unknown>): Promise<LacunaError> {
  const { engine, worker } = connected();
  const error = await Promise.resolve()
    .then(() => call(engine))
    .then(() => undefined)
    .catch((error: unknown) => error);
  expect(error).toBeInstanceOf(LacunaError);
  expect(worker.sent).toEqual([]);
  return error as LacunaError;
}

const cyclic: Record<string, unknown> = { type: "object" };
cyclic.properties = { self: cyclic };

describe("an option of generate", () => {
  const wrong: readonly [Record<string, unknown>, string][] = [
    [
      { temprature: 5 },
      "temprature is 5, but generate has no such option: did you mean temperature?",
    ],
    [{ top_k: 5 }, "top_k is 5, but generate has no such option: did you mean topK?"],
    [{ nonsense: 1 }, "nonsense is 1, but generate has no such option."],
    [{ template: ["a"] }, 'template is ["a"], but generate has no such option.'],
    [{ toString: 1 }, "toString is 1, but generate has no such option."],
    [{ turns: 5 }, "turns is 5: it must be a text."],
    [{ length: Number.NaN }, "length is NaN: it must be a whole number from 1 up."],
    [
      { length: 2 ** 40 },
      "length is 1099511627776: it must be a whole number from 1 to 4294967295.",
    ],
    [{ seed: 5n }, "seed is 5n: it must be a whole number from 0 up."],
    [{ unconstrained: "yes" }, 'unconstrained is "yes": it must be true or false.'],
    [{ signal: 5 }, "signal is 5: it must be an AbortSignal."],
    [{ signal: null }, "signal is null: it must be an AbortSignal."],
    [{ matching: 5 }, "matching is 5: it must be a text."],
    [{ maxDepth: -1 }, "maxDepth is -1: it must be a whole number from 0 up."],
    [{ texts: "abc" }, 'texts is "abc": it must be an object with a text for each name.'],
    [{ texts: { x: null } }, "texts.x is null: it must be a text."],
    [{ texts: new Map() }, "texts is a Map: it must be an object with a text for each name."],
    [
      { texts: [["x", "y"]] },
      'texts is [["x","y"]]: it must be an object with a text for each name.',
    ],
    [{ lists: null }, "lists is null: it must be an object with a list of texts for each name."],
    [
      { lists: new Set(["a"]) },
      "lists is a Set: it must be an object with a list of texts for each name.",
    ],
    [{ lists: { l: "abc" } }, 'lists.l is "abc": it must be a list of texts.'],
    [{ lists: { l: [1] } }, "lists.l is [1]: it must be a list of texts."],
    [{ lists: { l: new Set(["a"]) } }, "lists.l is a Set: it must be a list of texts."],
    [{ lists: { l: () => 1 } }, "lists.l is a function: it must be a list of texts."],
    [{ schema: 5 }, "schema takes an object of options, not 5."],
    [
      { schema: { order: "any", indents: 2 } },
      "indents is 2, but schema has no such option: did you mean indent?",
    ],
    [{ schema: { indent: 17 } }, "schema.indent is 17: it must be a whole number from 0 to 16."],
    [{ schema: { documents: { a: 1 } } }, "schema.documents.a is 1: it must be a text."],
    [{ grammar: { source: 5 } }, "A compiled grammar has a source's text."],
  ];
  for (const [options, message] of wrong) {
    it(`is refused in words: ${message}`, async () => {
      const call = { ...hello, ...options };
      const error = await refusal((engine) => engine.generate(untyped(call)).result);
      expect(error).toMatchObject({ kind: FAULT.invalid, message });
    });
  }

  it("is a schema that can be written as JSON Schema", async () => {
    for (const [jsonSchema, words] of [
      [cyclic, "circular"],
      [z.object({ on: z.date() }), "Date cannot be represented"],
      [undefined, "A grammar is one of"],
    ] as const) {
      const call = { ...hello, grammar: { jsonSchema } };
      const error = await refusal((engine) => engine.generate(untyped(call)).result);
      expect(error.kind).toBe(FAULT.invalid);
      expect(error.message).toContain(words);
    }
  });

  it("may be undefined, as if it were left out", async () => {
    const { engine, worker } = connected();
    engine.generate(untyped({ ...hello, nonsense: undefined, texts: undefined }));
    await until(() => worker.sent.length > 0);
  });

  it("crosses to the worker though a framework has wrapped it in proxies", async () => {
    const { engine, worker } = connected();
    const wrapped = <Value extends object>(value: Value) => new Proxy(value, {});
    const lists = wrapped({ color: wrapped(["red"]) });
    const template = wrapped(["a", wrapped([1, 2] as const)]);
    engine.infill({ ...hello, lists, template });
    await until(() => worker.sent.length > 0);
    worker.say({ type: "loaded", id: await worker.next("load"), info });
    await worker.next("generate");
    expect(structuredClone(worker.sent.at(-1))).toMatchObject({
      request: { lists: { color: ["red"] } },
      template: ["a", [1, 2]],
    });
  });
});

describe("an option of infill", () => {
  const infilled = (options: object) =>
    refusal((engine) => engine.infill(untyped({ ...hello, ...options })).result);

  it("is no length", async () => {
    const { message } = await infilled({ template: ["a", 2], length: 8 });
    expect(message).toBe("length is 8, but of infill the template says how many cells.");
  });

  it("is a template whose gaps have lengths", async () => {
    const { kind, message } = await infilled({ template: ["a", [2, 1]] });
    expect(kind).toBe(FAULT.invalid);
    expect(message).toBe(
      "template[1] is [2,1]: the least number of cells of a gap must not be above the most.",
    );
  });
});

describe("a call without what it needs", () => {
  const calls: Readonly<Record<string, (engine: Engine) => Promise<unknown>>> = {
    createEngine: async () => createEngine(untyped(undefined)),
    generate: (engine) => engine.generate(untyped(undefined)).result,
    infill: (engine) => engine.infill(untyped(null)).result,
    load: (engine) => engine.load(untyped(5)),
    availability: (engine) => engine.availability(untyped("now")),
  };
  for (const [name, call] of Object.entries(calls)) {
    it(`is refused in words: ${name}`, async () => {
      const { kind, message } = await refusal(call);
      expect([kind, message]).toEqual([
        FAULT.invalid,
        expect.stringMatching(`^${name} takes an object of options, not `),
      ]);
    });
  }
});

/** A load of a model with something else in a file's record. */
const withConfig = (wrong: object) => {
  const model = { ...files, config: { ...files.config, ...wrong } };
  return new Engine({ model }, () => new FakeWorker()).load();
};

it("refuses what is no option of an engine, of a load and of a question", async () => {
  const calls: readonly [string, (engine: Engine) => Promise<unknown>][] = [
    ["devise", async () => createEngine(untyped({ model: files, devise: "cpu" }))],
    ["wasmUrl", async () => createEngine({ model: files, wasmUrl: "http://" })],
    ["device", (engine) => engine.load({ device: untyped("quick") })],
    ["signal", (engine) => engine.load({ signal: untyped(5) })],
    ["signal", (engine) => engine.availability({ signal: untyped({}) })],
    ["address", () => new Engine({ model: "data:,x" }, () => new FakeWorker()).load()],
    ["model.config.sha256", () => withConfig({ sha256: 5 })],
    ["model.config.sha256", () => withConfig({ sha256: "ab" })],
    ["model.config.bytes", () => withConfig({ bytes: "many" })],
    ["address", () => new Engine({ model: "http://" }, () => new FakeWorker()).load()],
  ];
  for (const [name, call] of calls) {
    const { kind, message } = await refusal(call);
    expect([name, kind]).toEqual([name, FAULT.invalid]);
    expect(message).toContain(name);
  }
});

it("refuses what makes no sense beside a grammar that is validated", async () => {
  const { engine, worker } = connected();
  for (const options of [{ lists: { l: [1] } }, { list: {} }, { signal: 5 }]) {
    const call = engine.validate({ regex: "a" }, untyped(options));
    await expect(call).rejects.toMatchObject({ name: "LacunaError", kind: FAULT.invalid });
  }
  expect(worker.sent).toEqual([]);
});

it("takes grammars that the grammar door compiled, whatever was handed over", async () => {
  const { engine, worker } = connected();
  const schema = { type: "string", "x-oneOf": "color" };
  const beside = { lists: { color: ["red"] }, maxDepth: 2, writing: true } as const;
  using grammar = await compileGrammar({ jsonSchema: schema }, beside);
  engine.generate({ prompt: "a color", grammar });
  await until(() => worker.sent.length > 0);
});

it("refuses requests in OpenAI's words that are none", async () => {
  const messages = [{ role: "user", content: "hello" }];
  for (const request of [
    undefined,
    {},
    { messages: "hello" },
    { messages: [{ role: "user", content: null }] },
    { messages: [{ role: "user", content: [null] }] },
    { messages, response_format: { type: "json_schema" } },
    { messages, temperature: "hot" },
    { messages, max_tokens: "5" },
    { messages, decoding: { temprature: 1 } },
  ]) {
    const { kind } = await refusal((engine) =>
      createOpenAI(engine).chat.completions.create(untyped(request)),
    );
    expect([request, kind]).toEqual([request, FAULT.invalid]);
  }
});

it("shows values in a few characters, whatever they are", () => {
  class Box {}
  expect(
    [undefined, null, Number.NaN, 3n, "a", Symbol("s"), new Map(), Object.create(null)].map(shown),
  ).toEqual(["undefined", "null", "NaN", "3n", '"a"', "Symbol(s)", "a Map", "{}"]);
  expect(shown(cyclic)).toBe("an object");
  expect(shown(new Box())).toBe("{}");
  expect(shown("x".repeat(500))).toHaveLength(61);
});
