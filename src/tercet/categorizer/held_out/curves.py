"""Learning curve and smoothing curve: how good a categorizer becomes with more documents, or with another smoothing."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np

from tercet.arrays import Flags, Integers
from tercet.categorizer.categorizer import Categorizer
from tercet.categorizer.fitting import hold_afresh
from tercet.categorizer.held_out.held_out import HeldDocuments, leave_one_out
from tercet.categorizer.model.bayes_model import BayesModel, ChosenSmoothing
from tercet.counts.near_copies import group_copies
from tercet.data.document_batches import join_batches, open_batches
from tercet.data.documents import Documents
from tercet.errors import InvalidLabel, InvalidOption
from tercet.evaluation.intervals import Estimate, estimate_proportion
from tercet.evaluation.splits import split_documents
from tercet.models.smoothing import Additive
from tercet.options import is_int

MIN_SIZE, MAX_SIZES = 10, 8


class LearningCurve(NamedTuple):
    """The points that `tercet.figures.learning_curve(*curve)` draws."""

    sizes: list[int]
    estimates: list[Estimate]  # of the accuracy on the same held-out documents each time


def measure_learning_curve(
    categorizer: Categorizer,
    texts: Any,
    labels: Any = None,
    *,
    sizes: Sequence[int] | None = None,
    test: float = 0.2,
    seed: int = 0,
) -> LearningCurve:
    """The accuracy on a held-out share of the documents, with its interval, for each number of training documents.

    Texts and labels are given as for `fit`. By default the sizes double, up to all documents that are not held out. A smaller
    training set is part of each larger one. Copies of a text are all held out, or all not. An interval covers only the choice
    of the test documents, not the choice of the training documents. The categorizer need not be fitted, and is not changed.

    >>> texts = [f"{word} number {i}" for i in range(25) for word in ("good", "bad")]
    >>> curve = measure_learning_curve(Categorizer(), texts, ["+", "-"] * 25)
    >>> curve.sizes, [round(float(accuracy), 2) for accuracy in curve.estimates]
    ([10, 20, 40], [1.0, 1.0, 1.0])
    """
    documents = _gather(open_batches(texts, labels))
    split = split_documents(documents.labels, dev=0.0, test=test, seed=seed, groups=_group(documents.texts))
    order = np.random.default_rng(seed).permutation(split.train)
    tested = _take(documents, split.test)
    if not len(split.test):
        raise InvalidOption(f"test={test!r} of {len(order)} documents is no document: nothing can be measured. Hold out more.")
    chosen = _double(len(order)) if sizes is None else _check_sizes(sizes, len(order))
    return LearningCurve(chosen, [_measure_accuracy(categorizer, _take(documents, order[:size]), tested) for size in chosen])


def judge_by_parts(
    categorizer: Categorizer,
    texts: Any,
    labels: Any = None,
    *,
    shares: Sequence[float],
    n_folds: int = 5,
    most: int | None = None,
    unlabelled: Any = None,
) -> Flags:
    """Whether each document gets its own label, documents × shares: by a model of such a share of the documents of other folds.

    A smaller share is part of each larger one. Copies of a text are in one fold. `most` is how many documents are taken. Their
    order has no effect: the digests of the texts decide. `unlabelled` are those of `fit`. The categorizer is not changed.

    >>> texts = [f"{word} number {i}" for i in range(25) for word in ("good", "bad")]
    >>> judge_by_parts(Categorizer(), texts, ["+", "-"] * 25, shares=(0.5, 1.0)).mean(axis=0)
    array([1., 1.])
    """
    documents = _gather(open_batches(texts, labels))
    keys = [blake2b(text.encode("utf-8", "surrogatepass")).digest() for text in documents.texts]
    order = sorted(range(len(keys)), key=lambda index: (keys[index], str(documents.labels[index])))[:most]
    folds = np.unique([keys[index] for index in order], return_inverse=True)[1] % n_folds
    documents = _take(documents, np.array(order))
    is_right = np.zeros((len(order), len(shares)), np.bool_)
    for fold in range(n_folds):
        inside, rest = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
        for column, share in enumerate(shares):
            learned = _take(documents, rest[: max(1, round(share * len(rest)))])
            is_right[inside, column] = _judge(categorizer, learned, _take(documents, inside), unlabelled)
    return is_right


def _group(texts: Any) -> Integers | None:
    """A number for each text, equal for copies; None if no text has a copy."""
    groups = group_copies(texts)
    return groups if groups.max(initial=0) + 1 < len(groups) else None


def _measure_accuracy(categorizer: Categorizer, learned: Documents, tested: Documents) -> Estimate:
    return estimate_proportion(int(_judge(categorizer, learned, tested).sum()), len(tested.labels))


def _judge(categorizer: Categorizer, learned: Documents, tested: Documents, unlabelled: Any = None) -> Flags:
    """Which of the tested documents get their own label from a model of the learned ones."""
    fitted = type(categorizer)(**categorizer.get_params(deep=False)).fit(learned, unlabelled=unlabelled)
    return np.asarray(fitted.predict(tested) == np.asarray(tested.labels), np.bool_)


def _double(most: int) -> list[int]:
    """
    >>> _double(100), _double(7)
    ([12, 25, 50, 100], [7])
    """
    halves = [most >> k for k in range(MAX_SIZES) if k == 0 or most >> k >= MIN_SIZE]
    return halves[::-1]


def _check_sizes(sizes: Sequence[int], most: int) -> list[int]:
    bad = [size for size in sizes if not is_int(size) or not 0 < size <= most]
    if bad or not len(sizes):
        got = repr(bad[0]) if bad else "none"
        raise InvalidOption(f"sizes must be whole numbers from 1 to {most} (the documents that are not held out), got {got}.")
    return [int(size) for size in sizes]


def _gather(batches: Iterable[Documents]) -> Documents:
    """All batches joined into one."""
    parts = list(batches)
    if not parts or any(part.labels is None for part in parts):
        raise InvalidLabel("there are no documents with labels, so there is nothing to learn: give texts and their labels.")
    return join_batches(parts)


def _take(documents: Documents, indices: Integers) -> Documents:
    """The documents at these indices."""

    def pick(values: Any) -> Any:
        return None if values is None else [values[index] for index in indices]

    columns = {name: pick(values) for name, values in documents.columns.items()}
    picked = {name: pick(getattr(documents, name)) for name in ("texts", "labels", "weights")}
    return replace(documents, **picked, columns=columns)


VALUES = (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)


class SmoothingCurve(NamedTuple):
    """The points that `tercet.figures.smoothing_curve(*curve)` draws."""

    values: list[float]  # ε, added to each count
    log_likelihoods: list[float]  # mean of log P(own label), in which a label with n documents has the weight √n
    accuracies: list[Estimate]


def measure_smoothing_curve(
    categorizer: Categorizer, texts: Any, labels: Any = None, sample_weight: Any = None, *, values: Sequence[float] = VALUES
) -> SmoothingCurve:
    """For each ε, the mean log-likelihood of the documents' own labels, and the accuracy, both by leave-one-out.

    `smoothing="auto"` compares the same likelihood: of up to 2,000 documents, with scores that are first multiplied by their
    best factor. A label with n documents has the weight √n, so that rare labels count, too. The
    categorizer need not be fitted, and is not changed.

    >>> curve = measure_smoothing_curve(Categorizer(), ["so good", "so bad"] * 9, ["+", "-"] * 9, values=[0.1, 1.0])
    >>> curve.values, [float(accuracy) for accuracy in curve.accuracies]
    ([0.1, 1.0], [1.0, 1.0])
    """
    model, smoothings = categorizer.check_options().settings.model, [Additive(value) for value in values]
    if not isinstance(model, BayesModel):
        raise InvalidOption(
            f"a smoothing curve needs a NaiveBayes, got {type(model.estimator).__name__}: only NaiveBayes has these smoothings."
        )
    held = hold_afresh(categorizer.check_options(), open_batches(texts, labels, sample_weight))
    likelihoods = model.measure_smoothings(held, smoothings).tolist()
    accuracies = [_measure_smoothing(held, smoothing) for smoothing in smoothings]
    return SmoothingCurve([smoothing.value for smoothing in smoothings], likelihoods, accuracies)


def _measure_smoothing(held: HeldDocuments, smoothing: Additive) -> Estimate:
    answers = leave_one_out(held, "own", ChosenSmoothing(smoothing))
    return estimate_proportion(int((answers.predicted == answers.gold).sum()), len(answers.gold))
