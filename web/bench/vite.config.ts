import { defineConfig } from "vite";

// What lets workers share memory.
const headers = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
};

export default defineConfig({
  build: { target: "es2022", assetsInlineLimit: (path) => !path.endsWith(".wasm") },
  worker: { format: "es" },
  preview: { host: "127.0.0.1", headers },
});
