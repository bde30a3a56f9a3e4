/** Where the page begins. */

import "./styles/page.css";
import { createEngine } from "lacuna-lm";
import { App } from "./page/app.ts";
import { byId } from "./page/dom.ts";
import { connectTheme } from "./page/theme.ts";

connectTheme(byId("theme", HTMLButtonElement));

const model = new URL("models/lacuna-mini/", document.baseURI);

await new App(createEngine({ model })).begin();
