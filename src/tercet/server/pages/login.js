// The log-in view: a name and a password. On a server for one computer, the link in the terminal lets its owner in.

import { field, make } from "./elements.js";
import { openSession } from "./api.js";
import { stopComplaining } from "./messages.js";

// Show the log-in view until somebody is in. Resolves to the session.
export function askWho(root, problem) {
  stopComplaining();
  return new Promise((resolve) => {
    const name = make("input", {
      type: "text",
      name: "username",
      autocomplete: "username",
      autocapitalize: "none",
      spellcheck: "false",
      required: true,
    });
    const password = make("input", { type: "password", name: "password", autocomplete: "current-password", required: true });
    const words = make("p", { class: "problem-words", role: "alert" }, problem);
    const enter = make("button", { type: "submit", class: "main" }, "Log in");
    const form = make(
      "form",
      {
        class: "card stack log-in",
        onsubmit: async (event) => {
          event.preventDefault();
          enter.disabled = true;
          words.textContent = "";
          try {
            resolve(await openSession({ name: name.value, password: password.value }));
          } catch (refusal) {
            words.textContent = refusal.message;
            password.value = "";
            password.focus();
          } finally {
            enter.disabled = false;
          }
        },
      },
      make("h1", {}, "tercet"),
      words,
      field("Name", name),
      field("Password", password),
      make("div", { class: "actions" }, enter),
      make(
        "p",
        { class: "quiet" },
        "If you have started the server on this computer, open the link that it has printed: it needs no password.",
      ),
    );
    root.replaceChildren(make("main", { id: "view", class: "log-in-view", tabindex: "-1" }, form));
    document.title = "Log in – tercet";
    name.focus();
  });
}
