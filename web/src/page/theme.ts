/** Light, dark, or as the system has it. */

import { remember, remembered } from "./memory.ts";

const THEMES = ["auto", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];

const NAMES: Readonly<Record<Theme, string>> = { auto: "Auto", light: "Light", dark: "Dark" };
const KEY = "lacuna-theme";

/** Makes a button go through the themes and remembers the choice. */
export function connectTheme(button: HTMLButtonElement): void {
  let theme: Theme = remembered(KEY, THEMES);
  const show = () => {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.textContent = NAMES[theme];
    button.setAttribute("aria-label", `Colours: ${theme === "auto" ? "as the system" : theme}`);
  };
  button.addEventListener("click", () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "auto";
    remember(KEY, theme);
    show();
  });
  show();
}
