"""Which smoothing suits documents best, each left out in its turn."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from tercet.categorizer.categorizer import Categorizer
from tercet.categorizer.document_batches import open_batches
from tercet.categorizer.held_documents import HeldDocuments
from tercet.categorizer.holding_out import leave_one_out
from tercet.errors import InvalidOption
from tercet.evaluation.intervals import Estimate, estimate_proportion
from tercet.models.smoothing import Additive

VALUES = (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)


class SmoothingCurve(NamedTuple):
    """What `tercet.figures.smoothing_curve(*curve)` draws."""

    values: list[float]  # ε, added to each count
    log_likelihoods: list[float]  # mean of log P(own label)
    accuracies: list[Estimate]


def measure_smoothing_curve(
    categorizer: Categorizer, texts: Any, labels: Any = None, sample_weight: Any = None, *, values: Sequence[float] = VALUES
) -> SmoothingCurve:
    """For each ε how likely the documents' own labels are and how many are found, each document left out in its turn.

    The likelihood is the one that `smoothing="auto"` looks at: of up to 2,000 documents, and with scores that are first
    multiplied by the factor that suits them best. The categorizer need not be fitted, and is not changed.

    >>> curve = measure_smoothing_curve(Categorizer(), ["so good", "so bad"] * 9, ["+", "-"] * 9, values=[0.1, 1.0])
    >>> curve.values, [float(accuracy) for accuracy in curve.accuracies]
    ([0.1, 1.0], [1.0, 1.0])
    """
    options, ways = categorizer._check_options(), [Additive(value) for value in values]
    if options.margin is not None:
        raise InvalidOption(
            f"{type(options.margin).__name__} smooths nothing: smoothing is for NaiveBayes, and so is its curve."
        )
    batches = open_batches(texts, labels, sample_weight)
    rules, training, learned = categorizer._read_afresh(batches, options, keep=True)
    held = HeldDocuments.of(rules, learned, training)
    likelihoods = held.measure_smoothings(ways).tolist()
    return SmoothingCurve([way.value for way in ways], likelihoods, [_measure(held, way) for way in ways])


def _measure(held: HeldDocuments, way: Additive) -> Estimate:
    answers = leave_one_out(held, "own", way)
    return estimate_proportion(int((answers.predicted == answers.gold).sum()), len(answers.gold))
