// Import a file of texts into a pool, with what the doctor finds in it.

import { openDialog } from "./dialogs.js";
import { button, count, field, make, newId, thousands } from "./elements.js";
import { complain, tell } from "./messages.js";

const KINDS = { csv: "text/csv", jsonl: "application/x-ndjson", ndjson: "application/x-ndjson", txt: "text/plain" };
const HEADER_BYTES = 65536;

export class PoolImport {
  // `ondone` gets the name of the pool.
  constructor(context, ondone) {
    this.context = context;
    this.ondone = ondone;
    this.status = make("p", { role: "status" });
    this.results = make("section", { class: "card", hidden: true, "aria-label": "Last import" });
    this.element = make("div", {}, this.results);
  }

  open() {
    if (document.querySelector("dialog[open]")) return undefined;
    return openDialog("Import texts", (close) => {
      const file = make("input", {
        type: "file",
        required: true,
        accept: ".csv,.jsonl,.ndjson,.txt",
        onchange: () => this.look(file.files[0], name, columns),
      });
      const name = make("input", { type: "text", required: true, maxlength: "200", autocomplete: "off" });
      const columns = make("datalist", { id: newId("columns") });
      const subject = make("input", { type: "text", list: columns.id, autocomplete: "off" });
      const start = make("button", { type: "submit", class: "main" }, "Import");
      this.status.replaceChildren();
      return make(
        "form",
        {
          class: "stack",
          onsubmit: async (event) => {
            event.preventDefault();
            start.disabled = true;
            const isDone = await this.run(file.files[0], name.value.trim(), subject.value.trim());
            start.disabled = false;
            if (isDone) close(true);
          },
        },
        make(
          "p",
          {},
          "A table (.csv), lines of JSON (.jsonl), or a text file with one text per line (.txt), in UTF-8. ",
          "A spreadsheet can be saved as CSV.",
        ),
        field("File", file),
        field("Name of the pool", name, "The texts wait for their labels under this name."),
        field(
          "Column of the person (may be empty)",
          subject,
          "If the table says whom a text is about, all texts about a person can be erased later.",
        ),
        columns,
        this.status,
        make(
          "div",
          { class: "actions" },
          button("Cancel", () => close(null)),
          start,
        ),
      );
    });
  }

  // Propose a name, and the columns of the table.
  async look(file, name, columns) {
    if (!file) return;
    if (!name.value || name.value === this.proposed) name.value = file.name.replace(/\.\w+$/, "");
    this.proposed = name.value;
    const [first] = (await file.slice(0, HEADER_BYTES).text()).split(/\r?\n/, 1);
    const names = /\.csv$/i.test(file.name) ? splitHeader(first) : [];
    columns.replaceChildren(...names.map((each) => make("option", { value: each })));
  }

  async run(file, name, subject) {
    const kind = KINDS[file.name.split(".").pop().toLowerCase()];
    if (!kind) {
      this.status.textContent = "This page reads .csv, .jsonl and .txt. A spreadsheet can be saved as CSV.";
      return false;
    }
    this.importing = name;
    this.status.textContent = "Importing …";
    const query = new URLSearchParams({ name, ...(subject ? { subject } : {}) });
    try {
      const answer = await this.context.server.post(`pools?${query}`, file, { type: kind });
      this.show(answer);
      tell(`${count(answer.offered, "text")} imported into “${name}”.`);
      await this.ondone(answer.pool);
      return true;
    } catch (problem) {
      this.status.textContent = problem.code === undefined ? "" : problem.message;
      if (problem.code === undefined) complain(problem);
      return false;
    } finally {
      this.importing = null;
    }
  }

  progress({ pool, read, offered }) {
    if (pool === this.importing)
      this.status.textContent = `Importing … ${thousands(read)} rows read, ${thousands(offered)} texts taken.`;
  }

  show({ pool, offered, skipped_duplicates: copies, bad, bad_rows: badRows, findings }) {
    this.results.hidden = false;
    this.results.replaceChildren(
      make(
        "div",
        { class: "row spread" },
        make("h2", {}, "Last import: ", make("bdi", {}, pool)),
        button(
          "Close",
          () => {
            this.results.hidden = true;
          },
          { class: "plain" },
        ),
      ),
      make(
        "p",
        {},
        `${count(offered, "text")} taken`,
        copies > 0 && `, ${count(copies, "copy", "copies")} left out`,
        bad > 0 && `, ${count(bad, "row")} without a text or damaged`,
        ".",
      ),
      ...listLines(
        "Rows that could not be read",
        badRows.map((each) => (each.row === null ? each.message : `row ${each.row}: ${each.message}`)),
      ),
      ...listLines("What the doctor found", findings),
    );
  }
}

// A title and a list, or nothing if there are no lines.
function listLines(title, lines) {
  if (lines.length === 0) return [];
  const items = lines.map((line) => make("li", {}, line));
  return [make("h3", {}, title), make("ul", {}, items)];
}

// The names of the columns in the first line of a table.
function splitHeader(line) {
  const mark = [",", ";", "\t"].sort((a, b) => line.split(b).length - line.split(a).length)[0];
  return line
    .replace(/^\ufeff/, "")
    .split(mark)
    .map((cell) =>
      cell
        .trim()
        .replace(/^"(.*)"$/, "$1")
        .replaceAll('""', '"'),
    )
    .filter(Boolean);
}
