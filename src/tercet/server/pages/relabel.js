// Ask for the right label of a document.

import { Choices } from "./choices.js";
import { openDialog } from "./dialogs.js";
import { button, make, showLabel } from "./elements.js";

// Resolves to { label, isNew }, or to null.
export function chooseLabel(context, label) {
  return openDialog("What is the right label?", (close) => {
    const choices = new Choices(context, (chosen, isNew) => close({ label: chosen, isNew }));
    choices.show(null);
    const box = make(
      "div",
      {
        onkeydown: (event) => {
          if (!event.target.matches("input") && /^[1-9]$/.test(event.key)) choices.press(event.key);
        },
      },
      label !== null && label !== undefined && make("p", {}, "Now it is ", showLabel(label, context.labels), "."),
      choices.element,
      make(
        "div",
        { class: "actions" },
        button("Cancel", () => close(null)),
      ),
    );
    return box;
  });
}
