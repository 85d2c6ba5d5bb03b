"""Linear models inside a categorizer: margins are trained on the rows of the documents. Two margins cannot be added."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from tercet.arrays import Array, Floats, Integers, read_floats
from tercet.categorizer.model import Arrays, Scored, TermWeights, TextModel, TrainedState
from tercet.categorizer.rounded_margins import MOST, open_margins, round_margins
from tercet.counts.labels import Labels, find_labels, read_labels, write_labels
from tercet.counts.table import CountTable, Mask, find_counted_terms
from tercet.counts.term_matrix import Matrix
from tercet.counts.units import to_numbers
from tercet.counts.weighting import TermWeighting, inverse_frequencies, weigh_counts
from tercet.errors import InvalidOption, bad_option
from tercet.kernel import engine
from tercet.models.bayes_rule import log_priors_left
from tercet.models.linear import LinearModel
from tercet.models.nbsvm import NBSVM
from tercet.registry import names, register

if TYPE_CHECKING:
    from tercet.categorizer.held_out import Copies, HeldDocuments

Floats32 = npt.NDArray[np.float32]
LOG_TF_IDF = TermWeighting(tf="log", idf="smooth", norm="l2")


@dataclass(frozen=True, eq=False)
class TrainedMargins(TrainedState):
    """The weight of each term in each margin. Two labels have one margin; more labels have one each, against the others."""

    labels: Labels
    values: Floats32  # terms × margins
    factors: Floats32  # a factor for each term, before its document is normalized; 0 for a term that is not used
    bias: Floats  # one for each margin
    damping: str
    norm: str
    rows: npt.NDArray[np.uint32] | None = None  # the row of each term in `values` and `factors`, if terms share rows

    @property
    def fitted(self) -> str:
        return "margins"

    def in_order(self, table: engine.Table) -> "TrainedMargins":
        return self.take(find_counted_terms(table)[0])

    def move(self, table: engine.Table, copy: engine.Table) -> "TrainedMargins":
        numbers = find_counted_terms(copy)[0]
        places = np.full(len(copy), -1)
        places[numbers] = np.arange(len(numbers))
        return self.in_order(table).take(places)

    def take(self, terms: Integers) -> "TrainedMargins":
        """The margins of these terms, in this order. Terms that were learned later, and -1, have no weight."""
        rows = np.arange(len(self.factors)) if self.rows is None else self.rows
        known = (terms >= 0) & (terms < len(rows))
        values = np.zeros((len(terms), self.values.shape[1]), np.float32)
        factors = np.zeros(len(terms), np.float32)
        values[known], factors[known] = self.values[rows[terms[known]]], self.factors[rows[terms[known]]]
        return replace(self, values=values, factors=factors, rows=None)

    def make_weights(self, kind: str, labels: Labels, table: engine.Table | None = None) -> "MarginWeights":
        """Weights for decisions between these labels. Terms that the table has forgotten are not used any more."""
        columns, margins = find_labels(labels, self.labels), self
        if table is not None and table.counts.n_met() < table.counts.n_terms:
            counted = find_counted_terms(table)[0]
            factors = np.zeros_like(self.factors)
            counted = counted[counted < len(factors)]
            factors[counted] = self.factors[counted]
            margins = replace(self, factors=factors)
        kernel = engine.LinearWeights(self.values, margins.factors, self.damping, self.norm, len(self.labels), self.rows)
        bias = np.concatenate([-self.bias / 2, self.bias / 2]) if len(self.labels) == 2 else self.bias
        return MarginWeights(labels, columns, kind, None, kernel, bias[columns], margins)

    def to_file(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Values for JSON, and arrays. If all factors are 0 or 1, each takes one byte."""
        content = {name: getattr(self, name) for name in ("damping", "norm")}
        is_plain = ((self.factors == 0) | (self.factors == 1)).all()
        factors = self.factors.astype(np.uint8) if is_plain else self.factors
        arrays = {"values": self.values, "factors": factors, "bias": self.bias}
        return content | {"labels": write_labels(self.labels)}, arrays

    @classmethod
    def from_file(cls, content: Mapping[str, Any], arrays: Arrays) -> Self:
        common, n_terms = read_common(content, arrays), len(arrays["factors"])
        values = read_floats(arrays, "values", (n_terms, len(common["bias"])), MOST).astype(np.float32)
        factors = read_floats({"factors": arrays["factors"].astype(np.float32)}, "factors", (n_terms,), MOST)
        if (factors < 0).any():
            raise ValueError("a term has a factor below 0")
        return cls(values=values, factors=factors, **common)

    def to_small_file(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Values for JSON, and arrays, with weights in 8 bits."""
        content = {"damping": self.damping, "norm": self.norm, "labels": write_labels(self.labels)}
        return content, round_margins(self.values, self.factors) | {"bias": self.bias}

    @classmethod
    def from_small_file(cls, content: Mapping[str, Any], arrays: Arrays) -> Self:
        common = read_common(content, arrays)
        return cls(**open_margins(arrays, len(common["bias"]))._asdict(), **common)

    def check_table(self, table: CountTable) -> None:
        if len(self.factors) != table.counts.n_terms:
            raise ValueError("the margins do not fit the terms")


def read_common(content: Mapping[str, Any], arrays: Arrays) -> dict[str, Any]:
    """The parts of margins that are the same in both kinds of files."""
    labels, damping, norm = read_labels(content["labels"]), content["damping"], content["norm"]
    n_margins = 1 if len(labels) == 2 else len(labels)
    bias = read_floats(arrays, "bias", (n_margins,), MOST).astype(np.float64)
    nothing = np.zeros((0, n_margins), np.float32)
    engine.LinearWeights(nothing, nothing[:, 0], damping, norm, len(labels))  # raises an error for an unknown kind
    return {"labels": labels, "bias": bias, "damping": damping, "norm": norm}


@register("weights", "margins")
@dataclass(frozen=True, eq=False)
class MarginWeights(TermWeights):
    """Trained weights of terms."""

    kernel: engine.LinearWeights
    margins: TrainedMargins

    def term_values(self, terms: Integers) -> Floats:
        return self.kernel.values(terms)[:, self.columns]

    def occurrence_values(self, numbers: Integers) -> Floats:
        terms, places, counts = np.unique(numbers, return_inverse=True, return_counts=True)
        shares = self.kernel.share(terms, counts.astype(np.float64))[:, self.columns]
        return np.asarray((shares / counts[:, None])[places], np.float64)

    def odds_against_rest(self, values: Floats) -> Floats:
        """Each label has a margin against the others. Two labels have one margin, and each label has half of it."""
        return values * (2 if self.kernel.n_labels == 2 else 1)

    def pack(self, terms: Integers) -> tuple[dict[str, Any], dict[str, Array]]:
        content, arrays = self.margins.take(terms).to_small_file()
        return content | {"kind": self.kind}, arrays

    @classmethod
    def unpack(cls, content: Mapping[str, Any], arrays: Arrays, labels: Labels) -> Self:
        if content["kind"] not in names("model"):
            raise ValueError("the margins are of no known model")
        weights = TrainedMargins.from_small_file(content, arrays).make_weights(content["kind"], labels)
        assert isinstance(weights, cls)
        return weights


@dataclass(frozen=True)
class MarginModel(TextModel):
    """An `NBSVM`, `LinearSVM` or `LogisticRegression` on the documents of a categorizer."""

    estimator: LinearModel

    takes_numbers: ClassVar[bool] = False
    trained_type: ClassVar[type[TrainedState]] = TrainedMargins
    leaves_one_out: ClassVar[bool] = False
    prior: ClassVar[Any] = "empirical"
    clips: ClassVar[bool] = True
    needs_rows: ClassVar[bool] = True

    @classmethod
    def check_options(cls, estimator: Any, min_documents: int, threads: int, weighting: Any) -> Self:
        """The model, with a copy of the estimator, because the user may change the original."""
        if not isinstance(estimator, LinearModel) or "registered_name" not in vars(type(estimator)):
            known = "a NaiveBayes, NBSVM, LinearSVM, LogisticRegression or None"
            raise bad_option("model", known, estimator, "it learns from counts.")
        checked = check_weighting(weighting, estimator)
        copy = type(estimator)(**estimator.get_params())
        copy._check_options()
        return cls(copy, min_documents, threads, checked)

    @property
    def kind(self) -> str:
        return self.estimator.registered_name

    def is_like(self, other: TextModel) -> bool:
        return repr((self.estimator, self.weighting)) == repr((other.estimator, other.weighting))

    def known_smoothing(self, trained: TrainedState | None) -> None:
        return None

    def describe(self, trained: TrainedState | None) -> dict[str, str]:
        weighting = {} if self.weighting is None else {"weighting": repr(self.weighting)}
        return {"model": repr(self.estimator)} | weighting

    def train(self, held: "HeldDocuments | None") -> TrainedMargins:
        assert held is not None
        return self._train_on(held, None, held.kept)

    def make_weights(self, table: CountTable, trained: TrainedState | None, labels: Labels, kept: Mask | None) -> MarginWeights:
        assert isinstance(trained, TrainedMargins)
        return trained.make_weights(self.kind, labels, table.table)

    def check_leave_one_out(self) -> None:
        raise InvalidOption(
            "margins would have to be trained again for each document: use cross_validate, which trains them once for "
            "each fold. Only NaiveBayes can leave out documents one by one, because its counts can be subtracted."
        )

    def score_left_out(
        self, held: "HeldDocuments", trained: TrainedState | None, copies: "Copies", documents: Integers | None
    ) -> Iterator[Scored]:
        self.check_leave_one_out()
        return iter(())

    def score_without(
        self, held: "HeldDocuments", trained: TrainedState | None, documents: Integers, kept: Mask | None
    ) -> Iterator[Scored]:
        """Scores by margins that are trained on the other documents. A label that no other document has scores -inf.

        If only one label is left, it is certain.
        """
        if np.count_nonzero(held.table.counts.n_documents()) < 2:
            prior = log_priors_left(self.prior, held.table.labels, held.table.n_documents[None], only_present=True)
            yield Scored(documents, np.repeat(prior, len(documents), axis=0), 0)
            return
        margins = self._train_on(held, np.setdiff1d(np.arange(len(held.codes)), documents), kept)
        weights, columns = margins.make_weights(self.kind, margins.labels), find_labels(margins.labels, held.table.labels)
        for places, rows in held.parts(documents):
            joint = np.full((len(places), len(held.table.labels)), -np.inf)
            joint[:, columns] = weights.score_rows(rows, self.threads) + weights.prior
            yield Scored(places, joint, 0)

    def _train_on(self, held: "HeldDocuments", documents: Integers | None, kept: Mask | None) -> TrainedMargins:
        """Margins trained on all documents, or on these. Their terms are those of `kept` that enough of these documents have.

        Some labels of the table may have no document here.
        """
        parts, n_terms = held.rows.parts(documents), held.table.counts.n_terms
        places, matrix = Matrix.of_rows(parts, n_terms, held.data.weights, clip=self.weighting is None)
        weights = None if held.data.weights is None else to_numbers(held.data.weights[places])
        present, codes = np.unique(held.codes[places], return_inverse=True)
        frequencies = matrix.count_documents(np.zeros_like(codes), 1, weights)[0]
        known = frequencies >= self.min_documents if self.min_documents > 1 else frequencies > 0
        known = known if kept is None else known & (kept[: len(known)] > 0)
        matrix = matrix.keep(known)
        n_documents = float(len(codes) if weights is None else weights.sum())
        idf = None if self.weighting is None else self.weighting.idf
        # In 32 bits, because decisions are made with 32 bits.
        factors = inverse_frequencies(frequencies, n_documents, idf).astype(np.float32) * known
        damping, norm = ("binary", None) if self.weighting is None else (self.weighting.tf, self.weighting.norm)
        values = matrix.values
        if self.weighting is not None:
            inverse = factors.astype(np.float64)
            values = weigh_counts(matrix.ends, matrix.columns, values, damping, inverse, norm, self.threads)
        ones = np.ones(len(codes)) if weights is None else weights
        labels = held.table.labels[present]
        model = type(self.estimator)(**self.estimator.get_params() | {"threads": self.threads})
        fitted = model._fit_matrix(matrix._replace(values=values), labels, codes, ones)
        of_terms = shorten(np.ascontiguousarray(fitted.coef_.T), model.C)
        shorten(fitted.intercept_, model.C)  # only checks that it is not too large; the bias keeps 64 bits
        return TrainedMargins(labels, of_terms, factors, fitted.intercept_, damping, norm or "none")


def check_weighting(weighting: Any, estimator: LinearModel) -> TermWeighting | None:
    """The checked weighting; log tf · idf of length 1 by default. None for an NBSVM, which only uses whether a term occurs."""
    if isinstance(estimator, NBSVM):
        if weighting is not None:
            raise bad_option("weighting", "None", weighting, "an NBSVM weighs terms by their log-count ratio.")
        return None
    if weighting is None:
        return LOG_TF_IDF
    if not isinstance(weighting, TermWeighting):
        raise bad_option("weighting", "a TermWeighting or None", weighting, "it turns counts into weights.")
    copy = TermWeighting(**weighting.get_params())
    copy._check_options()
    return copy


def shorten(weights: Floats, C: float) -> Floats32:
    """The weights in 32 bits. Raises InvalidOption if they are too large for that."""
    with np.errstate(over="ignore"):
        short = weights.astype(np.float32)
    if not np.isfinite(short).all():
        raise bad_option("C", "a smaller number", C, "margins became too large to be weights. Try 1.0.")
    return short
