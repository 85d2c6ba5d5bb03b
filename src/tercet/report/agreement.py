"""`measure_agreement`: how far people agree who label the same texts, by Krippendorff's alpha and Cohen's kappa of each pair.

Both are 1 if all labels are equal, and 0 if they agree as often as by chance. Nobody needs to judge all texts. The intervals
resample texts, which are few in kind: texts with the same labels by the same number of people add the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.characters import show_line
from tercet.counts.labels import Labels
from tercet.data_frames import make_frame
from tercet.errors import InvalidLabel, is_missing
from tercet.evaluation.bootstrap import bootstrap_metrics
from tercet.evaluation.checked_labels import encode_label_column
from tercet.evaluation.intervals import MIN_DOCUMENTS, Estimate
from tercet.evaluation.metrics import divide, kappa
from tercet.evaluation.resampling import DEFAULT, Resampling, SamplingUnits
from tercet.report.forms import Rendering, simplify
from tercet.report.tables import Footnotes, Grid, Sheet, pluralize, show_estimate, write_signature

MISSING = -1  # instead of the code of a label


@dataclass(frozen=True)
class PairAgreement:
    """How far two people agree on the n texts that both have labelled: Cohen's kappa."""

    first: str
    second: str
    n: int
    kappa: Estimate


@dataclass(frozen=True, eq=False)
class JudgedTexts:
    """The labels that people gave to texts: judges × texts, as codes; MISSING where somebody gave none."""

    judges: tuple[str, ...]
    labels: Labels
    codes: Integers

    @classmethod
    def of(cls, judgments: Mapping[str, Sequence[Any]]) -> "JudgedTexts":
        """From the labels of each judge, one for each text in the same order; None where a judge gave none.

        >>> JudgedTexts.of({"ann": ["a", "b", None], "ben": ["a", None, "a"]}).codes
        array([[ 0,  1, -1], [ 0, -1,  0]])
        """
        columns = {str(name): list(labels) for name, labels in judgments.items()}
        sizes = {name: len(column) for name, column in columns.items()}
        if len(set(sizes.values())) > 1:
            listed = ", ".join(f"{name!r} has {n}" for name, n in sizes.items())
            raise InvalidLabel(f"each judge needs one label, or None, for each text: {listed}.")
        given = [label for column in columns.values() for label in column if not is_missing(label)]
        if not given:
            raise InvalidLabel("nobody has given a label: there is nothing to compare.")
        labels, found = encode_label_column("judgments", given)
        codes = np.full((len(columns), max(sizes.values())), MISSING, np.int64)
        codes[[[not is_missing(label) for label in column] for column in columns.values()]] = found
        return cls(tuple(columns), labels, codes)

    @property
    def counts(self) -> Integers:
        """How often each label was given to each text that at least two people have labelled: texts × labels."""
        n_labels, n_texts = len(self.labels), self.codes.shape[1]
        text = np.broadcast_to(np.arange(n_texts), self.codes.shape)
        is_given = self.codes != MISSING
        cells = np.bincount((text * n_labels + self.codes)[is_given], minlength=n_texts * n_labels)
        counts = cells.reshape(n_texts, n_labels)
        return np.asarray(counts[counts.sum(axis=1) > 1], np.int64)

    def estimate_alpha(self, plan: Resampling = DEFAULT) -> tuple[Estimate, int]:
        """Krippendorff's alpha of labels without an order, and the number of texts that at least two people have labelled.

        >>> alpha, n = JudgedTexts.of({"ann": list("aabbaabb"), "ben": list("aabbabbb")}).estimate_alpha()
        >>> print(alpha, n)
        0.762 [-0.071, 1.000] 8
        """
        counts = self.counts
        if not len(counts):
            return leave_undefined("no text has labels of two people", plan), 0
        kinds, sizes = np.unique(counts, axis=0, return_counts=True)
        units = SamplingUnits(sizes, count_disagreements(kinds), (1 + len(self.labels),), np.ones(len(sizes)), None)
        (found,) = bootstrap_metrics(units, lambda sums: alpha(sums)[:, None], plan)
        return note_few(found, len(counts)), len(counts)

    def estimate_pairs(self, plan: Resampling = DEFAULT) -> list[PairAgreement]:
        """Cohen's kappa of each two people."""
        return [self._estimate_pair(first, second, plan) for first, second in combinations(range(len(self.judges)), 2)]

    def _estimate_pair(self, first: int, second: int, plan: Resampling) -> PairAgreement:
        names = self.judges[first], self.judges[second]
        both = self.codes[:, (self.codes[[first, second]] != MISSING).all(axis=0)]
        n, n_labels = both.shape[1], len(self.labels)
        if not n:
            return PairAgreement(*names, 0, leave_undefined("no text has labels of both", plan))
        cells = np.bincount(both[first] * n_labels + both[second], minlength=n_labels**2).reshape(n_labels, n_labels)
        (found,) = bootstrap_metrics(SamplingUnits.of_counts(cells), lambda matrices: kappa(matrices)[:, None], plan)
        return PairAgreement(*names, n, note_few(found, n))


def count_disagreements(counts: Integers) -> Floats:
    """What each text adds to `alpha`: pairs of different labels, each by 1 / (labels of the text - 1), and its labels.

    >>> count_disagreements(np.array([[2, 0], [1, 2]]))
    array([[0., 2., 0.], [2., 1., 2.]])
    """
    n = counts.sum(axis=1)
    pairs = (counts * (n[:, None] - counts)).sum(axis=1) / (n - 1)
    return np.column_stack([pairs, counts]).astype(np.float64)


def alpha(sums: Floats) -> Floats:
    """1 - (observed disagreement) / (disagreement expected by chance), of sums of `count_disagreements`: (..., 1 + labels).

    Undefined if there is only one label.

    >>> float(alpha(count_disagreements(np.array([[2, 0], [1, 1], [0, 2]])).sum(axis=0)).round(4))
    0.4444
    """
    observed, given = sums[..., 0], sums[..., 1:]
    n = given.sum(axis=-1)
    expected = (given * (n[..., None] - given)).sum(axis=-1)
    return 1 - divide(observed * (n - 1), expected)


def leave_undefined(why: str, plan: Resampling) -> Estimate:
    return Estimate(np.nan, np.nan, np.nan, plan.confidence, plan.method, f"undefined: {why}")


def note_few(estimate: Estimate, n: int) -> Estimate:
    """The estimate with a note if the interval comes from few texts."""
    return estimate.add_note(f"unreliable: only {pluralize(n, 'text')}" if n < MIN_DOCUMENTS else "")


MAX_WIDTH = 30  # characters of a name


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Rendering):
    """The result of `measure_agreement`.

    - `alpha`: Krippendorff's alpha for labels without an order, of the `n_texts` that at least two people have labelled.
    - `pairs`: Cohen's kappa of each two people, on the texts that both have labelled.
    """

    judges: tuple[str, ...]
    n_texts: int
    alpha: Estimate
    pairs: tuple[PairAgreement, ...]
    plan: Resampling = DEFAULT

    @property
    def signature(self) -> str:
        estimates = [self.alpha, *(pair.kappa for pair in self.pairs)]
        return write_signature(["alpha", "kappa"], self.n_texts, estimates, self.plan)

    def to_sheet(self) -> Sheet:
        notes = Footnotes()
        whole = Grid("all", ("", "alpha", "texts"), (("all", show_estimate(self.alpha, notes), str(self.n_texts)),))
        rows = [
            (
                f"{show_line(pair.first, MAX_WIDTH)}, {show_line(pair.second, MAX_WIDTH)}",
                show_estimate(pair.kappa, notes),
                str(pair.n),
            )
            for pair in self.pairs
        ]
        headline = f"{pluralize(len(self.judges), 'judge')}, {pluralize(self.n_texts, 'text')} with at least two labels"
        grids = (whole, *([Grid("pairs", ("pair", "kappa", "texts"), tuple(rows))] if rows else ()))
        return Sheet(
            f"{headline}; {100 * self.plan.confidence:g} % intervals in brackets", grids, tuple(notes.list()), self.signature
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON; an undefined number is None."""
        pairs = [vars(pair) for pair in self.pairs]
        known = {"judges": self.judges, "n_texts": self.n_texts, "alpha": self.alpha, "pairs": pairs}
        simple: dict[str, Any] = simplify(known | {"signature": self.signature})
        return simple

    def to_frame(self) -> Any:
        """A data frame of pandas or polars with a row for each two people."""
        columns = {name: [getattr(pair, name) for pair in self.pairs] for name in ("first", "second", "n")}
        columns |= {part: [getattr(pair.kappa, part) for pair in self.pairs] for part in ("value", "low", "high")}
        return make_frame(columns)


def measure_agreement(
    judgments: Mapping[str, Sequence[Any]], *, confidence: float = 0.95, resamples: int = 10_000, seed: int = 0
) -> Agreement:
    """How far people agree who label the same texts.

    `judgments` has the labels of each person, one for each text in the same order, and None where somebody gave none. Both
    measures are 1 if all labels are equal, and 0 if they agree as often as by chance. The intervals resample texts.

    >>> print(measure_agreement({"ann": list("aabbaabbab") * 4, "ben": list("aabbabbbab") * 4}))
    2 judges, 40 texts with at least two labels; 95 % intervals in brackets
    <BLANKLINE>
                        alpha  texts
    all  0.801 [0.549, 0.950]     40
    <BLANKLINE>
    pair                     kappa  texts
    ann, ben  0.800 [0.565, 0.949]     40
    <BLANKLINE>
    alpha+kappa|n:40|interval:bca95|resamples:10000|seed:0|tercet:0.2.0
    """
    plan, judged = Resampling(confidence, resamples, seed), JudgedTexts.of(judgments)
    alpha, n = judged.estimate_alpha(plan)
    return Agreement(judged.judges, n, alpha, tuple(judged.estimate_pairs(plan)), plan)
