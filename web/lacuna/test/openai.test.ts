/** What answers as OpenAI's client does. */

import { expect, it } from "vitest";
import { type ChatCompletionRequest, createOpenAI } from "../src/openai/index.ts";
import { fakeWriter } from "./fake-writer.ts";

const text = '{"name":"Ann"}';
const tokens = ['{"name":"', "Ann", '"}'];
const schema = { type: "object", properties: { name: { type: "string" } } };
const messages = [
  { role: "system", content: "Extract the name." },
  { role: "user", content: [{ type: "text", text: "I am Ann" }] },
] as const;

it("answers within a schema", async () => {
  const { engine, asked } = fakeWriter(tokens, text);
  const answer = await createOpenAI(engine).chat.completions.create({
    model: "mini",
    messages,
    response_format: { type: "json_schema", json_schema: { name: "person", schema } },
    max_completion_tokens: 20,
    temperature: 0.3,
    top_p: 0.8,
    seed: 4,
    steps: 6,
    decoding: { order: "margin", topK: 9 },
  });
  expect(answer).toMatchObject({
    object: "chat.completion",
    model: "mini",
    choices: [{ message: { role: "assistant", content: text }, finish_reason: "stop" }],
    usage: { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 },
  });
  expect(asked).toMatchObject([
    {
      prompt: "I am Ann",
      task: "Extract the name.",
      grammar: { jsonSchema: schema },
      unconstrained: false,
      length: 20,
      steps: 6,
      seed: 4,
      temperature: 0.3,
      topP: 0.8,
      order: "margin",
      topK: 9,
    },
  ]);
});

it("gives a text up whose stream is left", async () => {
  const { engine, asked } = fakeWriter(tokens, text);
  const stream = await createOpenAI(engine).chat.completions.create({ messages, stream: true });
  for await (const chunk of stream) if (chunk.choices[0]?.delta.role) break;
  expect(asked[0]?.signal?.aborted).toBe(true);
});

it("gives a text up whose stream is left before it is read", async () => {
  const { engine, asked } = fakeWriter(tokens, text);
  const stream = await createOpenAI(engine).chat.completions.create({ messages, stream: true });
  expect(await stream[Symbol.asyncIterator]().return?.()).toEqual({ done: true });
  expect(asked[0]?.signal?.aborted).toBe(true);
});

it("tells nothing of a text whose cells may be masked again before it is done", async () => {
  const { engine } = fakeWriter(["{", "\uFEFF", "}"], "{\uFEFF}");
  const create = createOpenAI(engine).chat.completions.create;
  const said = async (decoding: object) => {
    const pieces = [];
    for await (const { choices } of await create({ messages, stream: true, decoding }))
      if (choices[0]?.delta.content) pieces.push(choices[0].delta.content);
    return pieces;
  };
  expect(await said({ remask: 0.5 })).toEqual(["{\uFEFF}"]);
  expect(await said({})).toEqual(["{", "\uFEFF}"]);
});

it("streams pieces that add up, and the usage if asked for it", async () => {
  const { engine } = fakeWriter(tokens, text);
  const stream = await createOpenAI(engine).chat.completions.create({
    messages,
    stream: true,
    stream_options: { include_usage: true },
  });
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  const said = chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("");
  expect(said).toBe(text);
  expect(chunks[0]?.choices[0]?.delta.role).toBe("assistant");
  expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe("stop");
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 8 } });
  expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
});

it.each([
  ["nothing", null, { unconstrained: true }],
  ["text", { type: "text" }, { unconstrained: true }],
  ["any object", { type: "json_object" }, { grammar: { jsonSchema: { type: "object" } } }],
  ["a grammar", { type: "grammar", grammar: { regex: "a" } }, { grammar: { regex: "a" } }],
] as const)("takes %s as the answer's form", async (_, response_format, wanted) => {
  const { engine, asked } = fakeWriter(tokens, text);
  await createOpenAI(engine).chat.completions.create({ messages, response_format } as never);
  expect(asked[0]).toMatchObject(wanted);
});

it.each([
  [{ n: 2 }, "n"],
  [{ tools: [{ type: "function" }] }, "tools"],
  [{ stop: "\n" }, "stop"],
  [{ logprobs: true }, "logprobs"],
  [{ response_format: { type: "yaml" } }, "yaml"],
  [{ response_format: {} }, "response_format {}"],
  [{ response_format: "json_object" }, 'response_format "json_object"'],
  [{ response_format: { type: "grammar", regex: "a" } }, "regex"],
  [{ response_format: { type: "grammar", grammar: null } }, "A grammar is one of"],
  [{ response_format: { type: "grammar", grammar: { regexp: "a" } } }, "A grammar is one of"],
  [{ response_format: { type: "json_object", schema } }, "schema"],
  [{ response_format: { type: "json_schema", json_schema: schema } }, "type"],
  [{ response_format: { type: "json_schema", schema } }, "schema"],
  [{ decoding: { prompt: "hm" } }, "prompt"],
  [{ decoding: { grammar: { regex: "a" } } }, "grammar"],
  [{ decoding: { method: "unconstrained" } }, "method"],
  [{ decoding: { order: "best" } }, "order"],
  [{ decoding: "margin" }, "decoding"],
  [{ messages: [...messages, { role: "assistant", content: "hm" }] }, "conversation"],
  [{ messages: [] }, "conversation"],
  [{ messages: [{ ...messages[0], name: "Nina" }] }, "name"],
  [{ stream_options: { include_usage: true } }, "stream_options without stream"],
  [{ stream: true, stream_options: { include_obfuscation: false } }, "include_obfuscation"],
  [{ max_tokens: 64, max_completion_tokens: 32 }, "max_tokens"],
])("refuses %j by name", async (more, name) => {
  const { engine } = fakeWriter(tokens, text);
  const request = { messages, ...more } as unknown as ChatCompletionRequest & { stream: false };
  const call = createOpenAI(engine).chat.completions.create(request);
  await expect(call).rejects.toMatchObject({
    kind: "invalid-input",
    message: expect.stringContaining(name),
  });
});

it("takes nothing but an engine", () => {
  for (const engine of [undefined, {}, "engine"])
    expect(() => createOpenAI(engine as never)).toThrow(/made by createEngine/);
});

it("refuses what it cannot do beside a request", async () => {
  const { engine } = fakeWriter(tokens, text);
  const options = { timeout: 1000 } as object;
  const call = createOpenAI(engine).chat.completions.create({ messages }, options);
  await expect(call).rejects.toMatchObject({
    kind: "invalid-input",
    message: expect.stringContaining("timeout"),
  });
});

it("is given up with its signal", async () => {
  const { engine } = fakeWriter(tokens, text);
  const options = { signal: AbortSignal.timeout(1) };
  const call = createOpenAI(engine).chat.completions.create({ messages }, options);
  await expect(call).rejects.toMatchObject({ kind: "cancelled", name: "AbortError" });
});
