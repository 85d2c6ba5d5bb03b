// The Markdown of a model card as elements: headings, paragraphs, lists, tables, quotes, code, emphasis. All else is text.

import { make } from "./elements.js";

export function showMarkdown(written) {
  const lines = withoutHeader(written.replaceAll("\r", "").split("\n"));
  const content = [];
  while (lines.length) {
    const line = lines[0];
    if (!line.trim()) lines.shift();
    else if (/^#{1,6} /.test(line)) content.push(showHeading(lines.shift()));
    else if (line.startsWith("```")) content.push(showCode(lines));
    else if (line.startsWith("|")) content.push(showTable(take(lines, (each) => each.startsWith("|"))));
    else if (line.startsWith(">"))
      content.push(
        make(
          "blockquote",
          {},
          showInline(
            take(lines, (each) => each.startsWith(">"))
              .map((each) => each.replace(/^> ?/, ""))
              .join(" "),
          ),
        ),
      );
    else if (/^\s*[-*] /.test(line))
      content.push(
        make(
          "ul",
          {},
          take(lines, (each) => /^\s*[-*] /.test(each)).map((each) =>
            make("li", {}, showInline(each.replace(/^\s*[-*] /, ""))),
          ),
        ),
      );
    else content.push(make("p", {}, showInline(takeParagraph(lines))));
  }
  return make("div", { class: "markdown" }, content);
}

// Model hubs read a header between lines of dashes. It repeats what the card says.
function withoutHeader(lines) {
  const end = lines[0] === "---" ? lines.indexOf("---", 1) : -1;
  return lines.slice(end + 1);
}

function take(lines, belongs) {
  const end = lines.findIndex((line) => !belongs(line));
  return lines.splice(0, end < 0 ? lines.length : end);
}

function takeParagraph(lines) {
  return [lines.shift(), ...take(lines, (line) => line.trim() && !/^(#{1,6} |```|\||>|\s*[-*] )/.test(line))].join(" ");
}

// The view has the heading of the first level.
function showHeading(line) {
  const [marks] = line.split(" ", 1);
  return make(`h${Math.min(6, marks.length + 2)}`, {}, showInline(line.slice(marks.length + 1)));
}

function showCode(lines) {
  lines.shift();
  const code = take(lines, (line) => !line.startsWith("```"));
  lines.shift();
  return make("pre", { tabindex: "0" }, make("code", {}, code.join("\n")));
}

function showTable(lines) {
  const rows = lines.map((line) =>
    line
      .replace(/^\||\|\s*$/g, "")
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  );
  const [head, , ...body] = rows;
  return make(
    "div",
    { class: "scroll-x", tabindex: "0", role: "region", "aria-label": "Table" },
    make(
      "table",
      {},
      make(
        "thead",
        {},
        make(
          "tr",
          {},
          head.map((cell) => make("th", { scope: "col" }, showInline(cell))),
        ),
      ),
      make(
        "tbody",
        {},
        body.map((cells) =>
          make(
            "tr",
            {},
            cells.map((cell) => make("td", {}, showInline(cell))),
          ),
        ),
      ),
    ),
  );
}

function showInline(text) {
  const parts = text.split(/((?<!\\)`[^`]+`|(?<!\\)\*\*.+?\*\*)/);
  return parts.map((part, place) => {
    if (place % 2 === 0) return unescape_(part);
    if (part.startsWith("`")) return make("code", {}, part.slice(1, -1));
    return make("strong", {}, unescape_(part.slice(2, -2)));
  });
}

function unescape_(text) {
  return text.replace(/\\([\\`*_{}[\]()#+\-.!|<>~&])/g, "$1");
}
