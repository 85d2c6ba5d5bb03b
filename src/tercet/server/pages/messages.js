// Short messages at the edge of the page, which screen readers announce. A problem stays until it is closed.

import { button, make } from "./elements.js";

const SECONDS = 12;

export function tell(words, ...actions) {
  const box = document.getElementById("messages");
  const message = make(
    "div",
    { class: "message" },
    make("span", {}, words),
    actions.map(([name, act]) =>
      button(
        name,
        () => {
          message.remove();
          act();
        },
        { class: "plain" },
      ),
    ),
  );
  box.replaceChildren(message); // one at a time: “Undo” of an older step would stand beside that of the last one
  let timer = setTimeout(() => message.remove(), SECONDS * 1000);
  // Nobody loses a message that they are about to use.
  for (const name of ["mouseenter", "focusin"]) message.addEventListener(name, () => clearTimeout(timer));
  for (const name of ["mouseleave", "focusout"])
    message.addEventListener(name, () => {
      timer = setTimeout(() => message.remove(), SECONDS * 1000);
    });
}

export function complain(problem) {
  if (problem?.name === "AbortError") return;
  if (problem?.code === undefined) console.error(problem);
  const words = problem?.code === undefined ? "Something went wrong on this page. Reload it and try again." : problem.message;
  const box = document.getElementById("problems");
  const message = make(
    "div",
    { class: "message problem" },
    make("span", {}, words),
    button("Close", () => message.remove(), { class: "plain" }),
  );
  box.replaceChildren(message);
}

export function stopComplaining() {
  document.getElementById("problems").replaceChildren();
}

// Do something that may fail, and say so.
export async function attempt(act) {
  try {
    return await act();
  } catch (problem) {
    complain(problem);
    return undefined;
  }
}
