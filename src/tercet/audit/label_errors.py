"""Probable label errors: all documents ranked by the held-out probability of their label, and how many labels are wrong.

Each document is judged twice without itself and its copies: by the model in folds, and by a naive Bayes on the counts, left out
alone. A first look estimates how many labels are wrong, and which ones probably are. For a second look these labels have
less weight in training, so that they mislead the judges less. The mean of all log-probabilities ranks.
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
        said = f"probable label errors: {self.n_errors:.0f} of {judged}\n{self.note}"
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
    log_proba = normalize_scores(np.concatenate([first.log_proba, second.log_proba]).mean(axis=0))
    held, judged = first.held, np.intersect1d(first.judged, second.judged)
    log_own = np.full(len(held.codes), -np.inf)
    log_own[judged] = log_proba[judged, held.codes[judged]]
    suspects = Suspects.find(held.table.labels, held.codes, log_proba.argmax(axis=1), log_own, beginnings)
    scores = np.where(np.isfinite(log_own), np.exp(log_own), np.nan)
    return LabelErrors(suspects, _rank(log_own), scores, n_errors)


class Look(NamedTuple):
    """The answers of the judges about held-out documents."""

    held: HeldDocuments
    log_proba: Floats  # judges × documents × labels
    judged: Integers  # the documents that have an answer about their own label, in the order of fingerprints


def _look(categorizer: Categorizer, batches: Sequence[Documents], folds: int, seed: int) -> Look:
    """Judge all documents by models that have not learned them. They are counted anew, with the weights of now."""
    options = categorizer._check_options()
    settings, data, state = categorizer._count_afresh(iter(batches), options, keep=True, keep_texts=False)
    _refuse_few(data)
    held = HeldDocuments.of(_use_all_folds(settings, folds, seed), state, data)
    documents = held.find_weighted()
    judges = [judge for judge in (_judge(held, documents, folds, seed), _judge_by_counts(held, documents)) if judge is not None]
    log_proba = np.full((len(judges), len(held.codes), len(held.table.labels)), -np.inf)
    log_proba[:, documents] = judges
    is_judged = np.isfinite(log_proba[:, np.arange(len(held.codes)), held.codes]).all(axis=0)
    order = np.argsort(data.prints, kind="stable")
    return Look(held, log_proba, order[is_judged[order]])


def _refuse_few(data: TrainingData) -> None:
    """Raise InvalidLabel unless two labels have two different texts each: held-out documents could not be judged."""
    weighted = np.arange(len(data.codes)) if data.weights is None else np.flatnonzero(data.weights > 0)
    texts = number_rows(data.texts[weighted])[1]
    pairs, _ = number_rows(np.column_stack([data.codes[weighted], texts]))
    n_usable = int((np.bincount(pairs[:, 0]) > 1).sum())
    if n_usable < 2:
        raise InvalidLabel(
            f"{pluralize(n_usable, 'label')} of {len(np.unique(data.codes))} have at least two different texts, and two such "
            "labels are needed: each document is judged by the others. Give more documents of each label."
        )


def _use_all_folds(settings: Settings, folds: int, seed: int) -> Settings:
    """The settings with a stack that holds out each document once. Other models do not change."""
    stack = settings.model.estimator
    if not isinstance(stack, Stack):
        return settings
    return settings.with_model(Stack(stack.members, folds=folds, used_folds=folds, seed=seed))


def _judge(held: HeldDocuments, documents: Integers, folds: int, seed: int) -> Floats | None:
    """log P(label | document) by the model of the settings; None if a naive Bayes does the same, or has to do it alone."""
    model = held.settings.model
    if model.leaves_one_out:
        return None
    if not isinstance(model, StackModel):
        fold_of = assign_documents(held, min(folds, len(held.codes)), seed, "all")
        scores = gather_scores(held, score_by_folds(held, fold_of, model.choose(held)))
        return calibrate_held_out(held, scores, documents, "auto")
    trained = model.train(held)
    if trained.held_out is None:  # there are fewer documents than folds
        return None
    answers = trained.held_out.log_proba[np.argsort(trained.held_out.places)]
    return np.asarray(answers, np.float64)


def _judge_by_counts(held: HeldDocuments, documents: Integers) -> Floats:
    """log P(label | document) by a naive Bayes on the counts, each document left out with its copies."""
    model = held.settings.model
    counted = held if model.leaves_one_out else replace(held, settings=held.settings.for_counts())
    scores = gather_scores(counted, score_one_by_one(counted, "all", counted.settings.model.choose(counted)))
    return calibrate_held_out(counted, scores, documents, "auto")


def _doubt_labels(look: Look) -> tuple[Estimate, Floats]:
    """The number of wrong labels, and the weight that each document keeps: its own, times P(its label is not random)."""
    noise = estimate_noise(look.log_proba[:, look.judged], look.held.codes[look.judged])
    p_sound = np.ones(len(look.held.codes))
    p_sound[look.judged] = noise.p_sound
    own = to_numbers(look.held.data.units)
    return noise.n_errors, np.where(own > 0, np.maximum(own * p_sound, 1 / ONE), 0.0)


def _weigh(batches: Sequence[Documents], weights: Floats) -> list[Documents]:
    """The same documents with these weights."""
    ends = np.cumsum([len(batch.texts) for batch in batches])
    return [replace(batch, weights=part) for batch, part in zip(batches, np.split(weights, ends[:-1]), strict=True)]


def _rank(log_own: Floats) -> Integers:
    """The positions, the least probable label first; ties in the order of the documents; impossible labels last."""
    return np.argsort(np.where(np.isfinite(log_own), log_own, np.inf), kind="stable")


def _describe(suspect: Suspect) -> dict[str, Any]:
    return suspect._asdict() | {"columns": dict(suspect.columns)}
