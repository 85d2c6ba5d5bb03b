// Keys. Single keys work unless the focus is in a field or a dialog is open; people who dictate can switch them off.

import { openDialog } from "./dialogs.js";
import { key, make } from "./elements.js";

const STORED = "tercet-single-keys";
const groups = new Map(); // name → [{ keys: ["u"], words, act }]
let prefix = null;
let isListening = false;

function areOn() {
  return localStorage.getItem(STORED) !== "off";
}

// Set the keys of a part of the page, such as a view. Keys that are set last win.
export function setKeys(group, entries) {
  groups.delete(group);
  if (entries.length) groups.set(group, entries);
}

export function listen() {
  if (isListening) return;
  isListening = true;
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (document.querySelector("dialog[open]")) return;
    if (event.key === "Escape" && isField(event.target)) {
      act("Escape", event) || event.target.blur();
      return;
    }
    if (isField(event.target) || !areOn() || isUsedBy(event.target, event.key)) return;
    const name = prefix ? `${prefix} ${event.key}` : event.key;
    prefix = null;
    if (!act(name, event) && hasPrefix(event.key)) prefix = event.key;
  });
}

function act(name, event) {
  for (const entries of [...groups.values()].reverse()) {
    const found = entries.find((entry) => entry.keys.includes(name));
    if (found) {
      event.preventDefault();
      found.act(name);
      return true;
    }
  }
  return false;
}

function hasPrefix(name) {
  return [...groups.values()].flat().some((entry) => entry.keys.some((keys) => keys.startsWith(`${name} `)));
}

export function isField(element) {
  return (
    element.isContentEditable || element.matches("textarea, select, input:not([type=checkbox], [type=radio], [type=file])")
  );
}

// Enter and space belong to a button that has the focus.
function isUsedBy(element, name) {
  return (name === "Enter" || name === " ") && element.matches("button, a[href], summary, input, [role=tab]");
}

// All keys that work now, in a dialog.
export function showHelp() {
  openDialog(
    "Keys",
    (close) => {
      const isOn = make("input", {
        type: "checkbox",
        checked: areOn(),
        onchange: () => {
          localStorage.setItem(STORED, isOn.checked ? "on" : "off");
        },
      });
      const lists = [...groups].map(([name, entries]) =>
        make(
          "section",
          {},
          make("h3", {}, name),
          make(
            "dl",
            { class: "keys" },
            entries
              .filter((entry) => entry.words)
              .map((entry) => [
                make(
                  "dt",
                  {},
                  (entry.show ?? entry.keys).map((keys) => keys.split(" ").map((each) => key(nameKey(each)))),
                ),
                make("dd", {}, entry.words),
              ]),
          ),
        ),
      );
      return [
        ...lists,
        make("label", { class: "check" }, isOn, "Use single keys"),
        make(
          "p",
          { class: "quiet" },
          "Inside a field, Escape leaves the field. Tab, Enter and the arrow keys work everywhere.",
        ),
        make(
          "div",
          { class: "actions" },
          make("button", { type: "button", class: "main", autofocus: true, onclick: () => close() }, "Close"),
        ),
      ];
    },
    { wide: true },
  );
}

function nameKey(name) {
  return { ArrowDown: "↓", ArrowUp: "↑", ArrowLeft: "←", ArrowRight: "→", Escape: "Esc" }[name] ?? name;
}
