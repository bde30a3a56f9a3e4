// Serves the page as it was last built, for the tests: `--port NUMBER`,
// `--models FOLDER` to try a model that is elsewhere, and `--not-isolated` to
// see the page as a server shows it that sets no headers for isolation.

import { inside } from "./lib/paths.mjs";
import { main, optionsOf } from "./lib/report.mjs";
import { serve } from "./lib/serve.mjs";

const values = optionsOf({
  port: { type: "string", default: "4317" },
  models: { type: "string", default: inside("models") },
  "not-isolated": { type: "boolean", default: false },
});

await main(async () => {
  const { address } = await serve({
    port: Number(values.port),
    models: values.models,
    strict: true,
    isolated: !values["not-isolated"],
  });
  console.log(address);
});
