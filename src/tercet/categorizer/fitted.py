"""What a fitted categorizer holds, and how it may be read while it changes."""

from threading import RLock
from typing import Any

import numpy as np

from tercet.arrays import Integers
from tercet.categorizer.calibrated import Calibrated
from tercet.categorizer.categorizer_options import CategorizerOptions
from tercet.categorizer.decisions import Decisions
from tercet.categorizer.document_batches import open_batches
from tercet.categorizer.learned import Learned, gather_texts, read_training
from tercet.categorizer.margins import warn_of_stale
from tercet.categorizer.scorer import Scorer
from tercet.categorizer.table_model import TableModel
from tercet.categorizer.training import Training
from tercet.counts.labels import Labels, place_labels
from tercet.counts.table import CountTable
from tercet.errors import InvalidOption, NeverLearned, not_fitted
from tercet.kernel.threads import n_threads
from tercet.models.smoothing import Smoothing

# One for all: what is just being changed is neither read, but for decisions, nor copied.
CHANGING = RLock()


class Fitted(Decisions, CategorizerOptions):
    """A child gives it these."""

    _rules: TableModel
    _learned: Learned
    _smoothing: Smoothing | None  # that was chosen by leaving out documents
    _calibrated: Calibrated | None
    _only: Labels | None  # that it is restricted to
    _cached: Scorer | None

    @property
    def table_(self) -> CountTable:
        """The counts of all terms under each label."""
        self._check_fitted()
        return self._learned.table

    def describe(self) -> dict[str, Any]:
        """The signature of its recipe, the kind of its model, its smoothing and calibration, and how many terms it has learned.

        If all of them are forgotten, there is still a recipe, and the smoothing that was asked for.
        """
        knows = self._rules.margin is not None or len(self.classes_)
        return {
            "analyzer": self.table_.analyzer.signature,
            "kind": self._rules.kind,
            "smoothing": self.smoothing_ if knows else self._smoothing or self._rules.model.smoothing,
            "calibration": None if self._calibrated is None else self._calibrated.way,
            "terms": len(self.table_),
        }

    @property
    def is_stale_(self) -> bool:
        """Whether documents were learned or forgotten since its margins were trained: `refit` trains them. Counts never are."""
        self._check_fitted()
        return self._learned.margins is not None and self._learned.margins.is_stale

    @property
    def smoothing_(self) -> Smoothing | None:
        """The smoothing that is in use: the given or the chosen one. Margins have none."""
        self._check_fitted()
        with CHANGING:
            if self._rules.margin is not None:
                return None
            if self._smoothing is not None:
                return self._smoothing
            by_table = self._rules.chooses_by() == "table"
            return self._scorer().smoothing if by_table else self._rules.find_smoothing(self.table_, None)

    @property
    def classes_(self) -> Labels:
        """The labels, sorted. A margin model decides between those that it was trained for."""
        self._check_fitted()
        margins, known = self._learned.margins, self.table_.labels[self._columns()]
        return known if margins is None else known[place_labels(known, margins.labels) >= 0]

    @property
    def columns_(self) -> list[str]:
        """The columns that documents must have beside the text to be decided on."""
        self._check_fitted()
        return self._rules.columns

    @property
    def domain_(self) -> str | None:
        """The column that documents must have beside these to be learned, if terms are selected by it."""
        self._check_fitted()
        return self._rules.domain

    @property
    def remembers_(self) -> bool:
        """Whether it has fingerprints of what it learned."""
        self._check_fitted()
        return self._learned.prints is not None

    def count_learned(self, texts: Any, labels: Any = None, sample_weight: Any = None) -> int:
        """How many of these documents were learned, with this label and weight: they would be too easy to be tested on.

        >>> from tercet import Categorizer
        >>> Categorizer().fit(["to be", "or not"], ["x", "y"]).count_learned(["to be", "to be", "or not"], ["x", "y", "y"])
        2
        """
        self._check_fitted()
        if not self.remembers_:
            raise InvalidOption("it has no fingerprints of what it learned, so it can't tell: fit it with remember=True.")
        batches = open_batches(texts, labels, sample_weight)
        training, _ = gather_texts(batches, self._rules, n_threads(self.threads))
        with CHANGING:
            prints = self._learned.prints
            return 0 if prints is None else prints.count_known(training.prints)

    def _scorer(self) -> Scorer:
        self._check_fitted()
        with CHANGING:
            labels = self.classes_
            if not len(labels):
                raise NeverLearned(
                    "all that was learned is forgotten, so there is no label to decide for: learn something first."
                )
            if self.is_stale_:
                warn_of_stale(stacklevel=4)
            if self._cached is None:
                scorer = Scorer.derive(self._rules, self._learned, labels, self._smoothing, self.threads)
                self._cached = scorer if self._calibrated is None else self._calibrated.join(scorer)
            return self._cached

    def _columns(self) -> Integers:
        """The places in the table of the labels that are decided between."""
        places = np.arange(len(self.table_.labels))
        return places if self._only is None else places[place_labels(self.table_.labels, self._only) >= 0]

    def _read(self, texts: Any, labels: Any, sample_weight: Any, *, keep: bool = False) -> tuple[Training, Learned]:
        """Documents as those were read that `fit` learned, whatever options were set since."""
        batches, remember = open_batches(texts, labels, sample_weight), self._learned.prints is not None
        return read_training(batches, self._rules, self.table_.analyzer, n_threads(self.threads), remember=remember, keep=keep)

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)

    def __sklearn_is_fitted__(self) -> bool:
        return "_learned" in self.__dict__

    def __getstate__(self) -> dict[str, Any]:
        """What was learned is copied: it may go on learning while somebody writes the copy."""
        with CHANGING:
            learned = {"_learned": self._learned.copy(), "_cached": None} if self.__sklearn_is_fitted__() else {}
            return self.__dict__ | learned
