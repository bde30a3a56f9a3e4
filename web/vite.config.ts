import { defineConfig } from "vitest/config";

export default defineConfig({
  // The page works from any folder of any server.
  base: "./",
  build: {
    target: "es2022",
    // The engine is a file of its own: it is compiled while it downloads.
    assetsInlineLimit: (path) => !path.endsWith(".wasm"),
  },
  worker: { format: "es" },
  test: { include: ["test/**/*.test.ts", "lacuna/test/**/*.test.ts"], environment: "node" },
});
