// Texts that people have judged differently, to be settled, and how well people agree.

import { button, card, count, make, moment, renew, showLabel, table } from "./elements.js";
import { attempt } from "./messages.js";
import { chooseLabel } from "./relabel.js";

const PAGE_SIZE = 20;

export class Disagreements {
  constructor(context, onsettled) {
    this.context = context;
    this.onsettled = onsettled;
    this.list = make("ul", { class: "disagreements" });
    this.agreement = make("div");
    this.title = make("h2", { tabindex: "-1" }, "Disagreements");
    this.more = button("Show more", () => this.add(), { class: "plain", hidden: true });
    this.element = make(
      "div",
      { class: "columns", hidden: true },
      make("section", { class: "card" }, this.title, this.list, this.more),
      this.agreement,
    );
  }

  // Show what there is, if several people have judged.
  async show(n) {
    const { server } = this.context;
    const turn = (this.turn = {}); // of two answers, the later question counts
    const [agreement, offers] = await Promise.all([server.get("agreement"), n > 0 ? this.load() : []]);
    if (turn !== this.turn) return;
    this.element.hidden = n === 0 && agreement.n_judges < 2;
    if (this.element.hidden) return;
    this.title.textContent = n === 0 ? "No disagreements" : `${count(n, "disagreement")} to settle`;
    this.showAgreement(agreement);
    this.more.hidden = offers.length < PAGE_SIZE;
    this.oldest = offers.at(-1)?.offer;
    renew(
      this.list,
      n > 0
        ? offers.map((offer) => this.makeRow(offer))
        : make("li", { class: "quiet" }, "All people who judged the same text gave the same label, or it is settled."),
    );
  }

  async load(before) {
    const { offers } = await this.context.server.post("disagreements", { limit: PAGE_SIZE, ...(before ? { before } : {}) });
    return offers;
  }

  async add() {
    await attempt(async () => {
      const offers = await this.load(this.oldest);
      const rows = offers.map((offer) => this.makeRow(offer));
      this.list.append(...rows);
      rows[0]?.querySelector("button").focus(); // the button may go
      this.more.hidden = offers.length < PAGE_SIZE;
      this.oldest = offers.at(-1)?.offer ?? this.oldest;
    });
  }

  makeRow(offer) {
    const { context } = this;
    const { labels } = context;
    const given = [...new Set(offer.judgments.map((each) => each.label))];
    const row = make(
      "li",
      { "data-part": `offer ${offer.offer}` },
      make("p", { dir: "auto", class: "label-text" }, offer.text),
      make(
        "ul",
        { class: "judgments" },
        offer.judgments.map((each) =>
          make(
            "li",
            {},
            make("bdi", {}, each.actor),
            ": ",
            showLabel(each.label, labels),
            each.note && [" “", make("bdi", {}, each.note), "”"],
            " ",
            make("span", { class: "quiet" }, moment(each.time)),
          ),
        ),
      ),
      make(
        "div",
        { class: "row" },
        "Settle: ",
        given.map((label) => button(showLabel(label, labels), () => this.settle(offer, label, row))),
        button(
          "Another label …",
          async () => {
            const chosen = await chooseLabel(context);
            if (chosen) await this.settle(offer, chosen.label, row, chosen.isNew);
          },
          { class: "plain" },
        ),
      ),
    );
    return row;
  }

  async settle(offer, label, row, isNew = false) {
    const { context } = this;
    await context.change(async () => {
      const answer = await context.server.post("settle", { offer: offer.offer, label, ...(isNew ? { new_labels: true } : {}) });
      const next = row.nextElementSibling ?? row.previousElementSibling;
      row.remove();
      (next?.querySelector("button") ?? this.title).focus();
      context.note(answer, `Settled: it is “${label}”.`, () => this.onsettled());
      this.onsettled();
    });
  }

  showAgreement({ alpha, pairs, n_judges: nJudges }) {
    if (nJudges < 2) {
      this.agreement.replaceChildren();
      return;
    }
    renew(
      this.agreement,
      card(
        "Agreement",
        make("p", { class: "big-number" }, showNumber(alpha, false)),
        make(
          "p",
          {},
          `Krippendorff’s alpha of ${count(nJudges, "person", "people")} `,
          `on ${count(alpha.n_units, "text")}: ${showNumber(alpha)}.`,
        ),
        make(
          "p",
          { class: "quiet" },
          "1 is perfect agreement, 0 is what chance gives. Below 0.67, the labels need clearer rules.",
        ),
        pairs.length > 0 &&
          table(
            "Agreement of pairs",
            ["pair", "texts", "Cohen’s kappa"],
            pairs.map((pair) => [
              [make("bdi", {}, pair.a), " and ", make("bdi", {}, pair.b)],
              String(pair.n),
              showNumber(pair.kappa),
            ]),
          ),
      ),
    );
  }
}

function showNumber(estimate, hasRange = true) {
  if (!estimate || estimate.value === null) return "–";
  const number = (value) => value.toFixed(2).replace("-", "−");
  return !hasRange || estimate.low === null || estimate.low === undefined
    ? number(estimate.value)
    : `${number(estimate.value)} (${number(estimate.low)} to ${number(estimate.high)})`;
}
