/** Where the playground begins. */

import "./page.css";
import { byId } from "../src/page/dom.ts";
import { connectTheme } from "../src/page/theme.ts";
import { Playground } from "./playground.ts";

connectTheme(byId("theme", HTMLButtonElement));

await new Playground().begin();
