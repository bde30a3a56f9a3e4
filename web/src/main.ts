/** Where the page begins. */

import "./styles/page.css";
import { App } from "./page/app.ts";
import { byId } from "./page/dom.ts";
import { connectTheme } from "./page/theme.ts";
import { EngineClient, type WorkerLike } from "./worker/client.ts";

connectTheme(byId("theme", HTMLButtonElement));

const engine = new EngineClient(
  () =>
    new Worker(new URL("./worker/worker.ts", import.meta.url), { type: "module" }) as WorkerLike,
);
const model = new URL("models/lacuna-mini/", document.baseURI).href;

await new App(engine, model).begin();
