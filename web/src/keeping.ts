/**
 * What a page holds, kept in its address: a reload brings it back, and so does a step back. The
 * address is written when nothing was changed for a while. What the page held when it was left is
 * kept for the tab too: the address may be behind it, and a reload that has begun goes to the
 * address of its beginning, though that is written once more before the page is left.
 */

/** Milliseconds without a change before the address is written. */
const PAUSE = 400;

interface Options {
  /** What it is kept by for the tab. */
  readonly key: string;
  /** What the page holds, as it is kept for the tab. */
  readonly state: () => unknown;
  /** The same as a fragment; `undefined` where it is too much for one. */
  readonly fragment: () => Promise<string | undefined>;
}

export class Keeper {
  readonly #options: Options;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isChanged = false;

  constructor(options: Options) {
    this.#options = options;
    addEventListener("pagehide", () => this.#leave());
  }

  /** Something was changed. */
  changed(): void {
    this.#isChanged = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.save(), PAUSE);
  }

  /** Writes the address; tells whether that carries everything. */
  async save(): Promise<boolean> {
    clearTimeout(this.#timer);
    const { hash } = location;
    const fragment = await this.#options.fragment();
    if (fragment === undefined) return false;
    // Somebody may have gone to another link meanwhile.
    if (location.hash !== hash) return true;
    if (fragment !== hash) history.replaceState(null, "", fragment);
    return true;
  }

  /** Puts something else in; a step back brings back what there was. */
  async turn(putIn: () => void): Promise<void> {
    await this.save();
    putIn();
    clearTimeout(this.#timer);
    const fragment = await this.#options.fragment();
    history.pushState(null, "", fragment ?? location.href);
  }

  #leave(): void {
    const { key, state } = this.#options;
    // A browser may forbid storage, or have no room; then the address has to do.
    try {
      if (!this.#isChanged) sessionStorage.removeItem(key);
      else sessionStorage.setItem(key, JSON.stringify({ hash: location.hash, state: state() }));
    } catch {}
  }
}

/**
 * What was kept by this key when the page was left, if this is the page that was left: reloaded,
 * or come back to at its address.
 */
export function leftBehind(key: string): unknown {
  const [navigation] = performance.getEntriesByType("navigation");
  const { type } = (navigation ?? {}) as Partial<PerformanceNavigationTiming>;
  try {
    const text = sessionStorage.getItem(key);
    sessionStorage.removeItem(key);
    const { hash, state } = JSON.parse(text ?? "{}") as { hash?: string; state?: unknown };
    const isBack = type === "back_forward" && hash === location.hash;
    return type === "reload" || isBack ? state : undefined;
  } catch {
    return undefined;
  }
}
