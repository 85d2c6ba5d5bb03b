"""How much better or worse the answers are for a group of documents than for the others: differences, tests, power.

Each group of a column is compared with all other documents that have a value in this column. Rates have score intervals
(proportion_differences.py). The areas are those of Borkan et al. (2019), "Nuanced metrics for measuring unintended bias":

- `subgroup_auc`: the area under the ROC curve of the group's documents
- `bpsn_auc`: of positive documents of the others and negative documents of the group. It is low if the model gives negative
  documents of the group too high probabilities.
- `bnsp_auc`: of negative documents of the others and positive documents of the group. It is low if the model gives positive
  documents of the group too low probabilities.

All three are compared with the area of the others. All p-values of one call are corrected together by Holm's method.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from tercet.arrays import Flags, Floats, Integers
from tercet.counts.labels import Labels
from tercet.evaluation.area_differences import AreaPair
from tercet.evaluation.intervals import FEWEST, FEWEST_DOCUMENTS, Estimate, find_level, wilson
from tercet.evaluation.proportion_differences import ProportionPairs, are_few, find_bounds, find_detectable, find_p_values
from tercet.evaluation.significance import adjust_holm

ACCURACY, FALSE_POSITIVES, FALSE_NEGATIVES = "accuracy", "false_positive_rate", "false_negative_rate"
SUBGROUP, BPSN, BNSP = "subgroup_auc", "bpsn_auc", "bnsp_auc"
AREAS = (SUBGROUP, BPSN, BNSP)
FEW = (
    f"unreliable: fewer than {FEWEST_DOCUMENTS} documents, or fewer than {FEWEST} right or wrong answers to be expected if the "
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
    """Gold and predicted labels, as places among the labels; a gold label that is not among them is -1, and never right."""

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
        return self.adjusted_p < find_level(self.difference.confidence)

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
    detectable = [each for part in parts for each in part.find_detectable(level)]
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


def _start(group: _Group, metric: str, label: Any, *numbers: Any) -> GroupDifference:
    n = int(group.is_inside.sum())
    return GroupDifference(group.column, group.value, group.against, n, metric, label, *numbers)


class _Rates(NamedTuple):
    """Successes of the groups and of the others for some metrics."""

    places: list[tuple[_Group, str, Any]]
    pairs: ProportionPairs

    @classmethod
    def of(cls, answers: JudgedAnswers, groups: Sequence[_Group], positives: Sequence[int]) -> "_Rates":
        listed = list(_list_rates(answers, positives))
        places = [(group, metric, label) for group in groups for metric, label, _, _ in listed]
        counts = [
            [int(np.sum(part & flags)) for part in (group.is_inside, group.is_outside) for flags in (is_success, is_counted)]
            for group in groups
            for _, _, is_success, is_counted in listed
        ]
        return cls(places, ProportionPairs(*np.array(counts, np.float64).reshape(-1, 4).T))

    def compare(self, confidence: float) -> Iterator[GroupDifference]:
        pairs = self._fill_empty()
        p_values, (low, high), few = find_p_values(pairs), find_bounds(pairs, confidence), are_few(pairs)
        for k, place in enumerate(self.places):
            successes, n, others, n_others = (float(column[k]) for column in self.pairs)
            first, second = wilson(successes, n, confidence), wilson(others, n_others, confidence)
            difference = Estimate(first.value - second.value, float(low[k]), float(high[k]), confidence, "score")
            p_value = float(p_values[k])
            if math.isnan(difference.value):
                difference, p_value = replace(first if not n else second, value=math.nan, low=math.nan, high=math.nan), math.nan
            notes = FEW * bool(few[0][k]), FEW * bool(few[1][k]), FEW * bool(few[0][k] or few[1][k])
            estimates = (each.add_note(note) for each, note in zip((first, second, difference), notes, strict=True))
            yield _start(*place, *estimates, p_value)

    def find_detectable(self, level: float) -> list[float]:
        is_known = (self.pairs.n > 0) & (self.pairs.n_others > 0)
        own = self._fill_empty()
        is_accuracy = np.array([metric == ACCURACY for _, metric, _ in self.places], np.bool_)
        errors = ProportionPairs(*(np.where(is_accuracy, *columns) for columns in zip(own.flip(), own, strict=True)))
        return list(map(float, np.where(is_known, find_detectable(errors, level), np.nan)))

    def _fill_empty(self) -> ProportionPairs:
        return self.pairs._replace(n=np.maximum(self.pairs.n, 1), n_others=np.maximum(self.pairs.n_others, 1))


def _list_rates(answers: JudgedAnswers, positives: Sequence[int]) -> Iterator[tuple[str, Any, Flags, Flags]]:
    """Each rate: metric, label, which documents are successes, and which documents count."""
    labels, gold, predicted, _ = answers
    yield ACCURACY, None, gold == predicted, np.ones(len(gold), np.bool_)
    for place in positives:
        label, is_own, is_called = labels.tolist()[place], gold == place, predicted == place
        yield FALSE_POSITIVES, label, ~is_own & is_called, ~is_own
        yield FALSE_NEGATIVES, label, is_own & ~is_called, is_own


class _Areas(NamedTuple):
    """Areas under ROC curves of the groups, each beside that of the others."""

    places: list[tuple[_Group, str, Any]]
    pairs: list[AreaPair]

    @classmethod
    def of(cls, answers: JudgedAnswers, groups: Sequence[_Group], positives: Sequence[int]) -> "_Areas":
        places: list[tuple[_Group, str, Any]] = []
        pairs = []
        for place in positives:
            label, is_own = answers.labels.tolist()[place], answers.gold == place
            rank = np.unique(answers.probabilities[:, place], return_inverse=True)[1]
            for group in groups:
                inside, outside = group.is_inside, group.is_outside
                counted = {
                    SUBGROUP: inside,
                    BPSN: np.where(is_own, outside, inside),
                    BNSP: np.where(is_own, inside, outside),
                }
                places += [(group, metric, label) for metric in counted]
                pairs += [AreaPair.of(rank, is_own, first, outside) for first in counted.values()]
        return cls(places, pairs)

    def compare(self, confidence: float) -> Iterator[GroupDifference]:
        for place, pair in zip(self.places, self.pairs, strict=True):
            yield _start(*place, *pair.estimate(confidence), *pair.compare(confidence))

    def find_detectable(self, level: float) -> list[float]:
        return [pair.find_detectable(level) for pair in self.pairs]
