import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fetchModel } from "../src/worker/fetch.ts";

let server: Server;
let base: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    const [, folder, name] = (request.url ?? "").split("/");
    if (folder === "missing" && name === "tokenizer.json") {
      response.writeHead(404).end();
    } else if (folder === "cut" && name === "model.safetensors") {
      response.writeHead(200, { "content-length": "1000" });
      response.write("half", () => response.destroy());
    } else {
      response.writeHead(200, { "content-length": String(name?.length) }).end(name);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.close();
});

describe("fetching a model", () => {
  it("gives the three files, and counts their bytes", async () => {
    const seen: [number, number | null][] = [];
    const files = await fetchModel(`${base}/good/`, (loaded, total) => seen.push([loaded, total]));
    expect(new TextDecoder().decode(files.weights)).toBe("model.safetensors");
    const total = "config.jsontokenizer.jsonmodel.safetensors".length;
    expect(seen.at(-1)).toEqual([total, total]);
  });

  it("names the file that is missing", async () => {
    await expect(fetchModel(`${base}/missing/`, () => {})).rejects.toMatchObject({
      kind: "network",
      message: expect.stringContaining("tokenizer.json"),
    });
  });

  it("notices a connection that breaks off", async () => {
    await expect(fetchModel(`${base}/cut/`, () => {})).rejects.toMatchObject({
      kind: "network",
      message: expect.stringContaining("model.safetensors"),
    });
  });

  it("says that nobody answers", async () => {
    await expect(fetchModel("http://127.0.0.1:1/", () => {})).rejects.toMatchObject({
      kind: "network",
    });
  });
});
