/** Whether texts belong to a grammar, in a thread of its own: a large one takes a while. */

import { compileGrammar, type GrammarInput } from "lacuna-lm/grammar";

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
}

self.onmessage = async ({ data: { id, grammar, texts, text } }: MessageEvent<Question>) => {
  let answer: Answer;
  try {
    const compiled = await compileGrammar(grammar, { texts });
    answer = { id, member: compiled.canComplete([text]) };
    compiled.dispose();
  } catch (error) {
    answer = { id, error: error instanceof Error ? error.message : String(error) };
  }
  self.postMessage(answer);
};
