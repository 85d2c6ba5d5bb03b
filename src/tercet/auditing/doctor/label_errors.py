"""Probable label errors: all documents ranked by the held-out probability of their label, and how many labels are wrong.

First a naive Bayes on the counts judges all labels, by leave-one-out. It estimates how many are wrong, and which probably are.
These labels then have less weight in training, so that they mislead less. Two judges look at the result: the same naive Bayes,
and the model in folds. Documents are ranked by the mean of their log-probabilities. No judge has learned what it judges.

The number of errors is estimated twice. Before the weights, wrong labels mislead the judge, which then finds too many errors.
With the weights it may find too few, because a label has a small say in the weights of the documents that judge it. The result
is the mean, and its interval encloses both intervals.

Each estimate is the label noise (`categorizer/held_out/label_noise.py`).

With very many labels (more than `MAX_LABELS`, and documents × labels above `MAX_SCORES`), naive Bayes in folds is the only
judge. It scores in blocks, and only the `N_LISTED` most probable labels of each document are kept: the softmax is over these,
without offsets.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.categorizer.auto import WORDS, choose_model
from tercet.categorizer.categorizer import Categorizer
from tercet.categorizer.fitting import count_afresh
from tercet.categorizer.held_out.held_out import (
    HeldDocuments,
    assign_documents,
    gather_scores,
    number_rows,
    score_by_folds,
    score_one_by_one,
)
from tercet.categorizer.held_out.label_noise import N_LISTED, LabelNoise, ListedLabels
from tercet.categorizer.held_out.suspects import Suspect, Suspects
from tercet.categorizer.model.stack_model import StackModel
from tercet.categorizer.settings import Settings
from tercet.counts.training_data import TrainingData
from tercet.data.document_batches import Beginnings, open_batches
from tercet.errors import InvalidLabel, bad_option
from tercet.evaluation.intervals import Estimate
from tercet.models.classifier import normalize_scores
from tercet.models.stack import Stack
from tercet.options import check_count, check_seed
from tercet.report.forms import simplify, write_columns
from tercet.report.tables import pluralize
from tercet.report.training_summary import list_suspects

MAX_LABELS, MAX_SCORES = 300, 1 << 22  # labels, and documents × labels, up to which all scores are in memory


def join_estimates(first: Estimate, second: Estimate) -> Estimate:
    """The mean of two estimates of a number, with the smallest interval that has both intervals inside. Halves are rounded up.

    >>> print(f"{join_estimates(Estimate(4.0, 1.0, 8.0, 0.95, ''), Estimate(5.0, 3.0, 9.0, 0.95, '')):.0f}")
    5 [1, 9]
    """
    value = float(np.floor((first.value + second.value + 1) / 2))
    return replace(first, value=value, low=min(first.low, second.low), high=max(first.high, second.high))


NOTE = "Ambiguous documents count, too: no model can tell a text that reads like another label from a text with a wrong label."
MIN_DOCUMENTS = 500
MANY = "very many labels: naive Bayes alone has judged them"
FEW = f"fewer than {MIN_DOCUMENTS} documents: models that learned so little are often sure and wrong, so it may be too high"


@dataclass(frozen=True, eq=False)
class LabelErrors:
    """Documents ranked by how probable their label is, the worst first, and an estimate of the number of wrong labels.

    - `suspects`: the documents for which another label is more probable, the worst first.
    - `ranking`: the positions of all documents, the worst first. Documents without a score come last.
    - `scores`: P(label) of each document, in the order of the input. NaN if the document has weight 0, or if no other text has
      its label: then it cannot be judged.
    - `n_errors`: how many labels look as if they were random, with an interval. `note` says what else counts.
    """

    suspects: Suspects
    ranking: Integers
    scores: Floats
    n_errors: Estimate
    note: str = NOTE

    @property
    def probable(self) -> Suspects:
        """The worst suspects, as many as labels are probably wrong. The others are rather uncertain than wrong."""
        return self.suspects.take(int(self.n_errors.value))

    @property
    def n_judged(self) -> int:
        """How many documents have a score."""
        return int(np.isfinite(self.scores).sum())

    def __str__(self) -> str:
        judged = pluralize(self.n_judged, "document")
        reliable = f" ({self.n_errors.note})" if self.n_errors.note else ""
        said = f"probable label errors: {self.n_errors:.0f} of {judged}{reliable}\n{self.note}"
        table = list_suspects(self.probable, ": to_frame()")
        return "\n\n".join([said, write_columns(table)] if table.rows else [said])

    def __repr__(self) -> str:
        return f"LabelErrors({self.n_errors:.0f} of {pluralize(self.n_judged, 'document')}; {self.suspects!r})"

    def to_dict(self) -> dict[str, Any]:
        """The estimate, the note and all suspects, for JSON."""
        numbers = {"n_documents": len(self.scores), "n_judged": self.n_judged, "n_errors": self.n_errors, "note": self.note}
        simple: dict[str, Any] = simplify(numbers | {"suspects": [_describe(suspect) for suspect in self.suspects]})
        return simple

    def to_frame(self) -> Any:
        """A data frame of pandas or polars with a row for each suspect, the worst first."""
        return self.suspects.to_frame()


def find_label_errors(
    documents: Any, labels: Any = None, *, categorizer: Categorizer | None = None, folds: int = 5, seed: int = 0
) -> LabelErrors:
    """All documents, ranked by the held-out probability of their label, and the number of wrong labels with an interval.

    Texts and labels are given as for `tercet.train`. A `categorizer` gives the recipe and the model, and is not changed.
    Without it, a stack of linear models reads words and pairs of words. `Categorizer(model="auto")` also reads character
    n-grams: it takes two to three times as long, and ranks very short texts a little better. Documents are dealt into `folds`
    by `seed`, and the model is trained once for each fold. Copies of a text are held out together.

    >>> texts = [f"{words * (i % 4 + 1)}number {i}" for i in range(40) for words in ("good film ", "bad plot ")]
    >>> labels = ["+", "-"] * 40
    >>> labels[7] = "+"
    >>> found = find_label_errors(texts, labels)
    >>> found.suspects[0].position, found.suspects[0].label, found.suspects[0].better
    (7, '+', '-')
    >>> print(f"{found.n_errors:.0f}")
    1 [0, 5]
    """
    if check_count("folds", folds) < 2:
        raise bad_option("folds", "an int >= 2", folds, "each document is judged by a model that has learned other folds.")
    check_seed(seed)
    if not isinstance(categorizer, Categorizer | None):
        raise bad_option("categorizer", "a Categorizer or None", categorizer, "it judges. Try Categorizer(model='auto').")
    held, beginnings = _count(categorizer, documents, labels, folds, seed)
    sizes = held.count_terms()
    if has_many_scores(len(held.codes), len(held.table.labels)):
        doubted, judged = _judge_listed(held, sizes, folds, seed)
    else:
        doubted = _doubt_labels(held, sizes)
        judged = _judge(held.reweigh(doubted.weights), sizes, folds, seed)
    n_errors = doubted.n_errors if judged.n_errors is None else join_estimates(doubted.n_errors, judged.n_errors)
    ranked = _rank(judged.log_own)
    suspects = Suspects.of(held.table.labels, held.codes, judged.predicted, judged.log_own, beginnings)
    is_judged = np.isfinite(judged.log_own)
    scores = np.where(is_judged, np.exp(judged.log_own), np.nan)
    n_errors = n_errors if is_judged.sum() >= MIN_DOCUMENTS else n_errors.add_note(FEW)
    return LabelErrors(suspects, ranked, scores, n_errors)


class Doubted(NamedTuple):
    """What the first judge found."""

    n_errors: Estimate
    weights: Integers  # the weight that each document keeps: its own, times P(its label is not random)


class Judged(NamedTuple):
    """What the judges found after doubtful labels had less weight."""

    predicted: Integers  # the most probable label of each document; its own if it could not be judged
    log_own: Floats  # the log-probability of its own label; -inf if it could not be judged
    n_errors: Estimate | None  # by the model in folds, if there is one


def _count(
    categorizer: Categorizer | None, documents: Any, labels: Any, folds: int, seed: int
) -> tuple[HeldDocuments, Beginnings]:
    """Count all documents, and choose the model that judges them. The beginnings show the suspects later."""
    beginnings = Beginnings()
    batches = beginnings.follow(open_batches(documents, labels))
    counted = Categorizer(WORDS) if categorizer is None else categorizer
    settings, data, state = count_afresh(counted.check_options(), batches, keep=True)
    _refuse_few(data)
    if categorizer is None:
        settings = settings.with_model(choose_model(state.table, len(data.codes)).estimator)
    return HeldDocuments.of(_use_all_folds(settings, folds, seed), state, data), beginnings


def _refuse_few(data: TrainingData) -> None:
    """Raise InvalidLabel unless two labels have two different texts each: held-out documents could not be judged."""
    weighted = np.arange(len(data.codes)) if data.weights is None else np.flatnonzero(data.weights > 0)
    texts = number_rows(data.texts[weighted])[1]
    pairs, _ = number_rows(np.column_stack([data.codes[weighted], texts]))
    n_usable = int((np.bincount(pairs[:, 0]) > 1).sum())
    if n_usable < 2:
        all_labels = pluralize(len(np.unique(data.codes)), "label")
        raise InvalidLabel(
            f"{n_usable} of {all_labels} have at least two different texts, and two such labels are needed: each document is "
            "judged by the others. Give more documents of each label."
        )


def _use_all_folds(settings: Settings, folds: int, seed: int) -> Settings:
    """The settings with a stack that holds out each document once. Other models do not change."""
    stack = settings.model.estimator
    if not isinstance(stack, Stack):
        return settings
    return settings.with_model(Stack(stack.members, folds=folds, used_folds=folds, seed=seed))


def _doubt_labels(held: HeldDocuments, sizes: Integers) -> Doubted:
    """Count the errors by naive Bayes, and doubt the labels that are improbable for it."""
    scores, own = _score_by_counts(held), held.data.units
    judged = _select_judged(held, [scores])
    noise = LabelNoise.fit(scores[judged], held.codes[judged], sizes[judged])
    return Doubted(noise.count_errors(), _weigh_down(own, judged, noise.p_sound))


def _judge(held: HeldDocuments, sizes: Integers, folds: int, seed: int) -> Judged:
    """Judge all documents by naive Bayes and by the model, with the weights of now."""
    by_model = _score_by_model(held, folds, seed)
    judges = [_score_by_counts(held), *by_model]
    judged = _select_judged(held, judges)
    fitted = [LabelNoise.fit(scores[judged], held.codes[judged], sizes[judged]) for scores in judges]
    log_proba = normalize_scores(np.mean([noise.log_proba for noise in fitted], axis=0))
    predicted, log_own = held.codes.copy(), np.full(len(held.codes), -np.inf)
    predicted[judged] = log_proba.argmax(axis=1)
    log_own[judged] = log_proba[np.arange(len(judged)), held.codes[judged]]
    return Judged(predicted, log_own, fitted[-1].count_errors() if by_model else None)


def _score_by_counts(held: HeldDocuments) -> Floats:
    """The scores of a naive Bayes on the counts. Each document is left out with its copies."""
    counted = _use_counts(held)
    return gather_scores(counted, score_one_by_one(counted, "all", counted.settings.model.choose(counted))).scores


def _use_counts(held: HeldDocuments) -> HeldDocuments:
    """The same documents with a naive Bayes on the counts, if the model is another one."""
    return held if held.settings.model.leaves_one_out else replace(held, settings=held.settings.for_counts())


# Very many labels: only the best labels of each document are kept.


def has_many_scores(n_documents: int, n_labels: int) -> bool:
    """Whether only the best labels of each document are compared.

    >>> has_many_scores(30_000, 150), has_many_scores(30_000, 3000)
    (False, True)
    """
    return n_labels > MAX_LABELS and n_documents * n_labels > MAX_SCORES


def _list_labels(held: HeldDocuments, fold_of: Integers) -> ListedLabels:
    """The best labels of each document, by a naive Bayes on the counts that has not learned the document's fold."""
    n, counted = len(held.codes), _use_counts(held)
    listed = ListedLabels(np.zeros((n, N_LISTED), np.int64), np.full((n, N_LISTED), -np.inf), np.zeros(n, np.int64))
    for indices, joint, _ in score_by_folds(counted, fold_of, counted.settings.model.choose(counted)):
        for whole, part in zip(listed, ListedLabels.of(joint, held.codes[indices]), strict=True):
            whole[indices] = part
    return listed


def _select_listed(held: HeldDocuments, listed: ListedLabels) -> Integers:
    """The documents with a weight whose own label is possible, in the order of fingerprints."""
    order = np.argsort(held.data.prints, kind="stable")
    is_possible = np.isfinite(listed.scores[order, listed.own[order]])
    judged: Integers = order[is_possible & (held.data.units[order] > 0)]
    return judged


def _judge_listed(held: HeldDocuments, sizes: Integers, folds: int, seed: int) -> tuple[Doubted, Judged]:
    """Doubt labels and judge all documents, both by naive Bayes and by the best labels of each document."""
    fold_of = assign_documents(held, folds, seed, "all")
    listed, n_labels, own = _list_labels(held, fold_of), len(held.table.labels), held.data.units
    judged = _select_listed(held, listed)
    noise = LabelNoise.fit(listed.scores[judged], listed.own[judged], sizes[judged], n_labels)
    doubted = Doubted(noise.count_errors().add_note(MANY), _weigh_down(own, judged, noise.p_sound))
    held = held.reweigh(doubted.weights)
    listed = _list_labels(held, fold_of)
    judged = _select_listed(held, listed)
    noise = LabelNoise.fit(listed.scores[judged], listed.own[judged], sizes[judged], n_labels)
    log_proba, rows = noise.log_proba, np.arange(len(judged))
    predicted, log_own = held.codes.copy(), np.full(len(held.codes), -np.inf)
    predicted[judged] = listed.labels[judged, log_proba.argmax(axis=1)]
    log_own[judged] = log_proba[rows, listed.own[judged]]
    return doubted, Judged(predicted, log_own, noise.count_errors())


def _weigh_down(own: Integers, judged: Integers, p_sound: Floats) -> Integers:
    """The weight that each document keeps: its own, times the probability that its label is not random."""
    sound = np.ones(len(own))
    sound[judged] = p_sound
    return np.where(own > 0, np.maximum(np.rint(own * sound), 1), 0).astype(np.int64)


def _score_by_model(held: HeldDocuments, folds: int, seed: int) -> list[Floats]:
    """The scores of the model, which is trained once for each fold.

    None if the model is a naive Bayes, or if a stack has fewer documents than folds.
    """
    model = held.settings.model
    if model.leaves_one_out:
        return []
    if not isinstance(model, StackModel):
        fold_of = assign_documents(held, min(folds, len(held.codes)), seed, "all")
        return [gather_scores(held, score_by_folds(held, fold_of, model.choose(held))).scores]
    stack = model.hold_out(held, None, held.kept)
    scores = np.full((len(held.codes), len(held.table.labels)), -np.inf)
    scores[stack.scored.indices] = stack.log_proba
    return [scores] if stack.scored.n_folds else []


def _select_judged(held: HeldDocuments, judges: Sequence[Floats]) -> Integers:
    """The documents with a weight whose own label is possible for all judges, in the order of fingerprints."""
    order = np.argsort(held.data.prints, kind="stable")
    is_possible = np.all([np.isfinite(scores[order, held.codes[order]]) for scores in judges], axis=0)
    judged: Integers = order[is_possible & (held.data.units[order] > 0)]
    return judged


def _rank(log_own: Floats) -> Integers:
    """The positions, the least probable label first; ties in the order of the documents; impossible labels last."""
    return np.argsort(np.where(np.isfinite(log_own), log_own, np.inf), kind="stable")


def _describe(suspect: Suspect) -> dict[str, Any]:
    return suspect._asdict() | {"columns": dict(suspect.columns)}
