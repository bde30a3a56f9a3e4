/**
 * The judgement of texts that nobody else in a browser can judge: whether they belong to
 * the grammar, by the grammar engine's own build, which did not write them.
 */

import type { Answer, Question } from "./member.worker.ts";
import { textsOf } from "./texts.ts";
import type { Verdict } from "./verdict.ts";

/** A worker that judges, and those who wait for it. */
interface Judge {
  readonly worker: Worker;
  readonly waiting: Map<number, (answer: Answer) => void>;
}

let judge: Judge | undefined;
let asked = 0;

/** Judges a text, written for a request, by a Lark grammar. */
export async function judgeMember(text: string, lark: string, request: string): Promise<Verdict> {
  const { member, error } = await ask({ grammar: { lark }, texts: textsOf(request), text });
  const valid = member === true;
  const word = error ? "Not judged" : valid ? "In the grammar" : "Not in it";
  const problem = error ?? "The text does not belong to the grammar";
  return {
    ...{ parses: false, valid, word, spans: [] },
    problems: valid ? [] : [problem.replace(/\.$/, "")],
    praise: "Belongs to the grammar, says the grammar engine’s own build.",
  };
}

function ask(question: Omit<Question, "id">): Promise<Answer> {
  judge ??= started();
  const { worker, waiting } = judge;
  const id = ++asked;
  return new Promise((resolve) => {
    waiting.set(id, resolve);
    worker.postMessage({ ...question, id } satisfies Question);
  });
}

/** A fresh worker; if it dies, or its engine does, whoever waits is told, and the next question starts another. */
function started(): Judge {
  const worker = new Worker(new URL("./member.worker.ts", import.meta.url), { type: "module" });
  const waiting: Judge["waiting"] = new Map();
  const own: Judge = { worker, waiting };
  const answer = (message: Answer) => {
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  };
  const end = (error: string) => {
    worker.terminate();
    if (judge === own) judge = undefined;
    for (const id of [...waiting.keys()]) answer({ id, error });
  };
  worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => {
    answer(data);
    if (data.isBroken) end(data.error ?? "The grammar engine’s own build broke");
  });
  worker.addEventListener("error", (event) => {
    event.preventDefault();
    end(event.message || "The grammar engine’s own build could not be started");
  });
  return own;
}
