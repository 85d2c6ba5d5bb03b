"""Probable label errors: all documents ranked by the held-out probability of their label, and how many labels are wrong.

First a naive Bayes on the counts judges all labels, by leave-one-out. It estimates how many are wrong, and which probably are.
These labels then have less weight in training, so that they mislead less. Two judges look at the result: the same naive Bayes,
and the model in folds. Documents are ranked by the mean of their log-probabilities. No judge has learned what it judges.

The number of errors is estimated twice. Before the weights, wrong labels mislead the judge, which then finds too many errors.
With the weights it may find too few, because a label has a small say in the weights of the documents that judge it. The result
is the mean, and its interval encloses both intervals.

Each estimate is the label noise: how many labels look as if they were drawn at random, from the scores of held-out documents.

    P(given label) = (1 - doubt) · softmax(factor · size ^ power · score + offset of the label) + doubt / labels

A document between two labels is explained by the softmax: its probabilities are even. A label that is improbable although the
scores are far apart needs the doubt. Random labels raise the doubt by about their share: exactly, if the softmax is the true
model. The size makes it truer: scores that are sums over terms are too sure for long documents, and a judge that is sure and
wrong looks like a wrong label.
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
from tercet.categorizer.held_out.suspects import Suspect, Suspects
from tercet.categorizer.model.stack_model import StackModel
from tercet.categorizer.settings import Settings
from tercet.counts.training_data import TrainingData
from tercet.data.document_batches import Beginnings, open_batches
from tercet.errors import InvalidLabel, bad_option
from tercet.evaluation.intervals import Estimate
from tercet.kernel.calibration.minimizer import minimize
from tercet.models.classifier import normalize_scores
from tercet.models.stack import Stack
from tercet.options import check_count, check_seed
from tercet.report.forms import simplify, write_columns
from tercet.report.tables import pluralize
from tercet.report.training_summary import list_suspects

CONFIDENCE = 0.95
MIN_SCORE = -50.0  # scores below the best label's are cut here, in units of their mean: an impossible label stays finite
STARTS = (-5.0, -2.0)  # log-odds of the doubt: the likelihood may have two maxima
NO_DOUBT, ALL_DOUBT = -16.0, 7.0  # log-odds
FACTOR, POWER, DOUBT, OFFSETS = 0, 1, 2, 3  # the indices of the parameters: log factor, power, log-odds of the doubt
TOLERANCE, MAX_STEPS = 1e-6, 500
METHOD = "profile_likelihood"


@dataclass(frozen=True, eq=False)
class LabelNoise:
    """The noise that explains the labels of documents best."""

    loss: "NoiseLoss"
    parameters: Floats

    @classmethod
    def fit(cls, scores: Floats, codes: Integers, sizes: Integers | None = None) -> "LabelNoise":
        """The noise among documents with these labels. Each document counts once.

        `scores` are log-probabilities up to a factor, documents × labels, by a judge that has not learned the document. `codes`
        has the position of each document's label, and `sizes` the number of its terms; without sizes all are equal. Sums go by
        the order of the documents.

        >>> leads = np.linspace(-9, 9, 1000)
        >>> scores, codes = np.column_stack([-leads, leads]), (leads > 0).astype(int)
        >>> print(f"{LabelNoise.fit(scores, codes).count_errors():.0f}")
        0 [0, 2]
        >>> codes[::10] = 1 - codes[::10]  # 100 wrong labels
        >>> print(f"{LabelNoise.fit(scores, codes).count_errors():.0f}")
        99 [81, 119]
        """
        loss = NoiseLoss(scores, codes, np.ones(len(codes)) if sizes is None else sizes)
        return cls(loss, min((_minimize(loss, loss.guess(start)) for start in STARTS), key=lambda found: loss(found)[0]))

    @property
    def p_sound(self) -> Floats:
        """The probability that the label of each document is not random."""
        return self.loss.compute_soundness(self.parameters)

    @property
    def log_proba(self) -> Floats:
        """log P(label | text) without the doubt, documents × labels."""
        return self.loss.judge(self.parameters)

    def count_errors(self) -> Estimate:
        """The number of wrong labels, with an interval of 95 %. A random label is wrong in (labels - 1) / labels of all cases.

        The interval has all numbers that a likelihood ratio test would not reject, rounded outwards.
        """
        odds = _compute_bounds(self.loss, self.parameters, CONFIDENCE)
        most = self.loss.n_documents * (1 - 1 / self.loss.n_labels)
        low, value, high = (most * _to_share(each) for each in odds)
        return Estimate(float(round(value)), float(np.floor(low)), float(np.ceil(high)), CONFIDENCE, METHOD)


def join_estimates(first: Estimate, second: Estimate) -> Estimate:
    """The mean of two estimates of a number, with the smallest interval that has both intervals inside. Halves are rounded up.

    >>> print(f"{join_estimates(Estimate(4.0, 1.0, 8.0, 0.95, METHOD), Estimate(5.0, 3.0, 9.0, 0.95, METHOD)):.0f}")
    5 [1, 9]
    """
    value = float(np.floor((first.value + second.value + 1) / 2))
    return replace(first, value=value, low=min(first.low, second.low), high=max(first.high, second.high))


class NoiseLoss:
    """The mean of -log P(given label), with a weak pull of the power and of the offsets to 0, and its derivatives."""

    def __init__(self, scores: Floats, codes: Integers, sizes: Floats | Integers) -> None:
        shifted = scores - scores.max(axis=1, keepdims=True)
        is_possible = np.isfinite(shifted)
        unit = -shifted.mean(where=is_possible) or 1.0
        self._scores = np.maximum(np.where(is_possible, shifted / unit, MIN_SCORE), MIN_SCORE)
        log_sizes = np.log(np.maximum(sizes, 1.0))
        self._sizes = log_sizes - log_sizes.mean()
        self._codes, self._documents = codes, np.arange(len(codes))
        self.n_documents, self.n_labels = scores.shape
        self._pull = np.ones(OFFSETS + self.n_labels) / self.n_documents
        self._pull[[FACTOR, DOUBT]] = 0

    def guess(self, odds: float) -> Floats:
        """Parameters to start from, with this log-odds of the doubt."""
        return np.concatenate([[0.0, 0.0, odds], np.zeros(self.n_labels)])

    def bound(self, odds: float | None = None) -> tuple[Floats, Floats]:
        """The lowest and the highest parameters; with `odds` the doubt is fixed."""
        low, high = (NO_DOUBT, ALL_DOUBT) if odds is None else (odds, odds)
        free = np.full(self.n_labels, np.inf)
        return np.concatenate([[-9.0, -1.0, low], -free]), np.concatenate([[9.0, 1.0, high], free])

    def __call__(self, parameters: Floats) -> tuple[float, Floats]:
        doubt, scaled = _to_share(parameters[DOUBT]), self._scale(parameters)
        by_text = np.exp(_normalize(scaled + parameters[OFFSETS:]))
        own = by_text[self._documents, self._codes]
        given = self._add_doubt(own, doubt)
        # Derivatives of the loss by the scores in the softmax, first for the other labels, then for the given one.
        slopes = by_text * ((1 - doubt) * own / given / self.n_documents)[:, None]
        slopes[self._documents, self._codes] -= slopes.sum(axis=1)
        by_factor = np.einsum("dl,dl->d", scaled, slopes)
        by_doubt = ((own - 1 / self.n_labels) / given).mean() * doubt * (1 - doubt)
        gradient = np.concatenate([[by_factor.sum(), (by_factor * self._sizes).sum(), by_doubt], slopes.sum(axis=0)])
        value = (self._pull * parameters**2).sum() - np.log(given).mean()
        return float(value), gradient + 2 * self._pull * parameters

    def judge(self, parameters: Floats) -> Floats:
        """log P(label | text), documents × labels."""
        return _normalize(self._scale(parameters) + parameters[OFFSETS:])

    def compute_soundness(self, parameters: Floats) -> Floats:
        """The probability that the label of each document is not random."""
        doubt = _to_share(parameters[DOUBT])
        own = np.exp(self.judge(parameters)[self._documents, self._codes])
        return np.asarray((1 - doubt) * own / self._add_doubt(own, doubt), np.float64)

    def _scale(self, parameters: Floats) -> Floats:
        factors = np.exp(parameters[FACTOR] + parameters[POWER] * self._sizes)
        return np.asarray(factors[:, None] * self._scores, np.float64)

    def _add_doubt(self, own: Floats, doubt: float) -> Floats:
        return np.asarray((1 - doubt) * own + doubt / self.n_labels, np.float64)


def _normalize(scores: Floats) -> Floats:
    """
    >>> np.exp(_normalize(np.array([[800.0, 800.0]])))
    array([[0.5, 0.5]])
    """
    shifted = scores - scores.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)), np.float64)


def _compute_bounds(loss: NoiseLoss, best: Floats, confidence: float) -> tuple[float, float, float]:
    """The log-odds of the doubt: the lowest that is not rejected, the best, and the highest that is not rejected."""
    from scipy.optimize import brentq  # on first use: import tercet stays quick
    from scipy.special import chdtri

    odds, least = float(best[DOUBT]), loss(best)[0]
    allowed = np.sqrt(chdtri(1, 1 - confidence) / 2 / loss.n_documents)

    def exceed(fixed: float) -> float:
        # The root is nearly linear in the log-odds, so that few steps find where it is 0.
        return float(np.sqrt(max(loss(_minimize(loss, best, fixed))[0] - least, 0.0)) - allowed)

    def search(step: float, end: float, beyond: float) -> float:
        inside, outside = odds, odds
        while exceed(outside := float(np.clip(outside + step, NO_DOUBT, ALL_DOUBT))) <= 0:
            if outside == end:
                return beyond
            inside, step = outside, 2 * step
        return float(brentq(exceed, inside, outside, xtol=0.01))

    return search(-0.5, NO_DOUBT, -np.inf), odds if odds > NO_DOUBT else -np.inf, search(0.5, ALL_DOUBT, np.inf)


def _minimize(loss: NoiseLoss, start: Floats, odds: float | None = None) -> Floats:
    # That of scipy spends most of its time in threads that wait for each other.
    return minimize(loss, *loss.bound(odds), start, TOLERANCE, MAX_STEPS)


def _to_share(odds: float) -> float:
    """
    >>> _to_share(0.0)
    0.5
    """
    return float(1 / (1 + np.exp(-odds)))


NOTE = "Ambiguous documents count, too: no model can tell a text that reads like another label from a text with a wrong label."
MIN_DOCUMENTS = 500
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
    p_sound = np.ones(len(own))
    p_sound[judged] = noise.p_sound
    weights = np.where(own > 0, np.maximum(np.rint(own * p_sound), 1), 0).astype(np.int64)
    return Doubted(noise.count_errors(), weights)


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
    leaves_one_out = held.settings.model.leaves_one_out
    counted = held if leaves_one_out else replace(held, settings=held.settings.for_counts())
    trained = counted.settings.model.choose(counted)
    return gather_scores(counted, score_one_by_one(counted, "all", trained))


def _score_by_model(held: HeldDocuments, folds: int, seed: int) -> list[Floats]:
    """The scores of the model, which is trained once for each fold.

    None if the model is a naive Bayes, or if a stack has fewer documents than folds.
    """
    model = held.settings.model
    if model.leaves_one_out:
        return []
    if not isinstance(model, StackModel):
        fold_of = assign_documents(held, min(folds, len(held.codes)), seed, "all")
        return [gather_scores(held, score_by_folds(held, fold_of, model.choose(held)))]
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
