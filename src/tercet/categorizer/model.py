"""The one interface between a categorizer and its model. `BayesModel` and `MarginModel` implement it.

- `TextModel`: the options of the model; it trains, holds documents out, and makes weights.
- `TrainedState`: what training has found beside the counts.
- `TermWeights`: what each term adds to the score of each label, ready for decisions.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from tercet.arrays import Array, Flags, Floats, Integers
from tercet.counts.labels import Labels
from tercet.counts.selection import Mask
from tercet.counts.table import CountTable
from tercet.kernel import engine
from tercet.models.smoothing import Smoothing

if TYPE_CHECKING:
    from tercet.categorizer.held_out import Copies, HeldDocuments
    from tercet.counts.weighting import TermWeighting

Arrays = Mapping[str, Array]


class Scored(NamedTuple):
    """Some held-out documents and their scores."""

    places: Integers
    log_joint: Floats  # documents × labels
    n_lost: int  # documents that are impossible under every label, and get the prior


class TrainedState(ABC):
    """What training has found beside the counts. It does not add up."""

    labels: Labels | None  # that it can decide between; None for all that the table has
    is_stale: bool = False  # whether documents were learned or forgotten since

    def mark_stale(self) -> "TrainedState":
        """The state after documents were learned or forgotten."""
        return self

    def check_equal(self, other: "TrainedState") -> None:
        """An error where categorizers with these states cannot be added."""

    def check_table(self, table: CountTable) -> None:
        """An error where it is not for the terms of this table, in their order."""

    def in_order(self, table: engine.Table) -> "TrainedState":
        """For the numbers that the terms have when the table is written."""
        return self

    def move(self, table: engine.Table, copy: engine.Table) -> "TrainedState":
        """For the numbers that the terms have in a copy of the table."""
        return self

    @abstractmethod
    def to_file(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Values that JSON can hold, and arrays."""

    @classmethod
    @abstractmethod
    def from_file(cls, content: Mapping[str, Any], arrays: Arrays) -> Self:
        """From what `to_file` gave; an error where that makes no sense."""


@dataclass(frozen=True, eq=False)
class TermWeights(ABC):
    """Weights of terms for some labels. Terms go by their numbers in a table. It is registered as a kind of "weights"."""

    labels: Labels  # to decide between
    columns: Integers  # their places among the labels of the kernel's weights
    kind: str
    smoothing: Smoothing | None
    kernel: "engine.Weights | engine.LinearWeights"
    prior: Floats

    @abstractmethod
    def term_values(self, terms: Integers) -> Floats:
        """What each of these terms says, terms × labels: log P(term | label), or its weight."""

    @abstractmethod
    def occurrence_values(self, numbers: Integers) -> Floats:
        """What each occurrence of a term in one text adds to its scores, occurrences × labels; -1 is an unknown term.

        Where repeated terms count once (`counts_once`), it is what the first occurrence adds.
        """

    @property
    def counts_once(self) -> bool:
        """Whether the first of repeated terms counts for all."""
        return False

    def absent_values(self) -> Floats | None:
        """What the absence of all terms adds, for each label; None where absence says nothing."""
        return None

    @abstractmethod
    def odds_against_rest(self, values: Floats) -> Floats:
        """How much each term speaks for a label against the others together, terms × labels, from `term_values`."""

    @abstractmethod
    def pack(self, terms: Integers) -> tuple[dict[str, Any], dict[str, Array]]:
        """The weights of these terms in few bytes, as values that JSON can hold and arrays."""

    @classmethod
    @abstractmethod
    def unpack(cls, content: Mapping[str, Any], arrays: Arrays, labels: Labels) -> Self:
        """From what `pack` gave."""

    def known(self, numbers: Integers) -> Flags:
        """Which terms have weights; -1 is an unknown term."""
        met = (numbers >= 0) & (numbers < self.kernel.n_terms)
        return np.asarray(met & self.kernel.knows(np.where(met, numbers, 0)), np.bool_) if met.any() else met

    def score_rows(self, rows: engine.Rows, threads: int) -> Floats:
        """Scores without the prior, documents × labels."""
        scores: Floats = self.kernel.score(rows, np.arange(len(rows)), threads)
        return scores if len(self.columns) == self.kernel.n_labels else scores[:, self.columns]


@dataclass(frozen=True)
class TextModel(ABC):
    """How a categorizer makes scores of counts: a model of `tercet.models` with its options, checked."""

    estimator: Any
    min_documents: int
    threads: int
    weighting: "TermWeighting | None" = None  # what becomes of counts before training; None: nothing

    takes_numbers: ClassVar[bool]  # whether columns of numbers can add to the scores
    trained_type: ClassVar[type[TrainedState]]
    leaves_one_out: ClassVar[bool]  # whether a document can be left out by subtraction, without training again

    @property
    @abstractmethod
    def prior(self) -> Any:
        """P(label) as an option: what decides where nothing else does."""

    @property
    @abstractmethod
    def kind(self) -> str:
        """The kind of naive Bayes, or the registered name of another model."""

    @property
    @abstractmethod
    def clips(self) -> bool:
        """Whether terms are counted once a document when they are selected."""

    @property
    @abstractmethod
    def needs_rows(self) -> bool:
        """Whether training looks at the terms of each document, and not at the table alone."""

    @abstractmethod
    def is_like(self, other: "TextModel") -> bool:
        """Whether categorizers of both may be added."""

    def check(self, table: CountTable) -> None:
        """An error where the options do not fit each other or the labels."""

    def check_trained(self, trained: TrainedState) -> None:
        """An error where a state from a file does not fit the options."""

    def check_labels(self, labels: Labels) -> None:
        """An error where a label has no prior."""

    def name_prior(self, labels: Labels) -> Self:
        """With a prior that is a sequence turned into a mapping, because labels may come and go."""
        return self

    @abstractmethod
    def train(self, held: "HeldDocuments | None") -> TrainedState:
        """What training on these documents finds; they may be None where the model does not need their rows."""

    def choose(self, held: "HeldDocuments") -> TrainedState | None:
        """What is chosen once by all documents, and stays when some of them are held out; None where nothing is."""
        return None

    @abstractmethod
    def known_smoothing(self, trained: TrainedState | None) -> Smoothing | str | None:
        """The smoothing in use; "table" where the counts decide it anew each time; None where there is none."""

    @abstractmethod
    def make_weights(self, table: CountTable, trained: TrainedState | None, labels: Labels, kept: Mask | None) -> TermWeights:
        """For decisions between these labels, by the table as it is now and the terms that are kept."""

    @abstractmethod
    def describe(self, trained: TrainedState | None) -> dict[str, str]:
        """The model in one line, for the signature of a number."""

    def check_leave_one_out(self) -> None:
        """An error where a document cannot be left out without training again."""

    @abstractmethod
    def score_left_out(
        self, held: "HeldDocuments", trained: TrainedState | None, copies: "Copies", documents: Integers | None
    ) -> Iterator[Scored]:
        """The scores of each document, or of these, by what is learned without it and its copies."""

    @abstractmethod
    def score_without(
        self, held: "HeldDocuments", trained: TrainedState | None, documents: Integers, kept: Mask | None
    ) -> Iterator[Scored]:
        """The scores of documents that the table does not have at the moment, by what is learned without them."""
