// Serves the page as it was last built, for the tests: `--port NUMBER`.

import { parseArgs } from "node:util";
import { main } from "./lib/report.mjs";
import { serve } from "./lib/serve.mjs";

const { values } = parseArgs({ options: { port: { type: "string", default: "4317" } } });

await main(async () => {
  const { address } = await serve({ port: Number(values.port), strict: true });
  console.log(address);
});
