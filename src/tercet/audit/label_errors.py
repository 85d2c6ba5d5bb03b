"""Probable label errors: all documents ranked by the held-out probability of their label, and how many labels are wrong.

Two judges have not learned the document and its copies: the model in folds, and a naive Bayes on the counts by leave-one-out.
A first look estimates how many labels are wrong, and which labels probably are. For a second look these labels have less weight
in training, so that they mislead the judges less. Documents are ranked by the mean of all log-probabilities.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.categorizer.calibrator import calibrate_held_out
from tercet.categorizer.categorizer import Categorizer
from tercet.categorizer.held_out import (
    HeldDocuments,
    assign_documents,
    gather_scores,
    number_rows,
    score_by_folds,
    score_one_by_one,
)
from tercet.categorizer.model import Scored
from tercet.categorizer.settings import Settings
from tercet.categorizer.stack_model import StackModel
from tercet.categorizer.suspects import Suspect, Suspects
from tercet.counts.training_data import TrainingData
from tercet.counts.units import ONE, to_numbers
from tercet.data.document_batches import Beginnings, open_batches
from tercet.data.documents import Documents
from tercet.errors import InvalidLabel, bad_option
from tercet.evaluation.intervals import Estimate
from tercet.evaluation.label_noise import estimate_noise
from tercet.models.classifier import normalize_scores
from tercet.models.stack import Stack
from tercet.options import check_count, check_seed
from tercet.report.json_values import simplify
from tercet.report.tables import pluralize
from tercet.report.text_table import write_columns
from tercet.report.training import list_suspects

NOTE = "Ambiguous documents count, too: no model can tell a text that reads like another label from a text with a wrong label."
FEWEST_DOCUMENTS = 500
FEW = f"fewer than {FEWEST_DOCUMENTS} documents: models that learned so little are often sure and wrong, so it may be too high"


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
    def n_judged(self) -> int:
        """How many documents have a score."""
        return int(np.isfinite(self.scores).sum())

    def __str__(self) -> str:
        judged = pluralize(self.n_judged, "document")
        reliable = f" ({self.n_errors.note})" if self.n_errors.note else ""
        said = f"probable label errors: {self.n_errors:.0f} of {judged}{reliable}\n{self.note}"
        table = list_suspects(self.suspects, ": to_frame()")
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

    Texts and labels are given as for `tercet.train`. The default categorizer is `Categorizer(model="auto")`; a given
    categorizer is not changed. Documents are dealt into `folds` by `seed`. Copies of a text are held out together. The texts
    stay in memory, and the model is trained twice for each fold.

    >>> texts = [f"{word} number {i}" for i in range(40) for word in ("good film", "bad plot")]
    >>> labels = ["+", "-"] * 40
    >>> labels[7] = "+"
    >>> found = find_label_errors(texts, labels)
    >>> found.suspects[0].beginning, found.suspects[0].label, found.suspects[0].better
    ('bad plot number 3', '+', '-')
    >>> print(f"{found.n_errors:.0f}")
    1 [0, 5]
    """
    if check_count("folds", folds) < 2:
        raise bad_option("folds", "an int >= 2", folds, "each document is judged by a model that has learned other folds.")
    check_seed(seed)
    categorizer = Categorizer(model="auto") if categorizer is None else categorizer
    if not isinstance(categorizer, Categorizer):
        raise bad_option("categorizer", "a Categorizer or None", categorizer, "it judges. Try Categorizer(model='auto').")
    beginnings = Beginnings()
    batches = list(beginnings.follow(open_batches(documents, labels)))
    first = _look(categorizer, batches, folds, seed)
    n_errors, weights = _doubt_labels(first)
    second = _look(categorizer, _weigh(batches, weights), folds, seed)
    predicted, log_own = _decide(first, second)
    suspects = Suspects.find(first.held.table.labels, first.held.codes, predicted, log_own, beginnings)
    scores = np.where(np.isfinite(log_own), np.exp(log_own), np.nan)
    return LabelErrors(suspects, _rank(log_own), scores, n_errors)


class Judge(NamedTuple):
    """Documents, and the scores of their labels by a model that has not learned them, documents × labels."""

    held: HeldDocuments
    scores: Floats

    def calibrate(self, method: str) -> Floats:
        """log P(label | document), documents × labels; -inf for documents of weight 0."""
        log_proba, documents = np.full_like(self.scores, -np.inf), self.held.find_weighted()
        log_proba[documents] = calibrate_held_out(self.held, self.scores, documents, method)
        return log_proba


class Look(NamedTuple):
    """The answers of one or two judges about held-out documents, judges × documents × labels."""

    held: HeldDocuments
    log_proba: Floats
    # By a temperature only. The other methods level off where a judge is sure, which hides wrong labels from `estimate_noise`.
    scaled: Floats

    @property
    def judged(self) -> Integers:
        """The documents whose own label is possible for all judges, in the order of fingerprints."""
        order = np.argsort(self.held.data.prints, kind="stable")
        own = self.log_proba[:, order, self.held.codes[order]]
        judged: Integers = order[np.isfinite(own.min(axis=0))]
        return judged


def _look(categorizer: Categorizer, batches: Sequence[Documents], folds: int, seed: int) -> Look:
    """Judge all documents by models that have not learned them. They are counted anew, with the weights of now."""
    options = categorizer._check_options()
    settings, data, state = categorizer._count_afresh(iter(batches), options, keep=True, keep_texts=False)
    _refuse_few(data)
    held = HeldDocuments.of(_use_all_folds(settings, folds, seed), state, data)
    judges = [*_judge_by_folds(held, folds, seed), _judge_by_counts(held)]
    log_proba, scaled = (np.stack([judge.calibrate(method) for judge in judges]) for method in ("auto", "temperature"))
    return Look(held, log_proba, scaled)


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


def _judge_by_folds(held: HeldDocuments, folds: int, seed: int) -> list[Judge]:
    """The model of the settings as a judge; none if it is a naive Bayes, or if a stack has fewer documents than folds."""
    model = held.settings.model
    if model.leaves_one_out:
        return []
    if not isinstance(model, StackModel):
        fold_of = assign_documents(held, min(folds, len(held.codes)), seed, "all")
        return [Judge(held, gather_scores(held, score_by_folds(held, fold_of, model.choose(held))))]
    stacked = model.train(held).held_out
    if stacked is None:
        return []
    return [Judge(held, gather_scores(held, iter([Scored(stacked.places, stacked.log_proba, 0)])))]


def _judge_by_counts(held: HeldDocuments) -> Judge:
    """A naive Bayes on the counts as a judge. Each document is left out with its copies."""
    leaves_one_out = held.settings.model.leaves_one_out
    counted = held if leaves_one_out else replace(held, settings=held.settings.for_counts())
    trained = counted.settings.model.choose(counted)
    return Judge(counted, gather_scores(counted, score_one_by_one(counted, "all", trained)))


def _doubt_labels(look: Look) -> tuple[Estimate, Floats]:
    """The number of wrong labels, and the weight that each document keeps: its own, times P(its label is not random)."""
    judged = look.judged
    noise = estimate_noise(look.scaled[:, judged], look.held.codes[judged])
    p_sound = np.ones(len(look.held.codes))
    p_sound[judged] = noise.p_sound
    own = to_numbers(look.held.data.units)
    n_errors = noise.n_errors if len(judged) >= FEWEST_DOCUMENTS else noise.n_errors.add_note(FEW)
    return n_errors, np.where(own > 0, np.maximum(own * p_sound, 1 / ONE), 0.0)


def _weigh(batches: Sequence[Documents], weights: Floats) -> list[Documents]:
    """The same documents with these weights."""
    ends = np.cumsum([len(batch.texts) for batch in batches])
    return [replace(batch, weights=part) for batch, part in zip(batches, np.split(weights, ends[:-1]), strict=True)]


def _decide(first: Look, second: Look) -> tuple[Integers, Floats]:
    """The most probable label of each document, and the log-probability of its own label: -inf if it is not judged."""
    codes, judged = first.held.codes, np.intersect1d(first.judged, second.judged)
    log_proba = np.concatenate([first.log_proba[:, judged], second.log_proba[:, judged]]).mean(axis=0)
    predicted, log_own = codes.copy(), np.full(len(codes), -np.inf)
    predicted[judged] = log_proba.argmax(axis=1)
    log_own[judged] = normalize_scores(log_proba)[np.arange(len(judged)), codes[judged]]
    return predicted, log_own


def _rank(log_own: Floats) -> Integers:
    """The positions, the least probable label first; ties in the order of the documents; impossible labels last."""
    return np.argsort(np.where(np.isfinite(log_own), log_own, np.inf), kind="stable")


def _describe(suspect: Suspect) -> dict[str, Any]:
    return suspect._asdict() | {"columns": dict(suspect.columns)}
