"""A sample of a pool that a person checks, and what it says about the whole pool: accuracy, and the share of each label.

The pool is cut into strata, by the probability of each document's best label and by that label. A stratum h of N_h documents
gets n_h of the n checked documents: 70 % of them in proportion to N_h, and 30 % in proportion to N_h √(e (1 - e)), where e is
the error that the model expects. The first part keeps every weight N_h / n_h below about 1.4 N / n, so a model that is wrong
about itself does little harm. Documents of a stratum are drawn at random, so Σ (N_h / N) · (mean of the sample of h) is
unbiased for every model.

The interval of the accuracy p is Wilson's, of the effective number of documents

    p (1 - p) / Σ (N_h / N)² (1 - n_h / N_h) q_h (1 - q_h) / n_h

where q_h is the accuracy of the stratum. In a small sample a stratum often has no error, which does not mean that its variance
is 0. So PSEUDO documents more are counted in q_h, with the error that the model expects, after the answers have corrected its
level. `benchmarks/checking.py` measures how often the intervals cover.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tercet.arrays import Flags, Floats, Integers
from tercet.errors import InvalidLabel, InvalidMatrix, InvalidOption, is_missing
from tercet.evaluation.intervals import (
    MIN_DOCUMENTS,
    Estimate,
    check_confidence,
    estimate_proportion,
    estimate_weighted_proportion,
)
from tercet.options import check_count, check_seed

PSEUDO = 2.0  # documents that each stratum has more, in the variance only
MIN_DRAWN = 8  # documents that are expected of a stratum which has a label of its own
PROPORTIONAL = 0.7  # the part of the sample that does not depend on the expected errors
DOUBT = 0.1  # the part of an expected error that does not come from the model ...
LEVEL = 0.1  # ... but is this error
RARE = "clopper_pearson"  # errors of one label are rare, and the lower end of Wilson's interval is too high for a single one
MAX_SHIFT, N_STEPS = 1.0, 20  # of Newton's method


@dataclass(frozen=True, eq=False)
class CheckDesign:
    """How many documents of which stratum are checked.

    >>> design = CheckDesign.of(np.array([0, 1, 0, 1]), np.array([0.9, 0.6, 0.8, 0.7]), n=2)
    >>> design.sizes, design.drawn, design.weights
    (array([4]), array([2]), array([2.]))
    """

    strata: Integers  # the stratum of each document of the pool
    sizes: Integers  # N_h
    drawn: Integers  # n_h
    errors: Floats  # the mean expected error of each stratum
    predicted: Integers  # the code of the best label of each document

    @classmethod
    def of(cls, predicted: Integers, probabilities: Floats, n: int) -> "CheckDesign":
        """The design for n documents of a pool, from the best label of each document and its probability.

        The order of the documents does not matter. Raises InvalidOption if n is larger than the pool.
        """
        check_pool(predicted, probabilities, check_count("n", n))
        errors = (1 - DOUBT) * (1 - probabilities) + DOUBT * LEVEL
        deviations = np.sqrt(errors * (1 - errors))
        expected = n * (PROPORTIONAL / len(errors) + (1 - PROPORTIONAL) * deviations / deviations.sum())
        strata = cut_strata(predicted, probabilities, expected)
        sizes, shares = np.bincount(strata), np.bincount(strata, weights=expected).astype(np.float64)
        means = np.bincount(strata, weights=errors) / sizes
        return cls(strata, sizes, allocate(shares, sizes, n), means, predicted)

    @property
    def n(self) -> int:
        """How many documents are checked."""
        return int(self.drawn.sum())

    @property
    def weights(self) -> Floats:
        """N_h / n_h: how many documents of the pool a checked document of each stratum stands for."""
        return np.asarray(self.sizes / self.drawn, np.float64)

    def draw(self, seed: int = 0) -> Integers:
        """The positions of the documents to check, in random order: a part from the beginning is a random sample, too.

        >>> design = CheckDesign.of(np.zeros(50, np.int64), np.linspace(0.5, 1, 50), n=5)
        >>> len(set(design.draw(seed=1).tolist()))
        5
        """
        draw = np.random.default_rng(check_seed(seed))
        parts = [
            draw.choice(np.flatnonzero(self.strata == stratum), number, replace=False)
            for stratum, number in enumerate(self.drawn.tolist())
        ]
        return np.asarray(draw.permutation(np.concatenate(parts)), np.int64)

    def pick(self, positions: Sequence[int] | Integers) -> "DrawnDocuments":
        """The documents at these positions, with all that is needed to weigh their answers."""
        drawn = np.asarray(positions, np.int64)
        n_labels = int(self.predicted.max()) + 1
        cells = count_cells(self.strata, self.predicted, (len(self.sizes), n_labels))
        return DrawnDocuments(self.strata[drawn], self.predicted[drawn], self.errors, cells)


@dataclass(frozen=True, eq=False)
class DrawnDocuments:
    """Documents that were drawn, and what is needed to weigh their answers: the pool itself is not.

    So answers can be measured later and elsewhere, even if the model or the pool has changed since.

    >>> drawn = CheckDesign.of(np.array([0, 1] * 50), np.linspace(0.5, 1, 100), n=20).pick([3, 4, 5])
    >>> DrawnDocuments.from_dict(drawn.to_dict()).measure(["a", "b", "a"], ["a", "b"]).words
    'accuracy 0.000 [0.000, 0.857] — checked by hand, 3 of 100 texts'
    """

    strata: Integers  # of each document
    predicted: Integers  # the code of its best label
    errors: Floats  # the mean expected error of each stratum
    cells: Integers  # how many documents of each stratum have each predicted label: strata × labels

    @property
    def sizes(self) -> Integers:
        """N_h: how many documents of the pool each stratum has."""
        return np.asarray(self.cells.sum(axis=1), np.int64)

    def measure(self, gold: Sequence[Any], labels: Sequence[Any], confidence: float = 0.95) -> "CheckedPool":
        """What the gold labels of these documents say about the pool: see `measure_checked`."""
        check_confidence(confidence)
        if len(self.strata) != len(gold):
            raise InvalidLabel(
                f"{len(self.strata)} texts were drawn and {len(gold)} answers given: each text needs one, or None."
            )
        is_given = np.array([not is_missing(label) for label in gold], np.bool_)
        if not is_given.any():
            raise InvalidLabel("no text has an answer: there is nothing to measure. Give at least one label.")
        codes = {label: code for code, label in enumerate(labels)}
        given = [label for label in gold if not is_missing(label)]
        unknown = tuple(dict.fromkeys(label for label in given if label not in codes))
        codes |= {label: len(codes) + number for number, label in enumerate(unknown)}
        found = np.array([codes[label] for label in given], np.int64)
        answers = StratumAnswers.of(self, is_given, found, len(codes))
        accuracy = answers.estimate(answers.right, 1 - answers.errors, confidence)
        shares = answers.estimate_shares(confidence)
        predicted = answers.shares @ answers.predicted
        rows = tuple(map(LabelShare, codes, shares, predicted.tolist()))
        return CheckedPool(accuracy, rows, len(found), int(self.cells.sum()), *answers.compare(accuracy), unknown)

    def to_dict(self) -> dict[str, Any]:
        """Values for JSON."""
        return {name: getattr(self, name).tolist() for name in ("strata", "predicted", "errors", "cells")}

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> "DrawnDocuments":
        """What `to_dict` has written."""
        strata, predicted, cells = (np.array(written[name], np.int64) for name in ("strata", "predicted", "cells"))
        errors = np.array(written["errors"], np.float64)
        return cls(strata, predicted, errors, cells.reshape(len(errors), -1))


def check_pool(predicted: Integers, probabilities: Floats, n: int) -> None:
    """Raise an error unless there are n documents, each with a label and its probability."""
    if predicted.shape != probabilities.shape or predicted.ndim != 1:
        raise InvalidMatrix(
            f"{len(predicted)} labels and {len(probabilities)} probabilities: each document needs one of both, "
            "in the same order."
        )
    if not len(predicted):
        raise InvalidOption("the pool is empty: give at least one text.")
    if not ((probabilities >= 0) & (probabilities <= 1)).all():  # also true for nan
        raise InvalidMatrix("a probability is not between 0 and 1: give the probability of the best label of each document.")
    if n > len(predicted):
        raise InvalidOption(f"n={n}, but the pool has only {len(predicted)} texts: ask for at most {len(predicted)}.")


def cut_strata(predicted: Integers, probabilities: Floats, expected: Floats) -> Integers:
    """The stratum of each document: classes of the probability, and in each the labels of which enough documents are expected.

    Each class gets about the same part of the sample. Equal probabilities are in the same class. All other labels of a class
    are one stratum.

    >>> cut_strata(np.array([0, 0, 1, 1]), np.array([0.9, 0.6, 0.9, 0.6]), np.array([8.0, 16.0, 8.0, 16.0]))
    array([2, 0, 3, 1])
    """
    n = expected.sum()
    n_classes = 1 + round(np.sqrt(n // MIN_DRAWN))
    distinct, level = np.unique(probabilities, return_inverse=True)
    parts = np.bincount(level, expected, minlength=len(distinct))
    middles = (np.cumsum(parts) - parts / 2) / n
    classes = np.minimum((middles * n_classes).astype(np.int64), n_classes - 1)[level]
    n_labels = int(predicted.max()) + 1
    in_cell = np.bincount(classes * n_labels + predicted, expected, minlength=n_classes * n_labels)
    cells = in_cell.reshape(n_classes, n_labels)
    is_own = cells >= MIN_DRAWN
    rest = np.where(is_own, 0.0, cells).sum(axis=1)
    largest = cells.argmax(axis=1)
    # A few documents of other labels would be a stratum with one document: they join the most frequent label.
    others = np.where(is_own.any(axis=1) & (rest < MIN_DRAWN / 2), largest, n_labels)
    chosen = np.where(is_own[classes, predicted], predicted, others[classes])
    return np.asarray(np.unique(classes * (n_labels + 1) + chosen, return_inverse=True)[1], np.int64)


def allocate(expected: Floats, sizes: Integers, n: int) -> Integers:
    """Whole numbers that sum up to n, near the expected ones, from 1 to the size of each stratum; 2 if there are enough.

    >>> allocate(np.array([0.2, 7.4, 12.4]), np.array([40, 7, 60]), 20)
    array([ 2,  7, 11])
    """
    lowest = np.minimum(sizes, 2 if 2 * len(sizes) <= n else 1)
    numbers = np.clip(np.floor(expected), lowest, sizes).astype(np.int64)
    while (left := n - int(numbers.sum())) != 0:
        step = 1 if left > 0 else -1
        is_free = numbers < sizes if step > 0 else numbers > lowest
        # the stratum whose number is furthest from what is expected, in relation to it
        lack = np.where(is_free, step * (expected - numbers) / np.sqrt(np.maximum(expected, 1.0)), -np.inf)
        numbers[int(lack.argmax())] += step
    return numbers


class LabelShare(NamedTuple):
    """The share of one label in the pool, by the answers of the person, and the share that the model gives it."""

    label: Any
    share: Estimate
    predicted: float


@dataclass(frozen=True)
class CheckedPool:
    """What a checked sample says about the whole pool.

    - `accuracy`: the share of the pool whose predicted label is right, with its interval.
    - `shares`: the share of each label in the pool, with its interval.
    - `n`, `n_pool`: how many documents were checked, and how many there are.
    - `n_random`: how many documents of a simple random sample would give an interval of the same width, about.
    - `width_ratio`: the width of the interval of the accuracy, divided by that of a simple random sample of n documents.
    - `unknown`: labels of the answers that the model does not have. They count as errors of the model.
    """

    accuracy: Estimate
    shares: tuple[LabelShare, ...]
    n: int
    n_pool: int
    n_random: float
    width_ratio: float
    unknown: tuple[Any, ...] = ()

    @property
    def words(self) -> str:
        """The result in one line."""
        return f"accuracy {self.accuracy} — checked by hand, {self.n} of {self.n_pool} texts"

    def to_dict(self) -> dict[str, Any]:
        """Values for JSON."""
        return {
            "accuracy": _describe(self.accuracy),
            "shares": [{"label": label, **_describe(share), "predicted": predicted} for label, share, predicted in self.shares],
            "n": self.n,
            "n_pool": self.n_pool,
            "n_random": None if np.isinf(self.n_random) else self.n_random,
            "width_ratio": self.width_ratio,
            "unknown": list(self.unknown),
        }


def _describe(estimate: Estimate) -> dict[str, Any]:
    names = ("value", "low", "high", "confidence", "note")
    return {name: getattr(estimate, name) for name in names}


def measure_checked(
    design: CheckDesign,
    positions: Sequence[int] | Integers,
    gold: Sequence[Any],
    labels: Sequence[Any],
    confidence: float = 0.95,
) -> CheckedPool:
    """What the gold labels of the drawn documents say about the pool. A label that is None was not given.

    `labels` are those of the codes of the design. If documents have no gold label, the others of their stratum stand for them.

    >>> design = CheckDesign.of(np.array([0, 1] * 50), np.linspace(0.5, 1, 100), n=20)
    >>> positions = design.draw()
    >>> print(measure_checked(design, positions, ["spam"] * 20, ["ham", "spam"]).words)
    accuracy 0.406 [0.232, 0.607] — checked by hand, 20 of 100 texts
    """
    return design.pick(positions).measure(gold, labels, confidence)


@dataclass(frozen=True, eq=False)
class StratumAnswers:
    """The answers of each stratum. Strata without an answer are joined with a neighbour."""

    sizes: Integers  # N_h
    n: Integers  # answers
    right: Integers  # answers that are the predicted label
    missed: Integers  # answers of each label that were not predicted: strata × labels
    false: Integers  # wrong predictions of each label: strata × labels
    predicted: Floats  # the share of each predicted label: strata × labels
    errors: Floats  # the expected error, with the level that the answers show

    @classmethod
    def of(cls, drawn: DrawnDocuments, is_given: Flags, gold: Integers, n_labels: int) -> "StratumAnswers":
        """The gold labels of those documents that have one."""
        own, guessed = drawn.strata[is_given], drawn.predicted[is_given]
        joined = join_empty(np.bincount(own, minlength=len(drawn.sizes)))
        checked, n_strata = joined[own], int(joined.max()) + 1
        cells = np.zeros((n_strata, n_labels), np.int64)
        np.add.at(cells[:, : drawn.cells.shape[1]], joined, drawn.cells)
        sizes = cells.sum(axis=1)
        is_right = gold == guessed
        n = np.bincount(checked, minlength=n_strata)
        right = np.bincount(checked, is_right, minlength=n_strata).astype(np.int64)
        errors = np.bincount(joined, drawn.errors * drawn.sizes) / sizes
        shape, wrong = (n_strata, n_labels), np.flatnonzero(~is_right)
        missed = count_cells(checked[wrong], gold[wrong], shape)
        false = count_cells(checked[wrong], guessed[wrong], shape)
        return cls(sizes, n, right, missed, false, cells / sizes[:, None], correct_level(errors, n - right, n))

    @property
    def shares(self) -> Floats:
        """The share of the pool that each stratum has: N_h / N."""
        return np.asarray(self.sizes / self.sizes.sum(), np.float64)

    def estimate_shares(self, confidence: float) -> list[Estimate]:
        """The share of each label: predicted + missed - false.

        The predicted share is known for the whole pool, and the other two have intervals of their own. The squares of their
        distances from the estimates add up, on each side: so the interval is wide enough if no error was found.
        """
        n_others = max(1, self.predicted.shape[1] - 1)
        errors = self.errors[:, None]
        expected_missed, expected_false = (1 - self.predicted) * errors / n_others, self.predicted * errors
        found = []
        for code, predicted in enumerate((self.shares @ self.predicted).tolist()):
            missed = self.estimate(self.missed[:, code], expected_missed[:, code], confidence, RARE)
            false = self.estimate(self.false[:, code], expected_false[:, code], confidence, RARE)
            found.append(add_difference(predicted, missed, false))
        return found

    def estimate(self, counts: Integers, expected: Floats, confidence: float, method: str = "wilson") -> Estimate:
        """The share of documents that were counted, by stratum, with its interval."""
        value = float(np.clip(self.shares @ (counts / self.n), 0, 1))
        n, n_checked = self.count_effective(counts, expected), int(self.n.sum())
        if np.isinf(n):
            note = "the whole pool was checked" if n_checked == self.sizes.sum() else ""
            return Estimate(value, value, value, confidence, method, note)
        found = estimate_weighted_proportion(value, n, max(n_checked - len(self.n) + 1.0, 2.0), confidence, method)
        return found.add_note(f"unreliable: only {n_checked} texts") if n_checked < MIN_DOCUMENTS else found

    def count_effective(self, counts: Integers, expected: Floats) -> float:
        """How many documents drawn at random from a very large pool would be as exact; infinite if nothing is uncertain."""
        smooth = (counts + PSEUDO * expected) / (self.n + PSEUDO)
        variance = self.shares**2 * (1 - self.n / self.sizes) * smooth * (1 - smooth) / self.n
        share = self.shares @ smooth
        return float(share * (1 - share) / variance.sum()) if variance.sum() > 0 else np.inf

    def compare(self, accuracy: Estimate) -> tuple[float, float]:
        """How many documents of a simple random sample are as exact, and the ratio of the widths of the intervals."""
        n, size = int(self.n.sum()), int(self.sizes.sum())
        if n == size:
            return float(n), 1.0
        effective = self.count_effective(self.right, 1 - self.errors)
        same = n * (size - 1) / (size - n)
        random = estimate_proportion(min(accuracy.value, 1.0) * same, same, accuracy.confidence)
        # n documents of a pool of this size are as exact as n (N - 1) / (N - n) of a very large one.
        n_random = effective * size / (size - 1 + effective)
        return n_random, (accuracy.high - accuracy.low) / (random.high - random.low)


def count_cells(rows: Integers, columns: Integers, shape: tuple[int, int]) -> Integers:
    """How often each row and column come together."""
    return np.asarray(np.bincount(rows * shape[1] + columns, minlength=shape[0] * shape[1]).reshape(shape), np.int64)


def add_difference(known: float, plus: Estimate, minus: Estimate) -> Estimate:
    """known + plus - minus with its interval, from the intervals of both (method of variance estimates recovery).

    >>> print(add_difference(0.5, Estimate(0.0, 0.0, 0.04, 0.95, "wilson"), Estimate(0.1, 0.05, 0.13, 0.95, "wilson")))
    0.400 [0.370, 0.464]
    """
    value = known + plus.value - minus.value
    low = value - np.hypot(plus.value - plus.low, max(min(minus.high, known) - minus.value, 0.0))
    high = value + np.hypot(plus.high - plus.value, minus.value - minus.low)
    low, value, high = (min(max(float(number), 0.0), 1.0) for number in (low, value, high))
    return Estimate(value, low, high, plus.confidence, "wilson", plus.note)


def join_empty(numbers: Integers) -> Integers:
    """The new number of each stratum: one without answers gets that of the stratum before it, or of the first with answers.

    >>> join_empty(np.array([0, 3, 0, 2]))
    array([0, 0, 0, 1])
    """
    return np.asarray(np.maximum(np.cumsum(numbers > 0) - 1, 0), np.int64)


def correct_level(expected: Floats, wrong: Integers, n: Integers) -> Floats:
    """The expected errors with log-odds that are shifted by the same number, so that their sum is near the number of errors.

    The shift has a standard normal prior. Newton's method finds it.

    >>> correct_level(np.array([0.1, 0.4]), np.array([5, 9]), np.array([10, 10])).round(2)
    array([0.41, 0.81])
    """
    odds, shift = np.log(expected / (1 - expected)), 0.0
    for _ in range(N_STEPS):
        errors = 1 / (1 + np.exp(-(odds + shift)))
        slope = float((n * errors * (1 - errors)).sum()) + 1
        step = (float((wrong - n * errors).sum()) - shift) / slope
        shift += min(max(step, -MAX_SHIFT), MAX_SHIFT)
    return np.asarray(1 / (1 + np.exp(-(odds + shift))), np.float64)
