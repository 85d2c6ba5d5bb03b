// The form for one document: a text, or a field for each column that the model reads. Files and e-mails can be dropped on it.

import { confirm } from "./dialogs.js";
import { button, download, field, make } from "./elements.js";
import { attempt, tell } from "./messages.js";
import { findEnding, isOtherTable, KINDS, sendTable } from "./table_file.js";

const MOST_BYTES = 4 << 20;

export class DocumentForm {
  constructor(context, onchange, oncleared) {
    this.context = context;
    this.oncleared = oncleared;
    const facts = (this.facts = context.facts); // of its model: another one may be chosen before this form is gone
    this.fields = new Map();
    const isPlain = facts.columns.length === 1;
    for (const name of facts.columns) this.fields.set(name, this.makeField(name, facts, isPlain));
    this.first = this.fields.get(facts.texts[0]);
    this.picker = make("input", {
      type: "file",
      class: "unseen",
      tabindex: "-1",
      "aria-hidden": "true",
      onchange: () => {
        if (this.picker.files.length) this.read(this.picker.files[0]);
        this.picker.value = "";
      },
    });
    this.source = make("span", { class: "quiet", role: "status" });
    this.element = make(
      "form",
      {
        class: "card document-form",
        onsubmit: (event) => event.preventDefault(),
        oninput: () => {
          this.source.replaceChildren();
          onchange();
        },
      },
      [...this.fields].map(([name, input]) =>
        isPlain
          ? make("label", { class: "field" }, make("span", { class: "unseen" }, "Text"), input)
          : field(make("bdi", {}, name), input),
      ),
      make(
        "div",
        { class: "row" },
        button("Open a file", () => this.picker.click()),
        button(
          "Clear",
          () => {
            this.clear();
            this.first.focus();
          },
          { class: "plain" },
        ),
        this.source,
        this.picker,
      ),
    );
    this.onchange = onchange;
    this.takeDrops();
  }

  makeField(name, facts, isPlain) {
    if (facts.texts.includes(name)) {
      return make("textarea", {
        rows: isPlain ? "7" : "3",
        dir: "auto",
        spellcheck: "false",
        placeholder: isPlain ? "Paste or type a text, or drop a file or an e-mail here" : "",
      });
    }
    return make("input", facts.numbers.includes(name) ? { type: "number", step: "any" } : { type: "text" });
  }

  takeDrops() {
    const { element } = this;
    element.addEventListener("dragover", (event) => {
      event.preventDefault();
      element.classList.add("is-target");
    });
    element.addEventListener("dragleave", () => element.classList.remove("is-target"));
    element.addEventListener("drop", (event) => {
      event.preventDefault();
      element.classList.remove("is-target");
      const { files } = event.dataTransfer;
      if (files.length) this.read(files[0]);
      else this.set(event.dataTransfer.getData("text/plain"));
    });
  }

  get hasText() {
    return this.facts.texts.some((name) => this.fields.get(name).value.trim());
  }

  // The columns of numbers that are empty yet. The model can't answer without them.
  get missing() {
    return this.facts.numbers.filter((name) => this.fields.get(name)?.value === "");
  }

  // The document as the server takes it; null if it has no text, or lacks a number.
  get value() {
    const { facts } = this;
    if (!this.hasText || this.missing.length > 0) return null;
    if (facts.columns.length === 1) return { text: this.first.value };
    const columns = {};
    for (const [name, input] of this.fields) {
      columns[name] = facts.numbers.includes(name) ? Number(input.value) : input.value;
    }
    return { columns };
  }

  set(text, columns = {}) {
    this.first.value = text;
    for (const [name, value] of Object.entries(columns)) if (this.fields.has(name)) this.fields.get(name).value = value ?? "";
    this.onchange();
  }

  clear() {
    for (const input of this.fields.values()) input.value = "";
    this.source.replaceChildren();
    this.oncleared();
    this.onchange();
  }

  async read(file) {
    await attempt(async () => {
      if (isOtherTable(file)) {
        tell(`${file.name} is a table, not one text. Save it as CSV, and open that: each row is classified.`);
        return;
      }
      if (KINDS[findEnding(file)]) {
        await this.classifyTable(file);
        return;
      }
      if (file.size > MOST_BYTES) {
        tell(`${file.name} is too long for this page: it takes up to 4 MB. On the Label view, a whole table can be imported.`);
        return;
      }
      const { text, columns } = await this.readContent(file);
      if (text === null) {
        tell(`${file.name} is not a text file. Open a text or an e-mail (.eml); tables go to the Label view.`);
        return;
      }
      this.set(text, columns);
      this.source.replaceChildren("from ", make("bdi", {}, file.name));
    });
  }

  // A table is not one text: each of its rows has an answer.
  async classifyTable(file) {
    const words =
      `${file.name} is a table. Each row is one text, and gets its own answer. ` +
      "You get the table with the answers as a file.";
    if (!(await confirm("Classify a table", words, "Classify the rows"))) return;
    this.source.replaceChildren("Classifying …");
    try {
      const kind = KINDS[findEnding(file)];
      const answer = await sendTable(this.context.server, "classify", file, kind);
      if (answer === null) return;
      const ending = findEnding(file) === "tsv" ? "csv" : findEnding(file);
      download(file.name.replace(/\.\w+$/, `-answers.${ending}`), await answer.blob(), kind);
      tell(`The answers for the rows of ${file.name} are downloaded.`);
    } finally {
      this.source.replaceChildren();
    }
  }

  async readContent(file) {
    const isMail = /\.eml$/i.test(file.name) || file.type === "message/rfc822";
    if (isMail && this.context.may("teacher")) return this.context.server.post("read", file, { type: "message/rfc822" });
    return { text: decode(await file.arrayBuffer()), columns: {} };
  }
}

// The text of a file: UTF-8, or else Windows-1252; null if it is no text.
function decode(bytes) {
  const start = new Uint8Array(bytes);
  const isWide = start.length > 1 && ((start[0] === 0xff && start[1] === 0xfe) || (start[0] === 0xfe && start[1] === 0xff));
  if (isWide) return new TextDecoder(start[0] === 0xff ? "utf-16le" : "utf-16be").decode(bytes);
  if (start.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}
