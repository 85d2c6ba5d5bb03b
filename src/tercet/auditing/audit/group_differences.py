"""How much better or worse the answers are for a group of documents than for the others: differences, tests, power.

Each group of a column is compared with all other documents that have a value in this column. Rates have score intervals
(differences.py). The areas are those of Borkan et al. (2019), "Nuanced metrics for measuring unintended bias":

- `subgroup_auc`: the area under the ROC curve of the group's documents
- `bpsn_auc`: of positive documents of the others and negative documents of the group. It is low if the model gives negative
  documents of the group too high probabilities.
- `bnsp_auc`: of negative documents of the others and positive documents of the group. It is low if the model gives positive
  documents of the group too low probabilities.

All three are compared with the area of the others. Each document changes the areas by its influences
(evaluation/standard_errors.py), so documents that count for both areas are considered: DeLong's variances, on the scale of
log-odds. All p-values of one call are corrected together by Holm's method.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from tercet.arrays import Flags, Floats, Integers
from tercet.auditing.audit.differences import (
    ProportionPairs,
    are_few,
    bisect_boundary,
    compute_bounds,
    compute_detectable,
    compute_p_values,
)
from tercet.cached import cached_property
from tercet.counts.labels import Labels
from tercet.evaluation.intervals import (
    MIN_CASES,
    MIN_DOCUMENTS,
    ROUNDING,
    Estimate,
    compute_quantile,
    compute_student_quantile,
    derive_level,
    estimate_between,
    wilson,
)
from tercet.evaluation.significance import POWER, adjust_holm
from tercet.evaluation.standard_errors import Ranking, measure_area

FEW_FOR_AREAS = (
    f"unreliable: too few documents (the smallest number of a kind, times 1 - AUC of all documents, is below {MIN_CASES})"
)
FIRST_ONLY, SECOND_ONLY = 1, 2  # the areas that documents count for
NO_WIDTH = "no interval: these documents do not show how much the area varies"


@dataclass(frozen=True)
class AreaPair:
    """Two areas of the same ranking: that of the documents in `first`, and that of the documents in `second`.

    `rank` is the rank of each document by the probability of a label, and `is_own` says which documents have the label. Each
    document counts for one of the areas or for both.
    """

    rank: Integers
    is_own: Flags
    first: Flags
    second: Flags

    @classmethod
    def of(cls, rank: Integers, is_own: Flags, first: Flags, second: Flags) -> "AreaPair":
        """The same of any documents: those that count for neither area are left out."""
        counted = np.flatnonzero(first | second)
        return cls(rank[counted], is_own[counted], first[counted], second[counted])

    @property
    def areas(self) -> tuple[float, float]:
        """NaN if no document has the label, or all have it."""
        (first, _), (second, _) = self._measured
        return first, second

    def estimate(self, confidence: float) -> tuple[Estimate, Estimate]:
        """The two areas with Student's interval on the scale of log-odds.

        >>> numbers = np.arange(80)
        >>> pair = AreaPair.of(numbers, numbers % 7 > 3, numbers < 40, numbers >= 40)
        >>> print(*pair.estimate(0.95))
        0.531 [0.345, 0.710] 0.460 [0.282, 0.649]
        """
        return self._estimate_one(0, confidence), self._estimate_one(1, confidence)

    def compare(self, confidence: float) -> tuple[Estimate, float]:
        """The first area minus the second with its interval, and the p-value if both are the same; NaN if it is unreliable.

        Log-odds are compared. Their interval becomes an interval of areas by moving each area as far as it is uncertain. So it
        excludes 0 if and only if p < 1 - confidence.
        """
        first, second = self.areas
        value = first - second
        if not self._has_variances:
            note = "undefined" if math.isnan(value) else NO_WIDTH
            return Estimate(value, math.nan, math.nan, confidence, "logit", note), math.nan
        from scipy.special import stdtr

        slopes = np.array([1 / _vary(first), -1 / _vary(second)])
        error, freedom = self._compute_error(slopes)
        logits = _to_logit(first), _to_logit(second)
        width = compute_student_quantile((1 + confidence) / 2, freedom + 1) * error
        low, high = (self._compute_bound(logits, step, slopes, width / error) for step in (-width, width))
        estimate = Estimate(value, low, high, confidence, "logit", FEW_FOR_AREAS if self.is_few else "")
        p_value = 2 * float(stdtr(freedom, -abs(logits[0] - logits[1]) / error))
        return estimate, math.nan if self.is_few else p_value

    @cached_property
    def is_few(self) -> bool:
        """Whether so few documents would be ranked wrongly, if both areas are alike, that test and interval are unreliable."""
        return self._are_few(self._sizes[self._sizes > 0])

    def _are_few(self, sizes: Integers) -> bool:
        # By the area of all documents: a rule by the area itself would leave out samples where it happens to be high.
        area, _ = self._plan
        return bool(sizes.min() * min(area, 1 - area) < MIN_CASES)

    def compute_detectable(self, level: float, power: float = POWER) -> float:
        """By how much the first area must be below the second, so that the test at this level finds it with this power.

        Planned with the area of all documents together. NaN if no difference is found so, or if the areas are not tested.
        """
        area, squares = self._plan
        if math.isnan(area) or self.is_few:
            return math.nan
        first, second = (self._plan_variances(squares, kind) for kind in (FIRST_ONLY, SECOND_ONLY))
        parts = np.concatenate([first, second])
        freedom = parts.sum() ** 2 / (parts**2 / np.maximum(np.tile(self._sizes, 2) - 1, 1)).sum()
        needed = compute_student_quantile(1 - level / 2, freedom + 1) + compute_quantile(power)

        def is_missed(decrease: Floats) -> Flags:
            lower = area - decrease
            larger = _vary_shares(lower) / _vary_shares(area)
            variance = first.sum() * larger / _vary(lower) ** 2 + second.sum() / _vary(area) ** 2
            return np.asarray(_to_logit(area) - _to_logit(lower) < needed * np.sqrt(variance))

        # At most down to the area of the opposite ranking.
        found = bisect_boundary(is_missed, np.zeros(1), np.array([max(2 * area - 1, area / 2)]))
        return float(np.where(is_missed(found), np.nan, found)[0])

    def _plan_variances(self, squares: Floats, kind: int) -> Floats:
        """By how much each cell of documents that count for one area only makes it vary. Shared documents change both alike."""
        indices = np.arange(8)
        is_counted = (self._sizes > 0) & (indices // 2 == kind)
        return np.where(is_counted, squares[indices % 2] / np.maximum(self._sizes, 1), 0.0)

    @cached_property
    def _cells(self) -> Integers:
        """Documents that are drawn alike: with the label or without, and counted for the same areas."""
        return np.asarray(self.is_own + 2 * self.first + 4 * self.second, np.int64)

    @cached_property
    def _sizes(self) -> Integers:
        """The number of documents in each cell."""
        return np.bincount(self._cells, minlength=8)

    @cached_property
    def _measured(self) -> list[tuple[float, Floats]]:
        return [self._measure(self.first), self._measure(self.second)]

    def _measure(self, is_counted: Flags) -> tuple[float, Floats]:
        """The area, and by how much each document changes it."""
        if not is_counted.any():
            return math.nan, np.full(len(self.rank), math.nan)
        weights = is_counted.astype(np.float64)
        area, influences = measure_area(Ranking(self.rank, self.is_own, weights))
        n_own = int((self.is_own & is_counted).sum())
        if n_half_pairs := 2 * n_own * (int(is_counted.sum()) - n_own):
            area = round(area * n_half_pairs) / n_half_pairs  # without rounding errors, so that equal areas differ by 0
        return area, influences * weights / weights.sum()

    @cached_property
    def _variances(self) -> Floats:
        """By how much each cell of documents makes the two areas vary: cells × 2 × 2."""
        changes = [changes for _, changes in self._measured]
        products = np.array([[np.bincount(self._cells, a * b, 8) for a in changes] for b in changes])
        return np.moveaxis(products * _inflate(self._sizes), -1, 0)

    @property
    def _has_variances(self) -> bool:
        if not all(0 < area < 1 for area in self.areas) or (self._sizes == 1).any():
            return False
        return all(self._compute_error(np.array(factors))[0] > ROUNDING for factors in ((1.0, 0.0), (0.0, 1.0), (1.0, -1.0)))

    @cached_property
    def _plan(self) -> tuple[float, Floats]:
        """The area of all documents, and the variance of the share of documents that each document is ranked rightly against.

        The shares are those of documents without the label, and of documents with the label. If no share varies, because all
        probabilities are equal, the variance is that of normal scores.
        """
        area, changes = self._measure(np.ones(len(self.rank), np.bool_))
        if math.isnan(area):
            return area, np.full(2, math.nan)
        sizes = np.bincount(self.is_own, minlength=2)
        squares = np.bincount(self.is_own, changes**2, 2) * sizes * _inflate(sizes)
        return area, np.where(squares > ROUNDING, squares, _vary_shares(area))

    def _estimate_one(self, index: int, confidence: float) -> Estimate:
        area = self.areas[index]
        if math.isnan(area):
            return Estimate(area, area, area, confidence, "logit", "undefined: it needs documents with and without the label")
        error, freedom = self._compute_error(np.eye(2)[index])
        sizes = np.bincount(self.is_own[(self.first, self.second)[index]], minlength=2)
        estimate = estimate_between(area, error, freedom + 1, confidence, (0.0, 1.0))
        return estimate.add_note(FEW_FOR_AREAS) if self._are_few(sizes) else estimate

    def _compute_error(self, factors: Floats) -> tuple[float, float]:
        """The standard error of a weighted sum of the two areas, and its degrees of freedom, by Satterthwaite."""
        parts = np.einsum("i,cij,j->c", factors, np.nan_to_num(self._variances), factors)
        squares = float((parts**2 / np.maximum(self._sizes - 1, 1)).sum())
        return math.sqrt(parts.sum()), float(parts.sum() ** 2 / squares) if squares > 0 else 1.0

    def _compute_bound(self, logits: tuple[float, float], step: float, slopes: Floats, quantile: float) -> float:
        """A bound of the difference of areas, from a bound of the difference of log-odds, which is a step away.

        The share of the step that the second area makes is its share in the uncertainty. Then the level of both areas does not
        depend on their difference. The level is uncertain, too, and changes the difference of areas, unless they are equal.
        """
        covariance = slopes[:, None] * self._variances.sum(axis=0) * slopes
        share = float(covariance[1].sum() / covariance.sum())
        first, second = _to_area(logits[0] + (1 - share) * step), _to_area(logits[1] - share * step)
        level_error = math.sqrt(max(covariance[1, 1] - share**2 * covariance.sum(), 0))
        by_level = quantile * level_error * (_vary(first) - _vary(second))
        value = _to_area(logits[0]) - _to_area(logits[1])
        return float(value + math.copysign(math.hypot(first - second - value, by_level), step))


def _inflate(sizes: Integers) -> Floats:
    """n / (n - 1): a sample varies less than what it was drawn from. One document does not tell how much it varies."""
    n = np.maximum(sizes, 2)
    return np.asarray(n / (n - 1))


def _vary(area: Any) -> Any:
    return area * (1 - area)


def _vary_shares(area: Any) -> Any:
    """The variance of the share of documents that a document is ranked rightly against, if scores are normal: within 3 %."""
    return (4 * _vary(area)) ** 1.3 / 12


def _to_logit(area: Any) -> Any:
    return np.log(area / (1 - area))


def _to_area(logit: float) -> float:
    return float(1 / (1 + np.exp(-logit)))


ACCURACY, FALSE_POSITIVES, FALSE_NEGATIVES = "accuracy", "false_positive_rate", "false_negative_rate"
SUBGROUP, BPSN, BNSP = "subgroup_auc", "bpsn_auc", "bnsp_auc"
AREAS = (SUBGROUP, BPSN, BNSP)
TOO_FEW = (
    f"unreliable: fewer than {MIN_DOCUMENTS} documents, or fewer than {MIN_CASES} right or wrong answers to be expected if the "
    "group is like the others"
)
OTHERS = "the others"
MISSING = -1  # the code of a document without a value


class GroupColumn(NamedTuple):
    """A column that puts documents into groups: its distinct values, and the code of each document's value, or `MISSING`."""

    name: str
    values: Sequence[Any]
    codes: Integers


class JudgedAnswers(NamedTuple):
    """Gold and predicted labels, as indices among the labels; a gold label that is not among them is -1, and never right."""

    labels: Labels
    gold: Integers
    predicted: Integers
    probabilities: Floats  # documents × labels


@dataclass(frozen=True)
class GroupDifference:
    """One metric of a group, the same of the others, and the difference: group minus others.

    `against` is the only other group, or "the others". `label` is the positive label; None for accuracy. `detectable` is the
    smallest difference, to the disadvantage of the group, that would be found in four of five such samples, at the level of the
    first step of Holm's correction; NaN if no difference would be. A number that is undefined is NaN, and so is the p-value of
    an area that is unreliable: its test would claim too much.
    """

    column: str
    group: Any
    against: Any
    n: int
    metric: str
    label: Any
    value: Estimate
    others: Estimate
    difference: Estimate
    p_value: float
    adjusted_p: float = math.nan
    detectable: float = math.nan

    @property
    def is_shown(self) -> bool:
        """Whether the difference is significant after correction for all tests."""
        return self.adjusted_p < derive_level(self.difference.confidence)

    @property
    def is_worse(self) -> bool:
        """Whether the group is worse off than the others: more errors, or a smaller area."""
        return (self.difference.value > 0) == (self.metric in (FALSE_POSITIVES, FALSE_NEGATIVES))


class _Group(NamedTuple):
    column: str
    value: Any
    against: Any
    is_inside: Flags
    is_outside: Flags


def compare_groups(
    answers: JudgedAnswers, columns: Sequence[GroupColumn], positives: Sequence[int], confidence: float = 0.95
) -> tuple[GroupDifference, ...]:
    """The rates of each group, and then the areas of each group: accuracy, and the other metrics for each positive label.

    Of two groups in a column, only the smaller one is compared with the other: the tests would be the same.

    >>> gold, predicted = np.array([0, 1] * 4), np.array([0, 1, 0, 1, 1, 1, 1, 0])
    >>> answers = JudgedAnswers(np.array(["ham", "spam"]), gold, predicted, np.full((8, 2), 0.5))
    >>> column = GroupColumn("race", ["a", "b"], np.repeat([0, 1], 4))
    >>> for found in compare_groups(answers, [column], positives=[1])[:2]:
    ...     print(found.group, found.metric, found.value, "difference", found.difference)
    a accuracy 1.000 [0.510, 1.000] difference 0.750 [0.040, 0.984]
    a false_positive_rate 0.000 [0.000, 0.658] difference -1.000 [-1.000, 0.145]
    """
    groups = [group for column in columns for group in _list_groups(column)]
    parts = _Rates.of(answers, groups, positives), _Areas.of(answers, groups, positives)
    found = [each for part in parts for each in part.compare(confidence)]
    adjusted = adjust_holm([each.p_value for each in found])
    level = (1 - confidence) / max(1, int(np.count_nonzero(~np.isnan(adjusted))))
    detectable = [each for part in parts for each in part.compute_detectable(level)]
    return tuple(
        replace(each, adjusted_p=float(p), detectable=math.nan if math.isnan(p) else smallest)
        for each, p, smallest in zip(found, adjusted, detectable, strict=True)
    )


def _list_groups(column: GroupColumn) -> Iterator[_Group]:
    """The groups that are compared: none if all documents have the same value."""
    name, values, codes = column
    compared = range(len(values) if len(values) > 1 else 0)
    if len(values) == 2:
        smaller = int(np.sum(codes == 1) < np.sum(codes == 0))
        compared = range(smaller, smaller + 1)
    for code in compared:
        against = values[1 - code] if len(values) == 2 else OTHERS
        yield _Group(name, values[code], against, codes == code, (codes != MISSING) & (codes != code))


def _make_difference(group: _Group, metric: str, label: Any, *numbers: Any) -> GroupDifference:
    n = int(group.is_inside.sum())
    return GroupDifference(group.column, group.value, group.against, n, metric, label, *numbers)


class _Rates(NamedTuple):
    """Successes of the groups and of the others for some metrics."""

    subjects: list[tuple[_Group, str, Any]]
    pairs: ProportionPairs

    @classmethod
    def of(cls, answers: JudgedAnswers, groups: Sequence[_Group], positives: Sequence[int]) -> "_Rates":
        listed = list(_list_rates(answers, positives))
        subjects = [(group, metric, label) for group in groups for metric, label, _, _ in listed]
        counts = [
            [int(np.sum(part & flags)) for part in (group.is_inside, group.is_outside) for flags in (is_success, is_counted)]
            for group in groups
            for _, _, is_success, is_counted in listed
        ]
        return cls(subjects, ProportionPairs(*np.array(counts, np.float64).reshape(-1, 4).T))

    def compare(self, confidence: float) -> Iterator[GroupDifference]:
        pairs = self._fill_empty()
        p_values, (low, high), few = compute_p_values(pairs), compute_bounds(pairs, confidence), are_few(pairs)
        for k, subject in enumerate(self.subjects):
            successes, n, others, n_others = (float(column[k]) for column in self.pairs)
            first, second = wilson(successes, n, confidence), wilson(others, n_others, confidence)
            difference = Estimate(first.value - second.value, float(low[k]), float(high[k]), confidence, "score")
            p_value = float(p_values[k])
            if math.isnan(difference.value):
                difference, p_value = replace(first if not n else second, value=math.nan, low=math.nan, high=math.nan), math.nan
            notes = TOO_FEW * bool(few[0][k]), TOO_FEW * bool(few[1][k]), TOO_FEW * bool(few[0][k] or few[1][k])
            estimates = (each.add_note(note) for each, note in zip((first, second, difference), notes, strict=True))
            yield _make_difference(*subject, *estimates, p_value)

    def compute_detectable(self, level: float) -> list[float]:
        is_known = (self.pairs.n > 0) & (self.pairs.n_others > 0)
        own = self._fill_empty()
        is_accuracy = np.array([metric == ACCURACY for _, metric, _ in self.subjects], np.bool_)
        errors = ProportionPairs(*(np.where(is_accuracy, *columns) for columns in zip(own.flip(), own, strict=True)))
        return list(map(float, np.where(is_known, compute_detectable(errors, level), np.nan)))

    def _fill_empty(self) -> ProportionPairs:
        return self.pairs._replace(n=np.maximum(self.pairs.n, 1), n_others=np.maximum(self.pairs.n_others, 1))


def _list_rates(answers: JudgedAnswers, positives: Sequence[int]) -> Iterator[tuple[str, Any, Flags, Flags]]:
    """Each rate: metric, label, which documents are successes, and which documents count."""
    labels, gold, predicted, _ = answers
    yield ACCURACY, None, gold == predicted, np.ones(len(gold), np.bool_)
    for label_index in positives:
        label, is_own, is_called = labels.tolist()[label_index], gold == label_index, predicted == label_index
        yield FALSE_POSITIVES, label, ~is_own & is_called, ~is_own
        yield FALSE_NEGATIVES, label, is_own & ~is_called, is_own


class _Areas(NamedTuple):
    """Areas under ROC curves of the groups, each beside that of the others."""

    subjects: list[tuple[_Group, str, Any]]
    pairs: list[AreaPair]

    @classmethod
    def of(cls, answers: JudgedAnswers, groups: Sequence[_Group], positives: Sequence[int]) -> "_Areas":
        subjects: list[tuple[_Group, str, Any]] = []
        pairs = []
        for label_index in positives:
            label, is_own = answers.labels.tolist()[label_index], answers.gold == label_index
            rank = np.unique(answers.probabilities[:, label_index], return_inverse=True)[1]
            for group in groups:
                inside, outside = group.is_inside, group.is_outside
                counted = {
                    SUBGROUP: inside,
                    BPSN: np.where(is_own, outside, inside),
                    BNSP: np.where(is_own, inside, outside),
                }
                subjects += [(group, metric, label) for metric in counted]
                pairs += [AreaPair.of(rank, is_own, first, outside) for first in counted.values()]
        return cls(subjects, pairs)

    def compare(self, confidence: float) -> Iterator[GroupDifference]:
        for subject, pair in zip(self.subjects, self.pairs, strict=True):
            yield _make_difference(*subject, *pair.estimate(confidence), *pair.compare(confidence))

    def compute_detectable(self, level: float) -> list[float]:
        return [pair.compute_detectable(level) for pair in self.pairs]
