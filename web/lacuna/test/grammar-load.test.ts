/** Why the grammar engine cannot be had: not fetched, or not to be run here. */

import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

const wasm = readFileSync(new URL("../wasm/grammar/lacuna_wasm_bg.wasm", import.meta.url));
const wasmUrl = "http://localhost/grammar.wasm";
const answer = (body: BodyInit, type: string, status = 200) =>
  new Response(body, { status, headers: { "content-type": type } });

beforeEach(() => vi.resetModules());
afterEach(() => vi.unstubAllGlobals());

const cut = () => {
  const stream = new ReadableStream({ start: (cut) => cut.error(new TypeError("cut")) });
  return new Response(stream);
};

it.each([
  ["a server that is not reached", () => Promise.reject(new TypeError("away")), "network"],
  ["a server without it", () => answer("", "text/plain", 404), "network"],
  ["a page in its place", () => answer("<html>", "text/html"), "network"],
  ["half of it, before the connection broke off", cut, "network"],
  ["something else in its place", () => answer("no such file", "text/plain"), "network"],
])("%s", async (_, fetch, kind) => {
  vi.stubGlobal("fetch", async () => fetch());
  const { loadGrammarEngine } = await import("../src/grammar/index.ts");
  await expect(loadGrammarEngine({ wasmUrl })).rejects.toMatchObject({ name: "LacunaError", kind });
});

it("what is no module, or no address", async () => {
  const { loadGrammarEngine } = await import("../src/grammar/index.ts");
  for (const [options, kind] of [
    [{ wasm: new Uint8Array(9) }, "unavailable"],
    [{ wasmUrl: "http://" }, "invalid-input"],
    [{ wasmUrl: "file:///nowhere" }, "network"],
  ] as const)
    await expect(loadGrammarEngine(options)).rejects.toMatchObject({ kind });
});

it("a policy that forbids it", async () => {
  vi.stubGlobal("fetch", async () => answer(wasm, "application/wasm"));
  const forbidden = () => Promise.reject(new WebAssembly.CompileError("forbidden by the policy"));
  const instantiate = vi.spyOn(WebAssembly, "instantiateStreaming").mockImplementation(forbidden);
  const { loadGrammarEngine } = await import("../src/grammar/index.ts");
  await expect(loadGrammarEngine({ wasmUrl })).rejects.toMatchObject({ kind: "unavailable" });
  // What forbade it may be gone.
  instantiate.mockRestore();
  await loadGrammarEngine({ wasmUrl });
});
