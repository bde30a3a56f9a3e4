/** The completions that were found of one text under one grammar: none stands there twice. */

import type { Completed } from "./protocol.ts";

/** What another completion is found by. */
export interface Wanted {
  readonly seed: number;
  readonly known: readonly string[];
}

export class CompletionList {
  #about = "";
  #all: readonly Completed[] = [];
  #chosen: Completed | undefined;
  #seed = 0;
  #isBusy = false;

  /** All that were found, the first one first. */
  get all(): readonly Completed[] {
    return this.#all;
  }

  get chosen(): Completed | undefined {
    return this.#chosen;
  }

  /** Whether another one is being looked for. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /**
   * Learns the first completion of what `about` says, or that there is none. What was found
   * stays where it is the same as before; returns whether it is not.
   */
  begin(first: Completed | null, about: string): boolean {
    const known = this.#all[0];
    if (first && known && about === this.#about && isSame(first, known)) return false;
    this.#about = about;
    this.#all = first ? [first] : [];
    this.#chosen = first ?? undefined;
    this.#seed = 0;
    return true;
  }

  choose(completed: Completed): void {
    this.#chosen = completed;
  }

  /**
   * Asks for another completion and adds it, one at a time. Returns it, or `null` if none was
   * found; `undefined` where one is being looked for, or the list is another one by then.
   */
  async findAnother(
    ask: (wanted: Wanted) => Promise<Completed | null>,
  ): Promise<Completed | null | undefined> {
    if (this.#isBusy) return undefined;
    this.#isBusy = true;
    const first = this.#all[0];
    const isOld = () => this.#all[0] !== first;
    try {
      const known = this.#all.map(({ text }) => text);
      const found = await ask({ seed: ++this.#seed, known });
      if (isOld()) return undefined;
      if (!found || known.includes(found.text)) return null;
      this.#all = [...this.#all, found];
      return found;
    } catch (thrown) {
      if (isOld()) return undefined;
      throw thrown;
    } finally {
      this.#isBusy = false;
    }
  }
}

const isSame = (a: Completed, b: Completed): boolean =>
  a.text === b.text && JSON.stringify(a.fillings) === JSON.stringify(b.fillings);
