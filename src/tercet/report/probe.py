"""The result of a probe with swapped terms: how the decisions of a model change, as text, HTML, JSON and a data frame."""

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from tercet.characters import show_line
from tercet.data_frames import make_frame
from tercet.evaluation.intervals import Estimate, find_level
from tercet.evaluation.mean_differences import CorrectedDifference
from tercet.evaluation.resampling import Resampling
from tercet.evaluation.rounding import format_rounded
from tercet.report.comparison import show_p
from tercet.report.diagnosis import Place
from tercet.report.difference_pictures import draw_differences
from tercet.report.json_values import simplify
from tercet.report.pair_audit import ALL_OTHERS
from tercet.report.rendering import Rendering
from tercet.report.signature import write_signature
from tercet.report.tables import Footnotes, Grid, Sheet, pluralize, show_estimate

MOST_SHOWN = 30  # rows of a table
MOST_FINDINGS = 20  # differences that are described
MOST_SHOWN_TEXTS = 10
MOST_NAMED = 10  # terms that no text has
AROUND, LONGEST = 6, 120  # words around the first change of a text, and characters of both
OTHER_WORDS = (
    "All listed terms of a text are swapped at once. Other terms, and texts of another kind, may show other differences."
)


@dataclass(frozen=True)
class SwapDifference:
    """The texts with the terms of a group, minus the same texts with the terms of the other groups: means over texts.

    Texts that have the same versions, such as "He left" and "She left", count once in `n_texts`.
    """

    group: str
    against: str
    label: Any
    n_texts: int
    probability: CorrectedDifference
    log_odds: CorrectedDifference

    @property
    def is_shown(self) -> bool:
        """Whether the difference in probability or in log-odds is significant after correction."""
        return not (_may_be_chance(self.probability) and _may_be_chance(self.log_odds))

    @property
    def _swap(self) -> str:
        return f"{self.group!r} in place of {self.against if self.against == ALL_OTHERS else repr(self.against)}"

    def describe(self) -> str:
        """One sentence that can stand alone."""
        what = f"With {self._swap}, the probability of {show_line(self.label)!r}"
        if self.probability.is_zero:
            return f"{what} is exactly the same in {pluralize(self.n_texts, 'text')}."
        return (
            f"{what} changes by {_show_change(self.probability)} on average over {pluralize(self.n_texts, 'text')}, and its "
            f"log-odds by {_show_change(self.log_odds)}."
        )

    def describe_power(self) -> str:
        """Which differences so many texts would have shown."""
        what, texts = self._swap, pluralize(self.n_texts, "text")
        found = [each.detectable for each in (self.probability, self.log_odds)]
        if any(map(math.isnan, found)):
            return f"With {what}, the changes of {texts} do not say what other texts would show."
        probability, odds = (format_rounded(each, ".2g") for each in found)
        return (
            f"With {what}, {texts} would have shown a change of {probability} in the probability of {show_line(self.label)!r}, "
            f"or of {odds} in its log-odds, with 80 % power. Smaller changes may exist."
        )


@dataclass(frozen=True)
class TermChange:
    """The texts that have a term: what changes if another term replaces it. Their other listed terms are swapped, too."""

    term: str
    replaced_by: str
    label: Any
    n_texts: int
    n_flips: int
    flips: Estimate  # share of the texts that get another label
    probability: Estimate
    log_odds: Estimate


@dataclass(frozen=True)
class SwappedText:
    """A text that changes much: the text before and after, with the decisions, and the probability of a label."""

    place: Place
    before: str
    after: str
    label: Any
    probability_before: float
    probability_after: float
    decision_before: Any
    decision_after: Any

    @property
    def is_flipped(self) -> bool:
        """Whether it gets another label."""
        return bool(self.decision_before != self.decision_after)

    def describe_decision(self) -> str:
        """The label before and after, or one label if they are the same."""
        labels = dict.fromkeys([self.decision_before, self.decision_after])
        return " → ".join(show_line(label, 16) for label in labels)


@dataclass(frozen=True, eq=False, repr=False)
class TermProbe(Rendering):
    """How decisions change if listed terms of texts are swapped.

    - `n_texts` of `n_documents` texts have a listed term; `n_flips` of them get another label in at least one version.
    - `differences`: the versions of each group against those of the other groups. With two groups it is the second minus the
      first.
    - `terms`: what changes if a term replaces another, over the texts that have it.
    - `texts`: the texts that change most, those that get another label first.
    - `unused`: listed terms that no text has; `ambiguous`: a sentence for each term that is in several sets.
    - `n_ruled`: how often a rule decides a text or a version of it.
    """

    groups: tuple[str, ...]
    n_documents: int
    n_texts: int
    n_flips: int
    flips: Estimate
    differences: tuple[SwapDifference, ...]
    terms: tuple[TermChange, ...]
    texts: tuple[SwappedText, ...]
    plan: Resampling
    unused: tuple[str, ...] = ()
    ambiguous: tuple[str, ...] = ()
    n_ruled: int = 0

    @property
    def findings(self) -> tuple[str, ...]:
        """Plain sentences, the most important first: how many texts get another label, then the differences of groups."""
        shown = [each for each in self._ranked if each.is_shown] or self._ranked[:1]
        more = len(shown) - MOST_FINDINGS
        counted = [f"{pluralize(more, 'further significant difference')}: see the tables."] if more > 0 else []
        return (self._describe_flips(), *(each.describe() for each in shown[:MOST_FINDINGS]), *counted)

    @property
    def detectable(self) -> tuple[str, ...]:
        """For each difference: what so many texts would have shown."""
        return tuple(each.describe_power() for each in self._ranked[:MOST_SHOWN])

    @property
    def remarks(self) -> tuple[str, ...]:
        """What one must know to read the numbers."""
        return tuple(self._list_remarks())

    def _list_remarks(self) -> Iterator[str]:
        if max(len(self.differences), len(self.terms)) > MOST_SHOWN:
            yield f"Tables of terms show at most {MOST_SHOWN} rows: --json has all of them."
        if self.unused:
            more = f" and {len(self.unused) - MOST_NAMED} more" if len(self.unused) > MOST_NAMED else ""
            yield f"Listed terms that no text has: {', '.join(map(show_line, self.unused[:MOST_NAMED]))}{more}."
        yield from self.ambiguous
        if (n_distinct := self.differences[0].n_texts) < self.n_texts:
            yield f"Texts with equal versions count once in differences of groups: {n_distinct} of {self.n_texts} differ."
        if len({each.label for each in self.differences}) > 1:
            yield "The probability of each label is compared, because no label was named as the positive one."
        if self.n_ruled:
            yield (
                f"A rule decides {pluralize(self.n_ruled, 'text')} or versions of them. Probabilities and decisions are those "
                "of the rule, log-odds those of the model alone."
            )
        yield OTHER_WORDS

    @property
    def _ranked(self) -> list[SwapDifference]:
        """The differences, the smallest p-value first, and then the largest change."""
        return sorted(self.differences, key=_order)

    @property
    def signature(self) -> str:
        """The recipe of the numbers."""
        estimates = [self.flips, *(each.probability.estimate for each in self.differences)]
        return write_signature(["swaps"], self.n_texts, estimates, self.plan, tests=2 * len(self.differences))

    @property
    def headline(self) -> str:
        swapped = " / ".join(f"({name})" for name in self.groups)
        return f"Swapped terms {swapped}: {self.n_texts} of {pluralize(self.n_documents, 'text')} have a listed term"

    def _describe_flips(self) -> str:
        share = f"{self.flips:.1%}".replace("%", " %")
        return (
            f"If the listed terms are swapped ({' / '.join(self.groups)}), {self.n_flips} of the {self.n_texts} texts that "
            f"have one get another label: {share}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON; an undefined number is None."""
        names = ("headline", "findings", "detectable", "groups", "n_documents", "n_texts", "n_flips", "flips")
        own = {name: getattr(self, name) for name in (*names, "unused", "remarks", "signature")}
        lists = {name: [asdict(each) for each in getattr(self, name)] for name in ("differences", "terms", "texts")}
        simple: dict[str, Any] = simplify(own | lists)
        return simple

    def to_frame(self) -> Any:
        """A data frame of pandas or polars with a row for each number: of all texts, of the groups, and of the terms."""
        rows = list(self._list_numbers())
        return make_frame({name: [row[name] for row in rows] for name in rows[0]})

    def _list_numbers(self) -> Iterator[dict[str, Any]]:
        yield _make_row(("any", "the original", None, self.n_texts), "flip_share", self.flips)
        for each in self.differences:
            named = (each.group, each.against, each.label, each.n_texts)
            for measure in ("probability", "log_odds"):
                found: CorrectedDifference = getattr(each, measure)
                tests = {"p_value": found.p_value, "adjusted_p": found.adjusted_p, "detectable": found.detectable}
                yield _make_row(named, measure, found.estimate) | tests
        for term in self.terms:
            named = (term.replaced_by, term.term, term.label, term.n_texts)
            for measure in ("probability", "log_odds", "flip_share"):
                yield _make_row(named, measure, term.flips if measure == "flip_share" else getattr(term, measure))

    def to_sheet(self) -> Sheet:
        """Differences between groups, changes by term, and the texts that change most; findings as notes."""
        notes = Footnotes()
        grids = (self._list_differences(notes), self._list_terms(notes), self._list_texts())
        remarks = (*self.findings, *self.detectable, *self.remarks, *notes.list())
        return Sheet(self.headline, tuple(grid for grid in grids if grid.rows), remarks, self.signature)

    def _draw(self) -> list[str]:
        groups = [(f"{each.label}: {each.group} for {each.against}", each.probability.estimate) for each in self._ranked]
        terms = [(f"{each.label}: {each.replaced_by} for {each.term}", each.probability) for each in self._ranked_terms]
        return [
            draw_differences("change of the probability of a label, by group", groups[:MOST_SHOWN]),
            draw_differences("change of the probability of a label, by term", terms[:MOST_SHOWN]),
        ]

    @property
    def _ranked_terms(self) -> list[TermChange]:
        """The changes by term, the largest first."""
        return sorted(self.terms, key=lambda each: -abs(each.probability.value))

    def _list_differences(self, notes: Footnotes) -> Grid:
        level = find_level(self.plan.confidence)
        header = ("group", "against", "label", "texts", "probability", "p (Holm)", "log-odds", "p (Holm)")
        rows = [
            (
                show_line(each.group),
                show_line(each.against),
                show_line(each.label),
                str(each.n_texts),
                *(
                    cell
                    for found in (each.probability, each.log_odds)
                    for cell in (show_estimate(found.estimate, notes, "+"), show_p(found.adjusted_p, level))
                ),
            )
            for each in self._ranked[:MOST_SHOWN]
        ]
        return Grid("differences between the versions of the same texts", header, tuple(rows))

    def _list_terms(self, notes: Footnotes) -> Grid:
        header = ("term", "replaced by", "label", "other decisions", "share", "probability", "log-odds")
        rows = [
            (
                show_line(each.term),
                show_line(each.replaced_by),
                show_line(each.label),
                f"{each.n_flips} of {each.n_texts}",
                show_estimate(each.flips, notes),
                show_estimate(each.probability, notes, "+"),
                show_estimate(each.log_odds, notes, "+"),
            )
            for each in self._ranked_terms[:MOST_SHOWN]
        ]
        return Grid("changes of the texts that have a term", header, tuple(rows))

    def _list_texts(self) -> Grid:
        """A row for each text. With one file, its name is left out."""
        header = ("text", "where", "probability of", "before", "after", "decision")
        has_one_file = len({each.place.file for each in self.texts}) == 1
        rows = [
            (
                show_change(each.before, each.after),
                f"row {each.place.row}" if has_one_file and each.place.row is not None else show_line(each.place, 60),
                show_line(each.label, 16),
                format_rounded(each.probability_before, ".3f"),
                format_rounded(each.probability_after, ".3f"),
                each.describe_decision(),
            )
            for each in self.texts[:MOST_SHOWN_TEXTS]
        ]
        return Grid("texts that change most", header, tuple(rows))


def _order(found: SwapDifference) -> tuple[float, float]:
    # The p-value of log-odds may be NaN: min gives the first number then.
    return min(found.probability.p_value, found.log_odds.p_value), -abs(found.probability.estimate.value)


def _may_be_chance(found: CorrectedDifference) -> bool:
    return not found.adjusted_p < find_level(found.estimate.confidence)  # NaN may be chance, too


def _show_change(found: CorrectedDifference) -> str:
    """The mean change with its interval and its p-value."""
    estimate = found.estimate
    if math.isnan(estimate.value):
        return f"an unknown amount ({estimate.note})"
    chance = ", so it may be chance" if _may_be_chance(found) else ""
    note = f"; {estimate.note}" if estimate.note else ""
    p_value = show_p(found.adjusted_p, find_level(estimate.confidence))
    return f"{show_estimate(estimate, sign='+')} (p = {p_value} after correction{chance}{note})"


def show_change(before: str, after: str) -> str:
    """The words around the first difference of two texts, with both versions of it, in one line.

    >>> show_change("I think that he is here", "I think that she is here")
    'I think that [he → she] is here'
    """
    words, others = before.split(), after.split()
    first = next((k for k, (a, b) in enumerate(zip(words, others, strict=False)) if a != b), 0)
    begin, end = max(0, first - AROUND), first + AROUND
    changed = f"[{words[first]} → {others[first]}]"
    parts = ["…" * (begin > 0), *words[begin:first], changed, *words[first + 1 : end], "…" * (end < len(words))]
    return show_line(" ".join(filter(None, parts)), LONGEST)


def _make_row(named: tuple[str, str, Any, int], measure: str, estimate: Estimate) -> dict[str, Any]:
    group, against, label, n_texts = named
    own = {"group": group, "against": against, "label": label, "n_texts": n_texts, "measure": measure}
    bounds = {"difference": estimate.value, "low": estimate.low, "high": estimate.high}
    return own | bounds | dict.fromkeys(("p_value", "adjusted_p", "detectable"), math.nan) | {"note": estimate.note}
