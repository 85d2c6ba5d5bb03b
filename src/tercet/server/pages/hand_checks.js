// The result of a check by hand, as several views show it.

import { count, facts, interval, make, moment, percent, showLabel, table, thousands } from "./elements.js";

// “91.0 % (85.0 % to 95.0 %), 100 of 5,000 texts”, beside the words “Checked by hand”
export function describeCheck(check) {
  const texts = `${thousands(check.n)} of ${count(check.n_pool, "text")}`;
  const age = check.is_current ? "" : "; the model has changed since";
  return `${interval(check.accuracy)} right, ${texts}${age}`;
}

// The whole result: the accuracy in large, and the share of each label.
export function showCheck(check, labels) {
  return [
    make("p", { class: "big-number" }, percent(check.accuracy.value)),
    make(
      "p",
      {},
      check.n === check.n_pool
        ? "of the answers of the model are right. Every text was checked, so this is exact."
        : "of the answers of the model are right, as far as a sample can tell: with 95 % confidence it is " +
            `between ${percent(check.accuracy.low)} and ${percent(check.accuracy.high)}.`,
    ),
    !check.is_current &&
      make("p", { class: "notice" }, "The model has changed since it was checked: the number is that of the model before."),
    check.accuracy.note && check.n < check.n_pool && make("p", { class: "notice" }, `${begin(check.accuracy.note)}.`),
    facts([
      ["Checked by hand", `${thousands(check.n)} of ${count(check.n_pool, "text")}`],
      check.pool && ["Texts", make("bdi", {}, check.pool)],
      check.actor && ["Checked by", make("bdi", {}, check.actor)],
      check.time && ["When", moment(check.time)],
    ]),
    table(
      "Share of each label among the texts",
      ["Label", "Share of the texts", "Share by the model"],
      [...check.shares]
        .sort((a, b) => b.share.value - a.share.value)
        .map((row) => [showLabel(row.label, labels), interval(row.share), percent(row.predicted)]),
      { class: "scroll-x shares" },
    ),
  ];
}

function begin(words) {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
