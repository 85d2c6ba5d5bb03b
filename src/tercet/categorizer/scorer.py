"""Texts → scores, probabilities and label sets. A scorer is computed once from what was learned, and then used often."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats, Integers
from tercet.cached import cached_property
from tercet.categorizer.joined_texts import arrange_texts, join_texts
from tercet.categorizer.model.numeric_columns import ColumnNormals, add_measures
from tercet.categorizer.model.text_model import TermWeights
from tercet.categorizer.rules import Rule, decide_labels, first_rules, match_rules, overrule
from tercet.categorizer.settings import Settings
from tercet.categorizer.state import State
from tercet.counts.labels import Labels, find_labels
from tercet.counts.table import CountTable
from tercet.data.document_batches import collect_documents, list_texts
from tercet.data.documents import Documents
from tercet.errors import InvalidMatrix, InvalidOption, bad_option
from tercet.kernel import engine
from tercet.kernel.batches import batches
from tercet.models.bayes_rule import warn_of_lost
from tercet.models.calibration import Calibration
from tercet.models.classifier import normalize_scores
from tercet.models.conformal import LabelSets
from tercet.options import is_number, n_threads
from tercet.text.analyzer import Analyzer

if TYPE_CHECKING:
    from tercet.categorizer.model.added_block import AddedBlock
    from tercet.counts.term_names import TableTerms
    from tercet.models.parameters import LearnedTerms


@dataclass(frozen=True, eq=False)
class Scorer:
    """A vocabulary, the weights of its terms, a prior, and the calibration that turns scores into probabilities."""

    analyzer: Analyzer
    table: engine.Table
    weights: TermWeights
    numeric: list[str]
    measured: frozenset[str]  # the names in `numeric` that are computed from the text
    normals: ColumnNormals | None
    threads: int | None
    calibration: Calibration | None = None
    sets: LabelSets | None = None  # None if no coverage is known
    out_of_date: tuple[str, ...] = ()  # parts that were fitted to other documents
    rules: tuple[Rule, ...] = ()  # they decide before the model
    added: "AddedBlock | None" = None  # what terms add that have a vocabulary of their own

    @classmethod
    def derive(cls, settings: Settings, state: State, labels: Labels, threads: int | None) -> "Scorer":
        """The scorer for these labels, from what was learned."""
        assert state.trained is not None
        kept = settings.select_terms(state.table, state.domains) if settings.model.selects_again else None
        normals = None
        if state.moments is not None:
            normals = ColumnNormals.of(state.moments).pick(find_labels(labels, state.table.labels))
        weights = settings.model.make_weights(state.table, state.trained, labels, kept)
        return cls(
            analyzer=state.table.analyzer,
            table=state.table.table,
            weights=weights,
            numeric=settings.numeric,
            measured=settings.measured,
            normals=normals,
            threads=threads,
            rules=settings.rules,
            added=state.trained.added,
        )

    @property
    def labels(self) -> Labels:
        """The labels to decide between, sorted."""
        return self.weights.labels

    @cached_property
    def label_list(self) -> list[Any]:
        """The same as objects of Python."""
        listed: list[Any] = self.labels.tolist()
        return listed

    @cached_property
    def _whole_prior(self) -> Floats:
        """The prior of all labels of the kernel's weights. It is -inf for labels that are not in `labels`."""
        prior = np.full(self.weights.kernel.n_labels, -np.inf)
        prior[self.weights.columns] = self.weights.prior
        return prior

    @cached_property
    def _is_whole(self) -> bool:
        return len(self.weights.columns) == len(self._whole_prior)

    @cached_property
    def _tables(self) -> "engine.Table | engine.TablePair":
        """The table, with that of the added block if there is one: each text is analysed once for both."""
        return self.table if self.added is None else self.added.pair_with(self.table)

    def list_learned(self, counts: CountTable | None) -> "LearnedTerms":
        """What was learned of each term. Without counts, only weights are left."""
        return self.weights.list_learned(self.names, counts)

    @cached_property
    def names(self) -> "TableTerms":
        """The terms by their numbers."""
        from tercet.counts.term_names import TableTerms  # on first use: predictions do not need it

        return TableTerms(self.table, self.analyzer)

    def find(self, text: Any) -> Integers:
        """The term number of each occurrence; -1 for terms without weights, also if the table has learned them since."""
        numbers = self.table.find(engine.Texts([text]))
        return np.where(numbers < self.weights.kernel.n_terms, numbers, -1)

    def predict(self, texts: Any) -> Integers:
        """The index of the best label of each text; ties go to the first label."""
        if self.calibration is not None or self.numeric or self.rules:
            texts = self.keep_readable(texts)
            return self.pick_best(self.score_labels(texts), self.decide(texts))
        best: Integers = self._score(self._tables.predict, texts, np.zeros(0, np.int64))
        return best if self._is_whole else np.searchsorted(self.weights.columns, best)

    def pick_best(self, scores: Floats, decided: Integers | None) -> Integers:
        """The index of the best label of each text with these scores, or of the label that a rule has decided."""
        values = scores if self.calibration is None else np.exp(self.to_log_proba(scores))
        return np.asarray(overrule(values, decided).argmax(axis=1), np.int64)

    def log_joint(self, texts: Any) -> Floats:
        """log P(label) + log P(text | label), texts × labels; -inf for each label if none is possible."""
        return self._add_numeric(self._score_possible, texts)

    def score_labels(self, texts: Any) -> Floats:
        """The scores that decide: `log_joint`, and if no label is possible, the prior instead, with a warning."""
        return self._add_numeric(self._tables.log_joint, texts)

    def _add_numeric(self, compute: Callable[..., tuple[Any, int]], texts: Any) -> Floats:
        """The scores of the texts, and of their numeric columns."""
        texts = self.add_measures(texts)
        scores: Floats = self._score(compute, texts, np.zeros((0, len(self._whole_prior))))
        scores = scores if self._is_whole else scores[:, self.weights.columns]
        return scores + self.numeric_scores(texts, len(scores)).sum(axis=2) if self.numeric else scores

    def _score_possible(self, weights: Any, part: engine.Texts, prior: Floats, threads: int) -> tuple[Floats, int]:
        """The scores of a batch as the formula gives them. The kernel has given the prior to texts without a possible label."""
        scores, n_lost = self._tables.log_joint(weights, part, prior, threads)
        if n_lost:
            likelihoods = weights.score(self.table.rows(part, threads), np.arange(len(part)), threads)
            scores = np.where(np.isneginf(likelihoods + prior).all(axis=1, keepdims=True), -np.inf, scores)
        return scores, 0

    def log_proba(self, texts: Any) -> Floats:
        """log P(label | text), texts × labels, calibrated if there is a calibration. A label that a rule gives has P = 1."""
        texts = self.keep_readable(texts)
        return overrule(self.to_log_proba(self.score_labels(texts)), self.decide(texts))

    def to_log_proba(self, scores: Floats) -> Floats:
        """The log-probabilities that the model alone gives for these scores, calibrated if there is a calibration."""
        return normalize_scores(scores) if self.calibration is None else self.calibration.apply(scores)

    def log_likelihood(self, texts: Any) -> Floats:
        """log P(text | label), texts × labels."""
        texts = self.add_measures(texts)
        scores = [self._score_rows(part) for part in batches(self.join(texts), whole=True)]
        joined = np.concatenate([np.zeros((0, len(self.labels))), *scores])
        return joined + self.numeric_scores(texts, len(joined)).sum(axis=2) if self.numeric else joined

    def _score_rows(self, part: engine.Texts) -> Floats:
        """The scores of a batch, without the prior."""
        threads = n_threads(self.threads)
        scores = self.weights.score_rows(self.table.rows(part, threads), threads)
        return scores if self.added is None else scores + self.added.score(part, threads)[:, self.weights.columns]

    def keep_readable(self, texts: Any) -> Any:
        """The texts, in a list if there are rules: then they are read twice."""
        if not self.rules:
            return texts
        documents = collect_documents(texts)
        if isinstance(documents, Documents):
            return replace(documents, texts=list_texts(documents.texts))
        return list_texts(documents)

    def decide(self, texts: Any) -> Integers | None:
        """The index of the label that a rule gives to each text, or -1; None if there are no rules."""
        if not self.rules:
            return None
        matches = match_rules(self.rules, list_texts(self.join(texts)), self.analyzer)
        return decide_labels(self.rules, matches, self.labels)

    def find_rule(self, text: str) -> Rule | None:
        """The rule that decides this text, which joins all columns."""
        if not self.rules:
            return None
        number = int(first_rules(self.rules, match_rules(self.rules, [text], self.analyzer), self.labels)[0])
        return self.rules[number] if number >= 0 else None

    def choose_labels(self, texts: Any, abstain_below: Any) -> npt.NDArray[np.object_]:
        """The most probable label of each text; None if its probability is below `abstain_below`."""
        check_probability(abstain_below)
        return choose_or_abstain(self.labels, np.exp(self.log_proba(texts)), abstain_below)

    def find_threshold(self, coverage: float) -> float:
        """The lowest probability of a label in the label sets with this coverage."""
        if self.sets is not None:
            return self.sets.find_threshold(coverage)
        if self.calibration is not None:
            raise InvalidOption(
                "the labels are not those that the categorizer was calibrated on, so no coverage can be promised. "
                "Call calibrate_on with documents of these labels."
            )
        raise InvalidOption(
            "the categorizer is not calibrated, so no coverage can be promised: fit it with calibrate='auto' "
            "(the default of `tercet train`), or call calibrate_on with documents that it has not learned."
        )

    def read_rows(self, texts: Any) -> list[engine.Rows]:
        """The known terms of the texts, batch by batch."""
        return [self.table.rows(part, n_threads(self.threads)) for part in batches(self.join(texts), whole=True)]

    def join(self, texts: Any) -> Any:
        """The texts as the kernel reads them, with all columns of a document in one str."""
        return join_texts(collect_documents(texts), self.analyzer.layout)

    def add_measures(self, texts: Any) -> Any:
        """Documents with all numeric columns; the texts unchanged if there are no numeric columns."""
        if not self.numeric:
            return texts
        documents = arrange_texts(collect_documents(texts), self.analyzer.layout)
        return add_measures(documents, self.numeric, self.measured, self.analyzer)

    def numeric_scores(self, documents: Documents, n: int) -> Floats:
        """The score of each numeric column, texts × labels × columns."""
        if self.normals is None:
            return np.zeros((n, len(self.labels), 0))
        numbers = documents.numbers(self.numeric)
        if len(numbers) != n:
            raise InvalidMatrix(f"there are {n} texts and {len(numbers)} rows of numbers: each text needs one row.")
        return self.normals.log_densities(numbers)

    def _score(self, compute: Callable[..., tuple[Any, int]], texts: Any, nothing: Any) -> Any:
        results, n_lost, n = [], 0, 0
        for part in batches(self.join(texts), whole=True):
            threads = n_threads(self.threads) if len(part) > 1 else 1  # asking the system takes longer than one text
            result, lost = compute(self.weights.kernel, part, self._whole_prior, threads)
            results.append(result)
            n_lost, n = n_lost + lost, n + len(part)
        if n_lost:
            warn_of_lost(n_lost, n, stacklevel=5)
        return results[0] if len(results) == 1 else np.concatenate([nothing, *results])


def choose_or_abstain(labels: Labels, probabilities: Floats, abstain_below: float) -> npt.NDArray[np.object_]:
    """The most probable label of each row; None if its probability is below `abstain_below`.

    >>> choose_or_abstain(np.array(["ham", "spam"]), np.array([[0.95, 0.05], [0.4, 0.6]]), 0.9)
    array(['ham', None], dtype=object)
    """
    chosen = labels[probabilities.argmax(axis=1)].astype(object)
    chosen[probabilities.max(axis=1) < abstain_below] = None
    return np.asarray(chosen, object)


def check_probability(abstain_below: Any) -> float:
    if not is_number(abstain_below) or not 0 <= abstain_below <= 1:
        raise bad_option("abstain_below", "a number from 0 to 1", abstain_below, "it is a probability.")
    return float(abstain_below)


def list_sets(labels: Labels, probabilities: Floats, threshold: float) -> list[tuple[Any, ...]]:
    """For each row the labels with at least this probability, the most probable first; ties in sorted order.

    >>> list_sets(np.array(["a", "b", "c"]), np.array([[0.2, 0.5, 0.3]]), 0.3)
    [('b', 'c')]
    """
    sizes = (probabilities >= threshold).sum(axis=1).tolist()
    order = np.argsort(-probabilities, axis=1, kind="stable").tolist()
    names = labels.tolist()
    return [tuple(names[index] for index in row[:size]) for row, size in zip(order, sizes, strict=True)]
