"""The one interface between a categorizer and its model. `BayesModel` and `MarginModel` implement it.

- `TextModel`: the options of the model; it trains, holds documents out, and makes weights.
- `TrainedState`: the results of training, beside the counts.
- `TermWeights`: the weight of each term for each label, ready for decisions.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from tercet.arrays import Array, Flags, Floats, Integers
from tercet.counts.labels import Labels
from tercet.counts.table import CountTable, Mask
from tercet.kernel import engine
from tercet.models.smoothing import Smoothing

if TYPE_CHECKING:
    from tercet.categorizer.evidence.formulas import DecisionFormulas
    from tercet.categorizer.held_out.held_out import Copies, HeldDocuments
    from tercet.categorizer.model.added_block import AddedBlock
    from tercet.categorizer.model.stack_model import StackedDocuments
    from tercet.counts.term_names import TermNames
    from tercet.counts.weighting import TermWeighting
    from tercet.models.parameters import LearnedTerms

Arrays = Mapping[str, Array]


class Scored(NamedTuple):
    """Some held-out documents and the scores that decide."""

    indices: Integers
    scores: Floats  # documents × labels
    lost: Flags | None = None  # documents that are impossible under every label, and get the prior; None if there are none

    @property
    def n_lost(self) -> int:
        return 0 if self.lost is None else int(self.lost.sum())


class TrainedState(ABC):
    """The results of training, beside the counts. Unlike counts, two of them cannot be added."""

    labels: Labels | None  # the labels to decide between; None for all labels of the table
    held_out: "StackedDocuments | None" = None  # documents that training held out to fit a stack to them
    added: "AddedBlock | None" = None  # what terms add that have a vocabulary of their own

    @property
    def fitted(self) -> str | None:
        """What was fitted to the documents, in words: it does not follow from counts that change. None if nothing was."""
        return None

    def check_equal(self, other: "TrainedState") -> None:
        """Raises InvalidOption if categorizers with these states cannot be added."""

    def check_table(self, table: CountTable) -> None:
        """An error where it is not for the terms of this table, in their order."""

    def in_order(self, table: engine.Table) -> "TrainedState":
        """The same state, for the numbers that the terms have when the table is written."""
        return self

    def move(self, table: engine.Table, copy: engine.Table) -> "TrainedState":
        """The same state, for the numbers that the terms have in a copy of the table."""
        return self

    def take(self, terms: Integers) -> "TrainedState":
        """The same state for these terms only, in this order."""
        return self

    @abstractmethod
    def to_file(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Values for JSON, and arrays."""

    @classmethod
    @abstractmethod
    def from_file(cls, content: Mapping[str, Any], arrays: Arrays) -> Self:
        """The state that `to_file` wrote. Raises an error if the content is wrong."""


@dataclass(frozen=True, eq=False)
class TermWeights(ABC):
    """Weights of terms for some labels. A term is its number in a table. Each subclass is registered as "weights"."""

    labels: Labels  # to decide between
    columns: Integers  # their indices among the labels of the kernel's weights
    kind: str
    smoothing: Smoothing | None
    kernel: "engine.Weights | engine.LinearWeights"
    prior: Floats

    @abstractmethod
    def term_values(self, terms: Integers) -> Floats:
        """The weight of each of these terms, terms × labels. For naive Bayes it is log P(term | label)."""

    @abstractmethod
    def occurrence_values(self, numbers: Integers, labels: Sequence[int]) -> Floats:
        """The score that each occurrence of a term in one text adds to labels, occurrences × labels; -1 is an unknown term.

        If repeated terms count once (`counts_once`), it is the score that the first occurrence adds.
        """

    @abstractmethod
    def row_values(self, ends: Integers, terms: Integers, counts: Floats) -> Floats:
        """The score that each distinct term of each text adds, with all its occurrences, entries × labels.

        Text i has the entries ends[i] … ends[i + 1]. -1 is an unknown term.
        """

    @property
    def reads_counts(self) -> bool:
        """Whether scores are computed from the counts, as they were when the weights were made."""
        return False

    @property
    def counts_once(self) -> bool:
        """Whether a term counts once, even if a text repeats it."""
        return False

    def absent_values(self, numbers: Integers) -> Floats | None:
        """The score of the terms that a text with these terms lacks, for each label; None if absent terms add nothing.

        If a text has a term, its `term_values` take back the score of its absence.
        """
        return None

    @abstractmethod
    def odds_against_rest(self, values: Floats) -> Floats:
        """The log-odds of each term for a label against all other labels together, terms × labels, from `term_values`."""

    @property
    @abstractmethod
    def log_prior(self) -> Floats:
        """log P(label). Raises NoPrior if the model does not use it."""

    @abstractmethod
    def list_learned(self, names: "TermNames", counts: CountTable | None) -> "LearnedTerms":
        """What was learned of the terms with these names. Without counts, only weights are left."""

    @abstractmethod
    def write_formulas(self, a: int, b: int, terms: Integers, counts: Floats) -> "DecisionFormulas":
        """The formulas of a text with these terms and counts, for the labels at the indices a and b against each other."""

    @abstractmethod
    def pack(self, terms: Integers) -> tuple[dict[str, Any], dict[str, Array]]:
        """The weights of these terms in few bytes, as values for JSON and arrays."""

    @classmethod
    @abstractmethod
    def unpack(cls, content: Mapping[str, Any], arrays: Arrays, labels: Labels) -> Self:
        """The weights that `pack` packed."""

    def known(self, numbers: Integers) -> Flags:
        """Which terms have weights; -1 is an unknown term."""
        valid = (numbers >= 0) & (numbers < self.kernel.n_terms)
        return np.asarray(valid & self.kernel.knows(np.where(valid, numbers, 0)), np.bool_) if valid.any() else valid

    def score_rows(self, rows: engine.Rows, threads: int) -> Floats:
        """Scores without the prior, documents × labels."""
        scores: Floats = self.kernel.score(rows, np.arange(len(rows)), threads)
        return scores if len(self.columns) == self.kernel.n_labels else scores[:, self.columns]


@dataclass(frozen=True)
class TextModel(ABC):
    """A model of `tercet.models` with checked options, as a categorizer uses it: it turns counts into scores."""

    estimator: Any
    min_documents: int
    threads: int
    weighting: "TermWeighting | None" = None  # how counts are weighted before training; None: not at all

    takes_numbers: ClassVar[bool]  # whether columns of numbers can add to the scores
    trained_type: ClassVar[type[TrainedState]]
    has_blocks: ClassVar[bool] = False  # whether it uses words and character n-grams as blocks of their own
    is_calibrated: ClassVar[bool] = False  # whether exp(score) is a probability, up to a factor for the document
    selects_again: ClassVar[bool]  # whether the present counts select its terms; otherwise they were selected for training
    leaves_one_out: ClassVar[bool]  # whether subtracting counts leaves out a document, without training again

    @property
    @abstractmethod
    def prior(self) -> Any:
        """P(label), as the user gave it. It decides if all labels are impossible."""

    @property
    @abstractmethod
    def kind(self) -> str:
        """The kind of naive Bayes, or the registered name of another model."""

    @property
    @abstractmethod
    def clips(self) -> bool:
        """Whether the selection of terms counts a term once for each document."""

    @property
    @abstractmethod
    def needs_rows(self) -> bool:
        """Whether training needs the terms of each document, and not only the table."""

    @abstractmethod
    def is_like(self, other: "TextModel") -> bool:
        """Whether categorizers with these two models may be added."""

    def check(self, table: CountTable) -> None:
        """Raises an error if the options do not fit each other or the labels."""

    def check_trained(self, trained: TrainedState) -> None:
        """An error where a state from a file does not fit the options."""

    def check_labels(self, labels: Labels) -> None:
        """Raises an error if a label has no prior."""

    def name_prior(self, labels: Labels) -> Self:
        """The model, with a sequence of priors turned into a mapping from labels, because the labels may change."""
        return self

    @abstractmethod
    def train(self, held: "HeldDocuments | None") -> TrainedState:
        """The result of training on these documents. They may be None if the model does not need their rows."""

    def list_decisions(self, trained: TrainedState) -> tuple[str, ...]:
        """Sentences about what training has left out, and how much seeds count."""
        return ()

    def choose(self, held: "HeldDocuments") -> TrainedState | None:
        """The choices that all documents make once, and that hold-out does not change; None if there are none."""
        return None

    @abstractmethod
    def known_smoothing(self, trained: TrainedState | None) -> Smoothing | str | None:
        """The smoothing in use; "table" if it follows from the counts each time; None if the model has none."""

    @abstractmethod
    def make_weights(self, table: CountTable, trained: TrainedState | None, labels: Labels, kept: Mask | None) -> TermWeights:
        """Weights for decisions between these labels, from the present table and the terms of `kept`."""

    @abstractmethod
    def describe(self, trained: TrainedState | None) -> dict[str, str]:
        """The model in one line, for the signature of a report."""

    def check_leave_one_out(self) -> None:
        """Raises InvalidOption if a document cannot be left out without training again."""

    @abstractmethod
    def score_left_out(
        self, held: "HeldDocuments", trained: TrainedState | None, copies: "Copies", documents: Integers | None
    ) -> Iterator[Scored]:
        """The scores of each document, or of these, when it and its copies are left out."""

    @abstractmethod
    def score_without(
        self, held: "HeldDocuments", trained: TrainedState | None, documents: Integers, kept: Mask | None
    ) -> Iterator[Scored]:
        """The scores of documents that are taken out of the table at the moment, by what the other documents teach."""
