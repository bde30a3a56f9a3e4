/** An app's code, for the compiler only: every door's types, as an app sees them. */

import { createEngine, type EngineEvent, LacunaError } from "lacuna-lm";
import { createLacuna } from "lacuna-lm/ai-sdk";
import { compileGrammar, type Diagnostic, validate } from "lacuna-lm/grammar";
import { createOpenAI } from "lacuna-lm/openai";
import { useCompletion } from "lacuna-lm/react";
import { serve } from "lacuna-lm/worker";
import { z } from "zod";

await using engine = createEngine({ model: new URL("https://models.test/mini/") });

const trip = z.object({ to: z.string(), nights: z.int().transform(String) });
const generation = engine.generate({ prompt: "two nights in Oslo", grammar: { jsonSchema: trip } });
for await (const event of generation) {
  const seen: EngineEvent = event;
  if (seen.type === "commit") seen.bytes satisfies Uint8Array;
}
const { value, text } = await generation.result;
text satisfies string;
value.to satisfies string;
value.nights satisfies string;
// @ts-expect-error What the validator gives is no number.
value.nights satisfies number;

const free = await engine.generate({ prompt: "", grammar: { regex: "a+" } }).result;
free.value satisfies string;

const plain = await engine.generate({ prompt: "", grammar: { jsonSchema: { type: "string" } } })
  .result;
// @ts-expect-error Nothing is known of a plain schema's values.
plain.value satisfies string;

const decoded = engine.generate({
  prompt: "",
  grammar: { jsonSchema: trip },
  schedule: { threshold: 0.9 },
  order: "margin",
  topP: 0.9,
});
(await decoded.result).value.to satisfies string;
for (const event of (await decoded.result).events) {
  if (event.type === "figures") event.checkerMs satisfies number;
  if (event.type === "refusal")
    event.reason satisfies "impossible" | "exhausted" | "end-before-text";
}
const compared = engine.generate({ prompt: "", grammar: { jsonSchema: trip }, method: "epic" });
// Nothing is promised of what another method writes.
(await compared.result).value satisfies undefined;
// @ts-expect-error There is no such order.
engine.generate({ prompt: "", grammar: { regex: "a" }, order: "upwards" });

using compiled = await compileGrammar({ jsonSchema: trip });
const bound = await engine.generate({ prompt: "", grammar: compiled, temperature: 0.5 }).result;
bound.value.to satisfies string;

const { diagnostics } = await validate({ lark: 'start: "a"' });
diagnostics satisfies readonly Diagnostic[];

const model = createLacuna({ engine })();
model.specificationVersion satisfies "v4";

const answer = await createOpenAI(engine).chat.completions.create({
  messages: [{ role: "user", content: "hello" }],
});
answer.choices[0].message.content satisfies string;

/** A schema's type as libraries declare it, without an index signature. */
interface Schema {
  type?: string;
  properties?: { [name: string]: Schema | boolean };
}
const declared: Schema = { type: "object" };
compileGrammar({ jsonSchema: declared }) satisfies Promise<unknown>;

export function useTrip() {
  const { complete, error, value } = useCompletion({ engine, grammar: { jsonSchema: trip } });
  value?.nights satisfies string | undefined;
  error?.kind satisfies string | undefined;
  // @ts-expect-error A prompt is handed over when the text is wanted.
  useCompletion({ engine, grammar: { regex: "a" }, prompt: "hello" });
  return async () => (await complete("two nights in Oslo"))?.value.to satisfies string | undefined;
}

serve satisfies () => void;
new LacunaError({ kind: "x", message: "y" }).kind satisfies string;
