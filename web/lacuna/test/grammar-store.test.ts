import { describe, expect, it } from "vitest";
import { GrammarStore } from "../src/worker/grammar-store.ts";
import { type EntryDoor, withKept } from "../src/worker/kept-grammars.ts";

/** The part of the browser's storage that the store uses, in memory. */
function fakeCaches(): { caches: CacheStorage; addresses: () => string[] } {
  const kept = new Map<string, Uint8Array>();
  const url = (request: RequestInfo | URL) =>
    request instanceof Request ? request.url : String(request);
  const path = (address: string) => address.split("?")[0];
  const same = (request: RequestInfo | URL) => (address: string) =>
    path(address) === path(url(request));
  const cache = {
    async match(request: RequestInfo | URL) {
      const found = [...kept.keys()].find(same(request));
      return found === undefined ? undefined : new Response(kept.get(found)?.slice());
    },
    async put(request: RequestInfo | URL, response: Response) {
      kept.delete(url(request));
      kept.set(url(request), new Uint8Array(await response.arrayBuffer()));
    },
    async delete(request: RequestInfo | URL) {
      const found = [...kept.keys()].filter(same(request));
      for (const address of found) kept.delete(address);
      return found.length > 0;
    },
    async keys() {
      return [...kept.keys()].map((address) => new Request(address));
    },
  };
  const caches = { open: async () => cache } as unknown as CacheStorage;
  return { caches, addresses: () => [...kept.keys()] };
}

const bytes = (count: number, value = 1) => new Uint8Array(count).fill(value);

describe("the store of compiled grammars", () => {
  it("gives back what it was given, and nothing for other keys", async () => {
    const store = new GrammarStore(fakeCaches().caches);
    await store.put("a", bytes(3, 7));
    expect(await store.get("a")).toEqual(bytes(3, 7));
    expect(await store.get("b")).toBeUndefined();
    await store.put("a", bytes(2, 8));
    expect(await store.get("a")).toEqual(bytes(2, 8));
  });

  it("makes room for the new by what was not used for longest", async () => {
    const { caches, addresses } = fakeCaches();
    const store = new GrammarStore(caches, 100);
    for (const key of ["a", "b", "c"]) await store.put(key, bytes(30));
    await store.get("a");
    await store.put("d", bytes(30));
    const keys = addresses().map((address) => new URL(address).pathname);
    expect(keys).toEqual(["/c", "/a", "/d"]);
  });

  it("keeps nothing that is larger than all there may be", async () => {
    const { caches, addresses } = fakeCaches();
    const store = new GrammarStore(caches, 100);
    await store.put("a", bytes(30));
    await store.put("b", bytes(101));
    expect(addresses()).toHaveLength(1);
  });

  it("does without a storage, and with one that fails", async () => {
    const full = {
      open: async () => {
        throw new DOMException("no room", "QuotaExceededError");
      },
    } as unknown as CacheStorage;
    for (const caches of [undefined, full]) {
      const store = new GrammarStore(caches);
      await store.put("a", bytes(3));
      expect(await store.get("a")).toBeUndefined();
    }
  });
});

/** An engine's cache, as far as entries pass through it. */
function fakeDoor() {
  const held = new Set<string>();
  let offered: { key: string; entry: Uint8Array } | undefined;
  let fresh: { key: string; entry: Uint8Array }[] = [];
  const door: EntryDoor = {
    holdsCompiled: (key) => held.has(key),
    offerCompiled: (key, entry) => {
      offered = { key, entry: Uint8Array.from(entry) };
    },
    takeCompiled: () => {
      const taken = fresh;
      fresh = [];
      return taken;
    },
  };
  /** What the engine does when it is asked for a grammar; 9 is a damaged entry. */
  const compile = (key: string) => {
    if (held.has(key)) return "memory";
    held.add(key);
    const usable = offered?.key === key && offered.entry[0] !== 9;
    const origin = usable ? "storage" : offered ? "rebuilt" : "compiled";
    offered = undefined;
    if (!usable) fresh.push({ key, entry: bytes(4) });
    return origin;
  };
  return { door, compile };
}

describe("grammars that are kept", () => {
  it("are compiled once for all that open the page", async () => {
    const store = new GrammarStore(fakeCaches().caches);
    const origins: string[] = [];
    for (let page = 0; page < 2; page++) {
      const { door, compile } = fakeDoor();
      for (let call = 0; call < 2; call++) {
        origins.push(await withKept(door, store, "a", () => compile("a")));
      }
    }
    expect(origins).toEqual(["compiled", "memory", "storage", "memory"]);
  });

  it("are compiled again where what was kept is of no use", async () => {
    const store = new GrammarStore(fakeCaches().caches);
    await store.put("a", bytes(4, 9));
    const { door, compile } = fakeDoor();
    expect(await withKept(door, store, "a", () => compile("a"))).toBe("rebuilt");
    expect(await store.get("a")).toEqual(bytes(4));
  });

  it("are kept too if they are compiled only later, as for templates", async () => {
    const store = new GrammarStore(fakeCaches().caches);
    const { door, compile } = fakeDoor();
    const later = async () => {
      await Promise.resolve();
      return compile("a");
    };
    expect(await withKept(door, store, "a", later)).toBe("compiled");
    expect(await store.get("a")).toEqual(bytes(4));
  });

  it("fail no call, whatever the call throws", async () => {
    const store = new GrammarStore(fakeCaches().caches);
    const { door } = fakeDoor();
    const work = () => {
      throw { kind: "grammar", message: "wrong" };
    };
    await expect(withKept(door, store, "a", work)).rejects.toMatchObject({ kind: "grammar" });
  });
});
