// A list of any length. Pages are loaded as they come into sight, and rows that are far away are dropped, so that the document
// stays small. The arrow keys go from row to row.

import { make, renew } from "./elements.js";
import { complain } from "./messages.js";

const MOST_ROWS = 250; // in the document
const MARGIN = "800px"; // how far out of sight the next page is loaded

export class LongList {
  // `load({ before })` resolves to a page of items, the newest first, and `load({ newer_than })` to the page above an item.
  // Items have a `number`. `makeRow(item, isOpen)` makes the content of a row, in which the element row-NUMBER names it.
  constructor({ name, load, makeRow, pageSize, empty }) {
    Object.assign(this, { load, makeRow, pageSize });
    this.isAtTop = true; // whether the newest item is in the document
    this.isDone = false; // whether the oldest item is
    this.generation = 0; // answers to earlier questions are dropped
    this.rows = make("div", {
      role: "feed",
      "aria-label": name,
      class: "long-list",
      onkeydown: (event) => this.move(event),
      onfocusin: (event) => this.mark(event.target.closest(".list-row")),
    });
    this.top = make("div", { class: "list-edge" });
    this.bottom = make("div", { class: "list-edge" });
    this.empty = make("div", { hidden: true }, empty);
    this.element = make("div", {}, this.top, this.rows, this.empty, this.bottom);
    this.watch = new IntersectionObserver(
      (entries) => {
        for (const entry of entries) if (entry.isIntersecting) entry.target === this.bottom ? this.extend() : this.restore();
      },
      { rootMargin: MARGIN },
    );
  }

  // Begin at the newest item, or at the newest one before a number. A row that had the focus gets it again, or else the first.
  async start(before = null) {
    const focused = document.activeElement?.closest(".list-row")?.item.number;
    this.generation += 1;
    this.watch.disconnect();
    Object.assign(this, { isAtTop: before === null, isDone: false, isLoading: false });
    this.rows.replaceChildren();
    await this.extend(before);
    this.watch.observe(this.top);
    this.watch.observe(this.bottom);
    if (focused !== undefined && document.activeElement === document.body)
      (this.find(focused) ?? this.marked)?.focus({ preventScroll: true });
  }

  stop() {
    this.generation += 1;
    this.watch.disconnect();
  }

  get first() {
    return this.rows.firstElementChild?.item ?? null;
  }

  get last() {
    return this.rows.lastElementChild?.item ?? null;
  }

  // Load the next page at the bottom.
  async extend(before = this.last?.number ?? null) {
    if (this.isDone) return;
    await this.fetch(before === null ? {} : { before }, (items) => {
      this.isDone = items.length < this.pageSize;
      this.rows.append(...items.map((item) => this.wrap(item)));
      this.keepPlace(() => this.dropFirst());
      this.settle();
    });
    this.lookAgain(this.bottom);
  }

  // Load the page above the first row, which was dropped, or is new.
  async restore() {
    if (this.isAtTop || !this.first) return;
    await this.fetch({ newer_than: this.first.number }, (items) => {
      this.isAtTop = items.length < this.pageSize;
      this.keepPlace(() => this.rows.prepend(...items.map((item) => this.wrap(item))));
      this.dropLast();
      this.settle();
    });
    this.lookAgain(this.top);
  }

  // The edge may still be in sight, for which no new event comes.
  lookAgain(edge) {
    this.watch.unobserve(edge);
    this.watch.observe(edge);
  }

  async fetch(wanted, use) {
    if (this.isLoading) return;
    const { generation } = this;
    this.isLoading = true;
    this.rows.setAttribute("aria-busy", "true");
    try {
      const items = await this.load(wanted);
      if (generation === this.generation) use(items);
    } catch (problem) {
      if (generation === this.generation) {
        this.isDone = this.isAtTop = true; // no question after question to a server that does not answer
        complain(problem);
      }
    } finally {
      if (generation === this.generation) {
        this.isLoading = false;
        this.rows.removeAttribute("aria-busy");
      }
    }
  }

  wrap(item) {
    const row = make(
      "article",
      {
        class: "list-row",
        tabindex: "-1",
        "aria-labelledby": `row-${item.number}`,
        "data-part": `event ${item.number}`,
        "aria-posinset": item.number,
        "aria-setsize": "-1",
      },
      this.makeRow(item),
    );
    row.item = item;
    return row;
  }

  // Load new items at the top, and return them; null if the list does not show its beginning.
  async renew() {
    while (this.isLoading)
      await new Promise((resolve) => {
        setTimeout(resolve, 50);
      });
    if (!this.isAtTop) return null;
    let found = [];
    await this.fetch(this.first ? { newer_than: this.first.number } : {}, (items) => {
      found = items;
      this.isAtTop = items.length < this.pageSize;
      const add = () => this.rows.prepend(...items.map((item) => this.wrap(item)));
      if (scrollY > 0) this.keepPlace(add);
      else add();
      this.dropLast();
      this.settle();
    });
    return found;
  }

  // Show an item anew, if it is in the document.
  replace(item) {
    const row = this.find(item.number);
    if (!row) return;
    row.item = item;
    const isOpen = row.querySelector(".event-more") !== null;
    renew(row, this.makeRow(item, isOpen));
  }

  find(number) {
    return [...this.rows.children].find((each) => each.item.number === number);
  }

  has(number) {
    const { first, last } = this;
    return first !== null && number <= first.number && number >= last.number;
  }

  dropFirst() {
    const extra = [...this.rows.children].slice(0, Math.max(0, this.rows.children.length - MOST_ROWS));
    if (extra.length) this.isAtTop = false;
    this.remove(extra);
  }

  dropLast() {
    const extra = [...this.rows.children].slice(MOST_ROWS);
    if (extra.length) this.isDone = false;
    this.remove(extra);
  }

  remove(rows) {
    const isInside = rows.some((row) => row.contains(document.activeElement));
    for (const row of rows) row.remove();
    this.settle();
    if (isInside) this.marked.focus({ preventScroll: true });
  }

  settle() {
    if (!this.marked) this.mark(this.rows.firstElementChild);
    this.empty.hidden = this.first !== null;
  }

  // Change rows above what is in sight, without a jump.
  keepPlace(change) {
    const anchor = this.findFirstInSight();
    const before = anchor?.getBoundingClientRect().top;
    change();
    if (anchor?.isConnected) scrollBy({ top: anchor.getBoundingClientRect().top - before, behavior: "instant" });
  }

  findFirstInSight() {
    const rows = this.rows.children;
    let [low, high] = [0, rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (rows[middle].getBoundingClientRect().bottom > 0) high = middle;
      else low = middle + 1;
    }
    return rows[low];
  }

  // The row that Tab goes to.
  get marked() {
    return this.rows.querySelector('.list-row[tabindex="0"]');
  }

  mark(row) {
    if (!row) return;
    for (const each of this.rows.querySelectorAll('.list-row[tabindex="0"]')) each.tabIndex = -1;
    row.tabIndex = 0;
  }

  move(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea")) return;
    if (this.go(event.key)) event.preventDefault();
  }

  // Go from the row that has the focus to another one. Returns whether there is one.
  go(key) {
    const row = document.activeElement.closest?.(".list-row");
    if (!row) return false;
    const next = {
      ArrowDown: row.nextElementSibling,
      ArrowUp: row.previousElementSibling,
      Home: this.rows.firstElementChild,
      End: this.rows.lastElementChild,
      PageDown: ahead(row, 10),
      PageUp: ahead(row, -10),
    }[key];
    if (!next) return false;
    this.mark(next);
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest" });
    return true;
  }
}

function ahead(row, steps) {
  let found = row;
  for (let i = 0; i < Math.abs(steps); i += 1)
    found = (steps > 0 ? found.nextElementSibling : found.previousElementSibling) ?? found;
  return found === row ? null : found;
}
