// Import a file of texts into a pool, with what the doctor finds in it.

import { openDialog } from "./dialogs.js";
import { button, count, field, make, newId, thousands } from "./elements.js";
import { complain, tell } from "./messages.js";
import { findEnding, KINDS, sendTable } from "./table_file.js";

export const READABLE = { ...KINDS, txt: "text/plain" };
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
        accept: ".csv,.tsv,.jsonl,.ndjson,.txt",
        onchange: () => this.look(file.files[0], name, columns),
      });
      const name = make("input", { type: "text", required: true, maxlength: "200", autocomplete: "off" });
      const columns = make("datalist", { id: newId("columns") });
      const text = make("input", { type: "text", list: columns.id, autocomplete: "off" });
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
            const isDone = await this.run(file.files[0], {
              name: name.value.trim(),
              text: text.value.trim(),
              subject: subject.value.trim(),
            });
            start.disabled = false;
            if (isDone) close(true);
          },
        },
        make(
          "p",
          {},
          "A table (.csv), lines of JSON (.jsonl), or a text file with one text per line (.txt). ",
          "A spreadsheet can be saved as CSV.",
        ),
        field("File", file),
        field("Name of the pool", name, "The texts wait for their labels under this name."),
        field("Column of the texts (may be empty)", text, "If empty: the column that the model knows, or the likely one."),
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
    const names = await readColumns(file);
    columns.replaceChildren(...names.map((each) => make("option", { value: each })));
  }

  // `query` has the name of the pool, and names of columns, which may be empty.
  async run(file, { name, ...columns }) {
    const kind = READABLE[findEnding(file)];
    if (!kind) {
      this.status.textContent = "This page reads .csv, .jsonl and .txt. A spreadsheet can be saved as CSV.";
      return false;
    }
    this.importing = name;
    this.status.textContent = "Importing …";
    const given = Object.entries(columns).filter(([, column]) => column);
    const query = new URLSearchParams({ name, ...Object.fromEntries(given) });
    try {
      const answer = await sendTable(this.context.server, `pools?${query}`, file, kind);
      if (answer === null) {
        this.status.textContent = "Nothing was imported.";
        return false;
      }
      this.show(answer);
      const imported = `${count(answer.offered, "text")} imported into “${name}”.`;
      const rows = `${thousands(answer.bad)} of ${count(answer.read, "row")}`;
      const lost = `${rows} could not be read, and are missing: see “Last import”.`;
      await this.ondone(answer.pool);
      tell(answer.bad > 0 ? `${imported} ${lost}` : imported); // the dialog closes now, so keys reach the view
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

  show({ pool, read, offered, skipped_duplicates: copies, bad, bad_rows: badRows, findings }) {
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
        ".",
      ),
      ...(bad > 0 ? [describeLost(bad, read)] : []),
      ...listLines(
        "Rows that could not be read",
        badRows.map((each) => (each.row === null ? each.message : `row ${each.row}: ${each.message}`)),
      ),
      ...listLines("What the doctor found", findings),
    );
  }
}

function describeLost(bad, read) {
  return make(
    "p",
    { class: "problem" },
    `${thousands(bad)} of ${count(read, "row")} have no text, or could not be read: they are not in the pool. `,
    "Mend the file and import it again: texts that are there already are left out.",
  );
}

// A title and a list, or nothing if there are no lines.
function listLines(title, lines) {
  if (lines.length === 0) return [];
  const items = lines.map((line) => make("li", {}, line));
  return [make("h3", {}, title), make("ul", {}, items)];
}

// The names of the columns of a file; none if it is no table.
export async function readColumns(file) {
  if (!file || KINDS[findEnding(file)] !== "text/csv") return [];
  const [first] = (await file.slice(0, HEADER_BYTES).text()).split(/\r?\n/, 1);
  return splitHeader(first);
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
