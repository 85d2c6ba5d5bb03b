// Begin: a first model from texts without labels, and from what somebody knows of the labels. The texts stay in this page until
// the model is made: the server keeps nothing of a beginning that is given up.

import { ask } from "./api.js";
import { prompt } from "./dialogs.js";
import { button, card, count, emptiness, field, key, make, newId, percent, showText, thousands } from "./elements.js";
import { complain } from "./messages.js";
import { READABLE, readColumns } from "./pool_import.js";
import { findEnding, sendTable } from "./table_file.js";

const STORED = "tercet-begin"; // the labels and words, without texts
const MOST_TEXT = 300; // characters of a text that is shown
const EXAMPLE = "sports: team, goal, match\nbusiness: bank, rate, market";
const SERVER = { post: (path, body, options) => ask("POST", path, body, options) };

export const open = (context) => new BeginView(context);

class BeginView {
  constructor(context) {
    this.context = context;
    this.texts = null;
    this.found = null; // what the server has worked out, and the lines that it is of
    this.place = 0; // the label that the keys are for
    this.status = make("p", { role: "status", class: "quiet" });
    this.problem = make("p", { class: "problem", role: "alert", hidden: true });
    this.lines = make("textarea", {
      rows: "6",
      placeholder: EXAMPLE,
      spellcheck: "false",
      oninput: () => this.noteChange(),
    });
    this.lines.value = localStorage.getItem(STORED) ?? "";
    this.start_ = button(["Work it out ", key("r")], () => this.workOut(), { class: "main", "aria-keyshortcuts": "r" });
    this.make_ = button(["Make this model ", key("m")], () => this.makeModel(), { "aria-keyshortcuts": "m", hidden: true });
    this.result = make("div", { class: "begin-result" });
    this.element = make("div", { class: "begin-view" }, this.makeForm(), this.result);
    this.first = this.file;
    this.keys = [
      {
        keys: ["1", "2", "3", "4", "5", "6", "7", "8", "9"],
        show: ["1–9"],
        words: "Add the proposed word with this number",
        act: (name) => this.press(name),
      },
      { keys: ["ArrowDown", "j"], words: "Next label", act: () => this.step(1) },
      { keys: ["ArrowUp", "k"], words: "Previous label", act: () => this.step(-1) },
      { keys: ["/"], words: "Write labels and words", act: () => this.lines.focus() },
      { keys: ["r"], words: "Work it out, or work it out again", act: () => this.workOut() },
      { keys: ["m"], words: "Make this model", act: () => this.makeModel() },
    ];
  }

  close() {
    this.isClosed = true;
    this.work?.abort(); // the server stops working for nobody
  }

  // The texts and the labels.

  makeForm() {
    const columns = make("datalist", { id: newId("columns") });
    this.file = make("input", {
      type: "file",
      accept: ".csv,.tsv,.jsonl,.ndjson,.txt",
      onchange: async () => {
        const names = await readColumns(this.file.files[0]);
        columns.replaceChildren(...names.map((each) => make("option", { value: each })));
        await this.read();
      },
    });
    const column = () =>
      make("input", { type: "text", list: columns.id, autocomplete: "off", onchange: () => this.file.files[0] && this.read() });
    this.textColumn = column();
    this.personColumn = column();
    return card(
      "Begin a model without labels",
      make(
        "p",
        {},
        "You have texts and know your labels, but no text has one yet. Give a file of texts, and for each label some words ",
        "that you expect in its texts, and hardly in others. Five words for each label are a good start.",
      ),
      field("File of texts", this.file, "A table (.csv), lines of JSON (.jsonl), or one text per line (.txt)."),
      make(
        "details",
        { class: "begin-columns" },
        make("summary", {}, "Columns of a table"),
        field("Column of the texts (may be empty)", this.textColumn, "If empty: the likely one."),
        field("Column of the person (may be empty)", this.personColumn, "All texts about a person can be erased later."),
        columns,
      ),
      field("Labels", this.lines, "One label in each line. After a colon, its words: sports: team, goal, match"),
      this.status,
      this.problem,
      make("div", { class: "row" }, this.start_, this.make_),
    );
  }

  async read() {
    const file = this.file.files[0];
    const kind = READABLE[findEnding(file)];
    this.texts = null;
    if (!kind) {
      this.complain("This page reads .csv, .jsonl and .txt. A spreadsheet can be saved as CSV.");
      return;
    }
    await this.doWork("Reading the file …", async () => {
      const given = { text: this.textColumn.value.trim(), subject: this.personColumn.value.trim() };
      const query = new URLSearchParams(Object.entries(given).filter(([, column]) => column));
      const answer = await sendTable(SERVER, `api/beginnings/texts?${query}`, file, kind);
      if (answer === null) return "No file was read.";
      this.texts = answer.texts;
      this.name = file.name.replace(/\.\w+$/, "");
      const lost = answer.bad > 0 ? ` ${count(answer.bad, "row")} could not be read, or have no text.` : "";
      return `${count(answer.texts.length, "different text")} of ${count(answer.read, "row")}.${lost}`;
    });
  }

  noteChange() {
    localStorage.setItem(STORED, this.lines.value);
    if (this.found) this.status.textContent = "The words have changed: work it out again (r).";
  }

  // Do something that takes a while, and say how it went.
  async doWork(words, act) {
    if (this.work) return false;
    this.work = new AbortController();
    this.problem.hidden = true;
    this.status.textContent = words;
    this.element.setAttribute("aria-busy", "true");
    this.start_.disabled = this.make_.disabled = true;
    try {
      this.status.textContent = (await act(this.work.signal)) ?? "";
      return true;
    } catch (problem) {
      this.status.textContent = "";
      if (problem.code === undefined) complain(problem);
      else this.complain(problem.message);
      return false;
    } finally {
      this.work = null;
      this.start_.disabled = this.make_.disabled = false;
      this.element.removeAttribute("aria-busy");
    }
  }

  complain(words) {
    this.problem.textContent = words;
    this.problem.hidden = false;
  }

  // The labels of the lines, or null if something is missing.
  get message() {
    if (!this.texts) {
      this.complain("Choose a file of texts first.");
      return null;
    }
    const pairs = readLines(this.lines.value);
    const twice = pairs.map(([label]) => label).find((label, place, all) => all.indexOf(label) !== place);
    if (twice !== undefined) {
      this.complain(`The label “${twice}” stands in two lines: join them.`);
      return null;
    }
    return { texts: this.texts, labels: Object.fromEntries(pairs.map(([label, words]) => [label, { words }])) };
  }

  async workOut() {
    const { message } = this;
    if (!message) return;
    await this.doWork("A first model is worked out. This can take a minute …", async (signal) => {
      const found = await ask("POST", "api/beginnings", message, { signal });
      if (this.isClosed) return "";
      this.found = found;
      this.place = Math.min(this.place, found.labels.length - 1);
      this.show();
      return "Worked out. Add words that fit, strike words that do not, and work it out again.";
    });
  }

  // What the first model stands on.

  show() {
    const { found } = this;
    this.make_.hidden = false;
    this.result.replaceChildren(
      make(
        "p",
        { class: "notice" },
        make("strong", {}, "Nothing has been checked. "),
        `The labels of ${count(found.texts, "text")} were guessed from your words, and nobody knows how many are right.`,
      ),
      ...found.labels.map((own, place) => this.showLabel(own, place)),
      card(
        "Notes",
        make(
          "ul",
          {},
          found.notes.map((note) => make("li", {}, note)),
        ),
      ),
    );
    this.mark();
  }

  showLabel(own, place) {
    const given = this.words(own.label);
    const proposed = own.proposed.filter((word) => !given.includes(word));
    const share = `${percent(own.share, 0)} of the texts${this.found.shares_are_given ? "" : ", a guess"}`;
    return make(
      "section",
      {
        class: "card begin-label",
        "aria-label": own.label,
        "data-part": own.label,
        onfocusin: () => this.choose(place),
        onclick: () => this.choose(place),
      },
      make("h2", { tabindex: "-1" }, make("bdi", {}, own.label), make("span", { class: "quiet" }, ` ${share}`)),
      make("h3", {}, "Your words"),
      make(
        "div",
        { class: "row chips" },
        given.map((word) =>
          button(
            [unseen("Strike "), make("bdi", {}, word), make("span", { "aria-hidden": "true" }, " ✕")],
            () => this.strike(own, word),
            { class: "chip is-mine" },
          ),
        ),
        given.length === 0 && make("span", { class: "quiet" }, "none: only its name counts"),
      ),
      make("h3", {}, "Proposed words"),
      make(
        "div",
        { class: "row chips" },
        proposed.map((word, n) =>
          button([key(String(n + 1)), unseen("Add "), make("bdi", {}, word)], () => this.add(own, word), { class: "chip" }),
        ),
        proposed.length === 0 && make("span", { class: "quiet" }, "none"),
      ),
      make("h3", {}, "It stands on"),
      make("p", { dir: "auto" }, own.evidence.length > 0 ? own.evidence.join(" · ") : "no word"),
      listTexts("Typical texts", own.typical),
      listTexts("Doubtful texts", own.doubtful),
    );
  }

  choose(place) {
    this.place = place;
    this.mark();
  }

  mark() {
    [...this.result.querySelectorAll(".begin-label")].forEach((each, place) =>
      each.classList.toggle("is-chosen", place === this.place),
    );
  }

  step(by) {
    if (!this.found) return;
    const labels = [...this.result.querySelectorAll(".begin-label h2")];
    this.place = (this.place + by + labels.length) % labels.length;
    labels[this.place].focus();
    this.mark();
  }

  press(name) {
    const own = this.found?.labels[this.place];
    if (!own) return;
    const word = own.proposed.filter((each) => !this.words(own.label).includes(each))[Number(name) - 1];
    if (word !== undefined) this.add(own, word);
  }

  // The words of a label, as they are in the lines.
  words(label) {
    return readLines(this.lines.value).find(([own]) => own === label)?.[1] ?? [];
  }

  add(own, word) {
    this.change(own, [...this.words(own.label), word]);
    this.status.textContent = `“${word}” is a word of “${own.label}” now. Work it out again (r).`;
  }

  strike(own, word) {
    this.change(
      own,
      this.words(own.label).filter((each) => each !== word),
    );
    this.status.textContent = `“${word}” is struck. Work it out again (r).`;
  }

  change(own, words) {
    const pairs = readLines(this.lines.value).map(([label, old]) => [label, label === own.label ? words : old]);
    this.lines.value = pairs.map(([label, each]) => (each.length ? `${label}: ${each.join(", ")}` : label)).join("\n");
    localStorage.setItem(STORED, this.lines.value);
    const place = this.found.labels.indexOf(own);
    this.result.querySelectorAll(".begin-label")[place].replaceWith(this.showLabel(own, place));
    this.result.querySelectorAll(".begin-label h2")[place].focus({ preventScroll: true });
    this.mark();
  }

  // The model.

  async makeModel() {
    const { message } = this;
    if (!message || !this.found || this.work) return;
    const words = "The model and its ledger are written, with the texts as a pool. Nothing of it has been checked yet.";
    const name = await prompt("Make this model", words, "Make it", this.name);
    if (!name) return;
    await this.doWork("The model is made …", async () => {
      const made = await ask("POST", "api/models", { ...message, name, pool: this.name || "texts" });
      localStorage.removeItem(STORED);
      if (!made.is_served) {
        this.result.replaceChildren(
          card(
            null,
            emptiness(
              `“${made.model}” is written`,
              "This server answers with several processes: it serves the new model when it is started again.",
            ),
          ),
        );
        return "";
      }
      location.hash = `#/${encodeURIComponent(made.model)}/check`;
      location.reload();
      return "";
    });
  }
}

// For screen readers.
function unseen(words) {
  return make("span", { class: "unseen" }, words);
}

// “sports: team, goal” → ["sports", ["team", "goal"]]
function readLines(written) {
  return written
    .split("\n")
    .map((line) => {
      const [label, ...rest] = line.split(":");
      const words = rest
        .join(":")
        .split(",")
        .map((word) => word.trim())
        .filter(Boolean);
      return [label.trim(), [...new Set(words)]];
    })
    .filter(([label]) => label);
}

function listTexts(title, texts) {
  if (texts.length === 0) return null;
  return make(
    "details",
    {},
    make("summary", {}, `${title} (${thousands(texts.length)})`),
    make(
      "ul",
      { class: "begin-texts" },
      texts.map((each) =>
        make("li", {}, showText(each.text, MOST_TEXT), make("span", { class: "quiet" }, ` ${percent(each.probability, 0)}`)),
      ),
    ),
  );
}
