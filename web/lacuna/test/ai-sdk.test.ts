/** The provider, called by the AI SDK itself. */

import { generateText, NoSuchModelError, Output, streamText } from "ai";
import { expect, it } from "vitest";
import { z } from "zod";
import { createLacuna } from "../src/ai-sdk/index.ts";
import { fakeWriter } from "./fake-writer.ts";

const text = '{"name":"né"}';
const bytes = new TextEncoder().encode("né");
// A token may end within a character.
const tokens = ['{"name":"', bytes.slice(0, 2), bytes.slice(2), '"}'];

it("gives structured output, within the schema that is asked for", async () => {
  const { engine, asked } = fakeWriter(tokens, text);
  const { output, usage, finishReason, warnings } = await generateText({
    model: createLacuna({ engine, steps: 9 })(),
    system: "Extract the name.",
    prompt: "I am né",
    temperature: 0.5,
    seed: 3,
    maxOutputTokens: 12,
    topP: 0.9,
    presencePenalty: 0.1,
    reasoning: "high",
    output: Output.object({ schema: z.object({ name: z.string() }) }),
  });
  expect(output).toEqual({ name: "né" });
  expect(finishReason).toBe("stop");
  expect(usage).toMatchObject({ inputTokens: 5, outputTokens: 4 });
  expect(warnings).toMatchObject([
    { type: "unsupported", feature: "presencePenalty" },
    { type: "unsupported", feature: "reasoning" },
  ]);
  expect(asked).toMatchObject([
    {
      prompt: "I am né",
      task: "Extract the name.",
      unconstrained: false,
      length: 12,
      steps: 9,
      seed: 3,
      temperature: 0.5,
      topP: 0.9,
      grammar: { jsonSchema: { type: "object", properties: { name: { type: "string" } } } },
    },
  ]);
});

it("warns of what the grammar does not heed", async () => {
  const slip = { kind: "unknown-keyword", severity: "warning", pointer: "/requried" } as const;
  const warning = { ...slip, message: "the keyword is unknown", note: "did you mean required?" };
  const { engine } = fakeWriter(tokens, text, [warning]);
  const model = createLacuna({ engine })();
  const said = "unknown-keyword (/requried): the keyword is unknown; did you mean required?";
  const expected = [{ type: "other", message: said }];
  const { warnings } = await generateText({ model, prompt: "hello" });
  expect(warnings).toEqual(expected);
  const streamed = streamText({ model, prompt: "hello" });
  await streamed.consumeStream();
  expect(await streamed.warnings).toEqual(expected);
});

it("streams the text as its beginning grows, and tells of commits in parts of their own", async () => {
  const { engine } = fakeWriter(tokens, text);
  const deltas: string[] = [];
  const steps: unknown[] = [];
  const { fullStream } = streamText({ model: createLacuna({ engine })(), prompt: "hello" });
  for await (const part of fullStream) {
    if (part.type === "text-delta") deltas.push(part.text);
    if (part.type === "custom") steps.push(part.providerMetadata?.lacuna);
  }
  expect(deltas.join("")).toBe(text);
  expect(deltas).toEqual(['{"name":"', "n", 'é"}']);
  expect(steps).toMatchObject([
    { commits: [{ cell: 3, text: '"}' }, { cell: 4 }] },
    { commits: [{ cell: 0 }, { cell: 1 }, { cell: 2 }] },
  ]);
});

it("takes grammars and slots in its own options, and leaves commits out if asked to", async () => {
  const { engine, asked } = fakeWriter(tokens, text);
  const lacuna = createLacuna({ engine, silent: true, grammar: { regex: "a+" } });
  const { fullStream } = streamText({
    model: lacuna.languageModel("mini"),
    prompt: "hello",
    providerOptions: {
      lacuna: {
        grammar: { gbnf: 'root ::= "b"' },
        texts: { a: "b" },
        schedule: { threshold: 0.9 },
      },
    },
  });
  const kinds = new Set<string>();
  for await (const part of fullStream) kinds.add(part.type);
  expect(kinds).not.toContain("custom");
  const given = { grammar: { gbnf: 'root ::= "b"' }, texts: { a: "b" } };
  expect(asked[0]).toMatchObject({ ...given, schedule: { threshold: 0.9 } });
  await generateText({ model: lacuna(), prompt: "hello" });
  expect(asked[1]).toMatchObject({ grammar: { regex: "a+" }, unconstrained: false });
});

it("is given up with its signal", async () => {
  const { engine } = fakeWriter(tokens, text);
  const abort = new AbortController();
  const model = createLacuna({ engine })();
  const call = generateText({ model, prompt: "hello", abortSignal: abort.signal });
  abort.abort();
  await expect(call).rejects.toMatchObject({ name: "AbortError" });
});

it("refuses what the model cannot do", async () => {
  const { engine } = fakeWriter(tokens, text);
  const lacuna = createLacuna({ engine });
  const messages = [
    { role: "user", content: "a" },
    { role: "assistant", content: "b" },
    { role: "user", content: "c" },
  ] as const;
  await expect(
    generateText({ model: lacuna(), messages: [...messages], maxRetries: 0 }),
  ).rejects.toThrow(/conversation/);
  expect(() => lacuna.embeddingModel("x")).toThrow(NoSuchModelError);
});

it.each([
  { prompt: "hm" },
  { unconstrained: true },
  { method: "unconstrained" },
  { order: "best" },
])("refuses %j among its options, by name", async (lacuna) => {
  const { engine, asked } = fakeWriter(tokens, text);
  const model = createLacuna({ engine })();
  const call = generateText({ model, prompt: "hello", providerOptions: { lacuna } });
  await expect(call).rejects.toMatchObject({
    kind: "invalid-input",
    message: expect.stringContaining(Object.keys(lacuna)[0] ?? ""),
  });
  expect(asked).toEqual([]);
});

it("names what a provider cannot be made of", () => {
  const { engine } = fakeWriter([], "");
  for (const [wrong, words] of [
    [undefined, "takes an object of options"],
    [{}, "engine is undefined"],
    [{ engine: {} }, "made by createEngine"],
    [{ engine, step: 3 }, "did you mean steps?"],
    [{ engine, steps: 0 }, "steps is 0"],
  ] as const)
    expect(() => createLacuna(wrong as never)).toThrow(words);
});
