/** Choices that outlast the page. */

/** What was remembered under a key, if it is one of the values; else the first of them. */
export function remembered<T extends string>(key: string, values: readonly [T, ...T[]]): T {
  // A browser may forbid storage; then a choice lasts as long as the page.
  try {
    return values.find((value) => value === localStorage.getItem(key)) ?? values[0];
  } catch {
    return values[0];
  }
}

/** Remembers a value. */
export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {}
}
