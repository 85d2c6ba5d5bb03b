// Quality: how often the proposals were right, where they were wrong, and which documents to look at again.

import { lineChart } from "./charts.js";
import {
  button,
  card,
  count,
  emptiness,
  facts,
  interval,
  make,
  percent,
  renew,
  showLabel,
  showText,
  table,
  thousands,
} from "./elements.js";
import { describeCheck, showCheck } from "./hand_checks.js";
import { attempt, tell } from "./messages.js";
import { chooseLabel } from "./relabel.js";

const MOST_LABELS = 12; // of the confusion table
const NEWS_MS = 2000; // after news, before the server is asked
const SUSPECTS_MS = 3000; // between questions for suspects that the server still looks for
const GAIN_MS = 1000; // between questions for the gain of more labels while the server works it out

export const open = (context) => new QualityView(context);

class QualityView {
  constructor(context) {
    this.context = context;
    this.findings = make("div", { class: "wide" }); // they come later
    this.gain = make("p", { class: "quiet", role: "status" });
    this.element = make("div", { class: "quality", "aria-busy": "true" }, make("p", { class: "quiet" }, "Loading …"));
    this.keys = [
      { keys: ["r"], words: "Work it out again", act: () => this.start() },
      ...(context.canTeach && context.facts.can_train
        ? [{ keys: ["t"], words: "Train the model now", act: () => this.train() }]
        : []),
    ];
  }

  async start() {
    await this.refresh();
    if (this.context.may("teacher")) await attempt(async () => this.showFindings(await this.context.server.get("findings")));
  }

  async refresh() {
    await attempt(async () => this.show(await this.context.server.get("quality")));
    this.element.removeAttribute("aria-busy");
  }

  refreshSoon(ms) {
    clearTimeout(this.timer);
    if (!this.isClosed) this.timer = setTimeout(() => this.refresh(), ms);
  }

  news(name) {
    if (name !== "facts") return;
    this.refreshSoon(NEWS_MS);
  }

  close() {
    this.isClosed = true;
    clearTimeout(this.timer);
    clearTimeout(this.gainTimer);
  }

  // What 50 more labels would bring: the server trains models for it in the background.
  async askGain() {
    clearTimeout(this.gainTimer);
    await attempt(async () => {
      const told = await this.context.server.get("gain");
      this.gain.textContent = told.is_running ? "Models of parts of the documents are trained …" : told.words;
      if (told.is_running && !this.isClosed) this.gainTimer = setTimeout(() => this.askGain(), GAIN_MS);
    });
  }

  async train() {
    await attempt(async () => {
      this.context.changed(await this.context.server.post("train"));
      tell("The training has begun. The model answers meanwhile.");
    });
  }

  show(quality) {
    renew(
      this.element,
      this.showHeadline(quality),
      quality.proposals.n > 0 && [
        this.showRunning(quality),
        this.showCalibration(quality),
        this.showLearning(quality),
        this.showConfusion(quality),
      ],
      this.context.facts.check &&
        make("div", { class: "wide" }, card("Checked by hand", showCheck(this.context.facts.check, this.context.labels))),
      make("div", { class: "wide" }, this.showSuspects(quality)),
      this.findings,
    );
    if (quality.suspects_event === null && this.context.may("teacher")) this.refreshSoon(SUSPECTS_MS);
  }

  showHeadline({ proposals }) {
    const { context } = this;
    const { facts: model } = context;
    const estimate = model.estimate?.accuracy;
    const isMeasured = proposals.n > 0;
    return make(
      "section",
      { class: "card headline" },
      make(
        "div",
        {},
        make("p", { class: "big-number" }, isMeasured ? percent(proposals.accuracy.value) : "–"),
        make(
          "p",
          {},
          isMeasured
            ? `of ${count(proposals.n, "proposal")} were right: ${interval(proposals.accuracy)}, with 95 % confidence.`
            : "No proposal was judged yet. Judge texts on the view Label: each one is a measurement.",
        ),
        isMeasured &&
          make(
            "p",
            { class: "quiet" },
            "What the model said before it learned the text, against what people said first. Suggested texts are harder than ",
            "random ones, and corrections on the view Classify do not count: people correct what is wrong.",
          ),
      ),
      make(
        "div",
        {},
        facts([
          ["Held-out accuracy", estimate ? interval(estimate) : "not estimated"],
          ["Checked by hand", model.check ? describeCheck(model.check) : "not yet"],
          ["Documents", model.documents === null ? "not known" : thousands(model.documents)],
          [
            "Trained up to",
            model.trained_to === null ? "everything follows from the counts" : `event ${model.trained_to} of ${model.event}`,
          ],
        ]),
        context.canTeach &&
          make(
            "div",
            { class: "row" },
            button("Check by hand", () => context.go("check")),
            model.can_train && button("Train now", () => this.train()),
            button("What would 50 more labels bring?", () => this.askGain()),
          ),
        this.gain,
      ),
    );
  }

  showRunning({ running, proposals }) {
    return card(
      "Proposals so far",
      lineChart({
        title: "Share of right proposals",
        words: `After ${count(proposals.n, "proposal")}, ${percent(proposals.accuracy.value)} were right.`,
        x: { name: "proposals", show: thousands },
        y: { name: "right", show: (value) => percent(value, 0), range: spread(running) },
        lines: [
          {
            name: "right",
            points: running.map((each) => [each.n, each.accuracy]),
            band: running.map((each) => [each.n, each.low, each.high]),
          },
        ],
      }),
    );
  }

  showCalibration({ calibration }) {
    const bins = (calibration?.bins ?? []).filter((bin) => bin.n > 0);
    if (!bins.length) return null;
    return card(
      "Can the probabilities be trusted?",
      lineChart({
        title: "Right proposals by their probability",
        words: `On the dashed line, 80 % is right 80 times of 100. Calibration error ${percent(calibration.error)}.`,
        x: { name: "probability", show: (value) => percent(value, 0), range: [0, 1] },
        y: { name: "right", show: (value) => percent(value, 0), range: [0, 1] },
        lines: [{ name: "right", points: bins.map((bin) => [bin.mean_probability, bin.accuracy, bin.n]) }],
        diagonal: true,
        dots: true,
      }),
    );
  }

  showLearning({ learning }) {
    if (!learning || learning.length < 2) return null;
    return card(
      "Learning curve",
      lineChart({
        title: "Right proposals by the size of the model",
        words: "Each point is the share of right proposals while the model had so many documents.",
        x: { name: "documents", show: thousands },
        y: { name: "right", show: (value) => percent(value, 0), range: spread(learning) },
        lines: [
          {
            name: "right",
            points: learning.map((each) => [each.n_documents, each.accuracy]),
            band: learning.map((each) => [each.n_documents, each.low, each.high]),
          },
        ],
      }),
    );
  }

  showConfusion({ confusion }) {
    const { labels, cells } = confusion;
    const sums = labels.map((_, i) => cells[i].reduce((sum, n) => sum + n, 0) + cells.reduce((sum, row) => sum + row[i], 0));
    const shown = labels
      .map((_, i) => i)
      .sort((a, b) => sums[b] - sums[a])
      .slice(0, MOST_LABELS);
    const rows = shown.map((i) => {
      const most = cells[i].reduce((sum, n) => sum + n, 0);
      return [
        showLabel(labels[i], this.context.labels),
        ...shown.map((j) =>
          make(
            "span",
            {
              class: `cell ${i === j ? "right" : "wrong"} step-${Math.ceil((9 * cells[i][j]) / (most || 1))}`,
            },
            thousands(cells[i][j]),
          ),
        ),
      ];
    });
    return card(
      "Confusion",
      table(
        "Judged labels by proposed labels",
        ["judged ↓ proposed →", ...shown.map((j) => showLabel(labels[j], this.context.labels))],
        rows,
        { class: "scroll-x confusion" },
      ),
      labels.length > MOST_LABELS &&
        make("p", { class: "quiet" }, `The ${MOST_LABELS} most frequent of ${labels.length} labels.`),
    );
  }

  showSuspects({ suspects, suspects_event: event }) {
    const { context } = this;
    if (!suspects.length) {
      return card(
        "Look at again",
        event === null
          ? emptiness("Not looked for yet", "The server looks in the background for documents whose label looks wrong.")
          : emptiness("No suspects", `Up to event ${event}, no learned document has a label that looks wrong.`),
      );
    }
    return card(
      "Look at again",
      make(
        "p",
        { class: "quiet" },
        "The model, trained without the document, finds its label improbable. ",
        "Often the label is wrong; sometimes the text is just hard.",
      ),
      make(
        "ul",
        { class: "suspects" },
        suspects.map((each) => {
          const row = make(
            "li",
            { "data-part": `event ${each.event}` },
            make("p", {}, showText(each.text, 400)),
            make(
              "div",
              { class: "row" },
              make(
                "span",
                {},
                "labelled ",
                showLabel(each.label, context.labels),
                ", looks like ",
                showLabel(each.looks_like, context.labels),
              ),
              make("span", { class: "quiet" }, `probability of the label ${percent(each.p)}`),
              context.canTeach && button("Correct the label …", () => this.correct(each, row)),
            ),
          );
          return row;
        }),
      ),
    );
  }

  async correct(suspect, row) {
    const { context } = this;
    const chosen = await chooseLabel(context, suspect.label);
    if (!chosen) return;
    await context.change(async () => {
      const message = { event: suspect.event, label: chosen.label, new_labels: chosen.isNew };
      context.note(
        await context.server.post("relabel", message),
        `The text of event ${suspect.event} is now “${chosen.label}”.`,
        () => {
          row.hidden = false;
        },
      );
      row.hidden = true;
      row.parentElement.querySelector("li:not([hidden]) button")?.focus();
    });
  }

  // What the doctor finds in each pool, and in the documents that came with their labels.
  showFindings({ files }) {
    if (!files.length) return;
    this.findings.replaceChildren(
      card(
        "What the doctor finds in imported files",
        files.map((file) =>
          make(
            "section",
            { class: "findings" },
            make("h3", {}, file.pool === null ? "Documents with labels" : make("bdi", {}, file.pool)),
            make(
              "p",
              { class: "quiet" },
              `${count(file.texts, "text")}`,
              file.examined < file.texts && `, of which the newest ${thousands(file.examined)} were examined`,
              file.findings.length === 0 && ": nothing found",
              ".",
            ),
            file.findings.length > 0 &&
              make(
                "ul",
                {},
                file.findings.map((finding) => make("li", { dir: "auto" }, finding)),
              ),
          ),
        ),
      ),
    );
  }
}

// From a round number below all values to 1.
function spread(values) {
  return [Math.min(0.8, Math.floor(10 * Math.min(...values.map((each) => each.accuracy))) / 10), 1];
}
