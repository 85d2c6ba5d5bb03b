"""Texts → scores: a vocabulary, the weights of its terms, and a prior, ready to be asked."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats, Integers
from tercet.categorizer.columns import add_measures
from tercet.categorizer.learned import Learned
from tercet.categorizer.margins import Margins
from tercet.categorizer.numeric import ColumnNormals
from tercet.categorizer.table_model import TableModel
from tercet.counts.labels import Labels, find_labels
from tercet.data.documents import Documents
from tercet.errors import InvalidMatrix
from tercet.kernel import engine
from tercet.kernel.batches import batches
from tercet.kernel.threads import n_threads
from tercet.models.calibration import Calibration
from tercet.models.classifier import normalize_scores
from tercet.models.conformal import LabelSets
from tercet.models.likelihood import warn_of_lost
from tercet.models.smoothing import Smoothing
from tercet.text.analyzer import Analyzer


@dataclass(frozen=True, eq=False)
class Scorer:
    """All that a decision needs, worked out once from what was learned."""

    analyzer: Analyzer
    labels: Labels  # that are decided between
    columns: Integers  # their places among all that the weights know
    kind: str
    smoothing: Smoothing | None  # none for margins
    table: engine.Table
    weights: engine.Weights | engine.LinearWeights
    prior: Floats
    numeric: list[str]
    measured: frozenset[str]  # names of `numeric` that are computed from the text
    normals: ColumnNormals | None
    threads: int | None
    calibration: Calibration | None = None
    sets: LabelSets | None = None  # none where no coverage is known

    @classmethod
    def derive(
        cls, model: TableModel, learned: Learned, labels: Labels, smoothing: Smoothing | None, threads: int | None
    ) -> "Scorer":
        """From what was learned, for these labels; without a smoothing, that of the table."""
        if learned.margins is not None:
            return cls._of_margins(model, learned, learned.margins, labels, threads)
        table = learned.table
        columns = find_labels(labels, table.labels)
        kept = model.select_terms(table, learned.domains)
        smoothing = model.find_smoothing(table, kept) if smoothing is None else smoothing
        return cls(
            analyzer=table.analyzer,
            labels=labels,
            columns=columns,
            kind=model.kind,
            smoothing=smoothing,
            table=table.table,
            weights=model.derive_weights(table, smoothing, kept),
            prior=model.log_prior(table, columns),
            numeric=model.numeric,
            measured=model.measured,
            normals=None if learned.moments is None else ColumnNormals.of(learned.moments).pick(columns),
            threads=threads,
        )

    @classmethod
    def _of_margins(
        cls, model: TableModel, learned: Learned, margins: Margins, labels: Labels, threads: int | None
    ) -> "Scorer":
        columns = find_labels(labels, margins.labels)
        return cls(
            analyzer=learned.table.analyzer,
            labels=labels,
            columns=columns,
            kind=model.kind,
            smoothing=None,
            table=learned.table.table,
            weights=margins.weights(learned.table.table),
            prior=margins.prior(columns),
            numeric=[],
            measured=frozenset(),
            normals=None,
            threads=threads,
        )

    @cached_property
    def _whole_prior(self) -> Floats:
        """For all labels of the weights: those that are not decided between have no chance."""
        prior = np.full(self.weights.n_labels, -np.inf)
        prior[self.columns] = self.prior
        return prior

    @cached_property
    def _is_whole(self) -> bool:
        return len(self.columns) == len(self._whole_prior)

    def term_values(self, terms: Integers) -> Floats:
        """What each of these terms says, terms × labels: log P(term | label), or its weight for a margin."""
        if isinstance(self.weights, engine.LinearWeights):
            return self.weights.values(terms)[:, self.columns]
        return self.weights.log_probabilities(terms)[:, self.columns]

    def occurrence_values(self, numbers: Integers) -> Floats:
        """What each occurrence of a term in one text adds to its scores, occurrences × labels; -1 is a term never met.

        Where repeated terms count once, it is what the first one adds.
        """
        if isinstance(self.weights, engine.Weights):
            return self.weights.log_probabilities(numbers)[:, self.columns]
        terms, places, counts = np.unique(numbers, return_inverse=True, return_counts=True)
        shares = self.weights.share(terms, counts.astype(np.float64))[:, self.columns]
        return np.asarray((shares / counts[:, None])[places], np.float64)

    @property
    def clips(self) -> bool:
        """Whether the first of repeated terms counts for all."""
        return self.kind in ("binary", "bernoulli")

    @property
    def is_margin(self) -> bool:
        return isinstance(self.weights, engine.LinearWeights)

    def find(self, text: Any) -> Integers:
        """The number of each occurrence of a term; -1 for those without weights, of which the table may have learned since."""
        numbers = self.table.find(engine.Texts([text]))
        return np.where(numbers < self.weights.n_terms, numbers, -1)

    def known(self, numbers: Integers) -> npt.NDArray[np.bool_]:
        """Which terms have weights; -1 stands for a term that was never met."""
        met = (numbers >= 0) & (numbers < self.weights.n_terms)
        return np.asarray(met & self.weights.knows(np.where(met, numbers, 0)), np.bool_) if met.any() else met

    def predict(self, texts: Any) -> Integers:
        """The place of the best label of each text; of equals the first."""
        if self.calibration is not None:
            return np.asarray(np.exp(self.log_proba(texts)).argmax(axis=1), np.int64)
        if self.numeric:
            return np.asarray(self.log_joint(texts).argmax(axis=1), np.int64)
        best: Integers = self._score(self.table.predict, texts, np.zeros(0, np.int64))
        return best if self._is_whole else np.searchsorted(self.columns, best)

    def log_joint(self, texts: Any) -> Floats:
        """log P(label) + log P(text | label), texts × labels; where every label is out the prior, with a warning."""
        texts = self.add_measures(texts)
        scores: Floats = self._score(self.table.log_joint, texts, np.zeros((0, len(self._whole_prior))))
        scores = scores if self._is_whole else scores[:, self.columns]
        return scores + self.numeric_scores(texts, len(scores)).sum(axis=2) if self.numeric else scores

    def log_proba(self, texts: Any) -> Floats:
        """log P(label | text), texts × labels, calibrated if there is a calibration."""
        scores = self.log_joint(texts)
        return normalize_scores(scores) if self.calibration is None else self.calibration.apply(scores)

    def log_likelihood(self, texts: Any) -> Floats:
        """log P(text | label), texts × labels."""
        texts = self.add_measures(texts)
        rows = self.read_rows(texts)
        scores = [self.weights.score(part, np.arange(len(part)), n_threads(self.threads)) for part in rows]
        whole = np.concatenate([np.zeros((0, len(self._whole_prior))), *scores])[:, self.columns]
        return whole + self.numeric_scores(texts, len(whole)).sum(axis=2) if self.numeric else whole

    def read_rows(self, texts: Any) -> list[engine.Rows]:
        """The known terms of the texts, batch by batch."""
        return [self.table.rows(part, n_threads(self.threads)) for part in batches(plain_texts(texts), whole=True)]

    def add_measures(self, texts: Any) -> Any:
        """Documents with all numeric columns; the texts as they are where there are none."""
        return add_measures(texts, self.numeric, self.measured) if self.numeric else texts

    def numeric_scores(self, documents: Documents, n: int) -> Floats:
        """What each numeric column says, texts × labels × columns."""
        if self.normals is None:
            return np.zeros((n, len(self.labels), 0))
        numbers = documents.numbers(self.numeric)
        if len(numbers) != n:
            raise InvalidMatrix(f"there are {n} texts and {len(numbers)} rows of numbers: each text needs one.")
        return self.normals.log_densities(numbers)

    def _score(self, ask: Callable[..., tuple[Any, int]], texts: Any, nothing: Any) -> Any:
        results, n_lost, n = [], 0, 0
        for part in batches(plain_texts(texts), whole=True):
            threads = n_threads(self.threads) if len(part) > 1 else 1  # asking the system takes longer than one text
            result, lost = ask(self.weights, part, self._whole_prior, threads)
            results.append(result)
            n_lost, n = n_lost + lost, n + len(part)
        if n_lost:
            warn_of_lost(n_lost, n, stacklevel=5)
        return results[0] if len(results) == 1 else np.concatenate([nothing, *results])


def plain_texts(texts: Any) -> Any:
    """The texts of Documents, or what is texts already."""
    return texts.texts if isinstance(texts, Documents) else texts
