"""From raw texts to the figures of the textbooks."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.labelled_documents import assert_close

from tercet import Analyzer, Categorizer, NaiveBayes
from tercet.errors import InvalidOption, InvalidText

Rows = Callable[[str], list[dict[str, str]]]


def test_the_textbook_example() -> None:
    """Three negative and two positive reviews, add-one: 6.1e-5 against 3.3e-5, `with` unknown."""
    texts = ["just plain boring", "entirely predictable and lacks energy", "no surprises and very few laughs"]
    texts += ["very powerful", "the most fun film of the summer"]
    model = Categorizer("words", NaiveBayes(smoothing=1.0)).fit(texts, list("---++"))
    asked = ["predictable with no fun"]
    assert_close(np.exp(model.log_joint(asked)), [[2 / 5 * 2 / 29**3, 3 / 5 * 4 / 34**3]])
    assert np.exp(model.log_joint(asked)).round(6).tolist() == [[3.3e-05, 6.1e-05]]
    assert_close(np.exp(model.log_likelihood(asked)), [[2 / 29**3, 4 / 34**3]])
    assert model.predict(asked).tolist() == ["-"]
    assert model.explain(asked[0]).unknown == ("with",)


def test_the_probabilities_of_a_word_are_those_of_bayes_rule() -> None:
    """The same reviews: `very` is 1 of 14 + 20 and 1 of 9 + 20 words, so 2/34 and 2/29."""
    texts = ["just plain boring", "entirely predictable and lacks energy", "no surprises and very few laughs"]
    texts += ["very powerful", "the most fun film of the summer"]
    for recipe in (Analyzer.preset("words"), Analyzer.preset("words", char_ngrams=(2, 3))):
        model = Categorizer(recipe, NaiveBayes(smoothing=1.0)).fit(texts, list("---++"))
        found = model.word_probabilities("VERY")
        assert (found.word, found.labels) == ("very", ["+", "-"])
        assert_close(found.prior, [2 / 5, 3 / 5])
        joint = found.prior * found.likelihood
        assert_close(found.posterior, joint / joint.sum())
    model = Categorizer("words", NaiveBayes(smoothing=1.0)).fit(texts, list("---++"))
    assert_close(model.word_probabilities("very").likelihood, [2 / 29, 2 / 34])
    assert_close(model.word_probabilities("very").posterior[None], model.predict_proba(["very"]))
    given = Categorizer.from_probabilities(["+", "-"], ["very"], [[2 / 29], [2 / 34]], [2 / 5, 3 / 5])
    for ours, theirs in zip(model.word_probabilities("very")[2:], given.word_probabilities("Very")[2:], strict=True):
        assert_close(ours, theirs)
    for text, words in {"powerful film": "is 2 terms", "": "is 0 terms", "unheard": "does not know the word"}.items():
        with pytest.raises(InvalidText, match=words):
            model.word_probabilities(text)
    with pytest.raises(InvalidOption, match="bernoulli is not a language model"):
        Categorizer("words", NaiveBayes("bernoulli")).fit(texts, list("---++")).word_probabilities("very")


def test_the_parameters_of_categorical_sequences_are_found() -> None:
    """Two kinds of sequences over four symbols: the estimates lie within sampling error of what they were drawn with."""
    shares = {"even": (0.20, 0.20, 0.35, 0.25), "odd": (0.35, 0.20, 0.20, 0.25)}
    rng = np.random.default_rng(0)
    texts = {label: " ".join(rng.choice(["a", "b", "c", "d"], 1000, p=p)) for label, p in shares.items()}
    model = Categorizer("words", NaiveBayes(smoothing=0.0)).fit(list(texts.values()), list(texts))
    estimates = np.exp(model.log_likelihood(["a", "b", "c", "d"])).T
    for estimate, share in zip(estimates, shares.values(), strict=True):
        p = np.array(share)
        assert (abs(estimate - p) < 3 * np.sqrt(p * (1 - p) / 1000)).all()
        assert_close(estimate.sum(), 1.0)
    counts = [[text.split().count(symbol) for symbol in "abcd"] for text in texts.values()]
    assert_close(estimates, np.array(counts) / 1000)
    assert model.predict(["c c a", "a a c"]).tolist() == ["even", "odd"]


def test_the_poem(corpus: Rows) -> None:
    train, test = corpus("poem/train"), corpus("poem/test")
    model = Categorizer("sklearn", NaiveBayes(smoothing=1.0)).fit(
        [row["text"] for row in train], [row["label"] for row in train]
    )
    posterior = model.predict_proba([row["text"] for row in test])[:, 0]
    assert posterior.round(8).tolist() == [0.97215134, 0.90261594, 0.02876761, 0.02173201, 0.81322712, 0.9251394]


LABELS = ["inferno", "purgatorio", "paradiso"]
PAIRS = {  # retrained with 0.001 and rows kept, then retrained with 1 and rows kept
    ("inferno", "paradiso"): (74.56, 74.56, 80.42, 80.30),
    ("inferno", "purgatorio"): (61.97, 61.97, 68.20, 68.33),
    ("purgatorio", "paradiso"): (65.05, 65.05, 68.78, 68.53),
}


class Dante:
    """The published exercise: whitespace tokens, UTF-8 read as Latin-1, uniform prior."""

    def __init__(self, corpus: Rows) -> None:
        train, test = corpus("dante/train"), corpus("dante/test")
        self.y, self.gold = (np.array([row["label"] for row in rows]) for rows in (train, test))
        self.train, self.test = (np.array([row["text_latin1"] for row in rows], object) for rows in (train, test))

    def fit(self, smoothing: float, labels: list[str]) -> Categorizer:
        of_these = np.isin(self.y, labels)
        model = Categorizer("whitespace", NaiveBayes(smoothing=smoothing, prior="uniform"))
        return model.fit(self.train[of_these], self.y[of_these])

    def percent(self, model: Any) -> tuple[list[float], float]:
        """Right answers of each label, as LABELS has them, and of all, among texts of labels that the model knows."""
        asked = np.isin(self.gold, model.classes_)
        right, gold = model.predict(self.test[asked]) == self.gold[asked], self.gold[asked]
        each = [round(100 * right[gold == label].mean(), 2) for label in LABELS if label in gold]
        return each, round(100 * right.mean(), 2)


@pytest.fixture(scope="module")
def dante(corpus: Rows) -> Dante:
    return Dante(corpus)


@pytest.mark.parametrize(
    ("smoothing", "expected"), [(0.001, ([52.50, 47.51, 57.21], 52.41)), (1.0, ([61.25, 50.50, 63.68], 58.47))]
)
def test_dante_between_three_labels(dante: Dante, smoothing: float, expected: Any) -> None:
    model = dante.fit(smoothing, LABELS)
    assert dante.percent(model) == expected
    assert dante.percent(model.compact()) == expected
    # By its canticas, one after the other, and with a fourth that is forgotten again.
    parts = [dante.fit(smoothing, [label]) for label in LABELS]
    assert dante.percent(parts[1] + parts[2] + parts[0]) == expected
    assert (
        dante.percent(model.learn(dante.test, ["vita nova"] * len(dante.test)).forget(dante.test, ["vita nova"] * 1204))
        == expected
    )


@pytest.mark.parametrize("pair", PAIRS)
def test_dante_between_two_labels(dante: Dante, pair: tuple[str, str]) -> None:
    figures = []
    for smoothing in (0.001, 1.0):
        retrained, kept = dante.fit(smoothing, list(pair)), dante.fit(smoothing, LABELS).restrict(pair)
        figures += [dante.percent(retrained)[1], dante.percent(kept)[1]]
    assert tuple(figures) == PAIRS[pair]
