import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const inside = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  // The page works from any folder of any server.
  base: "./",
  build: {
    target: "es2022",
    // The engine is a file of its own: it is compiled while it downloads.
    assetsInlineLimit: (path) => !path.endsWith(".wasm"),
    rolldownOptions: { input: ["index.html", "playground/index.html"].map(inside) },
  },
  worker: { format: "es" },
  test: { include: ["test/**/*.test.ts", "lacuna/test/**/*.test.ts"], environment: "node" },
});
