/** The browser's storage, where there is some and the page may look at it. */

/** `undefined` on pages that are not secure, in sandboxed frames, and where there is no browser. */
export function browserCaches(): CacheStorage | undefined {
  try {
    return globalThis.caches;
  } catch {
    // A frame without an origin of its own may not even ask.
    return undefined;
  }
}
