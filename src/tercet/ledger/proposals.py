"""How often the proposals of the model were right: each text was judged by a person who saw what the model had said of it.

The model had not learned the text then, so this is an honest measure on texts like those of the pool. But people who see a
proposal tend to agree with it, and suggested texts are harder than others. Corrections of single answers are left out: people
correct what is wrong, and say nothing of what is right.
"""

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tercet.arrays import Flags, Floats, Integers
from tercet.evaluation.confusion import Confusion
from tercet.evaluation.intervals import Estimate, wilson
from tercet.ledger.labelling import Judgment

if TYPE_CHECKING:
    from tercet.ledger.history import History

MAX_POINTS = 200  # of the running accuracy
MAX_BLOCKS, MIN_IN_BLOCK = 20, 10  # of the learning curve
N_BINS = 10  # of the calibration


@dataclass(frozen=True)
class RunningAccuracy:
    """The accuracy of the first n proposals, up to an event."""

    event: int
    n: int
    accuracy: Estimate


@dataclass(frozen=True)
class LearnedAccuracy:
    """The accuracy of some proposals one after another, when the ledger had so many documents on average."""

    n_documents: int
    n: int
    accuracy: Estimate


@dataclass(frozen=True)
class CalibrationBin:
    """The proposals whose probability is in a range: its mean, and how many of them were right."""

    low: float
    high: float
    n: int
    mean_probability: float
    accuracy: float


@dataclass(frozen=True, eq=False)
class Proposals:
    """The proposals that people have judged, in the order of the judgments."""

    events: Integers  # of the judgments
    labels: tuple[Any, ...]  # the labels that people gave
    proposed: tuple[Any, ...]
    probabilities: Floats
    n_documents: Integers  # documents that the ledger had at each judgment

    @classmethod
    def of(cls, history: "History") -> "Proposals":
        """All proposals of a ledger, with the last label that each person gave."""
        found = [own for own in list_judged(history) if own.proposal is not None and not own.settles]
        documents = sorted(history.documents)
        return cls(
            np.array([own.number for own in found], np.int64),
            tuple(own.label for own in found),
            tuple(own.proposal.label for own in found if own.proposal),
            np.array([own.proposal.probability for own in found if own.proposal], np.float64),
            np.array([bisect_right(documents, own.number) for own in found], np.int64),
        )

    def __len__(self) -> int:
        return len(self.events)

    @cached_property
    def is_right(self) -> Flags:
        return np.array([given == said for given, said in zip(self.labels, self.proposed, strict=True)], np.bool_)

    @property
    def accuracy(self) -> Estimate:
        return wilson(int(self.is_right.sum()), len(self))

    def list_running(self) -> list[RunningAccuracy]:
        """The accuracy of all proposals up to some events, evenly spread, with the last one."""
        right, n = np.cumsum(self.is_right), len(self)
        indices = sorted({(i + 1) * n // min(MAX_POINTS, n) - 1 for i in range(min(MAX_POINTS, n))})
        return [RunningAccuracy(int(self.events[i]), i + 1, wilson(int(right[i]), i + 1)) for i in indices]

    def list_learning(self) -> list[LearnedAccuracy]:
        """The accuracy of blocks of equally many proposals, one after another."""
        n_blocks = min(MAX_BLOCKS, len(self) // MIN_IN_BLOCK)
        blocks = np.array_split(np.arange(len(self)), n_blocks) if n_blocks else []
        return [
            LearnedAccuracy(
                int(self.n_documents[block].mean().round()), len(block), wilson(int(self.is_right[block].sum()), len(block))
            )
            for block in blocks
        ]

    def count_confusion(self) -> Confusion | None:
        """Which labels people gave (rows), and which were proposed (columns); None without proposals."""
        return Confusion.of(self.labels, self.proposed) if len(self) else None

    def list_bins(self) -> list[CalibrationBin]:
        """The proposals by their probability, without empty ranges."""
        indices = np.minimum((self.probabilities * N_BINS).astype(np.int64), N_BINS - 1)
        return [
            CalibrationBin(
                index / N_BINS,
                (index + 1) / N_BINS,
                int(inside.sum()),
                float(self.probabilities[inside].mean()),
                float(self.is_right[inside].mean()),
            )
            for index in range(N_BINS)
            if (inside := indices == index).any()
        ]

    @property
    def calibration_error(self) -> float | None:
        """The mean difference between the probability of a range and its accuracy; None without proposals."""
        if not len(self):
            return None
        return sum(each.n * abs(each.mean_probability - each.accuracy) for each in self.list_bins()) / len(self)


def list_judged(history: "History") -> list[Judgment]:
    """The last label of each person for each text, in the order of the events."""
    labelling = history.labelling
    judged = (number for number, offer in labelling.offers.items() if offer.judgments)
    return sorted(own for number in judged for own in labelling.list_labels(number))


def list_by_judge(history: "History") -> dict[str, list[Any]]:
    """The labels of each person for each text that somebody has labelled; None for none. Settlements are left out.

    Who settles a disagreement has seen the labels of others.
    """
    labelling = history.labelling
    given = (labelling.list_labels(number) for number, offer in labelling.offers.items() if offer.judgments)
    texts = [{own.actor: own.label for own in labels if not own.settles} for labels in given]
    texts = [labels for labels in texts if labels]
    judges = sorted({actor for labels in texts for actor in labels})
    return {actor: [labels.get(actor) for labels in texts] for actor in judges}
