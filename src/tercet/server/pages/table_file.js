// A table that is sent to the server as it is. If it is not in UTF-8, the page asks before it is read in another encoding.

import { confirm } from "./dialogs.js";

const SAMPLE_BYTES = 1 << 20;
const MOST_CHARACTERS = 160; // of a line that is shown
const NAMES = {
  cp1252: "Western European (Windows-1252)",
  cp1250: "Central European (Windows-1250)",
  cp1251: "Cyrillic (Windows-1251)",
};

export const KINDS = { csv: "text/csv", tsv: "text/csv", jsonl: "application/x-ndjson", ndjson: "application/x-ndjson" };
const OTHER_TABLES = ["xlsx", "xlsm", "xls", "ods", "parquet", "arrow", "feather"];

export function findEnding(file) {
  return file.name.split(".").pop().toLowerCase();
}

// Whether this is a table that the page can't send.
export function isOtherTable(file) {
  return OTHER_TABLES.includes(findEnding(file));
}

// Send a file. Returns the answer, or null if somebody does not want it to be read in another encoding.
export async function sendTable(server, path, file, kind) {
  try {
    return await server.post(path, file, { type: kind });
  } catch (problem) {
    if (problem.code !== "encoding" || !problem.charset) throw problem;
    const { charset } = problem;
    const line = await readForeignLine(file, charset);
    const name = NAMES[charset] ?? charset;
    const shown = line ? ` This line of the file then reads: ${line}` : "";
    const words = `The file is not written in UTF-8. It looks like ${name}.${shown}`;
    if (!(await confirm("Which encoding?", words, `Read it as ${name}`))) return null;
    return await server.post(path, file, { type: `${kind}; charset=${charset}` });
  }
}

// The first line with letters beyond ASCII, read in this encoding.
async function readForeignLine(file, charset) {
  try {
    const text = new TextDecoder(charset).decode(await file.slice(0, SAMPLE_BYTES).arrayBuffer());
    const line = text.split(/\r\n|\n|\r/).find((each) => /[^\u0000-\u007f]/.test(each)) ?? "";
    return line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS)} …` : line;
  } catch {
    return ""; // an encoding that this browser does not know
  }
}
