/** Whether texts belong to a grammar, in a thread of its own: a large one takes a while. */

import { compileGrammar, FAULT, type GrammarInput, LacunaError } from "lacuna-lm/grammar";

/** What is asked. */
export interface Question {
  readonly id: number;
  readonly grammar: GrammarInput;
  /** Texts that the grammar may mean by name. */
  readonly texts: Readonly<Record<string, string>>;
  readonly text: string;
}

/** What is answered: yes or no, or why that is not known. */
export interface Answer {
  readonly id: number;
  readonly member?: boolean;
  readonly error?: string;
  /** Whether the engine is beyond use: it answers nothing more. */
  readonly isBroken?: boolean;
}

self.onmessage = async ({ data: { id, grammar, texts, text } }: MessageEvent<Question>) => {
  let answer: Answer;
  try {
    const compiled = await compileGrammar(grammar, { texts });
    answer = { id, member: compiled.canComplete([text]) };
    compiled.dispose();
  } catch (error) {
    const isBroken = error instanceof LacunaError && error.kind === FAULT.trap;
    answer = { id, error: error instanceof Error ? error.message : String(error), isBroken };
  }
  self.postMessage(answer);
};
