"""`audit_swaps`: swap listed terms in texts, such as he and she, and see how the decisions of a model change."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import repeat
from typing import Any

import numpy as np

from tercet.arrays import Flags, Floats, Integers
from tercet.auditing.audit.cells import ALL_OTHERS
from tercet.auditing.audit.difference_pictures import draw_differences
from tercet.auditing.audit.differences import (
    CorrectedDifference,
    MeanDifference,
    correct_differences,
    estimate_means,
    plan_tests,
)
from tercet.auditing.audit.model_answers import Answers, choose_compared, read_whole
from tercet.auditing.audit.pairs import MEASURES
from tercet.auditing.audit.term_swaps import FoundTerm, TermSwaps
from tercet.auditing.doctor.diagnosis import Place
from tercet.cached import cached_property
from tercet.characters import show_line
from tercet.data.document_batches import Places, list_texts, open_batches
from tercet.data.documents import Documents, name_file
from tercet.data_frames import make_frame
from tercet.errors import InvalidOption
from tercet.evaluation.intervals import Estimate, derive_level, format_rounded, wilson
from tercet.evaluation.resampling import Resampling
from tercet.report.comparison import show_p
from tercet.report.forms import Rendering, simplify
from tercet.report.tables import Footnotes, Grid, Sheet, pluralize, show_estimate, write_signature

MAX_SHOWN = 30  # rows of a table
MAX_FINDINGS = 20  # differences that are described
MAX_SHOWN_TEXTS = 10
MAX_UNUSED = 10  # terms that no text has
AROUND, MAX_LENGTH = 6, 120  # words around the first change of a text, and characters of both
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
class SwapAudit(Rendering):
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
        more = len(shown) - MAX_FINDINGS
        counted = [f"{pluralize(more, 'further significant difference')}: see the tables."] if more > 0 else []
        return (self._describe_flips(), *(each.describe() for each in shown[:MAX_FINDINGS]), *counted)

    @property
    def detectable(self) -> tuple[str, ...]:
        """For each difference: what so many texts would have shown."""
        return tuple(each.describe_power() for each in self._ranked[:MAX_SHOWN])

    @property
    def remarks(self) -> tuple[str, ...]:
        """What one must know to read the numbers."""
        return tuple(self._list_remarks())

    def _list_remarks(self) -> Iterator[str]:
        if max(len(self.differences), len(self.terms)) > MAX_SHOWN:
            yield f"Tables of terms show at most {MAX_SHOWN} rows: --json has all of them."
        if self.unused:
            more = f" and {len(self.unused) - MAX_UNUSED} more" if len(self.unused) > MAX_UNUSED else ""
            yield f"Listed terms that no text has: {', '.join(map(show_line, self.unused[:MAX_UNUSED]))}{more}."
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
            draw_differences("change of the probability of a label, by group", groups[:MAX_SHOWN]),
            draw_differences("change of the probability of a label, by term", terms[:MAX_SHOWN]),
        ]

    @property
    def _ranked_terms(self) -> list[TermChange]:
        """The changes by term, the largest first."""
        return sorted(self.terms, key=lambda each: -abs(each.probability.value))

    def _list_differences(self, notes: Footnotes) -> Grid:
        level = derive_level(self.plan.confidence)
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
            for each in self._ranked[:MAX_SHOWN]
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
            for each in self._ranked_terms[:MAX_SHOWN]
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
            for each in self.texts[:MAX_SHOWN_TEXTS]
        ]
        return Grid("texts that change most", header, tuple(rows))


def _order(found: SwapDifference) -> tuple[float, float]:
    # The p-value of log-odds may be NaN: min gives the first number then.
    return min(found.probability.p_value, found.log_odds.p_value), -abs(found.probability.estimate.value)


def _may_be_chance(found: CorrectedDifference) -> bool:
    return not found.adjusted_p < derive_level(found.estimate.confidence)  # NaN may be chance, too


def _show_change(found: CorrectedDifference) -> str:
    """The mean change with its interval and its p-value."""
    estimate = found.estimate
    if math.isnan(estimate.value):
        return f"an unknown amount ({estimate.note})"
    chance = ", so it may be chance" if _may_be_chance(found) else ""
    note = f"; {estimate.note}" if estimate.note else ""
    p_value = show_p(found.adjusted_p, derive_level(estimate.confidence))
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
    return show_line(" ".join(filter(None, parts)), MAX_LENGTH)


def _make_row(named: tuple[str, str, Any, int], measure: str, estimate: Estimate) -> dict[str, Any]:
    group, against, label, n_texts = named
    own = {"group": group, "against": against, "label": label, "n_texts": n_texts, "measure": measure}
    bounds = {"difference": estimate.value, "low": estimate.low, "high": estimate.high}
    return own | bounds | dict.fromkeys(("p_value", "adjusted_p", "detectable"), math.nan) | {"note": estimate.note}


MAX_SETS = 5  # sets of terms in an error
MAX_TEXTS = 100  # texts with the largest change that are kept
RESAMPLES_OF_A_TERM = 1_000  # more would take long if there are many terms


def audit_swaps(
    categorizer: Any, documents: Any, swaps: Any, *, positive: Any = None, confidence: float = 0.95, seed: int = 0
) -> SwapAudit:
    """How decisions change if listed terms of the texts are replaced: see `SwapAudit`.

    `swaps` are sets of terms that replace each other, such as `[("he", "she"), ("him", "her")]`. The place of a term in its set
    stands for a group. Each text that has a listed term gets one version for each group: in version j every listed term is
    the j-th of its set. Words are found in any case, and keep their case. Labels of the documents are not needed.

    `positive` is the label whose probability is compared. By default it is the last of two labels; of more labels, every label
    is compared.

    >>> from tercet import Categorizer
    >>> model = Categorizer("words").fit(["she is kind", "he is rude", "kind", "rude"], ["good", "bad", "good", "bad"])
    >>> found = audit_swaps(model, ["He came", "Is he kind?", "They left"], [("he", "she")])
    >>> found.n_texts, found.n_flips, [text.after for text in found.texts]
    (2, 1, ['She came', 'Is she kind?'])
    """
    checked, compared = TermSwaps.read(swaps), choose_compared(categorizer.classes_, positive)
    n_tests = len(MEASURES) * len(checked.list_compared()) * len(compared)
    plan = plan_tests(n_tests, confidence, seed)
    return _SwapNumbers(checked, _Versions.read(categorizer, documents, checked), compared, plan).report()


@dataclass(frozen=True, eq=False)
class _Versions:
    """The texts that have a listed term, with the answers of the model: version 0 is the original, then one for each group."""

    places: Places
    positions: list[int]  # of the documents that have a listed term
    found: list[list[FoundTerm]]
    texts: list[list[str]]  # version × document
    answers: list[Answers]  # of each version
    labels: list[Any]

    @classmethod
    def read(cls, categorizer: Any, documents: Any, swaps: TermSwaps) -> "_Versions":
        places, scorer = Places(), categorizer.scorer()
        batches = (replace(batch, texts=list_texts(batch.texts)) for batch in open_batches(documents))
        whole = _keep_columns(read_whole(places.follow(batches)), categorizer.columns_)
        found = {position: own for position, text in enumerate(whole.texts) if (own := swaps.find(text))}
        if not found:
            listed = ", ".join("/".join(terms) for terms in swaps.sets[:MAX_SETS])
            raise InvalidOption(f"none of the {len(places)} texts has a listed term ({listed}): there is nothing to swap.")
        chosen, terms = whole.pick(list(found)), list(found.values())
        versions = (map(swaps.write, chosen.texts, terms, repeat(group)) for group in range(swaps.n_groups))
        texts = [chosen.texts, *map(list, versions)]
        answers = [Answers.of(scorer, replace(chosen, texts=own)) for own in texts]
        return cls(places, list(found), terms, texts, answers, scorer.labels.tolist())

    def place(self, number: int) -> Place:
        position = self.positions[number]
        return Place("data", position, name_file(self.places.find(position)), self.places.find_row(position))


def _keep_columns(documents: Documents, names: Sequence[str]) -> Documents:
    """The documents with these columns only, those that the model needs, and without labels and weights."""
    columns = {name: documents.columns[name] for name in names if name in documents.columns}
    return replace(documents, labels=None, weights=None, columns=columns)


@dataclass(frozen=True, eq=False)
class _SwapNumbers:
    """The numbers of swapped terms. `compared` are the indices of the labels whose probabilities are compared."""

    swaps: TermSwaps
    versions: _Versions
    compared: list[int]
    plan: Resampling

    @cached_property
    def probabilities(self) -> Floats:
        """Version × document × label."""
        return np.stack([answers.proba for answers in self.versions.answers])

    @cached_property
    def log_odds(self) -> Floats:
        """Version × document × label."""
        indices = range(len(self.versions.labels))
        return np.stack([answers.compute_log_odds(indices) for answers in self.versions.answers])

    @cached_property
    def distinct(self) -> list[int]:
        """One of the texts that have equal versions, such as "He left" and "She left": together they are one unit."""
        first: dict[tuple[str, bytes, bytes], int] = {}
        for number, text in enumerate(self.versions.texts[1]):
            answers = self.probabilities[1:, number].tobytes(), self.log_odds[1:, number].tobytes()
            first.setdefault((text, *answers), number)
        return list(first.values())

    @cached_property
    def predicted(self) -> Integers:
        """Version × document: the index of the label."""
        return np.stack([answers.decisions for answers in self.versions.answers])

    @cached_property
    def is_flipped(self) -> Flags:
        """Group × document: whether the version of this group gets another label than the original."""
        flipped: Flags = self.predicted[1:] != self.predicted[0]
        return flipped

    def report(self) -> SwapAudit:
        n_texts, n_flips = len(self.versions.found), int(self.is_flipped.any(axis=0).sum())
        used = {self.swaps.sets[each.row][each.group] for own in self.versions.found for each in own}
        return SwapAudit(
            groups=self.swaps.names,
            n_documents=len(self.versions.places),
            n_texts=n_texts,
            n_flips=n_flips,
            flips=wilson(n_flips, n_texts, self.plan.confidence),
            differences=tuple(self._compare_groups()),
            terms=tuple(self._compare_terms()),
            texts=tuple(self._list_texts()),
            plan=self.plan,
            unused=tuple(term for term in self.swaps.list_terms() if term not in used),
            ambiguous=tuple(self.swaps.list_ambiguous()),
            n_ruled=sum(answers.n_ruled for answers in self.versions.answers),
        )

    # Groups: each version is compared with the versions of the other groups

    def _compare_groups(self) -> Iterator[SwapDifference]:
        chosen = [(group, label) for group in self.swaps.list_compared() for label in self.compared]
        probability, log_odds = self._estimate(
            lambda numbers: np.column_stack([self._subtract_others(numbers, *pair) for pair in chosen]), self.plan
        )
        found = correct_differences([*probability, *log_odds], 1 - self.plan.confidence)
        for k, (group, label) in enumerate(chosen):
            yield SwapDifference(
                group=self.swaps.names[group],
                against=self.swaps.names[0] if self.swaps.n_groups == 2 else ALL_OTHERS,
                label=self.versions.labels[label],
                n_texts=len(self.distinct),
                probability=found[k],
                log_odds=found[k + len(chosen)],
            )

    def _subtract_others(self, numbers: Floats, group: int, label: int) -> Floats:
        """For each distinct text: the version of this group minus the mean of the other groups."""
        numbers = numbers[:, self.distinct]
        others = [index + 1 for index in range(self.swaps.n_groups) if index != group]
        # Subtract before the mean: equal numbers then give exactly 0.
        return np.asarray((numbers[group + 1, :, label] - numbers[others, :, label]).mean(axis=0))

    def _estimate(self, subtract: Callable[[Floats], Floats], plan: Resampling) -> tuple[list[MeanDifference], ...]:
        """The means of differences in probability, and in log-odds. `subtract` gives differences, texts × columns."""
        differences = [subtract(numbers) for numbers in (self.probabilities, self.log_odds)]
        found = estimate_means(np.hstack(differences), plan, "text")
        n = differences[0].shape[1]
        return [each.cut((-1.0, 1.0)) for each in found[:n]], found[n:]

    # Terms: the original is compared with the version of another group

    def _compare_terms(self) -> Iterator[TermChange]:
        """The changes of the texts that have a term, for each term of another group that replaces it."""
        texts: dict[tuple[int, int], list[int]] = {}
        for number, own in enumerate(self.versions.found):
            for row, group in dict.fromkeys((row, group) for _, _, row, group in own):
                texts.setdefault((row, group), []).append(number)
        for (row, group), numbers in sorted(texts.items()):
            for other in (index for index in range(self.swaps.n_groups) if index != group):
                yield from self._estimate_term(row, group, other, numbers)

    def _estimate_term(self, row: int, group: int, other: int, texts: Sequence[int]) -> Iterator[TermChange]:
        n_flips = int(self.is_flipped[other, texts].sum())
        probability, log_odds = self._estimate(
            lambda numbers: (numbers[other + 1] - numbers[0])[np.ix_(texts, self.compared)],
            replace(self.plan, resamples=RESAMPLES_OF_A_TERM),
        )
        for label, own, odds in zip(self.compared, probability, log_odds, strict=True):
            yield TermChange(
                term=self.swaps.sets[row][group],
                replaced_by=self.swaps.sets[row][other],
                label=self.versions.labels[label],
                n_texts=len(texts),
                n_flips=n_flips,
                flips=wilson(n_flips, len(texts), self.plan.confidence),
                probability=own.estimate,
                log_odds=odds.estimate,
            )

    # Texts: those that change most

    def _list_texts(self) -> Iterator[SwappedText]:
        """One version of each text: that with the largest change. The texts that get another label come first."""
        changes = np.abs(self.probabilities[1:] - self.probabilities[0])[:, :, self.compared]
        largest = changes.max(axis=2) + self.is_flipped  # a flip counts more than any change of a probability
        groups = largest.argmax(axis=0)
        sizes = largest.max(axis=0)
        for number in np.argsort(-sizes, kind="stable")[:MAX_TEXTS].tolist():
            if sizes[number] > 0:
                yield self._describe_text(number, int(groups[number]), int(changes[groups[number], number].argmax()))

    def _describe_text(self, number: int, group: int, which: int) -> SwappedText:
        versions, label = self.versions, self.compared[which]
        before, after = (float(self.probabilities[version, number, label]) for version in (0, group + 1))
        return SwappedText(
            place=versions.place(number),
            before=versions.texts[0][number],
            after=versions.texts[group + 1][number],
            label=versions.labels[label],
            probability_before=before,
            probability_after=after,
            decision_before=versions.labels[self.predicted[0, number]],
            decision_after=versions.labels[self.predicted[group + 1, number]],
        )
