"""Labelled documents that can be invented, and what two categorizers must have in common to be the same."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from helpers.invented_texts import texts as odd_texts
from hypothesis import settings
from hypothesis import strategies as st

from tercet import Categorizer, Documents, NaiveBayes
from tercet.categorizer.fitting import hold_afresh
from tercet.categorizer.held_out.held_out import assign_documents
from tercet.data.document_batches import open_batches
from tercet.models.smoothing import AbsoluteDiscount, Additive, Dirichlet, JelinekMercer

ONE = 1 << 20  # weights are whole numbers of 1 / ONE

# Few words, so that documents share them; some are one word in two spellings.
WORDS = ["the", "hen", "Hen", "fox", "sat", "and", "é", "e\u0301", "你好", "\ud800", "(unknown"]
plain_texts = st.lists(st.sampled_from(WORDS), max_size=7).map(" ".join)
any_text = plain_texts | odd_texts
any_label = st.sampled_from(["a", "b", "Σ", "", "\ud800", "a long label"])
weights = st.sampled_from([1.0, 1.0, 2.0, 0.1, 1 / 3, 2.5, 1000.0, 1 / ONE])

LANGUAGE_MODELS = [
    *(NaiveBayes(kind, "table") for kind in ("multinomial", "binary")),  # type: ignore[arg-type]
    NaiveBayes("multinomial", 0.1, unknown="unk"),
    NaiveBayes("binary", 2.0, unknown="unk"),
    NaiveBayes("binary", AbsoluteDiscount(0.5), "uniform"),
    NaiveBayes("multinomial", JelinekMercer(0.3), vocabulary="shared"),
    NaiveBayes("binary", Dirichlet(3.0)),
]
MODELS = [*LANGUAGE_MODELS, NaiveBayes("bernoulli", Additive(0.5)), NaiveBayes("complement", 1.0)]


class Learned(NamedTuple):
    """Documents as `fit`, `learn` and `forget` take them."""

    texts: list[str]
    labels: list[Any]
    weights: list[float]

    def __add__(self, other: Any) -> "Learned":
        return Learned(*(ours + theirs for ours, theirs in zip(self, other, strict=True)))

    def pick(self, places: Any) -> "Learned":
        return Learned(*([column[i] for i in places] for column in self))

    @property
    def units(self) -> Any:
        return np.rint(np.array(self.weights) * ONE).astype(np.int64)


def learned(
    texts: st.SearchStrategy[str] = any_text,
    labels: Any = any_label,
    min_size: int = 1,
    max_size: int = 6,
    weights: Any = weights,
) -> st.SearchStrategy[Learned]:
    documents = st.lists(st.tuples(texts, labels, weights), min_size=min_size, max_size=max_size)
    return documents.map(lambda rows: Learned(*map(list, zip(*rows, strict=True))) if rows else Learned([], [], []))


def some(share: float) -> settings:
    """A share of the examples that the profile asks for: for laws that are slow, or run over many models."""
    return settings(max_examples=max(1, round(settings.default.max_examples * share)))  # type: ignore[union-attr]


def assert_close(a: Any, b: Any) -> None:
    np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


def assert_same(a: Categorizer, b: Categorizer, texts: list[str]) -> None:
    """Equal to the last bit in all that they have learned and say."""
    assert a.classes_.tolist() == b.classes_.tolist()
    assert a.table_ == b.table_
    assert a.table_.fingerprint() == b.table_.fingerprint()
    assert a.fitted_.state.prints == b.fitted_.state.prints
    assert a.smoothing_ == b.smoothing_
    assert a.log_joint(texts).tolist() == b.log_joint(texts).tolist()
    assert a.log_likelihood(texts).tolist() == b.log_likelihood(texts).tolist()
    assert a.predict(texts).tolist() == b.predict(texts).tolist()


def deal_folds(model: Categorizer, *documents: Any, folds: int, seed: int) -> Any:
    """The fold of each document in a cross-validation."""
    return assign_documents(hold_afresh(model.check_options(), open_batches(*documents)), folds, seed, "own")


AUTO = NaiveBayes("binary", "auto")


class Stream:
    """Documents in batches of some size, again and again."""

    def __init__(self, documents: Learned, size: int, *, fails: bool = False) -> None:
        self.documents, self.size, self.fails = documents, size, fails

    def __iter__(self) -> Iterator[Documents]:
        for begin in range(0, len(self.documents.texts), self.size):
            part = self.documents.pick(range(begin, min(begin + self.size, len(self.documents.texts))))
            yield Documents(part.texts, part.labels, part.weights)
        if self.fails:
            raise OSError("the disk is gone")


def invent(n: int, n_labels: int = 3, seed: int = 0) -> Learned:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_labels, n)
    texts = [" ".join(f"w{i}" for i in rng.zipf(1.5, 6) % 40 + 7 * label) for label in y]
    return Learned(texts, [f"l{label}" for label in y], rng.choice([1.0, 1.0, 0.5, 2.0], n).tolist())
