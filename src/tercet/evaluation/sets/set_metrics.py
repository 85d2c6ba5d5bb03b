"""The metrics of sets of labels, each by its name.

Every 0/0 is 0, as with scikit-learn's `zero_division=0`: the precision of a label that is never predicted, the recall of a
label that gold does not have, F1 of a label that is in neither; and the precision, recall and F1 of a document with empty sets.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from tercet.arrays import Flags, Floats
from tercet.counts.labels import Labels
from tercet.evaluation.confusion import MarginalSums
from tercet.evaluation.metrics import (
    LABEL_SCORES,
    LabelScore,
    Metric,
    average_defined,
    average_micro,
    derive_label_score,
    divide,
    find_label_index,
    parse_part,
    pick_label,
    unknown_metric,
)
from tercet.evaluation.sets.set_answers import SetAnswers

COUNTS = ("documents", "correct", "gold", "predicted")  # what each document adds, beside the numbers whose means are metrics
LOSSES = ("hamming_loss", "coverage_error", "ranking_loss")
Sums = Mapping[str, Floats]  # what documents add, by name: (...)


# Metrics of sums over documents


@dataclass(frozen=True)
class DocumentMetric:
    """A metric that needs only a few sums over documents. A mean is the sum of its own column / documents.

    It takes the sums (…, columns, 1), in the order of `columns`.

    >>> metric = DocumentMetric("subset_accuracy", ("documents", "subset_accuracy"), average_column("subset_accuracy"))
    >>> metric(np.array([[4.0], [3.0]]))
    array(0.75)
    """

    name: str
    columns: tuple[str, ...]
    score: Callable[[Sums], Floats]
    n_labels: int = 1

    def __call__(self, sums: Floats) -> Floats:
        return np.asarray(self.score({name: sums[..., index, 0] for index, name in enumerate(self.columns)}))

    @property
    def bounds(self) -> tuple[float, float]:
        """The lowest and the highest possible value."""
        return (0.0, float(self.n_labels)) if self.name == "coverage_error" else (0.0, 1.0)


def average_column(name: str) -> Callable[[Sums], Floats]:
    """The mean over documents."""
    return lambda sums: divide(sums[name], sums["documents"])


def pool_sums(score: LabelScore, sums: Sums) -> Floats:
    """The micro average: the score of all labels of all documents together.

    >>> counts = {"correct": np.array(3.0), "gold": np.array(6.0), "predicted": np.array(4.0)}
    >>> float(pool_sums(LABEL_SCORES["precision"], counts))
    0.75
    """
    pooled = MarginalSums(*(sums[name][..., None] for name in MarginalSums._fields))
    return average_micro(score, pooled, 0.0)


def measure_documents(answers: SetAnswers) -> dict[str, Floats]:
    """What each document adds to the sums: the numbers of labels, and the metrics of single documents.

    >>> from tercet.counts.label_sets import DocumentLabels
    >>> answers = SetAnswers(DocumentLabels.of([["a", "b"], []]), DocumentLabels.of([["a"], ["b"]]))
    >>> {name: values.round(3).tolist() for name, values in measure_documents(answers).items() if name not in COUNTS}
    {'example_precision': [1.0, 0.0], 'example_recall': [0.5, 0.0], 'example_f1': [0.667, 0.0],
     'subset_accuracy': [0.0, 0.0], 'hamming_loss': [0.5, 0.5]}
    """
    sums = MarginalSums(*(each.sizes.astype(np.float64) for each in (answers.correct, answers.gold, answers.predicted)))
    n_different = sums.gold + sums.predicted - 2 * sums.correct
    counts = dict(zip(COUNTS, (np.ones(answers.n), *sums), strict=True))
    of_documents = {f"example_{part}": score(sums, 0.0) for part, score in LABEL_SCORES.items()}
    return (
        counts
        | of_documents
        | {
            "subset_accuracy": np.equal(n_different, 0).astype(np.float64),
            "hamming_loss": n_different / len(answers.labels),
        }
    )


# Metrics of the sums of each label


def average_over_labels(score: LabelScore, seen_share: float | None, sums: MarginalSums, _: float = 0.0) -> Floats:
    """The macro average: each label counts the same, and a label with 0/0 counts as 0.

    `seen_share` is the share of the labels that gold or predicted of the sample has. A resample can lose rare labels, which are
    then left out of its average: counted as 0, they would make nearly all resamples worse than the sample. If it is None, every
    label counts in every resample.

    >>> sums = MarginalSums(*np.array([[2.0, 0.0, 0.0], [4.0, 1.0, 0.0], [2.0, 0.0, 0.0]]))
    >>> [float(average_over_labels(LABEL_SCORES["f1"], seen_share, sums).round(3)) for seen_share in (2 / 3, None)]
    [0.222, 0.222]
    """
    values = score(sums, 0.0)
    if seen_share is None:
        return np.asarray(values.mean(axis=-1))
    mean = average_defined(np.where(_are_seen(sums), values, np.nan))
    return np.asarray(np.nan_to_num(mean) * seen_share)


def derive_over_labels(score: LabelScore, seen_share: float | None, sums: MarginalSums) -> MarginalSums:
    """The derivative of the macro average by each of the sums."""
    n_labels = sums.gold.shape[-1] if seen_share is None else np.count_nonzero(_are_seen(sums)) / seen_share
    return MarginalSums(*(each / max(n_labels, 1) for each in derive_label_score(score, sums)))


def _are_seen(sums: MarginalSums) -> Flags:
    return np.asarray((sums.gold > 0) | (sums.predicted > 0))


SetMetric = Metric | DocumentMetric


@dataclass(frozen=True, eq=False)
class SetMetrics:
    """All metrics of some sets, by name: `micro_f1`, `macro_f2`, `example_f1`, `f1:LABEL`, `ndcg@5` …

    `columns` are what the documents add to the sums. The last of them are the means.
    """

    labels: Labels
    columns: tuple[str, ...]
    seen_share: float | None  # see `average_over_labels`

    @classmethod
    def of(cls, sums: MarginalSums, labels: Labels, columns: tuple[str, ...]) -> "SetMetrics":
        """For the answers of one system."""
        return cls(labels, columns, float(np.mean(_are_seen(sums))))

    def find(self, name: Any) -> SetMetric:
        """The metric of this name; an error for an unknown one."""
        if isinstance(name, Metric | DocumentMetric):
            return name
        found = self._find(name) if isinstance(name, str) else None
        if found is None:
            raise unknown_metric(name, [*self.list_names(), "precision:LABEL", "recall:LABEL", "f1:LABEL", "f2:LABEL"])
        return found

    def list_names(self) -> list[str]:
        """All metrics that are not about a single label."""
        averages = [f"{average}_{part}" for average in ("micro", "macro") for part in LABEL_SCORES]
        return [*averages, *self.columns[len(COUNTS) :]]

    def _find(self, name: str) -> SetMetric | None:
        if name in self.columns[len(COUNTS) :]:
            return DocumentMetric(name, self.columns, average_column(name), len(self.labels))
        head, colon, label = name.partition(":")
        average, _, part = head.partition("_")
        if colon and (score := parse_part(head)):
            return pick_label(name, head, score, find_label_index(name, label, self.labels))
        score = None if colon else parse_part(part)
        if score is None or average not in ("micro", "macro"):
            return None
        if average == "micro":
            return DocumentMetric(name, self.columns, partial(pool_sums, score))
        derive = partial(derive_over_labels, score, self.seen_share)
        return Metric(name, partial(average_over_labels, score, self.seen_share), derive, part)
