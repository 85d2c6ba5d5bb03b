// Why this label and not that one: the text with its words coloured by their evidence, and the arithmetic of each word.

import { count, make, percent, renew, select, showLabel, signed, table, thousands } from "./elements.js";

const STEPS = 9;
const FAINTEST = 1 / 16; // of the strongest piece: less evidence is not coloured
const MOST_CHARACTERS = 20000; // that are coloured
const MOST_TERMS = 40; // of the table
const MOST_PARTS = 6;
const WAIT_MS = 150;
const LONGEST_WORD = 200; // characters that the server takes

export class Evidence {
  // `onlabels` is called with two labels if somebody asks why one and not the other.
  constructor(context, onlabels) {
    this.context = context;
    this.onlabels = onlabels;
    this.counts = new Map(); // what the server has said of words
    this.element = make("section", { class: "card evidence", "aria-label": "Evidence" });
  }

  clear() {
    this.element.replaceChildren();
    this.element.hidden = true;
  }

  show({ explanation, highlights, event }) {
    this.explanation = explanation;
    this.event = event;
    this.formulas = new Map((explanation.arithmetic?.terms ?? []).map((each) => [each.name, each.formula]));
    this.detail = make("div", { class: "word-detail", role: "status" }, this.describeSum());
    this.element.hidden = false;
    renew(
      this.element,
      this.makeTitle(),
      explanation.rule &&
        make(
          "p",
          { class: "notice" },
          "A rule has decided: ",
          make("b", {}, explanation.rule.name),
          ". The evidence is that of the model alone.",
        ),
      this.paint(explanation, highlights),
      this.makeLegend(),
      this.detail,
      this.listTerms(),
    );
  }

  makeTitle() {
    const { label, against } = this.explanation;
    const { labels } = this.context;
    if (labels.length <= 2)
      return make("h2", {}, "Why ", showLabel(label, labels), " and not ", showLabel(against, labels), "?");
    const choose = (chosen, name, act) =>
      select(
        labels.map((each, place) => [String(place), String(each)]),
        String(labels.indexOf(chosen)),
        (place) => act(labels[Number(place)]),
        { "aria-label": name, class: "inline" },
      );
    return make(
      "h2",
      {},
      "Why ",
      choose(label, "Explain this label", (each) => this.onlabels(each, each === against ? label : against)),
      " and not ",
      choose(against, "Against this label", (each) => this.onlabels(each === label ? against : label, each)),
      "?",
    );
  }

  // The text, cut into pieces. Each piece with evidence can have the focus; the arrow keys go from one to the next.
  paint(explanation, highlights) {
    const points = Array.from(explanation.text);
    const values = highlights.map(([, , value]) => Math.abs(Number(value)));
    const most = Math.max(...values.filter(Number.isFinite), 0) || 1;
    this.words = [];
    const sections = explanation.columns ?? [{ name: "", start: 0, text: explanation.text }];
    const parts = sections.map((section) => {
      const end = Math.min(section.start + Array.from(section.text).length, MOST_CHARACTERS);
      const content = this.paintSection(points, section.start, end, highlights, most);
      return [
        section.name && make("h3", { class: "column-name" }, make("bdi", {}, section.name)),
        make("p", { class: "painted", dir: "auto" }, content),
      ];
    });
    if (this.words.length) this.words[0].tabIndex = 0;
    return make(
      "div",
      {
        class: "painted-box",
        role: "group",
        "aria-label": "The text, coloured by its evidence. The arrow keys move from word to word.",
        onkeydown: (event) => this.move(event),
      },
      parts,
      points.length > MOST_CHARACTERS &&
        make("p", { class: "quiet" }, `Only the first ${MOST_CHARACTERS} characters are shown; all of them count.`),
    );
  }

  paintSection(points, start, end, highlights, most) {
    const content = [];
    let place = start;
    for (const [from, to, value] of highlights) {
      if (to <= place || from >= end) continue;
      const step = measure(value, most);
      if (from > place) content.push(points.slice(place, from).join(""));
      const words = points.slice(from, Math.min(to, end)).join("");
      content.push(words.trim() ? this.makeWord(words, from, to, value, step) : words);
      place = Math.min(to, end);
    }
    if (place < end) content.push(points.slice(place, end).join(""));
    return content;
  }

  makeWord(words, from, to, value, step) {
    const side = step === 0 ? "" : ` ${Number(value) < 0 || value === "-inf" ? "against" : "for"} step-${step}`;
    const describe = () => this.detail.replaceChildren(this.describeWord(words, from, to, value));
    const mark = () => {
      for (const each of this.words) each.tabIndex = each === word ? 0 : -1;
      describe();
    };
    const word = make(
      "span",
      {
        class: `word${side}`,
        role: "button",
        tabindex: "-1",
        "aria-label": `${words.trim()}, ${signed(value)}`,
        onfocus: mark,
        onmouseenter: describe,
        onclick: () => word.focus(),
      },
      words,
    );
    this.words.push(word);
    return word;
  }

  move(event) {
    const place = this.words.indexOf(document.activeElement);
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const next = event.key === "Home" ? 0 : event.key === "End" ? this.words.length - 1 : place + (step ?? NaN);
    if (place < 0 || !this.words[next]) return;
    event.preventDefault();
    this.words[next].focus();
  }

  makeLegend() {
    const { label, against } = this.explanation;
    return make(
      "p",
      { class: "legend quiet" },
      make("span", { class: "sample for step-6", "aria-hidden": "true" }, "solid line"),
      " speaks for ",
      make("bdi", {}, String(label)),
      ", ",
      make("span", { class: "sample against step-6", "aria-hidden": "true" }, "dotted line"),
      " for ",
      make("bdi", {}, String(against)),
      ". Point at a word for its numbers.",
    );
  }

  describeSum() {
    const { prior, score, probability, overall_probability: overall, label, against, impossible } = this.explanation;
    const evidence = Number(score) - Number(prior);
    const sum = impossible
      ? `The text is impossible under both labels, so only the prior decides: ${signed(score)}, which is `
      : `prior ${signed(prior)}, words ${signed(evidence)}: sum ${signed(score)}, which is `;
    return make(
      "p",
      {},
      sum,
      make("b", {}, percent(probability)),
      " for ",
      make("bdi", {}, String(label)),
      this.context.labels.length > 2 && [
        " against ",
        make("bdi", {}, String(against)),
        ` alone. Among all ${this.context.labels.length} labels it is ${percent(overall)}`,
      ],
      ".",
    );
  }

  // The terms that stand at a place of the text.
  describeWord(words, from, to, value) {
    const found = this.explanation.evidence.filter((item) => item.spans.some(([start, end]) => start < to && end > from));
    return make(
      "div",
      {},
      make(
        "p",
        {},
        make("b", { dir: "auto" }, words.trim()),
        ` adds ${signed(value)} here.`,
        found.length > 1 && ` ${found.length} terms stand here:`,
      ),
      make(
        "ul",
        { class: "terms" },
        found.slice(0, MOST_PARTS).map((item) => this.describeTerm(item)),
      ),
      found.length > MOST_PARTS && make("p", { class: "quiet" }, `… and ${found.length - MOST_PARTS} terms more`),
    );
  }

  describeTerm(item) {
    const formula = this.formulas.get(item.term);
    const parts = item.parts ?? [];
    const shown = make(
      "li",
      {},
      make("code", { dir: "auto" }, item.term),
      ` ${signed(item.value)}`,
      formula && [" = ", make("span", { class: "formula" }, formula)],
      parts.length > 1 &&
        make(
          "span",
          { class: "quiet" },
          ` from ${parts.length} parts, such as `,
          parts
            .slice(0, MOST_PARTS)
            .map((part, place) => [place > 0 && ", ", make("code", { dir: "auto" }, part.term), ` ${signed(part.value)}`]),
        ),
    );
    this.addCounts(item.term, shown);
    return shown;
  }

  // How often each label has the word: the server is asked when somebody looks at it for a moment.
  async addCounts(term, place) {
    const name = `${this.event} ${term}`;
    await new Promise((resolve) => {
      setTimeout(resolve, this.counts.has(name) ? 0 : WAIT_MS);
    });
    if (!place.isConnected || term.length > LONGEST_WORD) return;
    try {
      if (!this.counts.has(name)) this.counts.set(name, this.context.server.post("word", { word: term, counts_only: true }));
      const counts = (await this.counts.get(name)).counts.filter((each) => each.count > 0).sort((a, b) => b.count - a.count);
      if (!counts.length) return;
      place.append(
        make(
          "span",
          { class: "quiet counts" },
          " Learned: ",
          counts
            .slice(0, MOST_PARTS)
            .map((each, i) => [
              i > 0 && ", ",
              `${thousands(each.count)} × `,
              make("bdi", {}, String(each.label)),
              ` (${count(each.documents, "document")})`,
            ]),
          ".",
        ),
      );
    } catch {
      this.counts.delete(name); // the evidence is complete without the counts
    }
  }

  listTerms() {
    const { explanation } = this;
    const shown = explanation.evidence.slice(0, MOST_TERMS);
    const others = explanation.evidence.slice(MOST_TERMS);
    const hasFormulas = this.formulas.size > 0;
    const row = (name, value, formula) => [
      make("bdi", {}, name),
      signed(value, 3),
      ...(hasFormulas ? [make("span", { class: "formula" }, formula ?? "")] : []),
    ];
    const rows = [
      row("(prior)", explanation.prior, explanation.arithmetic?.prior.formula),
      ...shown.map((item) => row(item.term, item.value, this.formulas.get(item.term))),
      ...(others.length
        ? [
            row(
              `${others.length} other terms`,
              others.reduce((sum, item) => sum + Number(item.value), 0),
            ),
          ]
        : []),
      row(explanation.impossible ? "score of the prior" : "sum", explanation.score),
      row(
        this.context.labels.length > 2 ? "probability between the two" : "probability",
        explanation.probability,
        explanation.arithmetic?.probability?.formula,
      ),
      ...(this.context.labels.length > 2 ? [row("probability among all labels", explanation.overall_probability)] : []),
    ];
    return make(
      "details",
      {},
      make("summary", {}, "All numbers"),
      table("Evidence of each term", ["term", "adds", ...(hasFormulas ? ["how"] : [])], rows, { class: "scroll-x numbers" }),
      explanation.unknown.length > 0 &&
        make(
          "p",
          { class: "quiet" },
          "Unknown to the model: ",
          explanation.unknown.slice(0, MOST_TERMS).map((term, place) => [place > 0 && ", ", make("bdi", {}, term)]),
          explanation.unknown.length > MOST_TERMS && " …",
        ),
      (explanation.arithmetic?.notes ?? []).map((note) => make("p", { class: "quiet" }, note)),
    );
  }
}

function measure(value, most) {
  const number = Number(value);
  if (!Number.isFinite(number)) return STEPS;
  const strength = Math.abs(number) / most;
  return strength < FAINTEST ? 0 : Math.max(1, Math.round(STEPS * strength));
}
