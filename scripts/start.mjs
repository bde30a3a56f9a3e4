// `npm start`: builds what is missing, serves the page, opens a browser.
// Options: --port NUMBER (4173; another if that is taken), --no-open.

import { build } from "./build.mjs";
import { openBrowser } from "./lib/browser.mjs";
import { requireModels } from "./lib/models.mjs";
import { main, optionsOf, SetupError, stage } from "./lib/report.mjs";
import { serve } from "./lib/serve.mjs";

function options() {
  const values = optionsOf({
    port: { type: "string", default: "4173" },
    "no-open": { type: "boolean", default: false },
  });
  const port = Number(values.port);
  if (Number.isInteger(port) && port >= 0 && port < 65536)
    return { port, open: !values["no-open"] };
  throw new SetupError(`--port ${values.port} is no port`, "npm start -- --port 4173");
}

await main(async () => {
  const { port, open } = options();
  await build();
  requireModels();
  const { address } = await stage("server", () => serve({ port }));
  console.log(`\nLacuna is at ${address}   (Ctrl+C ends it)\n`);
  if (open) openBrowser(address);
});
