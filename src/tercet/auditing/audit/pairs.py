"""`audit_pairs`: sentences that differ only in a name or an identity term → how much the model's answers differ, and why."""

import math
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from tercet.arrays import Floats
from tercet.auditing.audit.cells import Cells, DifferingToken, Sides, TokenDifferences, list_differing_tokens
from tercet.auditing.audit.difference_pictures import draw_bars, draw_differences
from tercet.auditing.audit.differences import (
    CorrectedDifference,
    MeanDifference,
    correct_differences,
    estimate_means,
    plan_tests,
)
from tercet.auditing.audit.model_answers import Answers, check_columns, choose_compared, describe_variants, read_whole
from tercet.categorizer.evidence.explain import TermSums, sum_term_scores
from tercet.categorizer.predictor import Predictor
from tercet.categorizer.scorer import Scorer
from tercet.characters import show_line
from tercet.data.document_batches import list_texts
from tercet.data_frames import make_frame
from tercet.errors import InvalidOption, bad_option
from tercet.evaluation.intervals import derive_level, format_rounded
from tercet.evaluation.resampling import Resampling
from tercet.models.calibration import Softmax
from tercet.options import check_names
from tercet.report.comparison import show_p
from tercet.report.forms import Rendering, simplify
from tercet.report.tables import Footnotes, Grid, Sheet, pluralize, show_estimate, show_number, write_signature

MEASURES = {"probability": "probability", "log_odds": "log-odds"}
MAX_COMPARISONS = 20  # rows of the table of differences
MAX_EXPLAINED = 6  # comparisons whose terms are shown
MAX_TERMS = 10  # terms that are shown for a comparison
MAX_TOKENS = 10  # differing tokens of the same groups that a table shows
MIN_CELLS = 4  # with fewer, the power of a test is unknown
MAX_CAUSES = 3  # terms that a finding names
OTHER_TERMS = "(all other terms)"


class TermShare(NamedTuple):
    """A term, and what it contributes to a difference of scores."""

    term: str
    value: float


@dataclass(frozen=True)
class PairComparison:
    """The sentences of one group against those of the other groups of its column, within cells.

    `score` is the difference of the model's scores before calibration: the score of the label minus the mean score of the other
    labels. For two labels it is the log-odds before calibration. It is the sum of the contributions of all terms: those of
    `terms`, the strongest first, and `other_terms`.
    """

    column: str
    group: Any
    against: Any  # the other group, or ALL_OTHERS
    label: Any
    n_cells: int
    n_sentences: int
    probability: CorrectedDifference
    log_odds: CorrectedDifference
    n_pairs: int  # of a sentence on each side, within a cell
    n_flips: int  # pairs whose decisions differ
    n_gained: int  # pairs in which only the sentence of `group` gets the label
    n_lost: int  # pairs in which only the other sentence gets it
    score: float
    terms: tuple[TermShare, ...]
    other_terms: float

    @property
    def name(self) -> str:
        """The column and the two sides."""
        return f"{self.column}: {show_line(self.group)} - {show_line(self.against)}"

    @property
    def flip_share(self) -> float:
        return self.n_flips / self.n_pairs

    @property
    def is_zero(self) -> bool:
        """Whether there is exactly no difference in any cell."""
        return self.probability.is_zero and self.log_odds.is_zero


@dataclass(frozen=True, eq=False, repr=False)
class PairAudit(Rendering):
    """The result of `tercet.auditing.audit.pairs.audit_pairs`.

    `held_fixed` are the columns that are equal in all sentences of a cell. `findings` are plain sentences, the most important
    first. `detectable` says for each comparison which difference these sentences would have shown.
    """

    n_sentences: int
    held_fixed: tuple[str, ...]
    comparisons: tuple[PairComparison, ...]
    tokens: tuple[DifferingToken, ...]
    remarks: tuple[str, ...]
    n_tests: int
    is_calibrated: bool  # whether probabilities come from scores by a calibration
    plan: Resampling

    @property
    def findings(self) -> tuple[str, ...]:
        """What was found for each comparison, the smallest p-value first, and which tokens are not neutral.

        Of many comparisons, the first are described, and the others are counted.
        """
        ordered = sorted(self.comparisons, key=_order)
        more = len(ordered) - MAX_COMPARISONS
        counted = [f"{pluralize(more, 'further comparison')} had larger p-values, or smaller differences."] if more > 0 else []
        return (*map(self._describe, ordered[:MAX_COMPARISONS]), *counted, *self._describe_tokens())

    @property
    def detectable(self) -> tuple[str, ...]:
        return tuple(self._describe_power(each) for each in self.comparisons)

    @property
    def not_neutral(self) -> tuple[str, ...]:
        """The differing tokens that the analyzer does not make neutral, each once."""
        return tuple(dict.fromkeys(each.token for each in self.tokens if not each.is_neutral))

    @property
    def signature(self) -> str:
        """The recipe of the numbers."""
        estimates = [getattr(each, name).estimate for each in self.comparisons for name in MEASURES]
        return write_signature(["pairs"], self.n_sentences, estimates, self.plan, tests=self.n_tests)

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON; an undefined number is None."""
        names = ("n_sentences", "held_fixed", "findings", "detectable", "not_neutral", "remarks", "signature")
        own = {name: getattr(self, name) for name in names}
        comparisons = [asdict(each) | {"terms": [term._asdict() for term in each.terms]} for each in self.comparisons]
        simple: dict[str, Any] = simplify(own | {"comparisons": comparisons, "tokens": [asdict(each) for each in self.tokens]})
        return simple

    def to_frame(self) -> Any:
        """A data frame of pandas or polars with a row for each number: two measures and the flips of each comparison."""
        rows = [row for each in self.comparisons for row in _list_numbers(each)]
        return make_frame({name: [row[name] for row in rows] for name in rows[0]})

    def to_sheet(self) -> Sheet:
        """Differences, the terms responsible for them, the tokens that differ; findings and remarks as notes."""
        notes = Footnotes()
        grids = (self._make_differences(notes), *map(self._make_terms, self._list_explained()), *self._make_tokens())
        cells = f"cells of sentences with equal {' and '.join(map(show_line, self.held_fixed))}"
        confidence = f"{100 * self.plan.confidence:g} % intervals in brackets"
        headline = f"pairs: {pluralize(self.n_sentences, 'sentence')} in {cells}; {confidence}"
        detectable = map(self._describe_power, self._list_shown())
        return Sheet(headline, grids, (*self.findings, *detectable, *self.remarks, *notes.list()), self.signature)

    def _draw(self) -> list[str]:
        rows = [(self._name(each), each.log_odds.estimate) for each in self._list_shown()]
        pictures = [draw_differences("difference in log-odds", rows)]
        explained = self._list_explained()
        return [
            *pictures,
            *(draw_bars(f"terms responsible, {self._name(each)}", list(_list_terms(each))) for each in explained),
        ]

    def _list_shown(self) -> list[PairComparison]:
        """The comparisons of the table of differences, in their order."""
        indices = sorted(range(len(self.comparisons)), key=lambda index: _order(self.comparisons[index]))[:MAX_COMPARISONS]
        return [self.comparisons[index] for index in sorted(indices)]

    def _list_explained(self) -> list[PairComparison]:
        """The comparisons whose terms are shown, those with the largest differences of scores."""
        known = [each for each in self.comparisons if each.terms]
        indices = sorted(range(len(known)), key=lambda index: -abs(known[index].score))[:MAX_EXPLAINED]
        return [known[index] for index in sorted(indices)]

    def _name(self, comparison: PairComparison) -> str:
        return f"{comparison.name}, {show_line(comparison.label)}"

    def _make_differences(self, notes: Footnotes) -> Grid:
        rows = []
        for each in self._list_shown():
            measures = [
                cell
                for name in MEASURES
                for cell in (
                    show_estimate(getattr(each, name).estimate, notes, sign="+"),
                    show_p(getattr(each, name).adjusted_p, derive_level(self.plan.confidence)),
                )
            ]
            rows.append(
                (self._name(each), *measures, f"{each.n_flips} of {each.n_pairs} ({format_rounded(each.flip_share, '.1%')})")
            )
        header = ("difference, label", "probability", "p (Holm)", "log-odds", "p (Holm)", "pairs with different decisions")
        return Grid("differences", header, tuple(rows))

    def _make_terms(self, comparison: PairComparison) -> Grid:
        rows = [(show_line(term), show_number(value, "+")) for term, value in _list_terms(comparison)]
        scale = "score before calibration" if self.is_calibrated else "score"
        rows.append(("sum", show_number(comparison.score, "+")))
        return Grid(f"terms responsible, {self._name(comparison)}", ("term", scale), tuple(rows))

    def _make_tokens(self) -> Iterator[Grid]:
        """For each column the tokens that only some groups have, those of the same groups together."""
        for column in dict.fromkeys(each.column for each in self.tokens):
            found: dict[tuple[str, bool], list[str]] = {}
            for each in self.tokens:
                if each.column == column:
                    found.setdefault((", ".join(map(show_line, each.groups)), each.is_neutral), []).append(
                        show_line(each.token)
                    )
            rows = [
                (_list_some(own), values, str(len(own)), "yes" if is_neutral else "no")
                for (values, is_neutral), own in sorted(found.items())
            ]
            yield Grid(f"tokens that differ by {show_line(column)}", ("tokens", "only with", "number", "neutral"), tuple(rows))

    def _describe(self, comparison: PairComparison) -> str:
        """What was found, in plain sentences."""
        means = f"{show_line(comparison.column)}: {self._describe_means(comparison)}"
        return " ".join([means, _describe_flips(comparison), *_describe_terms(comparison)])

    def _describe_means(self, comparison: PairComparison) -> str:
        group, against = show_line(comparison.group), show_line(comparison.against)
        cells, label = pluralize(comparison.n_cells, "cell"), show_line(comparison.label)
        if comparison.is_zero:
            return (
                f"the mean probability and log-odds of {label!r} are exactly equal with {group} and with {against}, in {cells}."
            )
        probability, log_odds = comparison.probability.estimate.value, comparison.log_odds.estimate.value
        size = f"{format_rounded(abs(probability), '.3f', (0,))} {'lower' if probability < 0 else 'higher'}"
        return (
            f"the mean probability of {label!r} is {size} with {group} than with {against}, in {cells} "
            f"({self._show_test(comparison.probability)}). The difference in log-odds is "
            f"{'undefined' if math.isnan(log_odds) else _show_change(log_odds)} ({self._show_test(comparison.log_odds)})."
        )

    def _show_test(self, measured: CorrectedDifference) -> str:
        """The interval, the p-value, and whether the difference may be chance."""
        estimate, level = measured.estimate, derive_level(self.plan.confidence)
        if math.isnan(estimate.value):
            return estimate.note.removeprefix("undefined: ")
        bounds = f"{_show_change(estimate.low)} to {_show_change(estimate.high)}" if estimate.low < estimate.high else "unknown"
        chance = "" if measured.adjusted_p < level else ", so it may be chance"
        note = f"; {estimate.note}" if estimate.note else ""
        p_value = f"p = {show_p(measured.adjusted_p, level)} after Holm's correction"
        return f"{100 * self.plan.confidence:g} % interval {bounds}, {p_value}{chance}{note}"

    def _describe_power(self, comparison: PairComparison) -> str:
        found = comparison.probability.detectable, comparison.log_odds.detectable
        cells, label = pluralize(comparison.n_cells, "cell"), show_line(comparison.label)
        if all(map(math.isnan, found)):
            are_few = comparison.n_cells < MIN_CELLS
            why = f"only {cells}" if are_few else f"the differences of all {cells} are equal"
            return f"{comparison.name}: {why}, so it is unknown which difference other sentences would show."
        probability, odds = ("an unknown amount" if math.isnan(each) else f"{each:.2g}" for each in found)
        return (
            f"{comparison.name}: {cells} show a true difference of {probability} in the probability of {label!r}, or of {odds} "
            "in its log-odds, with 80 % power. Smaller differences are shown less often."
        )

    def _describe_tokens(self) -> Iterator[str]:
        if self.not_neutral:
            yield (
                f"Tokens that differ between groups and are not neutral in this model: {len(self.not_neutral)}. Train it with "
                f"this option to make them neutral: --neutral {shlex.quote(', '.join(self.not_neutral))}"
            )


def _describe_flips(comparison: PairComparison) -> str:
    if not comparison.n_flips:
        return f"No decision differs in {pluralize(comparison.n_pairs, 'pair')}."
    label, group = show_line(comparison.label), show_line(comparison.group)
    share = format_rounded(comparison.flip_share, ".1%")
    why = " Such pairs also differ in other words." if comparison.is_zero else ""
    return (
        f"The decisions of {comparison.n_flips} of {comparison.n_pairs} pairs differ ({share}): only the sentence with {group} "
        f"gets {label!r} in {comparison.n_gained}, and only the other sentence in {comparison.n_lost}.{why}"
    )


def _describe_terms(comparison: PairComparison) -> Iterator[str]:
    """The strongest terms on the side of the difference, and those that work against it."""
    sign = math.copysign(1.0, comparison.score)
    causes = [term for term in comparison.terms if term.value * sign > 0][:MAX_CAUSES]
    against = [term for term in comparison.terms if term.value * sign < 0][:MAX_CAUSES]
    if causes:
        reduced = f"; {_name_terms(against)} reduce{'s' * (len(against) == 1)} it" if against else ""
        yield f"The terms that add most to this difference are {_name_terms(causes)}{reduced}."


def _name_terms(terms: Sequence[TermShare]) -> str:
    return ", ".join(f"{show_line(term)} ({show_number(value, '+')})" for term, value in terms)


def _show_change(value: float) -> str:
    return format_rounded(value, "+.3f", (0,))


def _list_some(names: Sequence[str]) -> str:
    """
    >>> _list_some(["he", "him"]), _list_some([str(n) for n in range(20)])
    ('he, him', '0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 10 more')
    """
    more = f" and {len(names) - MAX_TOKENS} more" if len(names) > MAX_TOKENS else ""
    return f"{', '.join(names[:MAX_TOKENS])}{more}"


def _order(comparison: PairComparison) -> tuple[float, float]:
    """Smaller p-values first, then larger differences."""
    known = [p for p in (comparison.probability.adjusted_p, comparison.log_odds.adjusted_p) if not math.isnan(p)]
    return min(known, default=1.0), -abs(comparison.probability.estimate.value)


def _list_terms(comparison: PairComparison) -> Iterator[TermShare]:
    """The strongest terms, and the sum of all others."""
    yield from comparison.terms[:MAX_TERMS]
    rest = math.fsum([comparison.other_terms, *(value for _, value in comparison.terms[MAX_TERMS:])])
    if rest:
        yield TermShare(OTHER_TERMS, rest)


def _list_numbers(comparison: PairComparison) -> Iterator[dict[str, Any]]:
    own = {name: getattr(comparison, name) for name in ("column", "group", "against", "label", "n_cells", "n_pairs")}
    for measure in MEASURES:
        found: CorrectedDifference = getattr(comparison, measure)
        bounds = {"difference": found.estimate.value, "low": found.estimate.low, "high": found.estimate.high}
        tests = {"p_value": found.p_value, "adjusted_p": found.adjusted_p, "detectable": found.detectable}
        yield own | {"measure": measure} | bounds | tests | {"note": found.estimate.note}
    nothing = dict.fromkeys(("low", "high", "p_value", "adjusted_p", "detectable"), math.nan)
    yield own | {"measure": "flip_share", "difference": comparison.flip_share} | nothing | {"note": ""}


MAX_LABELS = 10  # labels that are shown if no positive label is named
MAX_KEPT_TERMS = 100  # terms of a comparison that an audit keeps; it keeps the sum of all others
MAX_NAMED = 3  # cells or groups that a remark names
OTHER_NAMES = (
    "The intervals resample cells as if they were independent. They say nothing about other templates, names or identity terms "
    "than these, which may differ more."
)


def audit_pairs(
    categorizer: Predictor,
    documents: Any,
    pair: str | Sequence[str],
    by: str | Sequence[str],
    *,
    positive: Any = None,
    confidence: float = 0.95,
    seed: int = 0,
) -> PairAudit:
    """How much the probability and the log-odds of a label differ between groups of sentences, and which terms cause it.

    `documents` need no labels. `pair` names the columns that are equal in sentences that are compared, such as the template.
    `by` names the columns of groups, such as gender. Sentences that agree in the pair columns and in all fillers are a cell.
    A filler is a column whose values all occur with the same groups, such as the emotion in a template; fillers are found.
    In each cell the mean of a group is compared with that of all other groups of the column. A difference is the mean over
    all cells.

    The label is `positive`, or with two labels the last in sorted order. With more labels, each label is compared with all
    others together; of more than ten labels, the ten with the largest differences are shown. The log-odds are those of the
    model alone, even if a rule decides a sentence.

    >>> from tercet import Categorizer, Documents
    >>> model = Categorizer().fit(["he is good", "she is bad", "a good day", "a bad day"], ["pos", "neg", "pos", "neg"])
    >>> texts = ["he feels fine", "she feels fine", "I saw him", "I saw her"]
    >>> columns = {"template": [1, 1, 2, 2], "gender": ["m", "f", "m", "f"]}
    >>> audit = audit_pairs(model, Documents(texts, columns=columns), "template", "gender")
    >>> [(each.name, each.terms[0].term) for each in audit.comparisons], audit.not_neutral
    ([('gender: f - m', 'he')], ('he', 'her', 'him', 'she'))
    """
    pair, by = _check_columns("pair", pair), _check_columns("by", by)
    if both := next((name for name in by if name in pair), None):
        raise InvalidOption(f"the column {both!r} is both in pair and in by: the sentences of a pair agree in it, or differ.")
    sentences = read_whole(documents, "sentences to compare")
    check_columns(sentences.columns, (*pair, *by))
    cells = Cells.of(sentences.columns, pair, by)
    sides = [side for name in by for side in cells.compare(name)]
    scorer = categorizer.scorer()
    indices = choose_compared(scorer.labels, positive)
    n_tests = len(MEASURES) * len(sides) * len(indices)
    plan = plan_tests(n_tests, confidence, seed)
    answers = Answers.of(scorer, sentences)
    measured = [_measure(side, answers, indices, plan) for side in sides]
    shown = _choose_shown(measured, indices)
    comparisons = _make_comparisons(scorer, answers, sides, _correct(measured, 1 - confidence), shown)
    texts = list_texts(scorer.join(sentences))
    differing = list_differing_tokens(scorer.analyzer, texts, cells, by)
    return PairAudit(
        n_sentences=len(texts),
        held_fixed=cells.held_fixed,
        comparisons=tuple(comparisons),
        tokens=tuple(token for own in differing.values() for token in own.tokens),
        remarks=(*_list_remarks(answers, texts, cells, differing), *_name_hidden(len(indices), len(shown)), OTHER_NAMES),
        n_tests=n_tests,
        is_calibrated=not isinstance(scorer.calibration, Softmax | None),
        plan=plan,
    )


def _check_columns(name: str, value: Any) -> tuple[str, ...]:
    names = check_names(name, [value] if isinstance(value, str) else value)
    if not names:
        raise bad_option(name, "the name of a column, or several", value, "it says which sentences are compared.")
    return names


def _measure(side: Sides, answers: Answers, indices: Sequence[int], plan: Resampling) -> dict[str, list[MeanDifference]]:
    """The mean differences of each measure, for each label."""
    values = np.hstack([answers.proba[:, indices], answers.compute_log_odds(indices)])
    found = estimate_means(np.column_stack([side.subtract(column) for column in values.T.tolist()]), plan)
    probability, log_odds = found[: len(indices)], found[len(indices) :]
    return {"probability": [each.cut((-1.0, 1.0)) for each in probability], "log_odds": log_odds}


def _contrast(n_labels: int, indices: Sequence[int]) -> Floats:
    """The weight of each label's score in the score of a label against the mean of all others, labels × compared labels."""
    weights = np.full((n_labels, len(indices)), -1 / (n_labels - 1))
    weights[indices, np.arange(len(indices))] = 1.0
    return weights


def _choose_shown(measured: Sequence[Mapping[str, Sequence[MeanDifference]]], indices: Sequence[int]) -> dict[int, int]:
    """The labels that are shown, in their order, and the number of each among the labels that were measured."""
    sizes = [max(abs(own["probability"][k].estimate.value) for own in measured) for k in range(len(indices))]
    largest = sorted(range(len(indices)), key=lambda k: -sizes[k])[:MAX_LABELS]
    return {indices[k]: k for k in sorted(largest)}


def _correct(
    measured: Sequence[Mapping[str, Sequence[MeanDifference]]], level: float
) -> list[dict[str, list[CorrectedDifference]]]:
    """The same with p-values after Holm's correction, for all of them together."""
    corrected = iter(correct_differences([each for own in measured for found in own.values() for each in found], level))
    return [{name: [next(corrected) for _ in found] for name, found in own.items()} for own in measured]


def _make_comparisons(
    scorer: Scorer,
    answers: Answers,
    sides: Sequence[Sides],
    corrected: Sequence[Mapping[str, Sequence[CorrectedDifference]]],
    shown: Mapping[int, int],
) -> Iterator[PairComparison]:
    contrast = _contrast(len(scorer.labels), list(shown))
    sums = _sum_terms(scorer, answers, sides, contrast)
    for s, (side, measured) in enumerate(zip(sides, corrected, strict=True)):
        n_pairs, gained, lost = side.count_flips(answers.decisions, len(contrast))
        for column, (index, k) in enumerate(shown.items()):
            terms, other_terms = ((), 0.0) if sums is None else _collect_shares(sums.names, sums.values[:, s, column])
            yield PairComparison(
                column=side.column,
                group=side.value,
                against=side.against,
                label=scorer.labels.tolist()[index],
                n_cells=len(side.cells),
                n_sentences=sum(len(own) + len(others) for own, others in side.cells),
                probability=measured["probability"][k],
                log_odds=measured["log_odds"][k],
                n_pairs=n_pairs,
                n_flips=int((gained.sum() + lost.sum()) // 2),
                n_gained=int(gained[index]),
                n_lost=int(lost[index]),
                score=math.nan if sums is None else side.average((answers.scores * contrast[:, column]).sum(axis=1)),
                terms=terms,
                other_terms=other_terms,
            )


def _sum_terms(scorer: Scorer, answers: Answers, sides: Sequence[Sides], contrast: Floats) -> TermSums | None:
    """What each term contributes to each difference of scores; None if a score is infinite."""
    if not np.isfinite(answers.scores).all():
        return None
    weights = np.column_stack([side.weigh(len(answers.scores)) for side in sides])
    return sum_term_scores(scorer, answers.documents, weights, contrast)


def _collect_shares(names: Sequence[str], values: Floats) -> tuple[tuple[TermShare, ...], float]:
    """The terms that contribute most, and the sum of all others."""
    order = np.lexsort((np.array(names, object).astype(str), -np.abs(values)))
    kept = [k for k in order[:MAX_KEPT_TERMS].tolist() if values[k] != 0]
    return tuple(TermShare(names[k], float(values[k])) for k in kept), math.fsum(values[order[MAX_KEPT_TERMS:]])


def _list_remarks(
    answers: Answers, texts: Sequence[str], cells: Cells, differing: Mapping[str, TokenDifferences]
) -> Iterator[str]:
    fixed = " and ".join(map(show_line, cells.held_fixed))
    yield f"A cell has all sentences with equal {fixed}. Each is paired with each sentence of the other groups in its cell."
    for name, own in differing.items():
        groups = cells.list_groups(name)
        yield from describe_variants(name, cells.columns[name].values)
        yield from _describe_single_words(name, cells.columns[name].values, own)
        if n_missing := cells.columns[name].n_missing:
            yield f"{name}: {pluralize(n_missing, 'sentence')} left out, because the value is missing."
        if alone := [next(iter(cell.values()))[0] for cell in groups if len(cell) == 1]:
            names = "; ".join(map(cells.name, alone[:MAX_NAMED])) + ("; …" if len(alone) > MAX_NAMED else "")
            yield f"{name}: {pluralize(len(alone), 'cell')} left out, because only one group has a sentence there: {names}."
        if n_same := sum(_share_texts(cell, texts) for cell in groups):
            yield f"{name}: in {pluralize(n_same, 'cell')} two groups have the same sentence, which shows no difference."
        if own.n_unequal:
            yield (
                f"{name}: with all differing tokens neutral, {pluralize(own.n_unequal, 'cell')} would still differ, "
                "because the groups do not have the same sentences then, for example not the same number of tokens."
            )
    if answers.n_ruled:
        yield (
            f"A rule decides {pluralize(answers.n_ruled, 'sentence')}. Probabilities and decisions are those of the rule, "
            "log-odds and terms those of the model alone."
        )


def _describe_single_words(name: str, groups: Sequence[Any], differing: TokenDifferences) -> Iterator[str]:
    """A remark about groups for which only one word stands."""
    words: dict[Any, list[str]] = {group: [] for group in groups}
    for each in differing.tokens:
        for group in each.groups:
            words[group].append(each.token)
    if single := [f"{show_line(group)} ({show_line(found[0])})" for group, found in words.items() if len(found) == 1]:
        names = ", ".join(single[:MAX_NAMED]) + (", …" if len(single) > MAX_NAMED else "")
        yield f"{name}: one word alone stands for {names}. A difference may be due to this word, and not to the group."


def _share_texts(groups: Mapping[int, Sequence[int]], texts: Sequence[str]) -> bool:
    """Whether two groups of a cell have the same text."""
    of_group = [{texts[row] for row in rows} for rows in groups.values()]
    return len(set().union(*of_group)) < sum(map(len, of_group))


def _name_hidden(n_labels: int, n_shown: int) -> Iterator[str]:
    if n_shown < n_labels:
        yield f"The {n_shown} labels with the largest differences are shown, of {n_labels}; p-values are corrected for all."
