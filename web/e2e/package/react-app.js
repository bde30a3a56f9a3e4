// A page made with React and the package's hook, with the checks that React makes while one
// develops: effects run twice.

import { createEngine } from "lacuna-lm";
import { useCompletion } from "lacuna-lm/react";
import { createElement, StrictMode, useEffect } from "react";
import { createRoot } from "react-dom/client";

const model = new URL("/models/lacuna-small/", location.href);
const { workerUrl, wasmUrl } = globalThis.lacunaUrls;
const engine = createEngine({ model, device: "cpu", workerUrl, wasmUrl });
await engine.load();

/** All that was on show, in order. */
window.seen = [];

function Ask({ options, shown }) {
  const { text, value, error, isWriting, complete, stop } = useCompletion({ engine, ...options });
  useEffect(() => {
    window.seen.push(text);
    Object.assign(window, { complete, stop });
    shown();
  });
  const state = isWriting ? "writing" : (error?.kind ?? "idle");
  return createElement("p", { "data-state": state, title: JSON.stringify(value) }, text);
}

const root = createRoot(document.body.appendChild(document.createElement("main")));
/** Fulfilled when the hook has these options: a render may be put off. */
window.show = (options) =>
  new Promise((shown) => {
    root.render(createElement(StrictMode, {}, createElement(Ask, { options, shown })));
  });
window.unmount = () => root.render(null);
window.engine = engine;
window.ready = true;
