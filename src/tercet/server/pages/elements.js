// Small elements that all views use. Data reach the page only as text nodes and as values of attributes, never as markup.

const SVG = "http://www.w3.org/2000/svg";

// An element with attributes and content. `onclick` and the like are functions; false, null and undefined leave it out.
export function make(name, attributes = {}, ...content) {
  return fill(document.createElement(name), attributes, content);
}

// The same for pictures.
export function draw(name, attributes = {}, ...content) {
  return fill(document.createElementNS(SVG, name), attributes, content);
}

function fill(element, attributes, content) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...flatten(content));
  return element;
}

function flatten(content) {
  return content.flat(Infinity).filter((part) => part !== null && part !== undefined && part !== false);
}

// What can have the focus.
const FOCUSABLE = "a[href], button, input, select, textarea, summary, [tabindex]";

// Replace the content of an element. The focus stays, and what was unfolded stays so.
export function renew(element, ...content) {
  const unfolded = [...element.querySelectorAll("details")].map((each) => each.open);
  const giveBack = noteFocus(element);
  element.replaceChildren(...flatten(content));
  const details = [...element.querySelectorAll("details")];
  if (details.length === unfolded.length) details.forEach((each, i) => (each.open ||= unfolded[i]));
  giveBack();
}

// Note what has the focus inside an element. Returns a function that gives it back if it was lost: to the same thing, or to the
// one with the same name in the same part (`data-part`), or else to the one at the same place.
export function noteFocus(element) {
  const focused = element.contains(document.activeElement) ? document.activeElement : null;
  const place = [...element.querySelectorAll(FOCUSABLE)].indexOf(focused);
  const name = focused && nameFocusable(focused);
  return () => {
    if (!focused || focused === document.activeElement) return;
    const found = [...element.querySelectorAll(FOCUSABLE)];
    const same = focused.isConnected ? focused : found.find((each) => nameFocusable(each) === name);
    (same ?? found[place] ?? found.at(-1) ?? element.closest("main"))?.focus({ preventScroll: true });
  };
}

function nameFocusable(element) {
  const part = element.closest("[data-part]")?.dataset.part ?? "";
  return [element.tagName, part, element.getAttribute("aria-label") ?? element.textContent].join("\n");
}

export function button(words, onclick, attributes = {}) {
  return make("button", { type: "button", onclick, ...attributes }, words);
}

// A key as it is printed on the keyboard. Screen readers get it from aria-keyshortcuts of the button.
export function key(name) {
  return make("kbd", { "aria-hidden": "true" }, name);
}

// A label of the model. Its colour only helps the eye: the name is always there.
export function showLabel(label, labels = []) {
  const place = labels.indexOf(label);
  return make("span", { class: place < 0 ? "label" : `label hue-${place % 8}` }, make("bdi", {}, String(label)));
}

// A text of somebody: in its own direction, with its line breaks, cut if it is long.
export function showText(text, most = Infinity) {
  const cut = text.length > most ? `${text.slice(0, most).trimEnd()} …` : text;
  return make("span", { class: "text", dir: "auto" }, cut);
}

// A bar of a share between 0 and 1.
export function bar(share, kind = "") {
  const width = `${Math.max(0, Math.min(1, share)) * 100}%`;
  return draw(
    "svg",
    { class: `bar ${kind}`, "aria-hidden": "true", preserveAspectRatio: "none" },
    draw("rect", { width: "100%", height: "100%", class: "bar-ground" }),
    draw("rect", { width, height: "100%", class: "bar-value" }),
  );
}

export function table(caption, heads, rows, attributes = {}) {
  return make(
    "div",
    { class: "scroll-x", tabindex: "0", role: "region", "aria-label": caption, ...attributes },
    make(
      "table",
      {},
      make("caption", { class: "unseen" }, caption),
      make(
        "thead",
        {},
        make(
          "tr",
          {},
          heads.map((head) => make("th", { scope: "col" }, head)),
        ),
      ),
      make(
        "tbody",
        {},
        rows.map((cells) =>
          make(
            "tr",
            {},
            cells.map((cell, place) => (place === 0 ? make("th", { scope: "row" }, cell) : make("td", {}, cell))),
          ),
        ),
      ),
    ),
  );
}

export function facts(pairs) {
  return make(
    "dl",
    { class: "facts" },
    pairs.filter(Boolean).map(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]),
  );
}

// A field with its name above it.
export function field(name, input, hint) {
  return make(
    "label",
    { class: "field" },
    make("span", { class: "field-name" }, name),
    input,
    hint && make("span", { class: "quiet" }, hint),
  );
}

export function select(options, chosen, onchange, attributes = {}) {
  const element = make(
    "select",
    { onchange: () => onchange(element.value), ...attributes },
    options.map(([value, words]) => make("option", { value, selected: value === chosen }, words)),
  );
  return element;
}

export function card(title, ...content) {
  return make("section", { class: "card" }, title && make("h2", {}, title), ...content);
}

// What a view shows when there is nothing to show, and what to do about it.
export function emptiness(title, words, ...more) {
  return make("div", { class: "emptiness" }, make("p", { class: "emptiness-title" }, title), make("p", {}, words), ...more);
}

let lastId = 0;
export function newId(prefix) {
  lastId += 1;
  return `${prefix}-${lastId}`;
}

// Numbers and times, as people read them.

export function percent(share, digits = 1) {
  if (share < 1 && share >= 0.9995) return ">\u00a099.9\u00a0%";
  if (share > 0 && share < 0.0005) return "<\u00a00.1\u00a0%";
  return `${(share * 100).toFixed(digits)}\u00a0%`;
}

export function signed(value, digits = 2) {
  const number = Number(value);
  if (!Number.isFinite(number)) return String(value).replace("inf", "∞").replace("-", "−");
  return `${number < 0 ? "−" : "+"}${Math.abs(number).toFixed(digits)}`;
}

export function count(number, one, many = `${one}s`) {
  return `${thousands(number)} ${number === 1 ? one : many}`;
}

export function thousands(number) {
  return Number(number).toLocaleString("en", { maximumFractionDigits: 2 });
}

export function interval(estimate, digits = 1) {
  if (!estimate || estimate.value === null || estimate.value === undefined) return "–";
  const range = Number.isFinite(estimate.low) && Number.isFinite(estimate.high);
  const value = percent(estimate.value, digits);
  return range ? `${value} (${percent(estimate.low, digits)} to ${percent(estimate.high, digits)})` : value;
}

const dayForm = new Intl.DateTimeFormat(undefined, { year: "numeric", month: "short", day: "numeric" });
const timeForm = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });

// A moment: today only the time, else the day and the time. The exact one is the title.
export function moment(written) {
  const date = new Date(written);
  if (Number.isNaN(date.getTime())) return make("span", {}, written);
  const isToday = dayForm.format(date) === dayForm.format(new Date());
  const words = isToday ? timeForm.format(date) : `${dayForm.format(date)}, ${timeForm.format(date)}`;
  return make("time", { datetime: written, title: written }, words);
}

// Give a file to the browser to save.
export function download(name, content, type) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = make("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
