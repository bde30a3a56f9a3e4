import { defineConfig } from "@playwright/test";
import { launchOptions } from "./e2e/browser.ts";

const port = 4317;

export default defineConfig({
  testDir: "e2e",
  outputDir: "../test-results/e2e",
  // The engine takes a core for itself: one page at a time, but where tests that measure time are
  // left out.
  workers: 1,
  timeout: 120_000,
  expect: { timeout: 30_000 },
  forbidOnly: Boolean(process.env.CI),
  reporter: [["list"]],
  use: {
    baseURL: `http://127.0.0.1:${port}/`,
    viewport: { width: 1280, height: 900 },
    launchOptions: launchOptions("--disable-gpu"),
  },
  webServer: {
    command: `node ../scripts/serve.mjs --port ${port}`,
    url: `http://127.0.0.1:${port}/`,
    reuseExistingServer: false,
  },
});
