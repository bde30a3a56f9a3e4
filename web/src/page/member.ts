/**
 * The judgement of texts that nobody else in a browser can judge: whether they belong to
 * the grammar, by the grammar engine's own build, which did not write them.
 */

import type { Answer, Question } from "./member.worker.ts";
import { textsOf } from "./texts.ts";
import type { Verdict } from "./verdict.ts";

let worker: Worker | undefined;
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
  worker ??= new Worker(new URL("./member.worker.ts", import.meta.url), { type: "module" });
  const id = ++asked;
  const asking = worker;
  return new Promise((resolve) => {
    const heard = ({ data }: MessageEvent<Answer>) => {
      if (data.id !== id) return;
      asking.removeEventListener("message", heard);
      resolve(data);
    };
    asking.addEventListener("message", heard);
    asking.addEventListener("error", ({ message }) => resolve({ id, error: message }), {
      once: true,
    });
    asking.postMessage({ ...question, id } satisfies Question);
  });
}
