/** What addresses are relative to that are handed over: the page, as everywhere in it. */

/** An address as the page means it. */
export function resolveUrl(address: string | URL): URL {
  const page = typeof document === "undefined" ? globalThis.location?.href : document.baseURI;
  return new URL(address, page ?? import.meta.url);
}
