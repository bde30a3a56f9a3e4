/** Where the page begins. */

import "./styles/page.css";
import { App } from "./page/app.ts";
import { byId } from "./page/dom.ts";
import { Engines } from "./page/engines.ts";
import { connectTheme } from "./page/theme.ts";

connectTheme(byId("theme", HTMLButtonElement));

await new App(new Engines(new URL("models/", document.baseURI))).begin();
