// Label: a queue of texts that people judge, what they disagree about, how well they agree, and where the texts come from.

import { Choices } from "./choices.js";
import { confirm, prompt } from "./dialogs.js";
import { Disagreements } from "./disagreements.js";
import {
  bar,
  button,
  card,
  count,
  emptiness,
  facts,
  field,
  key,
  make,
  percent,
  select,
  showLabel,
  showText,
} from "./elements.js";
import { Evidence } from "./evidence.js";
import { PoolImport } from "./pool_import.js";
import { attempt } from "./messages.js";
import { hasColumns, listTexts, showOffered } from "./offered_text.js";

const AHEAD = 5; // texts that are fetched at once
const MOST_RECENT = 8;
const STORED = "tercet-label";

export const open = (context) => new LabelView(context);

class LabelView {
  constructor(context) {
    this.context = context;
    this.settings = { pool: null, order: "suggested", judges: 1, ...readStored(context.facts.model) };
    this.pools = [];
    this.queue = [];
    this.done = new Set(); // offers that were judged on this page: an answer that comes late may still have them
    this.recent = [];
    this.judged = 0;
    this.choices = new Choices(context, (label, isNew) => this.judge("label", label, isNew));
    this.evidence = new Evidence(context, (label, against) => this.explain({ label, against }));
    this.disagreements = new Disagreements(context, () => this.refreshPools());
    this.importer = new PoolImport(context, (pool) => this.choosePool(pool));
    this.head = this.makeHead();
    this.work = make("section", { class: "card label-work", "aria-label": "Text to label" });
    this.said = make("p", { class: "said quiet", role: "status" });
    this.side = make("aside", { class: "label-side", "aria-label": "Progress" });
    this.element = make(
      "div",
      { class: "label-view" },
      this.head,
      make("div", { class: "label-main" }, make("div", {}, this.work, this.evidence.element), this.side),
      this.disagreements.element,
      this.importer.element,
    );
    this.evidence.clear();
    this.keys = [
      ...this.choices.keys,
      { keys: ["s"], words: "Skip: do not show me this text again", act: () => this.judge("skip") },
      { keys: ["0"], words: "Not sure", act: () => this.judge("unsure") },
      { keys: ["n"], words: "Write a note about this text", act: () => this.writeNote() },
      { keys: ["e"], words: "Why this proposal?", act: () => this.explain() },
      {
        keys: ["/"],
        words: "Find a label, if there are more than nine",
        act: () => (!this.choices.tools.hidden ? this.choices.search.focus() : this.head.querySelector("select")?.focus()),
      },
      { keys: ["i"], words: "Import a file", act: () => this.importer.open() },
    ];
  }

  async start() {
    await this.refreshPools();
    if (!this.pools.some((pool) => pool.pool === this.settings.pool))
      this.settings.pool = (this.pools.find((pool) => pool.open > 0) ?? this.pools[0])?.pool ?? null;
    this.showHead();
    this.showSide();
    await this.next();
  }

  news(name, data) {
    if (name === "import") this.importer.progress(data);
    if (name === "facts") {
      this.refreshPools();
      this.choices.fill();
    }
  }

  close() {
    this.isClosed = true;
  }

  async refreshPools() {
    await attempt(async () => {
      this.pools = (await this.context.server.get("pools")).pools;
      if (this.isClosed) return;
      this.showHead();
      this.showSide();
      const n = this.pools.reduce((sum, pool) => sum + pool.disagreements, 0);
      await this.disagreements.show(n);
    });
  }

  async choosePool(pool) {
    this.change({ pool });
    await this.refreshPools();
  }

  // The settings: which texts, in which order, for how many people.

  makeHead() {
    const { settings } = this;
    this.poolChoice = select([], "", (pool) => this.change({ pool }), { onblur: () => this.showHead() });
    return make(
      "div",
      {
        class: "card label-settings",
        hidden: true,
        onpointerdown: () => {
          this.byPointer = true;
        },
        onkeydown: () => {
          this.byPointer = false;
        },
      },
      field("Texts", this.poolChoice),
      field(
        "Order",
        select(
          [
            ["suggested", "most useful first"],
            ["random", "random"],
          ],
          settings.order,
          (order) => this.change({ order }),
        ),
      ),
      field(
        "People per text",
        select(
          [
            ["1", "one"],
            ["2", "two"],
            ["3", "three"],
          ],
          String(settings.judges),
          (judges) => this.change({ judges: Number(judges) }),
        ),
      ),
      button(["Import a file ", key("i")], () => this.importer.open(), { "aria-keyshortcuts": "i" }),
      button("Delete these texts", () => this.deletePool(), { class: "plain" }),
    );
  }

  async deletePool() {
    const pool = this.pools.find((each) => each.pool === this.settings.pool);
    if (!pool) return;
    const words =
      `The ${count(pool.offers, "text")} of “${pool.pool}” are not shown to anybody any more; ` +
      `${pool.open} of them are not judged yet. What the model has learned from them stays learned. ` +
      "The history keeps the texts: to delete those of a person for ever, erase the person there.";
    if (!(await confirm("Delete these texts", words, "Delete", { isGrave: true }))) return;
    await this.context.change(async () => {
      await this.context.server.post("pools/delete", { pool: pool.pool });
      this.settings.pool = null;
      this.queue = [];
      await this.start();
    });
  }

  showHead() {
    this.head.hidden = this.pools.length === 0;
    if (this.poolChoice === document.activeElement) return; // nobody's list closes under their hand
    this.poolChoice.replaceChildren(
      ...this.pools.map((pool) => make("option", { value: pool.pool }, `${pool.pool} (${pool.open} open)`)),
    );
    this.poolChoice.value = this.settings.pool;
  }

  change(settings) {
    Object.assign(this.settings, settings);
    localStorage.setItem(`${STORED} ${this.context.facts.model}`, JSON.stringify(this.settings));
    this.queue = [];
    if (this.byPointer) document.activeElement?.blur(); // the keys of the labels work at once; by the keyboard one goes on here
    this.showSide();
    return this.next();
  }

  // The queue.

  async next() {
    if (this.queue.length === 0) await this.fetch();
    this.showOffer();
    if (this.queue.length > 0 && this.queue.length < 3) this.fetch();
  }

  // One question at a time for the same settings. If they change meanwhile, the server is asked anew.
  async fetch() {
    const { pool, order, judges } = this.settings;
    if (pool === null) return;
    const wanted = JSON.stringify({ pool, order, judges, limit: AHEAD });
    if (this.asked?.wanted !== wanted) {
      const asked = (this.asked = { wanted });
      asked.done = attempt(() => this.load(asked)).finally(() => {
        if (this.asked === asked) this.asked = null;
      });
    }
    await this.asked.done;
  }

  async load(asked) {
    const { offers } = await this.context.server.post("pools/next", JSON.parse(asked.wanted));
    if (asked !== this.asked) return;
    const known = new Set(this.queue.map((each) => each.offer));
    this.queue.push(...offers.filter((each) => !known.has(each.offer) && !this.done.has(each.offer)));
  }

  showOffer() {
    const [offer] = this.queue;
    this.evidence.clear();
    if (!offer) {
      this.shown = null;
      this.work.replaceChildren(this.describeEmptiness(), this.said);
      return;
    }
    this.shown = offer;
    this.choices.show(offer.proposal);
    const { proposal } = offer;
    const { labels } = this.context;
    const about = make(
      "p",
      { class: "label-about quiet" },
      proposal
        ? ["The model says ", showLabel(proposal.label, labels), ` with ${percent(proposal.probability)}.`]
        : "The model can't propose a label yet.",
      offer.n_judgments > 0 && ` ${count(offer.n_judgments, "other person has", "other people have")} judged this text.`,
    );
    const text = showOffered(offer);
    this.work.replaceChildren(
      text,
      about,
      this.choices.element,
      make(
        "div",
        { class: "row" },
        button([key("0"), "Not sure"], () => this.judge("unsure"), { "aria-keyshortcuts": "0" }),
        button([key("s"), "Skip"], () => this.judge("skip"), { "aria-keyshortcuts": "s" }),
        button([key("n"), "Note"], () => this.writeNote(), { "aria-keyshortcuts": "n" }),
        button([key("e"), "Why?"], () => this.explain(), { "aria-keyshortcuts": "e" }),
        button([key("u"), "Undo"], () => this.context.undoLast(), { "aria-keyshortcuts": "u", class: "plain" }),
      ),
      this.said,
    );
    // Who has gone elsewhere meanwhile stays there.
    if (document.activeElement?.matches("body, h1")) text.focus({ preventScroll: true });
  }

  describeEmptiness() {
    if (this.pools.length === 0) {
      return emptiness(
        "No texts to label yet",
        "Import a file: a table (.csv), lines of JSON (.jsonl), or a text file with one text per line.",
        button("Import a file", () => this.importer.open(), { class: "main" }),
      );
    }
    const pool = this.pools.find((each) => each.pool === this.settings.pool);
    return emptiness(
      "All done",
      pool && pool.open > 0
        ? "The texts that are left wait for other people, or you have skipped them."
        : "Every text of this pool is judged.",
    );
  }

  async judge(kind, label, isNew = false) {
    const offer = this.shown;
    if (!offer || this.isBusy) return;
    this.isBusy = true;
    await this.context.change(async () => {
      const message = { offer: offer.offer, kind, judges: this.settings.judges };
      if (kind === "label") Object.assign(message, { label, new_labels: isNew });
      if (offer.proposal)
        message.proposal = {
          label: offer.proposal.label,
          probability: offer.proposal.probability,
          event: offer.proposal.event,
        };
      const answer = await this.context.server.post("judge", message);
      this.done.add(offer.offer);
      this.queue.shift();
      this.judged += 1;
      const words = { label: `“${label}”`, unsure: "not sure", skip: "skipped" }[kind];
      const entry = { offer, kind, label };
      this.recent.unshift(entry);
      this.recent.splice(MOST_RECENT);
      this.context.note(answer, `Judged: ${words}.`, () => this.takeBack(entry), { isQuiet: true });
      this.said.replaceChildren(`Event ${answer.events[0]}: ${words}${describeOutcome(kind, answer)}.`);
      this.countLocally(kind);
      await this.next();
    });
    this.isBusy = false;
  }

  // An undone judgment: its text comes back at once.
  takeBack(entry) {
    this.done.delete(entry.offer.offer);
    this.recent = this.recent.filter((each) => each !== entry);
    if (this.isClosed) return;
    this.queue = [entry.offer, ...this.queue.filter((each) => each.offer !== entry.offer.offer)];
    this.showOffer();
    this.refreshPools();
  }

  // The numbers follow at once; the server corrects them later.
  countLocally(kind) {
    const pool = this.pools.find((each) => each.pool === this.settings.pool);
    if (pool && this.settings.judges === 1) {
      pool.open = Math.max(0, pool.open - 1);
      pool[{ label: "labelled", unsure: "unsure", skip: "skipped" }[kind]] += 1;
    }
    this.showSide();
  }

  async writeNote() {
    const offer = this.shown;
    if (!offer) return;
    const note = await prompt("Note", "Everybody who labels can read it in the history.", "Keep");
    if (!note) return;
    await this.context.change(async () =>
      this.context.note(await this.context.server.post("judge", { offer: offer.offer, kind: "note", note }), "Note kept."),
    );
  }

  async explain(pair = {}) {
    const offer = this.shown;
    if (!offer) return;
    await attempt(async () => {
      const document_ = hasColumns(offer) ? { columns: offer.columns } : { text: offer.text };
      const answer = await this.context.server.post("explain", { ...document_, ...pair, arithmetic: true });
      if (offer !== this.shown) return;
      this.evidence.show(answer);
      this.evidence.words[0]?.focus();
    });
  }

  // Progress and the last judgments.

  showSide() {
    const pool = this.pools.find((each) => each.pool === this.settings.pool);
    const { labels } = this.context;
    this.side.hidden = !pool;
    if (!pool) return;
    const judged = pool.offers - pool.open;
    this.side.replaceChildren(
      card(
        "Progress",
        make("p", {}, `${judged} of ${count(pool.offers, "text")} judged`),
        bar(pool.offers ? judged / pool.offers : 0, "best"),
        facts([
          ["Labelled", String(pool.labelled)],
          ["Not sure", String(pool.unsure)],
          ["Skipped", String(pool.skipped)],
          ["Disagreements", String(pool.disagreements)],
          ["You, now", String(this.judged)],
        ]),
      ),
      (this.recent.length > 0 &&
        card(
          "Your last judgments",
          make(
            "ol",
            { class: "recent" },
            this.recent.map((entry) =>
              make(
                "li",
                {},
                entry.kind === "label"
                  ? showLabel(entry.label, labels)
                  : make("span", { class: "badge" }, entry.kind === "skip" ? "skipped" : "not sure"),
                " ",
                showText(listTexts(entry.offer)[0][1], 60),
              ),
            ),
          ),
        )) ||
        "",
    );
  }
}

// What became of a label: it is learned only if nobody has given another one, and enough people agree.
function describeOutcome(kind, answer) {
  if (kind !== "label") return "";
  if (answer.is_learned) return ", learned";
  if (answer.status === "disagreements") return ", not learned: somebody else has given another label. Settle it below";
  return ", kept until others agree";
}

function readStored(model) {
  try {
    return JSON.parse(localStorage.getItem(`${STORED} ${model}`)) ?? {};
  } catch {
    return {};
  }
}
