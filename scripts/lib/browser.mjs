// Browsers: the user's, to show the page in, and a Chromium for the tests.

import { spawn } from "node:child_process";
import { SetupError } from "./report.mjs";
import { capture, which } from "./run.mjs";
import { installSystemPackages } from "./system-packages.mjs";

/** Opens the user's browser where there is one; never fails. */
export function openBrowser(address) {
  const { CI, DISPLAY, WAYLAND_DISPLAY } = process.env;
  if (CI || !(DISPLAY || WAYLAND_DISPLAY || process.platform === "darwin")) return;
  const opener = which(process.platform === "darwin" ? "open" : "xdg-open");
  if (!opener) return;
  spawn(opener, [address], { detached: true, stdio: "ignore" })
    .on("error", () => {})
    .unref();
}

const NAME_IT = "set LACUNA_CHROMIUM to the path of a Chrome or Chromium";

const NAMES = ["chromium", "google-chrome", "google-chrome-stable", "chromium-browser", "chrome"];

/**
 * The path of a Chromium or Chrome; installs Debian's where there is none.
 * `LACUNA_CHROMIUM` names another.
 */
export async function chromium() {
  const path = await findChromium();
  if (path) return path;
  const why = "Chromium, for the tests in the browser,";
  await installSystemPackages(["chromium"], why, `install Chrome or Chromium, then ${NAME_IT}`);
  const installed = await findChromium();
  if (installed) return installed;
  throw new SetupError("Chromium was installed but does not run", NAME_IT);
}

async function findChromium() {
  const candidates = [process.env.LACUNA_CHROMIUM, ...NAMES.map(which)].filter(Boolean);
  for (const candidate of candidates) {
    // Ubuntu has a stand-in that only says how to install the real one.
    const { status } = await capture(candidate, ["--version"], { limit: 30_000 });
    if (status === 0) return candidate;
  }
  return undefined;
}
