// An offered text as people read it, with the names of its columns if it has several.

import { make } from "./elements.js";

export function hasColumns(offer) {
  return Object.keys(offer.columns).length > 0;
}

// The texts of an offer, with the names of their columns if there are several.
export function listTexts(offer) {
  return hasColumns(offer)
    ? Object.entries(offer.columns).map(([name, value]) => [name, String(value ?? "")])
    : [["", offer.text]];
}

export function showOffered(offer) {
  return make(
    "div",
    { class: "label-text", tabindex: "-1" },
    listTexts(offer).map(([name, value]) => [
      name && make("h3", { class: "column-name" }, make("bdi", {}, name)),
      make("p", { dir: "auto" }, value),
    ]),
  );
}
