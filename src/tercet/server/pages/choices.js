// The labels to choose from: the keys 1 to 9, a bar for the probability, a search if there are many, and a new label.

import { prompt } from "./dialogs.js";
import { bar, button, key, make, percent, showLabel } from "./elements.js";

const KEYS = 9;
const MOST_FOUND = 30;
const LEARNED = "The model learns this label with this text. It needs some texts more before it can propose it.";

export class Choices {
  // `onchoose` gets a label, and whether it is new. Without it the labels are only shown. `words` say what a new label means.
  constructor(context, onchoose = null, { words = LEARNED } = {}) {
    this.context = context;
    this.onchoose = onchoose;
    this.words = words;
    this.proposal = null;
    this.scores = null;
    this.list = make("ol", { class: "choices" });
    this.search = make("input", {
      type: "search",
      placeholder: "Find a label",
      "aria-label": "Find a label",
      oninput: () => this.fill(),
      onkeydown: (event) => {
        if (event.key !== "Enter" || !this.shown.length) return;
        event.preventDefault();
        this.choose(this.shown[0]);
      },
    });
    this.howMany = make("span", { class: "quiet", role: "status" });
    this.tools = make("div", { class: "row choices-tools" }, this.search, this.howMany);
    this.element = make("div", { class: "choices-box" }, this.tools, this.list);
  }

  // Show the labels with their probabilities, best first in `labels`; null if nothing is known.
  show(proposal) {
    this.proposal = proposal;
    this.scores = proposal && new Map((proposal.labels ?? [proposal]).map((each) => [each.label, each.probability]));
    if (document.activeElement !== this.search) this.search.value = ""; // nobody's search is lost by an answer that comes late
    this.fill();
  }

  // The labels in the order of their keys. Few labels keep their places, so that fingers can learn them.
  get ordered() {
    const { labels } = this.context;
    if (labels.length <= KEYS || !this.scores) return labels;
    return [...this.scores.keys(), ...labels.filter((label) => !this.scores.has(label))];
  }

  fill() {
    const { labels } = this.context;
    const isMany = labels.length > KEYS;
    const wanted = this.search.value.trim().toLowerCase();
    const found = this.ordered.filter((label) => String(label).toLowerCase().includes(wanted));
    this.shown = isMany ? found.slice(0, wanted ? MOST_FOUND : KEYS) : found;
    this.tools.hidden = !isMany;
    this.howMany.textContent = `${this.shown.length} of ${labels.length} labels`;
    const focused = [...this.list.children].findIndex((row) => row.contains(document.activeElement));
    this.list.replaceChildren(
      ...this.shown.map((label, place) => make("li", {}, this.makeChoice(label, place, wanted))),
      ...(this.onchoose
        ? [
            make(
              "li",
              {},
              button("Another label …", () => this.askForNew(), { class: "choice plain" }),
            ),
          ]
        : []),
    );
    if (focused >= 0) this.list.children[focused]?.firstChild.focus(); // who has chosen with the mouse goes on from there
  }

  makeChoice(label, place, wanted) {
    const { labels } = this.context;
    const probability = this.scores?.get(label);
    const isBest = this.proposal?.label === label;
    const hasKey = this.onchoose && place < KEYS && !wanted;
    const content = [
      hasKey ? key(String(place + 1)) : make("span", { class: "no-key" }),
      make("span", { class: "choice-name" }, showLabel(label, labels), isBest && make("span", { class: "badge" }, "proposed")),
      probability === undefined ? make("span") : bar(probability, isBest ? "best" : ""),
      make("span", { class: "choice-number" }, probability === undefined ? "" : percent(probability)),
    ];
    const kind = isBest ? "choice is-best" : "choice";
    if (!this.onchoose) return make("div", { class: kind }, content);
    return button(content, () => this.choose(label), { class: kind, "aria-keyshortcuts": hasKey ? String(place + 1) : null });
  }

  choose(label) {
    this.search.value = "";
    this.onchoose(label, false);
  }

  // The label of a key from 1 to 9.
  press(name) {
    const label = this.shown?.[Number(name) - 1];
    if (label !== undefined) this.choose(label);
  }

  accept() {
    if (this.proposal) this.choose(this.proposal.label);
  }

  async askForNew() {
    const { labels } = this.context;
    const written = await prompt("Another label", this.words, "Use this label");
    if (!written) return;
    const areNumbers = labels.length > 0 && labels.every((label) => typeof label === "number");
    const label =
      labels.find((each) => String(each) === written) ??
      (areNumbers && Number.isFinite(Number(written)) ? Number(written) : written);
    this.onchoose(label, !labels.includes(label));
  }

  get keys() {
    if (!this.onchoose) return [];
    return [
      {
        keys: ["1", "2", "3", "4", "5", "6", "7", "8", "9"],
        show: ["1–9"],
        words: "The label with this number",
        act: (name) => this.press(name),
      },
      { keys: ["Enter"], words: "Accept the proposed label", act: () => this.accept() },
    ];
  }
}
