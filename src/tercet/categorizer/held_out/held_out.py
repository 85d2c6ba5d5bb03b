"""Leave-one-out and cross-validation: predictions for documents that the categorizer did not learn.

The counts of held-out documents are subtracted from the table, and added again afterwards. Only margins are trained again.
"""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tercet.arrays import Array, Flags, Floats, Integers
from tercet.cached import cached_property
from tercet.categorizer.held_out.suspects import Suspect, Suspects
from tercet.categorizer.model.added_block import AddedBlock
from tercet.categorizer.model.numeric_columns import ColumnNormals
from tercet.categorizer.model.text_model import Scored, TrainedState
from tercet.categorizer.rules import decide_labels, describe_rules, overrule
from tercet.categorizer.settings import Settings
from tercet.categorizer.state import State
from tercet.categorizer.unlabelled import TrainingPool
from tercet.counts.document_rows import CountedRows, RowPart, RowSource, add_rows
from tercet.counts.fingerprints import HalfPrints, assign_by_print
from tercet.counts.label_moments import LabelMoments
from tercet.counts.labels import Labels, find_labels, index_labels
from tercet.counts.table import CountTable, Mask
from tercet.counts.training_data import TrainingData
from tercet.counts.units import ONE, to_numbers
from tercet.data.document_batches import Beginnings
from tercet.data.documents import Documents
from tercet.errors import InvalidOption, InvalidText, NeverLearned, bad_option
from tercet.evaluation.splits import assign_folds, assign_plain_folds, read_folds
from tercet.kernel import engine
from tercet.models.bayes_rule import log_priors_left, warn_of_lost
from tercet.models.classifier import normalize_scores
from tercet.models.smoothing_choice import Taken
from tercet.options import check_choice, check_flag, check_seed, is_int

if TYPE_CHECKING:
    from tercet.categorizer.held_out.folds import FoldSummary
    from tercet.report.report import Report

AT_A_TIME = 1 << 20
MAX_SCORES = 1 << 22  # scores in memory at a time
TRAINED_FOLDS = 5  # the default if the model must be trained for each fold


@dataclass(frozen=True, eq=False)
class HeldOut:
    """The prediction for each document, by a categorizer that did not learn it. Documents are in the order of the input.

    - `labels`: the labels in sorted order.
    - `gold`: the documents' own labels.
    - `scores`: the scores that decide, documents × labels: `log_joint`, or the prior if no label is possible.
    - `selection`: `"anew"` if terms were selected again without each fold, `"fixed"` if the selection did not change, and
      empty if all terms were used.
    - `recipe`: analyzer, model and folds, for the signature of the report.
    - `calibrated`: log-probabilities of the labels; if None, the probabilities follow from the scores.
    - `folds`: the fold of each document, from 0; None for leave-one-out.
    - `decided`: the index of the label that a rule gives to each document, or -1; None without rules. The scores are those of
      the model alone.
    - `lost`: for each document, whether it is impossible under every label; None if no document is.
    """

    labels: Labels
    gold: Labels
    scores: Floats
    selection: str = ""
    recipe: Mapping[str, str] = field(default_factory=dict)
    calibrated: Floats | None = None
    folds: Integers | None = None
    decided: Integers | None = None
    lost: Flags | None = None

    @property
    def log_joint(self) -> Floats:
        """log P(label) + log P(document | label), documents × labels; -inf for each label if none is possible."""
        return self.scores if self.lost is None else np.where(self.lost[:, None], -np.inf, self.scores)

    @property
    def probabilities(self) -> Floats:
        """P(label | document), documents × labels."""
        return np.exp(self._log_proba)

    @property
    def _log_proba(self) -> Floats:
        return overrule(normalize_scores(self.scores) if self.calibrated is None else self.calibrated, self.decided)

    @property
    def predicted(self) -> Labels:
        """The most probable label of each document; ties go to the label that sorts first."""
        scores = overrule(self.scores, self.decided) if self.calibrated is None else self.probabilities
        predicted: Labels = self.labels[scores.argmax(axis=1)]
        return predicted

    @property
    def _majority(self) -> Any:
        """The most frequent label of all documents, from which the categorizer learned; the first of several."""
        labels, counts = np.unique(self.gold, return_counts=True)
        return labels.tolist()[int(counts.argmax())] if len(labels) else None

    @property
    def accuracy(self) -> float:
        """The share of documents with a correct prediction."""
        return float(np.mean(self.predicted == self.gold))

    @cached_property
    def report(self) -> "Report":
        """Metrics of these predictions, with an interval on every number.

        An interval covers only the choice of the test documents, not the choice of the training documents.
        """
        from tercet.report.report import evaluate  # on first use: import tercet stays quick

        report = evaluate(self.gold, self.predicted, self.probabilities, labels=self.labels, majority=self._majority)
        return replace(report, note=describe_selection(self.selection), selection=self.selection, recipe=self.recipe)

    @cached_property
    def fold_reports(self) -> "tuple[Report, ...]":
        """A report for each fold, in the order of their numbers."""
        from tercet.report.report import evaluate  # on first use, as above

        if self.folds is None:
            raise InvalidOption("leave-one-out has no folds, so there is no report for each: use cross_validate.")
        slices = {"fold": self.folds}
        whole = evaluate(
            *(self.gold, self.predicted, self.probabilities), labels=self.labels, slices=slices, majority=self._majority
        )
        return tuple(whole.slices["fold"].values())

    @property
    def fold_summary(self) -> "FoldSummary":
        """Mean and spread of the metrics over the folds. The spread is no confidence interval: `report` has intervals.

        >>> from tercet import Categorizer
        >>> texts = [f"{word} number {i}" for i in range(9) for word in ("good", "bad")]
        >>> held = Categorizer().cross_validate(texts, ["+", "-"] * 9, folds=3)
        >>> held.fold_summary["accuracy"]
        Spread(mean=1.0, deviation=0.0, low=1.0, high=1.0, n_folds=3)
        """
        from tercet.categorizer.held_out.folds import FoldSummary  # on first use, as above

        return FoldSummary.of(self.fold_reports, self.recipe)

    def suspects(self, texts: Any = None) -> list[Suspect]:
        """The documents whose label may be wrong, the least probable label first: the prediction is another label.

        With `texts`, or Documents, in the same order, each suspect has the beginning of its text, and its columns.

        >>> from tercet import Categorizer
        >>> texts, labels = ["to be", "to be so", "or not", "be or be"], ["x", "x", "y", "y"]
        >>> held_out = Categorizer("words").fit(texts, labels).leave_one_out(texts, labels)
        >>> [(suspect.position, suspect.label, suspect.better, suspect.beginning) for suspect in held_out.suspects(texts)]
        [(3, 'y', 'x', 'be or be')]
        """
        gold, predicted = (index_labels(labels, self.labels) for labels in (self.gold, self.predicted))
        documents = texts if isinstance(texts, Documents) else Documents([""] * len(gold) if texts is None else texts)
        beginnings = Beginnings()
        (listed,) = beginnings.follow([documents])
        if len(listed.texts) != len(gold):
            raise InvalidText(f"{len(listed.texts)} texts for {len(gold)} documents: pass the text of each, in their order.")
        return list(Suspects.of(self.labels, gold, predicted, self._log_own(gold), beginnings))

    def to_frame(self) -> Any:
        """A data frame of pandas or polars with a row for each document: both labels and their probabilities."""
        from tercet.data_frames import make_frame  # on first use, as above

        own = np.exp(self._log_own(index_labels(self.gold, self.labels)))
        columns = {"gold": self.gold.tolist(), "predicted": self.predicted.tolist()}
        return make_frame(columns | {"probability": self.probabilities.max(axis=1), "gold_probability": own})

    def _log_own(self, gold: Integers) -> Floats:
        """The log-probability of each document's own label; -inf for a label that is not decided between."""
        return np.where(gold >= 0, self._log_proba[np.arange(len(gold)), np.maximum(gold, 0)], -np.inf)

    def __repr__(self) -> str:
        from tercet.report.tables import pluralize  # on first use, as above

        sizes = f"{pluralize(len(self.gold), 'document')}, {pluralize(len(self.labels), 'label')}"
        return f"HeldOut({sizes}, accuracy {self.accuracy:.4f})"

    def _repr_html_(self) -> str:
        from tercet.categorizer.notebook import show_held_out  # on first use, as above

        return show_held_out(self)


def describe_selection(selection: str) -> str:
    """The note under a report of held-out documents."""
    from tercet.report.report import CROSS_VALIDATED, SELECTED  # on first use, as above

    return "; ".join(filter(None, [CROSS_VALIDATED, SELECTED[selection]]))


@dataclass(frozen=True)
class Copies:
    """The documents whose text another document has, too, and the group of each. Most documents have no copies.

    >>> Copies.of(np.array([[1, 1], [2, 2], [1, 1]], np.uint64))
    Copies(members=array([0, 2]), groups=array([0, 0]))
    """

    members: Integers  # ascending
    groups: Integers

    @classmethod
    def of(cls, texts: HalfPrints) -> "Copies":
        """The copies among the texts with these fingerprints."""
        first = np.sort(texts[:, 0])
        repeated, _ = number_rows(first[1:][first[1:] == first[:-1], None])
        del first  # frees memory: it may be large
        members = _find_members(texts[:, 0], repeated.ravel())
        _, groups = number_rows(texts[members])
        alone = np.bincount(groups)[groups] == 1  # two texts share half of their fingerprints: very rare
        return cls(members[~alone], number_rows(groups[~alone, None])[1])

    @classmethod
    def none(cls) -> "Copies":
        """No document has copies."""
        return cls(np.zeros(0, np.int64), np.zeros(0, np.int64))

    def split(self) -> list[Integers]:
        """The documents of each group."""
        order = np.argsort(self.groups, kind="stable")
        return np.split(self.members[order], np.flatnonzero(np.diff(self.groups[order])) + 1) if len(order) else []

    def take(self, codes: Integers, weights: Integers, n_labels: int) -> Taken:
        """The labels and weights that are taken out with each group. Codes and weights are those of the members.

        >>> Copies.of(np.array([[1, 1], [2, 2], [1, 1]], np.uint64)).take(np.array([0, 1]), np.array([5, 7]), n_labels=2)
        Taken(starts=array([0, 2]), labels=array([0, 1]), weights=array([5, 7]), squares=array([[ 0, 25],
               [ 0, 49]], dtype=uint64))
        """
        if not len(self.groups):
            return Taken.own(codes, weights)
        rows, which = number_rows((self.groups * n_labels + codes)[:, None])
        pairs = rows.ravel()
        totals = np.zeros(len(pairs), np.int64)
        np.add.at(totals, which, weights)
        starts = np.searchsorted(pairs, np.arange(self.groups.max() + 2) * n_labels)  # the pairs of a group are adjacent
        return Taken(starts, pairs % n_labels, totals, engine.sum_squares(weights, which, len(pairs)))

    def find_group(self, document: int) -> int | None:
        """The group of a document; None if it has no copies."""
        index = int(np.searchsorted(self.members, document))
        return int(self.groups[index]) if index < len(self.members) and self.members[index] == document else None

    def with_copies(self, document: int) -> Integers:
        """The document and all its copies.

        >>> Copies.of(np.array([[1, 1], [2, 2], [1, 1]], np.uint64)).with_copies(2)
        array([0, 2])
        """
        group = self.find_group(document)
        return np.array([document]) if group is None else self.members[self.groups == group]

    def join(self, indices: Integers, alone: Taken, together: Taken) -> Taken:
        """The labels and weights to take out for these documents: those of its group if a document has copies, else `alone`.

        `together` has those of all groups. Only the parts of it that are needed are copied: this is called for each block of
        documents.
        """
        member = np.minimum(np.searchsorted(self.members, indices), max(len(self.members) - 1, 0))
        is_member = self.members[member] == indices if len(self.members) else np.zeros(len(indices), np.bool_)
        if not is_member.any():
            return alone
        used, group = number_rows(self.groups[member[is_member], None])
        first, last = together.starts[used.ravel()], together.starts[used.ravel() + 1]
        own, sources = spread(first, last - first)  # what the groups need, which follows `alone` in the same list
        begins, sizes = alone.starts[:-1].copy(), np.ones(len(indices), np.int64)
        begins[is_member], sizes[is_member] = len(alone.labels) + own[group], (last - first)[group]
        starts, places = spread(begins, sizes)
        parts = zip(alone[1:], together[1:], strict=True)
        return Taken(starts, *(np.concatenate([one, several[sources]])[places] for one, several in parts))


def _find_members(words: npt.NDArray[np.uint64], repeated: npt.NDArray[np.uint64]) -> Integers:
    """The indices of the repeated words, searched block by block: most words are not repeated."""
    found = [np.zeros(0, np.int64)]
    for begin in range(0, len(words) if len(repeated) else 0, AT_A_TIME):
        part = words[begin : begin + AT_A_TIME]
        index = np.minimum(np.searchsorted(repeated, part), len(repeated) - 1)
        found.append(begin + np.flatnonzero(repeated[index] == part))
    return np.concatenate(found)


def spread(begins: Integers, sizes: Integers) -> tuple[Integers, Integers]:
    """Ranges of numbers in one array: where each range starts, and all numbers.

    >>> spread(np.array([7, 0]), np.array([2, 1]))
    (array([0, 2, 3]), array([7, 8, 0]))
    """
    starts = np.concatenate([[0], np.cumsum(sizes)])
    return starts, np.repeat(begins - starts[:-1], sizes) + np.arange(starts[-1])


def number_rows(rows: Array) -> tuple[Array, Integers]:
    """The distinct rows, sorted, and the number of each row among them. The first call of `np.unique` would take 10 ms.

    >>> number_rows(np.array([[2, 1], [1, 5], [2, 1]]))
    (array([[1, 5], [2, 1]]), array([1, 0, 1]))
    """
    order = np.lexsort(rows.T[::-1])
    ordered = rows[order]
    is_new = np.ones(len(rows), np.bool_)
    is_new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    numbers = np.empty(len(rows), np.int64)
    numbers[order] = np.cumsum(is_new) - 1
    return ordered[is_new], numbers


@dataclass(frozen=True)
class HeldDocuments:
    """Documents that a table has counted, ready to be held out."""

    settings: Settings
    table: CountTable
    data: TrainingData
    rows: RowSource
    codes: Integers  # the index of each document's label in the table
    moments: LabelMoments | None
    columns: Integers  # the indices of the labels to decide between
    domain_table: CountTable | None  # counts of the same documents by domain
    domain_rows: CountedRows | None  # these documents in `domain_table`
    pool: TrainingPool | None = None  # the texts that a student learns from

    @classmethod
    def of(cls, settings: Settings, state: State, data: TrainingData, columns: Integers | None = None) -> "HeldDocuments":
        """The documents of `data`. Their rows must be kept or readable."""
        table, rows = state.table, data.rows
        assert rows is not None
        used = data.codes if data.weights is None else data.codes[data.weights > 0]
        find_labels(data.labels[np.flatnonzero(np.bincount(used))], table.labels)  # raises an error for an unknown label
        # A document of weight 0 may have a label that the table does not have. It changes nothing, so any index is right.
        indices = np.maximum(index_labels(data.labels, table.labels), 0)
        codes = data.codes if (indices == np.arange(len(indices))).all() else indices[data.codes]
        domain_rows = None
        if state.domains is not None and data.domain_rows is not None and data.domains is not None:
            of_domain = np.maximum(index_labels(data.domains[0], state.domains.labels), 0)[data.domains[1]]
            domain_rows = CountedRows(state.domains, data.domain_rows, of_domain, data.weights)
        columns = np.arange(len(table.labels)) if columns is None else columns
        has_student = settings.uses_unlabelled or settings.uses_seeds
        pool = state.make_pool(has_unlabelled=settings.uses_unlabelled) if has_student else None
        return cls(settings, table, data, rows, codes, state.moments, columns, state.domains, domain_rows, pool)

    def score_block(self, block: AddedBlock, indices: Integers, rows: engine.Rows) -> Floats:
        """What an added block says of these documents, which have these rows, documents × labels of the block."""
        if self.pool is None:
            return block.score_rows(rows, self.table)
        places = np.argsort(np.argsort(self.data.prints, kind="stable"), kind="stable")[indices]
        return block.score(self.pool.labelled_texts.open().pick(places), self.settings.threads)

    @property
    def gold(self) -> Labels:
        gold: Labels = self.data.labels[self.data.codes]
        return gold

    @cached_property
    def decided(self) -> Integers | None:
        """The index, among the labels to decide between, of the label that a rule gives to each document, or -1.

        None without rules.
        """
        if self.data.matches is None:
            return None
        return decide_labels(self.settings.rules, self.data.matches, self.table.labels[self.columns])

    def weights(self, indices: Integers) -> Integers:
        """The weights of the documents at these indices."""
        weights = self.data.weights
        return np.full(len(indices), ONE) if weights is None else weights[indices]

    def count_terms(self) -> Integers:
        """The number of different terms of each document."""
        n_terms = np.zeros(len(self.codes), np.int64)
        for indices, rows in self.rows.parts():
            n_terms[indices] = np.diff(rows.arrays()[0])
        return n_terms

    def reweigh(self, weights: Integers) -> "HeldDocuments":
        """The same documents with other weights, in units of 2⁻²⁰; a weight above 0 stays above 0.

        The counts of the table then have the other weights, too. Fingerprints stay those of the documents with the old weights.
        """
        CountedRows(self.table, self.rows, self.codes, self.data.weights).reweigh(weights)
        if self.domain_rows is not None:
            self.domain_rows.reweigh(weights)
        data = replace(self.data, weights=weights)
        moments = data.moments()
        return replace(
            self,
            data=data,
            moments=None if moments is None else moments.pick(self.table.labels),
            domain_rows=None if self.domain_rows is None else replace(self.domain_rows, weights=weights),
        )

    @cached_property
    def kept(self) -> Mask | None:
        """The terms that are selected when no document is held out."""
        return self.select_terms()

    def select_terms(self) -> Mask | None:
        """The terms that the present counts select."""
        return self.settings.select_terms(self.table, self.domain_table)

    def parts(self, documents: Integers | None = None) -> Iterator[RowPart]:
        """The rows of all documents, or of these, in parts whose scores fit into memory."""
        step = max(1, MAX_SCORES // len(self.table.labels))
        for indices, rows in self.rows.parts(documents):
            if len(rows) <= step:
                yield indices, rows
                continue
            for begin in range(0, len(rows), step):
                block = np.arange(begin, min(begin + step, len(rows)))
                yield indices[block], rows.pick(block)

    def pick_weighted(self, documents: Integers | None = None) -> Integers:
        """Those of all documents, or of these, that have a weight above 0."""
        indices = np.arange(len(self.codes)) if documents is None else documents
        return indices if self.data.weights is None else indices[self.data.weights[indices] > 0]

    def deal(self, indices: Integers, folds: int, seed: int, *, with_copies: bool = True, stratified: bool = True) -> Integers:
        """The fold of each of these documents; with their copies, all documents of a text are in the fold of the first.

        Folds are dealt in the order of fingerprints, so that the order of the documents does not matter.
        """
        order = np.argsort(self.data.prints[indices], kind="stable")
        codes = self.data.codes[indices[order]]
        dealt = assign_folds(codes, folds, seed) if stratified else assign_plain_folds(len(codes), folds, seed)
        for group in Copies.of(self.data.texts[indices[order]]).split() if with_copies else []:
            dealt[group] = dealt[group[0]]
        fold_of = np.empty_like(dealt)
        fold_of[order] = dealt
        return fold_of

    def sample(self, most: int) -> Integers:
        """At most this number of documents, in the order of the input. The smallest fingerprints win; weight 0 never does."""
        weights, first = self.data.weights, self.data.prints.view(">u8")[::2]
        sample = np.zeros(0, np.int64)
        for begin in range(0, len(self.codes), AT_A_TIME):
            block = np.arange(begin, min(begin + AT_A_TIME, len(self.codes)))
            sample = np.concatenate([sample, block if weights is None else block[weights[block] > 0]])
            if len(sample) > most:
                sample = sample[np.argpartition(first[sample], most)[:most]]  # ties are copies, so any is right
        return np.sort(sample)

    def sample_rows(self, most: int) -> tuple[engine.Rows, Integers, Integers]:
        """The rows of the documents of `sample`, the indices of their labels, and their weights."""
        documents = self.sample(most)
        codes, weights = self.codes[documents], self.weights(documents)
        return engine.Rows.join([rows for _, rows in self.parts(documents)]), codes, weights

    def check_learned(self) -> None:
        """Raises NeverLearned if the table cannot contain these documents."""
        own = engine.Counts(len(self.table.labels), self.table.counts.n_terms)
        for indices, rows in self.rows.parts():
            if rows.n_unknown().any() and not self.settings.pruned:
                raise never_learned()
            add_rows(own, rows, self.codes[indices], self.weights(indices))
        if not self.table.counts.covers(own):
            raise never_learned()

    @contextmanager
    def taken_out(self, row: engine.Rows, documents: Integers) -> Iterator[None]:
        """A block in which the table does not contain these documents, which all have the same row."""
        rows, labels, weights = row.pick(np.zeros_like(documents)), self.codes[documents], self.weights(documents)
        add_rows(self.table.counts, rows, labels, -weights)
        try:
            yield
        finally:
            add_rows(self.table.counts, rows, labels, weights)

    def score_together(self, documents: Integers, trained: TrainedState | None) -> Iterator[Scored]:
        """The scores of documents that are held out together. Terms are selected again without them."""
        of_domains: AbstractContextManager[None] = nullcontext()
        if self.domain_rows is not None:
            of_domains = self.domain_rows.without(documents)
        with CountedRows(self.table, self.rows, self.codes, self.data.weights).without(documents), of_domains:
            yield from self.settings.model.score_without(self, trained, documents, self.select_terms())

    def score_numbers(self, documents: Integers) -> Floats | float:
        """The scores of the numeric columns of these documents when they are held out together."""
        if self.moments is None:
            return 0.0
        labels, codes, numbers = self.table.labels, self.codes[documents], self.data.numbers[documents]
        taken = LabelMoments.of(numbers, labels, codes, to_numbers(self.weights(documents)), full=False)
        normals = ColumnNormals.of(self.moments - taken)
        return np.asarray(normals.log_densities(numbers).sum(axis=2), np.float64)

    def describe(self, trained: TrainedState | None) -> dict[str, str]:
        """Analyzer, model, vectors and rules in one line each, with the smoothing that was chosen."""
        settings = self.settings
        model, rules = settings.model.describe(trained), describe_rules(settings.rules)
        vectors = {"vectors": settings.vectors.identity} if settings.vectors is not None and settings.uses_vectors else {}
        return {"analyzer": self.table.analyzer.signature, **model, **vectors, **self._describe_student(), **rules}

    def _describe_student(self) -> dict[str, str]:
        pool, seeds = self.pool, self.settings.seeds
        unlabelled = {} if pool is None or pool.unlabelled is None else {"unlabelled": f"{len(pool.unlabelled)} texts"}
        return unlabelled | ({"seeds": str(seeds)} if seeds is not None and self.settings.uses_seeds else {})

    def result(self, scored: Scored) -> HeldOut:
        """The predictions from these scores, only between the labels of `columns`."""
        labels, kept, are_lost = self.table.labels, scored.scores[:, self.columns], scored.lost
        lost = np.flatnonzero(np.isneginf(kept).all(axis=1))
        if len(lost):  # all of these labels are impossible: the prior decides
            n_documents = np.tile(self.table.counts.n_documents(), (len(lost), 1))
            n_documents[np.arange(len(lost)), self.codes[lost]] -= self.weights(lost)
            left = to_numbers(n_documents[:, self.columns])
            kept[lost] = log_priors_left(self.settings.model.prior, labels[self.columns], left, only_present=True)
            has_documents = (left > 0).any(axis=1)
            if has_documents.any():
                warn_of_lost(int(has_documents.sum()), len(kept))
                are_lost = np.zeros(len(kept), np.bool_) if are_lost is None else are_lost
                are_lost[lost[has_documents]] = True
        return HeldOut(labels[self.columns], self.gold, kept, decided=self.decided, lost=are_lost)


def never_learned() -> NeverLearned:
    return NeverLearned("these documents were never learned, or with other weights, so they can't be left out.")


def score_one_by_one(
    held: HeldDocuments, copies: str, trained: TrainedState | None, documents: Integers | None = None
) -> Iterator[Scored]:
    """The scores of each document when it is left out; with copies="all", all documents of the same text are left out."""
    check_choice("copies", copies, ("own", "all"))
    groups = Copies.of(held.data.texts) if copies == "all" else Copies.none()
    numeric = None if held.moments is None else _score_numbers(held, groups)
    for indices, joint, lost in held.settings.model.score_left_out(held, trained, groups, documents):
        yield Scored(indices, joint if numeric is None else joint + numeric[indices], lost)


def _score_numbers(held: HeldDocuments, copies: Copies) -> Floats:
    scores = np.empty((len(held.codes), len(held.table.labels)))
    alone = np.setdiff1d(np.arange(len(scores)), copies.members)
    for group in [*alone[:, None], *copies.split()]:
        scores[group] = held.score_numbers(group)
    return scores


def score_by_folds(held: HeldDocuments, fold_of: Integers, trained: TrainedState | None) -> Iterator[Scored]:
    """The scores of each document when its fold is left out."""
    for fold in np.flatnonzero(np.bincount(fold_of)).tolist():
        yield from score_fold(held, np.flatnonzero(fold_of == fold), trained)


def score_fold(held: HeldDocuments, documents: Integers, trained: TrainedState | None) -> Iterator[Scored]:
    """The scores of these documents when all of them are left out together."""
    numeric = held.score_numbers(documents)
    for indices, joint, lost in held.score_together(documents, trained):
        own = numeric if isinstance(numeric, float) else numeric[np.searchsorted(documents, indices)]
        yield Scored(indices, joint + own, lost)


FOLDS_BY = ("random", "fingerprint")


def assign_documents(
    held: HeldDocuments, folds: int, seed: int, copies: str, *, stratified: bool = True, by: str = "random"
) -> Integers:
    """The fold of each document; with copies="all", all documents of a text are in the fold of the first.

    With by="fingerprint" the fingerprint of its text decides, so that copies are always together.
    """
    check_choice("copies", copies, ("own", "all"))
    if check_choice("folds_by", by, FOLDS_BY) == "fingerprint":
        fold_of = assign_by_print(held.data.texts, check_folds(folds), check_seed(seed))
        check_dealt(np.unique(fold_of[held.pick_weighted()]).tolist())
        return fold_of
    indices = np.arange(len(held.codes))
    return held.deal(indices, folds, seed, with_copies=copies == "all", stratified=check_flag("stratified", stratified))


def check_folds(folds: Any) -> int:
    if not is_int(folds) or folds < 2:
        raise bad_option("folds", "an int >= 2", folds, "each fold is judged by what the others teach.")
    return int(folds)


def check_dealt(folds: list[int]) -> None:
    """Raises InvalidOption if fingerprints have put all documents into one fold."""
    if len(folds) < 2:
        raise InvalidOption(
            "all documents are in one fold, so that nothing would be learned without it: there are too few different texts "
            "for folds_by='fingerprint'. Use more documents, or another seed."
        )


def default_folds(held: HeldDocuments) -> int | None:
    """None for leave-one-out if the model can do it; otherwise 5, or the number of documents if it is smaller (at least 2)."""
    return None if held.settings.model.leaves_one_out else max(2, min(TRAINED_FOLDS, len(held.codes)))


def leave_one_out(held: HeldDocuments, copies: str, trained: TrainedState | None) -> HeldOut:
    """The prediction for each document when it is left out."""
    recipe = held.describe(trained) | {"left_out": f"one+copies={copies}"}
    result = held.result(gather_scores(held, score_one_by_one(held, copies, trained)))
    return replace(result, selection="fixed" if held.settings.selects else "", recipe=recipe)


def resolve_folds(
    held: HeldDocuments, folds: Any, seed: int, copies: str, stratified: bool, by: str = "random"
) -> tuple[Integers, str]:
    """The fold of each document, and a description of the folds: they are dealt if their number is given."""
    if is_int(folds):
        fold_of = assign_documents(held, folds, seed, copies, stratified=stratified, by=by)
        return fold_of, describe_folds(folds, seed, copies, stratified=stratified, by=by)
    if by != "random":
        raise InvalidOption(f"folds_by={by!r} deals folds, and the folds are given: give their number, or leave folds_by out.")
    if check_choice("copies", copies, ("own", "all")) == "all":
        raise InvalidOption(
            "copies='all' moves all documents of a text into one fold, and the folds are given: let them be dealt (folds=10), "
            "or make them with groups, one for each text."
        )
    fold_of = read_folds(folds, held.gold)
    in_order = fold_of[np.argsort(held.data.prints, kind="stable")]  # by fingerprint: the order of the input does not matter
    return fold_of, f"{fold_of.max() + 1}+given={sha256(in_order.astype('<i8').tobytes()).hexdigest()[:8]}"


def cross_validate(held: HeldDocuments, fold_of: Integers, described: str, trained: TrainedState | None) -> HeldOut:
    """The prediction for each document when its fold is left out."""
    recipe = held.describe(trained) | {"folds": described}
    result = held.result(gather_scores(held, score_by_folds(held, fold_of, trained)))
    return replace(result, selection="anew" if held.settings.selects else "", recipe=recipe, folds=fold_of)


def describe_folds(folds: int, seed: int, copies: str, *, stratified: bool = True, by: str = "random") -> str:
    """
    >>> describe_folds(5, 0, "all", by="fingerprint")
    '5+seed=0+by=fingerprint'
    >>> describe_folds(10, 0, "own"), describe_folds(5, 1, "all"), describe_folds(5, 1, "own", stratified=False)
    ('10+seed=0', '5+seed=1+copies=all', '5+seed=1+stratified=no')
    """
    if by != "random":
        return f"{folds}+seed={seed}+by={by}"
    return f"{folds}+seed={seed}" + ("+copies=all" if copies == "all" else "") + ("" if stratified else "+stratified=no")


def gather_scores(held: HeldDocuments, parts: Iterator[Scored]) -> Scored:
    """The scores of all documents, documents × labels."""
    n = len(held.codes)
    scores, lost = np.empty((n, len(held.table.labels))), np.zeros(n, np.bool_)
    for part in parts:
        scores[part.indices] = part.scores
        lost[part.indices] = False if part.lost is None else part.lost
    if lost.any():
        warn_of_lost(int(lost.sum()), n)
    return Scored(np.arange(n), scores, lost if lost.any() else None)
