/** A server for an app of its own, without isolation, with a policy for its contents. */

import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const models = fileURLToPath(new URL("../../../models/", import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".wasm": "application/wasm",
};

/** All that the package needs of a policy, besides the page's own scripts. */
export const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";

/** What makes a page cross-origin isolated. */
export const ISOLATION = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
} as const;

/** Serves a folder, with the models behind `/models/`. */
export async function serveApp(
  folder: string,
  policy = POLICY,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ address: string; close: () => void }> {
  const server = createServer((request, response) => {
    const name = normalize(new URL(request.url ?? "/", "http://localhost").pathname);
    const path = name.startsWith("/models/")
      ? join(models, name.slice("/models/".length))
      : join(folder, name === "/" ? "index.html" : name);
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, {
      "content-type": TYPES[extname(path)] ?? "application/octet-stream",
      "content-security-policy": policy,
      "access-control-allow-origin": "*",
      ...headers,
    });
    createReadStream(path).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}/`, close: () => server.close() };
}
