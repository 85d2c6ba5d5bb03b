"""The smoothing that a categorizer chooses: by the labels once, or by the table always."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.labelled_documents import Learned, assert_same, learned, plain_texts, some
from hypothesis import given
from hypothesis import strategies as st

from tercet import Categorizer, NaiveBayes
from tercet.errors import InvalidOption, NeverLearned
from tercet.models.smoothing import CANDIDATES, AbsoluteDiscount, Additive, Dirichlet, Smoothing

FACTORS = 2.0 ** (-np.arange(17) / 2)  # from 1 to 1/256


def invent(seed: int, n: int = 60, n_labels: int = 3) -> Learned:
    """Documents of labels that prefer some words. The first document, and it alone, has a label of its own."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_labels, n)
    y[0] = n_labels
    # Skewed, so that there are words of every frequency; from label to label other words are the frequent ones.
    words = (rng.zipf(1.5, (n, 10)) + 3 * y[:, None]) % 40
    sizes = rng.integers(1, 10, n)
    texts = [" ".join(f"w{i}" for i in row[:size]) for row, size in zip(words, sizes, strict=True)]
    return Learned(texts, y.tolist(), rng.choice([1.0, 2.0, 0.5], n).tolist())


def tempered_likelihoods(model: NaiveBayes, documents: Learned, smoothing: Any, **options: Any) -> Any:
    """Σ weight · log P(own label) of the left-out documents, at the factor on their scores that suits them best.

    Three sums: with documents as they are, with the weight √n for a label of n documents, and with equal weights of labels.
    """
    fixed = NaiveBayes(**model.get_params()).set_params(smoothing=smoothing)
    held = Categorizer(model=fixed, **options).fit(*documents).leave_one_out(*documents)
    own, weights = np.searchsorted(held.labels, documents.labels), np.array(documents.weights)
    counted = np.bincount(own)[own] > 1  # a label that only one document has can't be found without it
    sizes = np.bincount(own, weights)[own]
    sums = []
    for factor in FACTORS:
        scores = factor * (held.log_joint - held.log_joint.max(axis=1, keepdims=True))
        logs = scores[np.arange(len(own)), own] - np.log(np.exp(scores).sum(axis=1))
        sums.append([(weights * np.where(counted, logs, 0.0) * sizes**power).sum() for power in (0, -0.5, -1)])
    return np.max(sums, axis=0)


@pytest.mark.parametrize("prior", ["empirical", "uniform"])
@pytest.mark.parametrize(
    ("kind", "options"), [("multinomial", {}), ("binary", {"min_documents": 2}), ("bernoulli", {}), ("complement", {})]
)
@pytest.mark.parametrize("seed", range(3))
def test_the_choice_is_the_best_candidate_that_loses_nothing_to_the_default(
    kind: Any, options: Any, prior: str, seed: int
) -> None:
    documents, model = invent(seed), NaiveBayes(kind, "auto", prior)
    chosen = Categorizer(model=model, **options).fit(*documents).smoothing_
    is_free = kind in ("multinomial", "binary")
    default = AbsoluteDiscount(0.9) if is_free else Additive(1.0)
    ways = [way for way in CANDIDATES if isinstance(way, Additive) or is_free]
    values = {way: tempered_likelihoods(model, documents, way, **options) for way in ways}
    rounding = 1e-3  # the kernel rounds sums to multiples of 2⁻²⁰
    safe = [way for way in ways if (values[way] >= values[default] - rounding)[[0, 2]].all()]
    assert chosen in safe
    assert values[chosen][1] >= max(values[way][1] for way in safe) - rounding
    between = [value[1] for value in values.values()]
    assert min(between) < max(between) - 0.01


@pytest.mark.parametrize("name", ["cr/all", "evomsa_tweets/all", "sms_spam/all", "uci_sentiment/yelp"])
def test_the_choice_loses_no_label_to_gain_another(corpus: Callable[[str], list[dict[str, str]]], name: str) -> None:
    texts, labels = map(list, zip(*((row["text"], row["label"]) for row in corpus(name)), strict=True))
    default, chosen = (
        Categorizer(model=NaiveBayes("binary", smoothing)).fit(texts, labels).leave_one_out(texts, labels).report
        for smoothing in (AbsoluteDiscount(0.9), "auto")
    )
    assert float(chosen.macro_f1) >= float(default.macro_f1) - 0.003
    assert float(chosen.accuracy) >= float(default.accuracy) - 0.003


@pytest.mark.parametrize("prior", ["empirical", "uniform", {0: 0.2, 1: 0.2, 2: 0.2, 3: 0.4}], ids=str)
@pytest.mark.parametrize("kind", ["multinomial", "binary", "bernoulli", "complement"])
@pytest.mark.parametrize("seed", range(4))
def test_the_choice_does_not_depend_on_the_order_of_the_documents(kind: Any, prior: Any, seed: int) -> None:
    documents, model = invent(seed, n=12), NaiveBayes(kind, "auto", prior)
    one = Categorizer(model=model, threads=1).fit(*documents)
    for places in (range(11, -1, -1), np.random.default_rng(seed).permutation(12)):
        assert_same(Categorizer(model=model, threads=3).fit(*documents.pick(places)), one, documents.texts)


def test_the_choice_is_kept_until_it_is_made_anew() -> None:
    a, b = invent(1), invent(2)
    both = a + b
    fresh = Categorizer(model=NaiveBayes(smoothing="auto")).fit(*both)
    model = Categorizer(model=NaiveBayes(smoothing="auto")).fit(*a)
    first = model.smoothing_
    assert first != fresh.smoothing_  # or nothing would be shown here
    assert model.learn(*b).smoothing_ == first
    with pytest.raises(NeverLearned, match="not exactly the documents that were learned"):
        model.retune(*a)
    assert model.smoothing_ == first
    assert_same(model.retune(*both), fresh, both.texts)
    assert model.forget(*b).smoothing_ == fresh.smoothing_
    assert_same(model.retune(*a), Categorizer(model=NaiveBayes(smoothing="auto")).fit(*a), a.texts)


def test_at_its_choice_it_learns_and_forgets_exactly() -> None:
    a, b = invent(1), invent(2)
    model = Categorizer(model=NaiveBayes("binary", "auto")).fit(*a)
    fixed = Categorizer(model=NaiveBayes("binary", model.smoothing_)).fit(*a)
    assert (model.log_joint(b.texts) == fixed.log_joint(b.texts)).all()
    assert (model.leave_one_out(*a).log_joint == fixed.leave_one_out(*a).log_joint).all()
    assert_same(model.learn(*b).forget(*b), Categorizer(model=NaiveBayes("binary", "auto")).fit(*a), b.texts)


def test_two_choices_are_not_merged_but_equal_ones_are() -> None:
    a, b, c = (
        Categorizer(model=NaiveBayes(smoothing="auto")).fit(*documents) for documents in (invent(1), invent(1), invent(2))
    )
    assert (a + b).smoothing_ == a.smoothing_ != c.smoothing_
    with pytest.raises(InvalidOption, match=r"two choices of smoothing, .* set smoothing to one of them in both"):
        a + c


def test_other_options_are_not_merged() -> None:
    model = Categorizer("words").fit(["a"], ["x"])
    others = Categorizer(), Categorizer("words", NaiveBayes("multinomial")), Categorizer("words", min_documents=2)
    for other in others:
        with pytest.raises(InvalidOption, match="Fit both alike"):
            model + other.fit(["a"], ["x"])
    assert (model + Categorizer("words", threads=1).fit(["a"], ["x"])).table_.n_documents.tolist() == [2]


def test_other_priors_are_not_merged_however_many_labels_they_have() -> None:
    labels = [f"label {i}" for i in range(80)]
    even = dict.fromkeys(labels, 1 / 80)
    uneven = even | {labels[-1]: 1.5 / 80, labels[-2]: 0.5 / 80}
    model, like_it, other = (
        Categorizer(model=NaiveBayes(prior=prior)).fit(labels, labels) for prior in (even, dict(reversed(even.items())), uneven)
    )
    assert (model + like_it).table_.n_documents.sum() == 160
    with pytest.raises(InvalidOption, match="Fit both alike"):
        model + other


def occurrence_likelihood(documents: Learned, kind: str, smoothing: Smoothing) -> float:
    """Σ log P(term | label) over all occurrences, each scored by the table without it; where it is the only one it is left out.

    In plain NumPy, from the formulas of the books.
    """
    words = sorted({word for text in documents.texts for word in text.split()})
    classes, y = np.unique(documents.labels, return_inverse=True)
    table = np.zeros((len(classes), len(words)))
    for text, label in zip(documents.texts, y, strict=True):
        tokens = text.split() if kind == "multinomial" else set(text.split())
        for word in tokens:
            table[label, words.index(word)] += 1
    total = 0.0
    for label, word in zip(*np.nonzero(table), strict=True):
        n = table[label, word]
        left = table.copy()
        left[label, word] -= 1
        if left[:, word].sum() == 0:
            continue
        here, of_label, share = left[label, word], left[label].sum(), left[:, word].sum() / left.sum()
        value = smoothing.value
        plain = here / of_label if of_label else 0.0
        discounted = (max(here - value, 0) + value * (left[label] > 0).sum() * share) / of_label if of_label else share
        formulas = {
            "additive": (here + value) / (of_label + value * len(words)),
            "jelinek_mercer": (1 - value) * plain + value * share,
            "dirichlet": (here + value * share) / (of_label + value),
            "absolute_discount": discounted,
        }
        total += n * np.log(formulas[smoothing.registered_name])
    return total


@pytest.mark.parametrize("kind", ["multinomial", "binary"])
@pytest.mark.parametrize("seed", range(4))
def test_the_choice_by_the_table_makes_its_occurrences_likeliest(kind: Any, seed: int) -> None:
    documents = invent(seed)._replace(weights=[1.0] * 60)
    chosen = Categorizer("words", NaiveBayes(kind, "table")).fit(*documents).smoothing_
    values = {way: occurrence_likelihood(documents, kind, way) for way in CANDIDATES}
    assert values[chosen] == pytest.approx(max(values.values()), abs=1e-3)
    assert min(values.values()) < max(values.values()) - 1


@pytest.mark.parametrize("kind", ["multinomial", "binary"])
@given(learned(plain_texts), learned(plain_texts), st.randoms(use_true_random=False))
@some(0.3)
def test_the_choice_by_the_table_is_the_same_after_any_way_to_it(kind: Any, a: Learned, b: Learned, random: Any) -> None:
    everything, model = a + b, NaiveBayes(kind, "table")
    whole = Categorizer(model=model).fit(*everything)
    places = list(range(len(everything.texts)))
    random.shuffle(places)
    ways = [
        Categorizer(model=model).fit(*everything.pick(places)),
        Categorizer(model=model).fit(*b) + Categorizer(model=model).fit(*a),
        Categorizer(model=model).fit(*b).learn(*a),
        Categorizer(model=model).fit(*(everything + a)).forget(*a),
    ]
    assert [way.smoothing_ for way in ways] == [whole.smoothing_] * 4


@pytest.mark.parametrize("smoothing", ["auto", "table"])
def test_nothing_to_choose_by_is_no_error(smoothing: str) -> None:
    for texts in (["", ""], ["a", "b"], ["a a a", "a"]):
        model = Categorizer(model=NaiveBayes("binary", smoothing)).fit(texts, ["x", "y"])
        assert isinstance(model.smoothing_, Smoothing)
        assert model.predict_proba(texts).sum(axis=1) == pytest.approx([1, 1])


def test_a_given_smoothing_is_the_one_in_use() -> None:
    for given_, expected in ((0.5, Additive(0.5)), (Dirichlet(3.0), Dirichlet(3.0)), (np.float64(2), Additive(2.0))):
        assert Categorizer(model=NaiveBayes(smoothing=given_)).fit(["a"], ["x"]).smoothing_ == expected
