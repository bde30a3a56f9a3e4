// Serves the page as it was last built, for the tests: `--port NUMBER`, and
// `--models FOLDER` to try a model that is elsewhere.

import { parseArgs } from "node:util";
import { inside } from "./lib/paths.mjs";
import { main } from "./lib/report.mjs";
import { serve } from "./lib/serve.mjs";

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "4317" },
    models: { type: "string", default: inside("models") },
  },
});

await main(async () => {
  const { address } = await serve({
    port: Number(values.port),
    models: values.models,
    strict: true,
  });
  console.log(address);
});
