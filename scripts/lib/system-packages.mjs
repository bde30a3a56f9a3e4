// Packages of the system (Debian, Ubuntu): installed where this process may,
// otherwise named with the exact command.

import { SetupError } from "./report.mjs";
import { capture, run, which } from "./run.mjs";

let updated = false;

/** Installs packages by apt-get, or says how the user can: `otherwise` where there is none. */
export async function installSystemPackages(names, why, otherwise) {
  const command = `sudo apt-get update && sudo apt-get install --no-install-recommends ${names.join(" ")}`;
  if (!which("apt-get")) {
    throw new SetupError(`${why} is missing, and there is no apt-get to install it`, otherwise);
  }
  if (process.getuid?.() !== 0) throw new SetupError(`${why} is missing`, command);

  const env = { DEBIAN_FRONTEND: "noninteractive" };
  if (!updated) {
    // A source that cannot be reached is no reason to stop: the package may
    // come from another, or from the lists that are already here.
    await capture("apt-get", ["update"], { env, limit: 300_000 });
    updated = true;
  }
  const args = ["install", "--yes", "--no-install-recommends", ...names];
  await run("apt-get", args, { env, mend: command });
}
