// Check: a person gives the right labels of some texts without seeing what the model says. The result says how good the model
// is on all texts of a pool. Until the end, the answers are only in this browser: numbers of texts and labels, and no texts.

import { Choices } from "./choices.js";
import { confirm } from "./dialogs.js";
import { bar, button, card, count, emptiness, field, key, make, select, showLabel, thousands } from "./elements.js";
import { showCheck } from "./hand_checks.js";
import { attempt, complain } from "./messages.js";
import { showOffered } from "./offered_text.js";
import { PoolImport } from "./pool_import.js";

const STORED = "tercet-check";
const AHEAD = 20; // texts that are fetched at once
const USUAL = 100; // texts of a check
const MOST = 1000;
const NOT_SURE = null;

export const open = (context) => new CheckView(context);

class CheckView {
  constructor(context) {
    this.context = context;
    this.name = `${STORED} ${context.facts.model} ${context.session.name}`;
    this.run = readStored(this.name); // { sample, pool, n_pool, offers, answers }, or null if no check is under way
    this.texts = new Map(); // by offer
    this.choices = new Choices(context, (label) => this.answer(label), {
      words: "If the model does not have the right label, its answer is wrong. The model learns nothing here.",
    });
    this.importer = new PoolImport(context, () => this.start());
    this.said = make("p", { class: "said quiet", role: "status" });
    this.work = make("div", { class: "check-work" });
    this.element = make("div", { class: "check-view" }, this.work, this.importer.element);
    this.keys = [
      ...this.choices.keys.filter((entry) => !entry.keys.includes("Enter")),
      { keys: ["0"], words: "Not sure", act: () => this.answer(NOT_SURE) },
      { keys: ["u"], words: "Take the last answer back; without a check, undo your last step", act: () => this.takeBack() },
      { keys: ["f"], words: "End the check, and see the result", act: () => this.finish() },
      { keys: ["/"], words: "Find a label, if there are more than nine", act: () => this.choices.search.focus() },
      { keys: ["i"], words: "Import a file of texts", act: () => !this.run && this.importer.open() },
    ];
  }

  async start() {
    if (this.run) return this.next();
    await attempt(async () => {
      const { server } = this.context;
      const [{ pools }, { checks }] = await Promise.all([server.get("pools"), server.get("checks")]);
      if (!this.isClosed && !this.run) this.showBeginning(pools, checks);
    });
  }

  news(name, data) {
    if (name === "import") this.importer.progress(data);
    if (name === "facts" && this.run) this.choices.fill();
  }

  close() {
    this.isClosed = true;
  }

  // Before a check: which texts, how many, and what the last check has found.

  showBeginning(pools, checks) {
    const { context } = this;
    this.work.replaceChildren(
      pools.length === 0
        ? card(
            null,
            emptiness(
              "No texts to check with yet",
              "Import a file of texts without labels: a table (.csv), lines of JSON (.jsonl), or one text per line (.txt).",
              button(["Import a file ", key("i")], () => this.importer.open(), { class: "main", "aria-keyshortcuts": "i" }),
            ),
          )
        : this.makeForm(pools),
      ...(checks.length > 0 ? [card("The last check", showCheck(checks[0], context.labels))] : []),
    );
  }

  makeForm(pools) {
    // Texts that somebody has labelled are not drawn.
    const known = pools.map((pool) => ({ ...pool, left: pool.offers - pool.labelled - pool.disagreements }));
    const best = known.reduce((most, pool) => (pool.left > most.left ? pool : most));
    const n = make("input", { type: "number", min: "1", max: String(MOST), step: "1", required: true });
    const hint = make("span", { class: "quiet" });
    const propose = (name) => {
      const { left } = known.find((pool) => pool.pool === name);
      n.max = String(Math.min(MOST, left));
      n.value = String(Math.min(USUAL, left));
      hint.textContent = left > 0 ? `${count(left, "text")} without a label` : "Every text has a label: import new texts.";
      start.disabled = left === 0;
    };
    const start = make("button", { type: "submit", class: "main" }, "Begin");
    const pool = select(
      known.map((each) => [each.pool, each.pool]),
      best.pool,
      propose,
    );
    propose(best.pool);
    return card(
      "How good is the model on your texts?",
      make(
        "p",
        {},
        "Some texts are drawn, and you give the right label of each with one key. You do not see what the model says, because ",
        "that would influence you. Then you see how many of all its answers are right. The model learns nothing from it.",
      ),
      make(
        "form",
        {
          class: "row check-form",
          onsubmit: async (event) => {
            event.preventDefault();
            start.disabled = true;
            await this.draw(pool.value, Number(n.value));
            start.disabled = false;
          },
        },
        field("Texts", pool),
        field("How many to check", n),
        start,
        button(["Import a file ", key("i")], () => this.importer.open(), { "aria-keyshortcuts": "i" }),
      ),
      make("p", {}, hint),
      make(
        "p",
        { class: "quiet" },
        "100 texts take about ten minutes. You can end at any time: the texts come in random order. ",
        "Uncertain answers are drawn more often, and are weighted for that.",
      ),
    );
  }

  async draw(pool, n) {
    await attempt(async () => {
      const seed = crypto.getRandomValues(new Uint32Array(1))[0]; // another check asks for other texts
      const { sample, offers, n_pool } = await this.context.server.post("checks/draw", { pool, n, seed });
      this.run = { sample, pool, n_pool, offers, answers: [] };
      this.store();
      this.said.textContent = "";
      await this.next();
    });
  }

  // The texts one by one.

  get shown() {
    return this.run?.offers[this.run.answers.length];
  }

  async next() {
    const { run } = this;
    const isThere = await attempt(async () => {
      while (this.shown !== undefined && !this.texts.get(this.shown)) {
        if (this.texts.has(this.shown)) run.answers.push(NOT_SURE);
        else await this.fetch();
      }
      return true;
    });
    if (this.isClosed || this.run !== run) return;
    if (isThere) this.showWork();
    else this.showPause();
  }

  // Texts that were erased or deleted meanwhile do not come, and have no answer: they are null.
  async fetch() {
    const { run } = this;
    const wanted = run.offers.slice(run.answers.length, run.answers.length + AHEAD).filter((each) => !this.texts.has(each));
    const { texts } = await this.context.server.post("checks/texts", { offers: wanted });
    for (const each of texts) this.texts.set(each.offer, each);
    for (const each of wanted) if (!this.texts.has(each)) this.texts.set(each, null);
  }

  showWork() {
    const { run } = this;
    const place = run.answers.length;
    const isDone = place === run.offers.length;
    const hadFocus = this.work.contains(document.activeElement);
    const content = isDone ? this.makeEnd() : this.makeQuestion();
    this.work.replaceChildren(
      make(
        "section",
        { class: "card label-work", "aria-label": "Text to check" },
        make(
          "div",
          { class: "row spread" },
          make(
            "span",
            {},
            isDone ? "All texts are answered" : `Text ${thousands(place + 1)} of ${thousands(run.offers.length)}`,
            make("span", { class: "quiet" }, " of ", make("bdi", {}, run.pool)),
          ),
          button("Throw this check away", () => this.discard(), { class: "plain" }),
        ),
        bar(place / run.offers.length, "best"),
        content,
        this.said,
      ),
    );
    const target = isDone ? this.work.querySelector("button.main") : this.work.querySelector(".label-text");
    if (hadFocus || document.activeElement?.matches("body, h1")) target?.focus({ preventScroll: true });
  }

  makeQuestion() {
    this.choices.show(null);
    const hasAnswers = this.run.answers.some((each) => each !== NOT_SURE);
    return [
      showOffered(this.texts.get(this.shown)),
      this.choices.element,
      make(
        "div",
        { class: "row" },
        button([key("0"), "Not sure"], () => this.answer(NOT_SURE), { "aria-keyshortcuts": "0" }),
        button([key("u"), "Undo"], () => this.takeBack(), {
          "aria-keyshortcuts": "u",
          disabled: this.run.answers.length === 0,
        }),
        button([key("f"), "End, and see the result"], () => this.finish(), {
          "aria-keyshortcuts": "f",
          disabled: !hasAnswers,
        }),
      ),
    ];
  }

  makeEnd() {
    return make(
      "div",
      { class: "row" },
      button([key("f"), "See the result"], () => this.finish(), { class: "main", "aria-keyshortcuts": "f" }),
      button([key("u"), "Undo"], () => this.takeBack(), { "aria-keyshortcuts": "u" }),
    );
  }

  // The server did not answer.
  showPause() {
    this.work.replaceChildren(
      card(
        null,
        emptiness(
          "The next text did not come",
          "Your answers are kept in this browser.",
          button("Try again", () => this.next(), { class: "main" }),
        ),
      ),
    );
  }

  answer(label) {
    const { run } = this;
    if (this.shown === undefined || !this.texts.get(this.shown) || this.isSaving) return;
    run.answers.push(label);
    this.store();
    this.said.replaceChildren(
      "Last answer: ",
      label === NOT_SURE ? "not sure" : showLabel(label, this.context.labels),
      ".",
    );
    this.next();
  }

  takeBack() {
    const { run } = this;
    if (!run) this.context.undoLast();
    if (!run?.answers.length || this.isSaving) return;
    do run.answers.pop();
    while (run.answers.length > 0 && this.texts.get(this.shown) === null); // a text that is gone is not asked again
    this.store();
    this.said.textContent = "Taken back.";
    this.next();
  }

  async discard() {
    const n = this.run.answers.length;
    const words = `${count(n, "answer")} will be lost. Nothing was written down yet.`;
    if (n > 0 && !(await confirm("Throw this check away?", words, "Throw it away", { isGrave: true }))) return;
    this.forget();
    await this.start();
  }

  // The result.

  async finish() {
    const { context, run } = this;
    if (!run || this.isSaving || !run.answers.some((each) => each !== NOT_SURE)) return;
    this.isSaving = true;
    await context.change(async () => {
      const answers = run.offers.map((_, place) => run.answers[place] ?? NOT_SURE);
      try {
        const answer = await context.server.post("checks", { sample: run.sample, answers });
        this.forget();
        context.note(answer, `The check is written down as event ${answer.events[0]}.`, () => this.isClosed || this.start());
        context.facts.check = answer.check;
        if (!this.isClosed) this.showResult(answer.check);
      } catch (problem) {
        complain(problem);
      }
    });
    this.isSaving = false;
  }

  showResult(check) {
    const title = make("h2", { tabindex: "-1" }, "The result");
    const again = button("Check again", () => this.start());
    this.work.replaceChildren(
      make(
        "section",
        { class: "card" },
        title,
        showCheck(check, this.context.labels),
        make("div", { class: "row" }, again, button("Quality", () => this.context.go("quality"), { class: "plain" })),
      ),
    );
    title.focus({ preventScroll: true });
  }

  // What is kept until the end.

  store() {
    try {
      localStorage.setItem(this.name, JSON.stringify(this.run));
    } catch {
      // the browser keeps nothing: then the answers are lost with the page
    }
  }

  forget() {
    this.run = null;
    this.texts.clear();
    this.said.textContent = "";
    localStorage.removeItem(this.name);
  }
}

function readStored(name) {
  try {
    const run = JSON.parse(localStorage.getItem(name));
    return Array.isArray(run?.offers) && Array.isArray(run.answers) && typeof run.sample === "string" ? run : null;
  } catch {
    return null;
  }
}
