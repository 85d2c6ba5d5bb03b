"""Any value in the place of any argument is an error of tercet, or works. Python's own errors would say nothing."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tercet
from tercet import Additive, Categorizer, DocumentIndex, GaussianBayes, NaiveBayes, Rule, WithoutMostFrequent
from tercet.errors import TercetError

TEXTS, LABELS = ["so good", "so bad", "good", "bad day"], ["p", "n", "p", "n"]
GIVEN = {"labels": ["p", "n"], "terms": ["a", "b"], "matrix": [[0.5, 0.5], [0.2, 0.8]], "prior": [0.5, 0.5]}
NORMALS = {"labels": ["p", "n"], "means": [1.0, 2.0], "covariances": [1.0, 2.0], "prior": [0.5, 0.5]}

ODD = [
    None, math.nan, -math.inf, -1, 0, 10**400, -(10**400), True, "", "x", "\ud800", "a\x1fb", b"x", [], [[]], {}, set(), [None],
    [1, "1"], [1, True], [[1, 2], [3]], object(), object, len, np.array([]), np.array(3), np.array([[1]]),
    np.array([1.0, math.nan]), np.datetime64("2020"), 1j, range(3), slice(1), ["good", "good"], {"p": 1}, {1: 0.5}, 0.5,
]  # fmt: skip


def fit() -> Categorizer:
    return Categorizer("words", NaiveBayes("multinomial")).fit(TEXTS, LABELS)


def evaluate(**options: Any) -> Any:
    return tercet.evaluate(LABELS, LABELS[::-1], **{"resamples": 20, **options})


def compare(**options: Any) -> Any:
    return tercet.compare(LABELS, {"a": LABELS, "b": LABELS[::-1]}, **{"resamples": 20, **options})


def hold_out(**options: Any) -> Any:
    return Categorizer("words").cross_validate(TEXTS, LABELS, **{"folds": 2, **options})


def fit_with(**options: Any) -> Any:
    return Categorizer("words", **options).fit(TEXTS, LABELS).predict(TEXTS)


def by_name(function: Callable[..., Any], *names: str) -> list[Callable[[Any], Any]]:
    """Calls of the function with one named argument."""
    return [lambda value, name=name: function(**{name: value}) for name in names]


CALLS: dict[str, list[Callable[[Any], Any]]] = {
    "parameters": [
        *by_name(lambda **options: repr(fit().parameters(**options)), "label", "terms", "top"),
        *by_name(lambda **o: repr(NaiveBayes().fit([[1, 2], [2, 0]], ["x", "y"]).parameters(**o)), "names", "terms"),
        lambda value: fit().table_[value, "p"],
        lambda value: fit().table_["good", value],
        lambda value: fit().word_probabilities(value),
    ],
    "explain": by_name(lambda **o: fit().explain(**{"text": "good", "arithmetic": True, **o}), "text", "label", "against"),
    "evidence": [lambda value: fit().evidence(value), lambda value: GaussianBayes.from_parameters(**NORMALS).evidence(value)],
    "given": [
        *by_name(lambda **options: NaiveBayes.from_probabilities(**{**GIVEN, **options}), *GIVEN, "kind"),
        *by_name(lambda **options: Categorizer.from_probabilities(**{**GIVEN, **options}), *GIVEN, "kind", "analyzer"),
        *by_name(lambda **options: GaussianBayes.from_parameters(**{**NORMALS, **options}), *NORMALS, "covariance"),
    ],
    "sample": [
        *by_name(lambda **options: fit().sample(**{"n": 2, **options}), "n", "seed", "label", "n_words"),
        *by_name(lambda **o: GaussianBayes.from_parameters(**NORMALS).sample(**{"n": 2, **o}), "n", "seed", "label"),
        *by_name(lambda **o: NaiveBayes.from_probabilities(**GIVEN).sample(**{"n": 2, "n_words": 2, **o}), "n", "label"),
        *by_name(lambda **options: fit().generate(**options), "label", "n_words", "seed"),
    ],
    "split": by_name(
        lambda **o: tercet.split(**{"documents": TEXTS, "labels": LABELS, **o}),
        *("documents", "labels", "test", "dev", "every", "stratify", "groups", "copies", "seed"),
    ),
    "folds": by_name(hold_out, "folds", "seed", "copies", "stratified"),
    "evaluate": by_name(evaluate, "interval", "metrics", "confidence", "resamples", "labels", "slices", "groups", "weights"),
    "compare": by_name(compare, "metric", "test", "baseline", "confidence", "resamples", "groups", "weights"),
    "function metric": [lambda value: evaluate(metrics=[lambda gold, predicted: value])],
    "smoothing": [
        lambda value: Additive(value),
        lambda value: Additive(per_term=value),
        lambda value: Additive(per_term={"good": value}),
        lambda value: fit_with(model=NaiveBayes("multinomial", value)),
    ],
    "rules": [
        lambda value: fit_with(rules=value),
        lambda value: fit_with(rules=[value]),
        lambda value: fit_with(rules=[("so", value)]),
        lambda value: Rule(value, "p"),
        lambda value: Rule("so", "p", value),
    ],
    "words": [
        lambda value: WithoutMostFrequent(1, keep=value),
        lambda value: tercet.Analyzer(stop_words=value),
        lambda value: tercet.Analyzer(lemmas=value),
        lambda value: tercet.Analyzer(lexicon=value),
        lambda value: tercet.Analyzer().tags(value),
    ],
    "nearest": [lambda value: DocumentIndex().fit(TEXTS).nearest(value)],
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("what", CALLS)
def test_an_odd_value_is_an_error_of_tercet_or_works(what: str) -> None:
    for call in CALLS[what]:
        for value in ODD:
            try:
                call(value)
            except TercetError:
                pass
            except Exception as error:
                raise AssertionError(f"{value!a:.100} in {call}") from error
