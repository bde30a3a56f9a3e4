// Where things are.

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's folder. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** A path inside the repository. */
export const inside = (...parts) => join(root, ...parts);
