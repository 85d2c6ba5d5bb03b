// History: who has taught what, and when. Undo a step, correct a label, erase a person.

import { confirm } from "./dialogs.js";
import {
  button,
  count,
  emptiness,
  facts,
  field,
  interval,
  make,
  moment,
  select,
  showLabel,
  showText,
  thousands,
} from "./elements.js";
import { checkCertificate, erase, fetchCertificate } from "./erasure.js";
import { LongList } from "./long_list.js";
import { attempt } from "./messages.js";
import { chooseLabel } from "./relabel.js";

const PAGE_SIZE = 50;
const MOST_NEWS = 200;
const SNIPPET = 240; // characters of a text

const VERBS = {
  begin: "began",
  import: "imported",
  learn: "learned",
  unlearn: "unlearned",
  relabel: "relabelled",
  undo: "undid",
  erase: "erased",
  train: "trained",
  publish: "published",
  offer: "offered",
  judge: "judged",
  withdraw: "deleted a pool",
  seeds: "changed the seeds",
  check: "checked the model",
};
const BY_ITSELF = ["train", "publish"]; // what the server does without being asked
const CAN_UNDO = ["learn", "import", "unlearn", "relabel", "undo", "judge", "check"];

export const open = (context) => new HistoryView(context);

class HistoryView {
  constructor(context) {
    this.context = context;
    this.known = context.facts.event;
    this.list = new LongList({
      name: "Events, the newest first",
      pageSize: PAGE_SIZE,
      load: (wanted) => this.load(wanted),
      makeRow: (event, isOpen) => this.makeRow(event, isOpen),
      empty: emptiness("No event fits", "Change the filter, or clear it."),
    });
    this.pill = button("There are new events: show them", () => this.showNews(), { class: "pill", hidden: true });
    this.element = make("div", { class: "history" }, this.makeFilter(), this.pill, this.list.element);
    this.keys = [
      {
        keys: ["/"],
        words: "Filter",
        act: () => {
          this.filterBox.open = true;
          this.filter.actor.focus();
        },
      },
      { keys: ["ArrowDown", "j"], words: "Into the list; next event", act: () => this.step("ArrowDown") },
      { keys: ["ArrowUp", "k"], words: "Previous event", act: () => this.step("ArrowUp") },
      { keys: ["Enter"], words: "Open an event, and close it", act: () => this.toggle() },
      { keys: ["d"], words: "Undo the event that has the focus", act: () => this.undoFocused() },
      ...(context.may("admin") ? [{ keys: ["e"], words: "Erase a person", act: () => this.erase() }] : []),
    ];
  }

  start(before = null) {
    this.pill.hidden = true;
    this.showFilter();
    return attempt(() => this.list.start(before));
  }

  async showNews() {
    await this.start();
    this.list.marked?.focus();
  }

  close() {
    this.list.stop();
  }

  // The filter.

  makeFilter() {
    const { context } = this;
    const change = () => this.start();
    const text = (attributes) => make("input", { type: "text", autocomplete: "off", onchange: change, ...attributes });
    this.filter = {
      actor: text({}),
      verb: select([["", "all but trainings"], ["all", "everything"], ...Object.entries(VERBS)], "", change),
      label: select([["", "any"]], "", change),
      subject: text({}),
      since: make("input", { type: "datetime-local", onchange: change }),
      until: make("input", { type: "datetime-local", onchange: change }),
    };
    this.listed = []; // the labels to choose from
    this.fillLabels();
    const go = make("input", {
      type: "number",
      min: "1",
      step: "1",
      inputmode: "numeric",
      onchange: () => this.start(go.value ? Number(go.value) + 1 : null),
    });
    this.filterName = make("summary", {}, "Filter");
    this.filterBox = make(
      "details",
      { class: "filter" },
      this.filterName,
      make(
        "form",
        {
          class: "filter-fields",
          onsubmit: (event) => {
            event.preventDefault();
            this.start();
          },
        },
        field("Who", this.filter.actor),
        field("What", this.filter.verb),
        field("Label", this.filter.label),
        field("About whom", this.filter.subject),
        field("Since", this.filter.since),
        field("Until", this.filter.until),
        field("From event", go),
        button(
          "Clear the filter",
          () => {
            this.clearFilter();
            go.value = "";
            this.start();
          },
          { class: "plain" },
        ),
      ),
    );
    return make(
      "div",
      { class: "card compact filter-card" },
      this.filterBox,
      context.may("admin") &&
        make(
          "div",
          { class: "row" },
          button("Erase a person …", () => this.erase(), { class: "grave-quiet" }),
          button("Check a certificate …", () => checkCertificate(context), { class: "plain" }),
        ),
    );
  }

  // A filter that is closed still says that it hides something.
  showFilter() {
    const n = Object.keys(this.wanted).length;
    this.filterName.textContent = n === 0 ? "Filter" : `Filter: ${count(n, "field")} set`;
  }

  // New labels come at the end, so that the chosen one stays.
  fillLabels() {
    const fresh = this.context.labels.filter((label) => !this.listed.includes(label));
    const first = this.listed.length;
    this.listed.push(...fresh);
    this.filter.label.append(...fresh.map((label, place) => make("option", { value: first + place }, String(label))));
  }

  clearFilter() {
    for (const input of Object.values(this.filter)) input.value = "";
  }

  get wanted() {
    const { filter } = this;
    const wanted = {};
    for (const name of ["actor", "verb", "subject"]) if (filter[name].value.trim()) wanted[name] = filter[name].value.trim();
    if (wanted.verb === "all") delete wanted.verb;
    if (filter.label.value !== "") wanted.label = this.listed[Number(filter.label.value)];
    for (const name of ["since", "until"]) if (filter[name].value) wanted[name] = new Date(filter[name].value).toISOString();
    return wanted;
  }

  async load(wanted) {
    const without = this.filter.verb.value ? [] : BY_ITSELF;
    return (await this.context.server.post("history", { ...this.wanted, ...wanted, without, limit: PAGE_SIZE })).events;
  }

  // News of others: new events at the top, and events that they have changed. Many news are looked at together.
  async news(name) {
    if (name === "facts") this.fillLabels();
    if (name !== "state") return;
    this.hasNews = true;
    if (this.isLooking) return;
    this.isLooking = true;
    while (this.hasNews) {
      this.hasNews = false;
      await attempt(() => this.look());
    }
    this.isLooking = false;
  }

  async look() {
    const known = this.known;
    this.known = this.context.facts.event;
    const fresh = await this.list.renew();
    this.pill.hidden = fresh !== null;
    // A filter may hide who has changed an event that is shown.
    const { events } = await this.context.server.post("history", { newer_than: known, limit: MOST_NEWS });
    if (events.some((event) => event.verb === "erase")) {
      await this.start(this.list.isAtTop ? null : this.list.first.number + 1);
      return;
    }
    for (const target of new Set(events.map((event) => event.target)))
      if (target !== null && this.list.has(target)) await this.renew(target);
  }

  async renew(number) {
    this.list.replace(await this.context.server.get(`history/${number}`));
  }

  // Rows.

  makeRow(event, isOpen = false) {
    const { labels } = this.context;
    const head = make(
      "div",
      { class: "event-head", id: `row-${event.number}`, onclick: () => this.toggle(head.closest(".list-row")) },
      button(String(event.number), () => {}, {
        class: "event-number",
        tabindex: "-1",
        "aria-expanded": String(isOpen),
        "aria-label": `Event ${event.number}, details`,
      }),
      make(
        "span",
        { class: "event-who" },
        make("bdi", {}, event.actor),
        " ",
        make("span", { class: `verb verb-${event.verb}` }, VERBS[event.verb] ?? event.verb),
      ),
      make("span", { class: "event-what" }, describe(event, labels)),
      make("span", { class: "event-state" }, badges(event)),
      make("span", { class: "event-time quiet" }, moment(event.time)),
    );
    return [head, isOpen && this.makeMore(event)].filter(Boolean);
  }

  makeMore(event) {
    const { context } = this;
    const { content } = event;
    const about =
      event.target === null ? null : button(`event ${event.target}`, () => this.start(event.target + 1), { class: "link" });
    const note = content?.note;
    return make(
      "div",
      { class: "event-more" },
      findText(event) && make("p", { class: "full-text", dir: "auto" }, findText(event)),
      facts([
        content?.columns && [
          "Columns",
          Object.entries(content.columns).map(([name, value], place) => [
            place > 0 && ", ",
            make("bdi", {}, `${name}: ${value}`),
          ]),
        ],
        event.subject !== null && ["About whom", make("bdi", {}, event.subject)],
        note && ["Note", make("bdi", {}, note)],
        content?.proposal && [
          "Proposed then",
          [showLabel(content.proposal.label, context.labels), ` ${(content.proposal.probability * 100).toFixed(1)} %`],
        ],
        content?.pool && ["Pool", make("bdi", {}, content.pool)],
        content?.weight !== undefined && ["Weight", String(content.weight)],
        event.label_now !== null &&
          event.label_now !== content?.label && ["Label now", showLabel(event.label_now, context.labels)],
        about && ["About", about],
        ["Time", event.time],
        ["Hash", make("code", { class: "hash" }, event.hash)],
      ]),
      make("div", { class: "row" }, this.listActions(event)),
    );
  }

  listActions(event) {
    const { context } = this;
    if (!context.canTeach || event.content === null) return [];
    return [
      canUndo(event) && button("Undo", () => this.undo(event)),
      event.is_learned && button("Correct the label …", () => this.relabel(event)),
      event.is_learned && button("Unlearn", () => this.unlearn(event)),
      event.subject !== null &&
        context.may("admin") &&
        button("Erase this person …", () => this.erase(event.subject), { class: "grave-quiet" }),
      event.subject === null &&
        event.content.text !== undefined &&
        context.may("admin") &&
        button("Erase this text …", () => this.erase(null, event), { class: "grave-quiet" }),
      event.verb === "erase" &&
        context.may("admin") &&
        button("Download the certificate", () => attempt(() => fetchCertificate(context, event.number))),
    ];
  }

  get focused() {
    return document.activeElement?.closest?.(".list-row") ?? null;
  }

  step(name) {
    if (this.focused) this.list.go(name);
    else this.list.marked?.focus();
  }

  toggle(row = this.focused) {
    if (!row) return;
    const more = row.querySelector(".event-more");
    if (more) more.remove();
    else row.append(this.makeMore(row.item));
    row.querySelector(".event-number").setAttribute("aria-expanded", String(!more));
  }

  // Changes.

  async undo(event) {
    const { context } = this;
    const isOwn = event.actor === context.session.name;
    const did = `${event.actor} ${VERBS[event.verb] ?? event.verb} this (event ${event.number}).`;
    const words = `${did} An undo is written into the history, too, and can be undone.`;
    if (!isOwn && !(await confirm("Undo the step of somebody else?", words, `Undo event ${event.number}`))) return;
    await context.change(async () =>
      context.note(await context.server.post("undo", { event: event.number }), `Event ${event.number} is undone.`),
    );
  }

  undoFocused() {
    const event = this.focused?.item;
    if (event && event.content !== null && canUndo(event)) this.undo(event);
  }

  async relabel(event) {
    const { context } = this;
    const chosen = await chooseLabel(context, event.label_now);
    if (!chosen) return;
    await context.change(async () => {
      const message = { event: event.number, label: chosen.label, new_labels: chosen.isNew };
      context.note(
        await context.server.post("relabel", message),
        `The text of event ${event.number} is now “${chosen.label}”.`,
      );
    });
  }

  async unlearn(event) {
    const { context } = this;
    await context.change(async () =>
      context.note(
        await context.server.post("unlearn", { events: [event.number] }),
        `The text of event ${event.number} is unlearned.`,
      ),
    );
  }

  async erase(subject = null, event = null) {
    if (await erase(this.context, subject, event)) await this.start();
  }
}

function canUndo(event) {
  return event.is_in_effect && CAN_UNDO.includes(event.verb) && !(event.is_learned === false);
}

// What happened, in a line.
function describe(event, labels) {
  const { content } = event;
  const about = event.target === null ? "" : `event ${event.target}`;
  if (event.verb === "erase") return content?.documents === undefined ? "documents" : count(content.documents, "document");
  if (content === null) return make("span", { class: "quiet" }, "the content was erased");
  if (event.verb === "train") return `up to ${about}`;
  if (event.verb === "publish") return `the model of ${about}`;
  if (event.verb === "begin") return "the ledger";
  if (event.verb === "check")
    return `by hand: ${interval(content.accuracy)}, ${thousands(content.n)} of ${count(content.n_pool, "text")}`;
  const parts = [];
  if (content.kind && content.kind !== "label")
    parts.push(
      make("span", { class: "badge" }, { unsure: "not sure", skip: "skipped", note: "note" }[content.kind] ?? content.kind),
    );
  if (content.label !== undefined && content.label !== null) parts.push(showLabel(content.label, labels));
  const text = findText(event);
  if (about && (!text || event.verb === "undo")) parts.push(make("span", { class: "quiet" }, about));
  if (text) parts.push(showText(text, SNIPPET));
  return parts;
}

// The text that an event is about. Columns are joined with U+001F.
function findText(event) {
  return (event.content?.text ?? event.target_text ?? "").replaceAll("\u001f", "\n\n");
}

function badges(event) {
  const found = [];
  if (!event.is_in_effect) found.push("undone");
  else if (event.is_learned === false && event.content !== null) found.push("unlearned");
  if (event.content === null) found.push("erased");
  if (event.label_now !== null && event.content?.label !== undefined && event.label_now !== event.content.label)
    found.push("corrected");
  return found.map((words) => make("span", { class: "badge" }, words));
}
