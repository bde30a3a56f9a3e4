// Where things are.

import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's folder. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** A path inside the repository. */
export const inside = (...parts) => join(root, ...parts);

/** Whether a module is the one that Node was started with, by whichever links. */
export const isRun = ({ filename }) => realpathSync(process.argv[1] ?? "/") === filename;
