// Words: which terms speak for which label, and everything about one word.

import { lineChart } from "./charts.js";
import {
  bar,
  button,
  card,
  count,
  emptiness,
  make,
  percent,
  showLabel,
  showText,
  signed,
  table,
  thousands,
} from "./elements.js";
import { attempt } from "./messages.js";

const PER_LABEL = 20;
const MOST_LABELS = 9; // that are shown at once
const MOST_LINES = 4; // of the trend
const MOST_DOCUMENTS = 20; // that the server sends

export const open = (context) => new WordsView(context);

class WordsView {
  constructor(context) {
    this.context = context;
    this.search = make("input", {
      type: "search",
      "aria-label": "Search a word",
      placeholder: "Search a word",
      autocomplete: "off",
      spellcheck: "false",
    });
    this.found = make("div", { "aria-live": "polite" });
    this.lists = make("div", { class: "word-lists" });
    this.wanted = make("input", {
      type: "search",
      "aria-label": "Find a label",
      placeholder: "Find a label",
      oninput: () => this.fill(),
    });
    this.howMany = make("span", { class: "quiet", role: "status" });
    this.filter = make("div", { class: "row word-filter", hidden: true }, this.wanted, this.howMany);
    this.element = make(
      "div",
      { class: "words" },
      make(
        "form",
        {
          class: "card row",
          role: "search",
          onsubmit: (event) => {
            event.preventDefault();
            this.look(this.search.value.trim());
          },
        },
        this.search,
        make("button", { type: "submit", class: "main" }, "Search"),
      ),
      this.found,
      this.filter,
      this.lists,
    );
    this.keys = [
      {
        keys: ["/"],
        words: "Search a word",
        act: () => {
          this.search.focus();
          this.search.select();
        },
      },
    ];
  }

  async start() {
    await attempt(async () => {
      this.labels = (await this.context.server.get(`words?limit=${PER_LABEL}`)).labels;
      this.fill();
    });
  }

  // The most informative terms of each label.
  fill() {
    const all = listTerms(this.labels);
    const wanted = this.wanted.value.trim().toLowerCase();
    const shown = all.filter(({ label }) => String(label).toLowerCase().includes(wanted)).slice(0, MOST_LABELS);
    this.filter.hidden = all.length <= MOST_LABELS;
    this.howMany.textContent = `${shown.length} of ${all.length} labels`;
    this.lists.replaceChildren(
      make(
        "div",
        { class: "columns" },
        shown.map((each) => this.showLabelTerms(each)),
      ),
    );
    if (!all.length)
      this.lists.replaceChildren(
        emptiness("No words yet", "The model has learned nothing, or it does not say which terms matter."),
      );
  }

  showLabelTerms({ label, terms }) {
    const most = Math.max(...terms.map((each) => Math.abs(each.log_odds ?? 0)), 1e-9);
    const known = this.context.labels.find((each) => String(each) === String(label)) ?? label;
    return card(
      showLabel(known, this.context.labels),
      terms.length === 0
        ? make("p", { class: "quiet" }, "No term speaks for this label.")
        : make(
            "ol",
            { class: "term-list" },
            terms.map((each) =>
              make(
                "li",
                {},
                button(
                  [
                    make("span", { class: "term-name", dir: "auto" }, each.term),
                    bar(each.log_odds === null ? 1 : Math.abs(each.log_odds) / most),
                    make("span", { class: "number" }, signed(each.log_odds ?? "inf")),
                  ],
                  () => this.look(each.term),
                  { class: "term" },
                ),
              ),
            ),
          ),
    );
  }

  async look(word) {
    if (!word) return;
    this.search.value = word;
    await attempt(async () => {
      const answer = await this.context.server.post("word", { word });
      this.found.replaceChildren(this.showWord(answer, word));
      this.found.firstChild.querySelector("h2").focus();
    });
  }

  showWord({ term, known, counts, trend, documents }, word) {
    const { labels } = this.context;
    const title = make("h2", { tabindex: "-1", dir: "auto" }, "“", make("bdi", {}, term ?? word), "”");
    const close = button(
      "Close",
      () => {
        this.found.replaceChildren();
        this.search.focus();
      },
      { class: "plain" },
    );
    if (!known)
      return make(
        "section",
        { class: "card" },
        make("div", { class: "row spread" }, title, close),
        make("p", {}, "The model has not learned this word. It may know other forms of it."),
      );
    const hasWeights = counts.some((each) => each.probability === null);
    return make(
      "section",
      { class: "card" },
      make("div", { class: "row spread" }, title, close),
      make(
        "div",
        { class: "two" },
        table(
          "Counts under each label",
          ["label", "times", "documents", hasWeights ? "weight" : "probability"],
          counts.map((each) => [
            showLabel(each.label, labels),
            thousands(each.count),
            thousands(each.documents),
            hasWeights ? signed(each.weight ?? 0, 3) : showSmall(each.probability),
          ]),
        ),
        this.showTrend(trend ?? []),
      ),
      documents?.length > 0 &&
        make(
          "div",
          {},
          make(
            "h3",
            {},
            documents.length < MOST_DOCUMENTS
              ? `${count(documents.length, "document")} with this word`
              : `The newest ${MOST_DOCUMENTS} documents with this word`,
          ),
          make(
            "ul",
            { class: "documents" },
            documents.map((each) =>
              make(
                "li",
                {},
                showLabel(each.label, labels),
                " ",
                showText(each.text, 300),
                make("span", { class: "quiet" }, ` event ${each.event}`),
              ),
            ),
          ),
        ),
    );
  }

  // The sums up to each step: a step without the word is not in the answer.
  showTrend(trend) {
    const { labels } = this.context;
    const steps = [...new Set(trend.map((each) => each.event))].sort((a, b) => a - b);
    if (steps.length < 2) return make("p", { class: "quiet" }, "There are too few documents with this word for a trend.");
    const totals = new Map(labels.map((label) => [label, sum(trend.filter((each) => each.label === label))]));
    const names = labels
      .filter((label) => totals.get(label) > 0)
      .sort((a, b) => totals.get(b) - totals.get(a))
      .slice(0, MOST_LINES);
    const lines = names.map((name) => ({
      name: String(name),
      points: steps.map((event) => [event, sum(trend.filter((each) => each.label === name && each.event <= event))]),
    }));
    return lineChart({
      title: "Trend",
      words: "How many learned documents have the word, up to each event.",
      x: { name: "event", show: thousands },
      y: { name: "documents", show: thousands, range: [0, totals.get(names[0])] },
      lines,
    });
  }
}

function sum(steps) {
  return steps.reduce((total, each) => total + each.n, 0);
}

function listTerms(labels) {
  const speaksFor = (each) => each.log_odds === null || each.log_odds > 0; // null is infinite
  return Object.entries(labels).map(([label, terms]) => ({ label, terms: terms.filter(speaksFor) }));
}

function showSmall(probability) {
  return probability >= 0.001 ? percent(probability, 2) : probability.toExponential(1);
}
