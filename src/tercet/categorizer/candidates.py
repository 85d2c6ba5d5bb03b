"""The candidates of `tercet.tune`: recipes × models × calibration, the simplest first."""

from collections.abc import Iterator
from typing import Any

from tercet.categorizer.categorizer import Categorizer
from tercet.models.linear_svm import LinearSVM
from tercet.models.logistic_regression import LogisticRegression
from tercet.models.naive_bayes import NaiveBayes
from tercet.models.nbsvm import NBSVM
from tercet.text.analyzer import Analyzer

WORDS, PAIRS, MARKS = "words", "words 1-2", "words and marks 1-2"
CHARACTERS = "words and marks 1-2, characters 2-5"
NOT_CALIBRATED = ", not calibrated"

# The order is that of simplicity: naive Bayes only counts; margins are trained; `auto` combines several margins.
CANDIDATES: tuple[tuple[str, type | None, dict[str, Any], tuple[str, ...]], ...] = (
    ("naive Bayes", NaiveBayes, {}, (WORDS, PAIRS, MARKS, "sentiment", "spam", "tweets")),
    ("linear SVM", LinearSVM, {}, (MARKS, "sentiment")),
    ("logistic regression", LogisticRegression, {}, (MARKS,)),
    ("NB-SVM", NBSVM, {}, (MARKS, "sentiment")),
    ("NB-SVM", NBSVM, {"C": 0.1}, (CHARACTERS,)),  # many terms of a document say the same, so each should say less
    ("auto", None, {}, (MARKS, "sentiment", "spam")),
)


def list_candidates(threads: int | None = None) -> dict[str, Categorizer]:
    """The candidates by their names, the simplest first. A calibrated one comes before the same without calibration.

    >>> list(list_candidates())[:3]
    ['naive Bayes, words', 'naive Bayes, words, not calibrated', 'naive Bayes, words 1-2']
    """
    return dict(_make_candidates(threads))


def _make_candidates(threads: int | None) -> Iterator[tuple[str, Categorizer]]:
    for name, kind, options, recipes in CANDIDATES:
        for recipe in recipes:
            model = "auto" if kind is None else kind(**options)
            yield f"{name}, {recipe}", Categorizer(make_recipe(recipe), model, calibrate="auto", threads=threads)
            if kind is not None:  # `auto` is calibrated by the way it is combined
                yield f"{name}, {recipe}{NOT_CALIBRATED}", Categorizer(make_recipe(recipe), kind(**options), threads=threads)


def make_recipe(name: str) -> Analyzer:
    """The analyzer of this name: one of the recipes above, or a preset."""
    marks: dict[str, Any] = {"tokens": "words_and_marks", "word_ngrams": (1, 2)}
    own: dict[str, dict[str, Any]] = {
        PAIRS: {"word_ngrams": (1, 2)},
        MARKS: marks,
        CHARACTERS: marks | {"char_ngrams": (2, 5), "char_ngrams_over": "words"},
    }
    return Analyzer(**own[name]) if name in own else Analyzer.preset(name)
