/** Light, dark, or as the system has it. */

const THEMES = ["auto", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];

const NAMES: Readonly<Record<Theme, string>> = { auto: "Auto", light: "Light", dark: "Dark" };
const KEY = "lacuna-theme";

/** Makes a button go through the themes and remembers the choice. */
export function connectTheme(button: HTMLButtonElement): void {
  let theme = remembered();
  const show = () => {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.textContent = NAMES[theme];
    button.setAttribute("aria-label", `Colours: ${theme === "auto" ? "as the system" : theme}`);
  };
  button.addEventListener("click", () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "auto";
    remember(theme);
    show();
  });
  show();
}

// A browser may forbid storage; then the choice lasts as long as the page.
function remembered(): Theme {
  try {
    return THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? "auto";
  } catch {
    return "auto";
  }
}

function remember(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {}
}
