// A small static server for the page and the models, on the loopback only.

import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize, sep } from "node:path";
import { PAGE } from "./page.mjs";
import { inside } from "./paths.mjs";

const HOST = "127.0.0.1";
const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".map": "application/json",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
};

// What makes a page cross-origin isolated, so that its workers may share memory.
const ISOLATION = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
};

/**
 * Serves until the process ends. With `port` taken, any free one is used
 * unless `strict`. `models` is the folder behind `/models/`. The page is
 * cross-origin isolated unless `isolated` is false. Gives `{ address, close }`.
 */
export async function serve({ port, strict = false, models = inside("models"), isolated = true }) {
  const more = isolated ? ISOLATION : {};
  const server = createServer((request, response) => answer(request, response, models, more));
  const listen = (wanted) =>
    new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen(wanted, HOST, () => resolve(server.address().port));
    });
  const actual = await listen(port).catch((error) => {
    if (error.code !== "EADDRINUSE" || strict) throw error;
    return listen(0);
  });
  return { address: `http://${HOST}:${actual}/`, close: () => server.close() };
}

function answer(request, response, models, more) {
  const fail = (status) =>
    response.writeHead(status, { "content-type": "text/plain" }).end(`${status}\n`);
  if (request.method !== "GET" && request.method !== "HEAD") return fail(405);
  const found = locate(request.url, models);
  if (!found) return fail(404);

  const { path, size, tag } = found;
  const headers = {
    "content-type": TYPES[extname(path)] ?? "application/octet-stream",
    "cache-control": "no-cache",
    "x-content-type-options": "nosniff",
    etag: tag,
    ...more,
  };
  if (request.headers["if-none-match"] === tag) return response.writeHead(304, headers).end();
  response.writeHead(200, { ...headers, "content-length": size });
  if (request.method === "HEAD") return response.end();
  createReadStream(path)
    .on("error", () => response.destroy())
    .pipe(response);
}

/** The file that an address names, if it may be read. */
function locate(address, models) {
  try {
    let name = normalize(decodeURIComponent(new URL(address, "http://localhost").pathname));
    if (name.endsWith(sep)) name += "index.html";
    if (name.split(sep).some((part) => part.startsWith("."))) return undefined;
    const prefix = `${sep}models${sep}`;
    const path = name.startsWith(prefix)
      ? join(models, name.slice(prefix.length))
      : join(PAGE, name);
    const stat = statSync(path);
    if (!stat.isFile()) return undefined;
    return { path, size: stat.size, tag: `"${stat.size}-${stat.mtimeMs}"` };
  } catch {
    // No address, no name that a file can have, or no file that may be looked at.
    return undefined;
  }
}
