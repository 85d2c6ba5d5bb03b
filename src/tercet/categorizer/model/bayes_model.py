"""Naive Bayes inside a categorizer: the weights follow from the table of counts."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from tercet.arrays import Array, Flags, Floats, Integers, read_floats
from tercet.categorizer.model.shared_rows import Hashes, decode_rows, mix, share_rows
from tercet.categorizer.model.text_model import Arrays, Scored, TermWeights, TextModel, TrainedState
from tercet.counts.labels import Labels, find_labels
from tercet.counts.table import CountTable, Mask, sum_integers
from tercet.errors import InvalidOption, bad_option
from tercet.kernel import engine
from tercet.models.bayes_rule import Likelihood, add_prior, check_prior, log_prior
from tercet.models.naive_bayes import NaiveBayes
from tercet.models.smoothing import Smoothing, resolve_smoothing
from tercet.models.smoothing_choice import (
    LeaveOneOut,
    Taken,
    check_table_choice,
    choose_by_labels,
    choose_by_table,
    measure_by_labels,
)
from tercet.options import check_count, check_flag
from tercet.registry import read, register, write
from tercet.store.small_numbers import narrow

if TYPE_CHECKING:
    from tercet.categorizer.evidence.formulas import DecisionFormulas
    from tercet.categorizer.held_out.held_out import Copies, HeldDocuments
    from tercet.counts.term_names import TermNames
    from tercet.models.parameters import ComputeValues, FinishValues, LearnedTerms

BLOCK = 1 << 20  # weights at a time: limits the memory of an explanation
Weigh = Callable[[engine.Model, int], engine.Weights]  # from a model and a number of threads to the weights of all terms

SAMPLE = 2000  # the number of documents that choose a smoothing


@dataclass(frozen=True)
class ChosenSmoothing(TrainedState):
    """The smoothing that leave-one-out chose; None if the user gave it, or if it follows from the table."""

    smoothing: Smoothing | None = None
    labels: None = None

    @property
    def fitted(self) -> str | None:
        return None if self.smoothing is None else "smoothing"

    def check_equal(self, other: TrainedState) -> None:
        if self != other:
            chosen = ", and ".join(str(getattr(each, "smoothing", None)) for each in (self, other))
            raise InvalidOption(f"two choices of smoothing, {chosen}: set smoothing to one of them in both.")

    def to_file(self) -> tuple[dict[str, Any], dict[str, Array]]:
        return {"smoothing": None if self.smoothing is None else write(self.smoothing)}, {}

    @classmethod
    def from_file(cls, content: Mapping[str, Any], arrays: Arrays) -> Self:
        written = content["smoothing"]
        return cls(None if written is None else read("smoothing", written))


@register("weights", "bayes")
@dataclass(frozen=True, eq=False)
class BayesWeights(TermWeights):
    """log P(term | label)."""

    kernel: engine.Weights
    smoothing: Smoothing
    likelihood: Likelihood
    counts: engine.Counts | None = None  # the counts that the weights are made from; None for a compact categorizer
    n_documents: Floats | None = None  # of each label, if the prior is their share

    def term_values(self, terms: Integers) -> Floats:
        return self.kernel.log_probabilities(terms)[:, self.columns]

    def occurrence_values(self, numbers: Integers, labels: Sequence[int]) -> Floats:
        distinct, indices = np.unique(numbers, return_inverse=True)
        size = max(1, BLOCK // len(self.labels))
        blocks = [self.term_values(distinct[start : start + size])[:, labels] for start in range(0, len(distinct), size)]
        return np.concatenate([np.zeros((0, len(labels))), *blocks])[indices]

    def row_values(self, ends: Integers, terms: Integers, counts: Floats) -> Floats:
        distinct, indices = np.unique(terms, return_inverse=True)
        values = self.term_values(distinct)[indices]
        return values if self.counts_once else values * counts[:, None]

    @property
    def reads_counts(self) -> bool:
        return not self.kernel.is_derived

    @property
    def counts_once(self) -> bool:
        return self.kind in ("binary", "bernoulli")

    def absent_values(self, numbers: Integers) -> Floats | None:
        if self.kind != "bernoulli":
            return None
        values = self.kernel.offset()[self.columns]
        return values if self.smoothing.value else np.where(self._lacks_certain(numbers), -np.inf, values)

    def _lacks_certain(self, numbers: Integers) -> Flags:
        """For each label, whether a text with these terms is impossible because it lacks a term that all its documents have."""
        terms = np.unique(numbers[self.known(numbers)])
        row = engine.Rows.from_matrix(np.array([0, len(terms)]), terms, np.ones(len(terms)))
        is_possible = np.isfinite(self.term_values(terms)).all(axis=0)
        return np.asarray(is_possible & np.isneginf(self.score_rows(row, 1)[0]), np.bool_)

    def open_probabilities(self, terms: Integers) -> Callable[[int], Floats]:
        """P(term | label) of these terms, for the label at an index; for Bernoulli, that a document of it has the term."""
        find, finish = self._derive_log_probabilities(self.counts)
        values = find(terms)[:, self.columns]
        return lambda index: np.exp(finish(values[:, index]))

    def _derive_log_probabilities(self, counts: engine.Counts | None) -> "tuple[ComputeValues, FinishValues]":
        """The functions from terms to values, and from values to log P(term | label)."""
        from tercet.models.parameters import derive_log_probabilities

        # Only Bernoulli without smoothing needs the counts, as they are now. A term that the model knows is in some document.
        needs_counts = self.kind == "bernoulli" and self.smoothing.value == 0
        own = counts.copy() if needs_counts and counts is not None else None
        return derive_log_probabilities(self.kernel, self.kind, self.smoothing, own)

    def odds_against_rest(self, values: Floats) -> Floats:
        """log P(term | label) - log P(term | another label); the other labels are weighted by their prior."""
        with np.errstate(divide="ignore", invalid="ignore"):
            prior = np.exp(self.prior)
            rest = _sum_others(np.exp(values) * prior) / _sum_others(prior[None])
            return np.asarray(np.nan_to_num(values - np.log(rest), nan=-np.inf, posinf=np.inf, neginf=-np.inf), np.float64)

    def write_formulas(self, a: int, b: int, terms: Integers, counts: Floats) -> "DecisionFormulas":
        from tercet.categorizer.evidence.formulas import CountFormulas  # on first use: a decision needs no formulas

        if self.counts is None:
            raise InvalidOption(
                "a compact categorizer has weights and no counts, so there is no arithmetic to show. "
                "Explain with the full categorizer, or without arithmetic."
            )
        if self.kind == "bernoulli" and self.smoothing.value == 0:
            raise InvalidOption(
                "kind='bernoulli' with smoothing=0 has no arithmetic: a term that all documents of a label have decides alone, "
                "so that values do not add up. Use a smoothing above 0."
            )
        return CountFormulas(self, self.counts, a, b)

    @property
    def log_prior(self) -> Floats:
        return check_prior(self.kind, self.prior)

    def list_learned(self, names: "TermNames", counts: CountTable | None) -> "LearnedTerms":
        from tercet.models.parameters import LearnedTerms  # on first use: predictions do not need it

        find, finish = self._derive_log_probabilities(None if counts is None else counts.counts)
        is_probability = self.kind != "complement"
        return LearnedTerms(
            kind=self.kind,
            labels=self.labels,
            names=names,
            n_terms=self.kernel.n_terms,
            known=self.kernel.knows,
            values=lambda numbers: find(numbers)[:, self.columns],
            finish=finish,
            is_probability=is_probability,
            counts=None if counts is None else counts.counts,
            columns=None if counts is None else find_labels(self.labels, counts.labels),
            log_prior=self.prior if is_probability else None,
            unknown=np.exp(self.term_values(np.array([-1]))[0]) if self.likelihood.unknown == "unk" else None,
        )

    def pack(self, terms: Integers) -> tuple[dict[str, Any], dict[str, Array]]:
        """The weights in 32 bits. The weights of terms with equal counts are equal, and are written once."""
        if self.smoothing.value == 0:
            raise InvalidOption("smoothing=0 has no compact form: the weight log 0 cannot be stored. Use a smoothing above 0.")
        packed = PackedCells(*self.kernel.pack(terms)).pick(self.columns)
        names = ("kind", "vocabulary", "unknown", "is_open", "min_documents")
        likelihood = {name: getattr(self.likelihood, name) for name in names}
        return {"likelihood": likelihood, "smoothing": write(self.smoothing)}, {**packed.to_arrays(), "prior": self.prior}

    @classmethod
    def unpack(cls, content: Mapping[str, Any], arrays: Arrays, labels: Labels) -> Self:
        likelihood, smoothing = read_likelihood(content["likelihood"]), read("smoothing", content["smoothing"])
        cells, prior = PackedCells.from_arrays(arrays, len(labels)), np.asarray(arrays["prior"])
        if prior.dtype != np.float64 or prior.shape != labels.shape or not (prior <= 0).all() or np.isneginf(prior).all():
            raise ValueError("prior must be the logarithm of a probability for each label")
        kernel = engine.Weights.unpack(likelihood.with_smoothing(smoothing), *cells)
        return cls(labels, np.arange(len(labels)), likelihood.kind, smoothing, kernel, prior, likelihood)


class PackedCells(NamedTuple):
    """Weights as the kernel packs them: the cells of term t are starts[t] … starts[t + 1]."""

    of_label: Floats
    offset: Floats
    of_term: npt.NDArray[np.float32]
    starts: Integers
    labels: Integers
    values: npt.NDArray[np.float32]

    def pick(self, columns: Integers) -> "PackedCells":
        """The weights of these labels only."""
        kept = np.isin(self.labels, columns)
        starts = np.concatenate([[0], np.cumsum(kept)])[self.starts]
        labels = np.searchsorted(columns, self.labels[kept])
        return PackedCells(self.of_label[columns], self.offset[columns], self.of_term, starts, labels, self.values[kept])

    def to_arrays(self) -> dict[str, Array]:
        codes, terms = share_rows(self._hash_rows(), self._are_equal)
        sizes, cells = np.diff(self.starts)[terms], list_ranges(self.starts, terms)
        # Without terms the part of a label is -log 0. No score has it, and a file holds finite numbers.
        of_label = self.of_label if len(self.of_term) else np.where(np.isfinite(self.of_label), self.of_label, 0.0)
        return {
            "of_label": of_label,
            "offset": self.offset,
            "codes": codes,
            "of_term": self.of_term[terms],
            "sizes": narrow(sizes),
            "labels": narrow(self.labels[cells]),
            "values": self.values[cells],
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays, n_labels: int) -> "PackedCells":
        of_label, offset = (read_floats(arrays, name, (n_labels,)) for name in ("of_label", "offset"))
        sizes, labels = arrays["sizes"], arrays["labels"]
        if any(array.dtype.kind != "u" or array.ndim != 1 for array in (sizes, labels)):
            raise ValueError("the cells of the weights are no whole numbers")
        # The sum of 32-bit sizes can't overflow, because there are far fewer than 2³² of them in a file.
        starts = np.concatenate([[0], np.cumsum(sizes.astype(np.uint32), dtype=np.int64)])
        of_term, values = (read_floats(arrays, name, (n,)) for name, n in (("of_term", len(sizes)), ("values", starts[-1])))
        if len(labels) != starts[-1]:
            raise ValueError("each cell of the weights needs a label")
        rows = decode_rows(arrays["codes"], len(sizes))
        cells = list_ranges(starts, rows)
        ends = np.cumsum(np.diff(starts)[rows])
        return cls(of_label, offset, of_term[rows], np.concatenate([[0], ends]), labels[cells].astype(np.int64), values[cells])

    def _hash_rows(self) -> Hashes:
        """A hash of each term's weights. The cells of a term have different labels, so that a sum does for them."""
        cells = mix(self.labels.astype(np.uint64) << np.uint64(32) | self.values.view(np.uint32))
        sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(cells)])  # it wraps around, and so do the differences
        of_term = mix(self.of_term.view(np.uint32).astype(np.uint64))
        return np.asarray(of_term + sums[self.starts[1:]] - sums[self.starts[:-1]], np.uint64)

    def _are_equal(self, terms: Integers, others: Integers) -> Flags:
        sizes = np.diff(self.starts)
        equal = (self.of_term[terms] == self.of_term[others]) & (sizes[terms] == sizes[others])
        ours, theirs = list_ranges(self.starts, terms[equal]), list_ranges(self.starts, others[equal])
        differ = (self.labels[ours] != self.labels[theirs]) | (self.values[ours] != self.values[theirs])
        ends = np.cumsum(sizes[terms[equal]])
        equal[equal] = sum_integers(np.concatenate([[0], ends]), differ.astype(np.int64)) == 0
        return np.asarray(equal, np.bool_)


def list_ranges(starts: Integers, indices: Integers) -> Integers:
    """All numbers from starts[p] to starts[p + 1], for each of these indices p.

    >>> list_ranges(np.array([0, 2, 3]), np.array([1, 0]))
    array([2, 0, 1])
    """
    sizes = (starts[1:] - starts[:-1])[indices]
    ends = np.cumsum(sizes)
    return np.repeat(starts[indices] - ends + sizes, sizes) + np.arange(sizes.sum())


def read_likelihood(written: Mapping[str, Any]) -> Likelihood:
    """The likelihood of a compact categorizer in a file."""
    kind, vocabulary, unknown, is_open, min_documents = (
        written[name] for name in ("kind", "vocabulary", "unknown", "is_open", "min_documents")
    )
    checked = NaiveBayes(kind, vocabulary=vocabulary, unknown=unknown).likelihood()
    if min_documents != 0:
        check_count("min_documents", min_documents)
    return replace(checked, is_open=check_flag("is_open", is_open), min_documents=min_documents)


@dataclass(frozen=True)
class BayesModel(TextModel):
    """A `NaiveBayes` on the table of a categorizer."""

    estimator: NaiveBayes

    takes_numbers: ClassVar[bool] = True
    trained_type: ClassVar[type[TrainedState]] = ChosenSmoothing
    selects_again: ClassVar[bool] = True
    leaves_one_out: ClassVar[bool] = True

    @classmethod
    def check_options(cls, estimator: NaiveBayes | None, min_documents: int, threads: int, weighting: Any) -> Self:
        """The model, with a copy of the estimator, because the user may change the original. None is the default one."""
        if weighting is not None:
            raise bad_option("weighting", "None", weighting, "naive Bayes takes counts as they are. Use a LinearSVM.")
        return cls((estimator or NaiveBayes()).copy_checked(), min_documents, threads)

    @property
    def prior(self) -> Any:
        return self.estimator.prior

    @property
    def kind(self) -> str:
        return self.estimator.used_kind

    @property
    def clips(self) -> bool:
        return self.kind in ("binary", "bernoulli")

    @property
    def needs_rows(self) -> bool:
        return self.estimator.chooses_by() == "auto"

    def is_like(self, other: TextModel) -> bool:
        return isinstance(other, BayesModel) and self.estimator.is_like(other.estimator)

    def check(self, table: CountTable) -> None:
        likelihood, choice = self.likelihood(), self.estimator.chooses_by()
        self.estimator.log_prior(table.labels, table.n_documents, only_present=True)
        if choice == "table":
            check_table_choice(likelihood)
        if choice is None:
            likelihood.with_smoothing(resolve_smoothing(self.estimator.used_smoothing))

    def check_trained(self, trained: TrainedState) -> None:
        if isinstance(trained, ChosenSmoothing) and trained.smoothing is not None:
            self.likelihood().with_smoothing(trained.smoothing)
        elif self.estimator.chooses_by() == "auto":
            raise ValueError("the chosen smoothing is missing")

    def check_labels(self, labels: Labels) -> None:
        log_prior(self.prior, labels, np.ones(len(labels)))

    def name_prior(self, labels: Labels) -> Self:
        if isinstance(self.prior, str | Mapping):
            return self
        self.check_labels(labels)
        named = dict(zip(labels.tolist(), self.prior, strict=True))
        return replace(self, estimator=NaiveBayes(**self.estimator.get_params() | {"prior": named}))

    def likelihood(self, kept: Mask | None = None, table: CountTable | None = None) -> Likelihood:
        """P(text | label) without its smoothing, with the terms of this table that are kept."""
        # min_documents=1 keeps every term: a document with a weight may count for less than one document.
        min_documents = self.min_documents if self.min_documents > 1 else 0
        has_own = isinstance(smoothing := self.estimator.used_smoothing, Smoothing) and smoothing.per_term is not None
        terms = table.table.terms() if table is not None and has_own else None
        return replace(self.estimator.likelihood(), is_open=True, min_documents=min_documents, kept=kept, terms=terms)

    # Training: choose the smoothing by leave-one-out, if it is "auto".

    def train(self, held: "HeldDocuments | None") -> ChosenSmoothing:
        """The smoothing under which the labels are most likely when each document is left out once (see `choose_by_labels`).

        The counts are those of all documents, but at most `SAMPLE` documents are scored: those with the smallest fingerprints.
        So neither the order of the documents nor the number of threads changes the choice.
        """
        if held is None or not self.needs_rows:
            return ChosenSmoothing()
        return ChosenSmoothing(choose_by_labels(self._left_out(held.table, held.kept), *held.sample_rows(SAMPLE)))

    def choose(self, held: "HeldDocuments") -> ChosenSmoothing:
        return self.train(held)

    def measure_smoothings(self, held: "HeldDocuments", smoothings: Sequence[Smoothing]) -> Floats:
        """For each smoothing, the likelihood by which `train` chooses, of the same sample of documents."""
        return measure_by_labels(self._left_out(held.table, held.kept), *held.sample_rows(SAMPLE), smoothings).between

    def known_smoothing(self, trained: TrainedState | None) -> Smoothing | str | None:
        if isinstance(trained, ChosenSmoothing) and trained.smoothing is not None:
            return trained.smoothing
        return self.estimator.chooses_by() or resolve_smoothing(self.estimator.used_smoothing)

    def _resolve_smoothing(self, trained: TrainedState | None, table: CountTable, kept: Mask | None) -> Smoothing:
        """The smoothing that was given or chosen; otherwise the smoothing under which the table is most likely."""
        known = self.known_smoothing(trained)
        return known if isinstance(known, Smoothing) else choose_by_table(self.likelihood(kept), table.counts, self.threads)

    def make_weights(self, table: CountTable, trained: TrainedState | None, labels: Labels, kept: Mask | None) -> BayesWeights:
        """The kernel derives the weights of all terms when it is worth it. Until then it scores from the counts.

        It derives them at once with `vocabulary="shared"`, pseudo-counts of terms, or a selection of terms.
        """
        return self._weigh(table, trained, labels, kept, table.table.weigh)

    def _weigh(
        self, table: CountTable, trained: TrainedState | None, labels: Labels, kept: Mask | None, weigh: Weigh
    ) -> BayesWeights:
        columns = np.arange(len(labels)) if labels is table.labels else find_labels(labels, table.labels)
        n_documents = table.n_documents
        likelihood, smoothing = self.likelihood(kept, table), self._resolve_smoothing(trained, table, kept)
        kernel = weigh(likelihood.with_smoothing(smoothing), self.threads)
        prior = self.estimator.log_prior(labels, n_documents[columns], only_present=True)
        is_share = isinstance(self.prior, str) and self.prior == "empirical"
        return BayesWeights(
            labels,
            columns,
            self.kind,
            smoothing,
            kernel,
            prior,
            replace(likelihood, kept=None),
            table.counts,
            n_documents[columns] if is_share else None,
        )

    def describe(self, trained: TrainedState | None) -> dict[str, str]:
        model = NaiveBayes(**self.estimator.get_params(deep=False))
        if isinstance(trained, ChosenSmoothing) and trained.smoothing is not None:
            model.set_params(smoothing=trained.smoothing)
        return {"model": repr(model)}

    # Holding out: counts are subtracted.

    def score_left_out(
        self, held: "HeldDocuments", trained: TrainedState | None, copies: "Copies", documents: Integers | None
    ) -> Iterator[Scored]:
        """log P(label) + log P(text | label). The selection of terms does not change."""
        smoothing, members = self._resolve_smoothing(trained, held.table, held.kept), copies.members
        together = None
        if len(members):
            together = copies.take(held.codes[members], held.weights(members), len(held.table.labels))
        left_out = self._left_out(held.table, held.kept)
        left, is_shared = left_out.with_smoothing(smoothing), left_out.likelihood.vocabulary == "shared"
        last: dict[int, tuple[Floats, bool]] = {}
        for indices, rows in held.parts(documents):
            own = Taken.own(held.codes[indices], held.weights(indices))
            own = own if together is None else copies.join(indices, own, together)
            scores = left.score(rows, *own, self.threads)
            joint, lost = add_prior(scores, left_out.log_priors(own))
            if is_shared:
                self._score_last(held, rows, indices, copies, own, smoothing, joint, lost, last)
            yield Scored(indices, joint, lost)

    def score_without(
        self, held: "HeldDocuments", trained: TrainedState | None, documents: Integers, kept: Mask | None
    ) -> Iterator[Scored]:
        """A smoothing that follows from the table is computed again."""
        weights = self._weigh_now(held, trained, kept)
        for indices, rows in held.parts(documents):
            yield Scored(indices, *add_prior(weights.score_rows(rows, self.threads), weights.prior))

    def _weigh_now(self, held: "HeldDocuments", trained: TrainedState | None, kept: Mask | None) -> BayesWeights:
        """The weights without the documents that are held out. They are derived at once, because the counts change soon."""
        table = held.table
        return self._weigh(table, trained, table.labels, kept, partial(engine.Weights, table.counts))

    def _score_last(
        self,
        held: "HeldDocuments",
        rows: engine.Rows,
        indices: Integers,
        copies: "Copies",
        taken: Taken,
        smoothing: Smoothing,
        joint: Floats,
        lost: Flags,
        last: dict[int, tuple[Floats, bool]],
    ) -> None:
        """Score a document again if it is the last document of a label: the remaining labels then share more terms.

        All copies of a text have the same scores, so `last` keeps those of each group.
        """
        counts, trained = held.table.counts, ChosenSmoothing(smoothing)
        empties = counts.n_documents()[taken.labels] <= taken.weights
        document = np.repeat(np.arange(len(rows)), np.diff(taken.starts))
        for i in np.flatnonzero(np.bincount(document, weights=empties, minlength=len(rows))):
            row, group = rows.pick(np.array([i])), copies.find_group(int(indices[i]))
            if group is not None and group in last:
                joint[i], lost[i] = last[group]
                continue
            with held.taken_out(row, copies.with_copies(int(indices[i]))):
                weights = self._weigh_now(held, trained, held.kept)
                joint[i], lost[i] = add_prior(weights.score_rows(row, self.threads), weights.prior)
            if group is not None:
                last[group] = joint[i].copy(), bool(lost[i])

    def _left_out(self, table: CountTable, kept: Mask | None) -> LeaveOneOut:
        """Leave-one-out on this table. The selection of terms does not change."""
        return LeaveOneOut(self.likelihood(kept, table), self.prior, table.labels, table.counts, self.threads)


def _sum_others(values: Floats) -> Floats:
    """In each column the sum of the other columns. It only adds: a subtraction would round small values to 0."""
    nothing = np.zeros((len(values), 1))
    before = np.cumsum(np.hstack([nothing, values[:, :-1]]), axis=1)
    behind = np.cumsum(np.hstack([nothing, values[:, :0:-1]]), axis=1)[:, ::-1]
    return np.asarray(before + behind, np.float64)
