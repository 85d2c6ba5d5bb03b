// Questions that need an answer before anything happens.

import { button, make, newId, noteFocus } from "./elements.js";

// Show a dialog. Resolves to what `close` was called with; null if it was cancelled.
export function openDialog(title, fillIn, { wide = false } = {}) {
  return new Promise((resolve) => {
    const id = newId("dialog");
    let answer = null;
    const giveBackFocus = noteFocus(document.body);
    const close = (value) => {
      answer = value;
      dialog.close();
    };
    const dialog = make("dialog", {
      class: wide ? "wide" : "",
      "aria-labelledby": id,
      onclose: () => {
        dialog.remove();
        giveBackFocus();
        resolve(answer);
      },
    });
    dialog.append(make("h2", { id }, title), ...[fillIn(close)].flat());
    document.body.append(dialog);
    dialog.showModal();
  });
}

// Ask a question with two answers.
export function confirm(title, words, yes, { isGrave = false } = {}) {
  return openDialog(title, (close) => [
    make("p", {}, words),
    make(
      "div",
      { class: "actions" },
      button("Cancel", () => close(null), { autofocus: true }),
      button(yes, () => close(true), { class: isGrave ? "grave" : "main" }),
    ),
  ]);
}

// Ask for one line of text.
export function prompt(title, words, yes, value = "") {
  return openDialog(title, (close) => {
    const input = make("input", { type: "text", value, autofocus: true, "aria-label": title, maxlength: "2000" });
    return make(
      "form",
      {
        class: "stack",
        onsubmit: (event) => {
          event.preventDefault();
          close(input.value.trim());
        },
      },
      words && make("p", {}, words),
      input,
      make(
        "div",
        { class: "actions" },
        button("Cancel", () => close(null)),
        make("button", { type: "submit", class: "main" }, yes),
      ),
    );
  });
}
