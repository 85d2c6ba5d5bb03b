"""Random documents: labels have the shares of the prior, terms those of their label, and the same seed draws the same."""

import json
import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from helpers.command_line import Shell
from scipy.stats import chisquare

import tercet
from tercet import Analyzer, Categorizer, Documents, GaussianBayes, LinearSVM, NaiveBayes
from tercet.errors import InvalidLabel, InvalidOption, NotFitted
from tercet.models.smoothing import JelinekMercer

LABELS, TERMS, PRIOR = ["x", "y", "z"], ["a", "b", "c", "d"], [0.5, 0.3, 0.2]
MATRIX = np.array([[0.4, 0.3, 0.2, 0.1], [0.1, 0.1, 0.1, 0.7], [0.0, 0.5, 0.5, 0.0]])
PRESENCE = np.array([[0.9, 0.3, 0.0, 1.0], [0.1, 0.5, 0.5, 0.2], [0.2, 0.2, 0.8, 0.4]])
TEXTS = ["the hen saw the fox", "a red fox", "the hen does not like it", "hens and hens", "an owl"]
OWNERS = ["hen", "fox", "hen", "hen", "owl"]


def give(make: Any, kind: str = "multinomial") -> Any:
    return make(LABELS, TERMS, PRESENCE if kind == "bernoulli" else MATRIX, PRIOR, kind=kind)


def assert_shares(counts: Any, shares: Any) -> None:
    """The counts are those of the shares, unless chance did something that happens once in ten thousand times."""
    counts, shares = np.asarray(counts), np.asarray(shares) / np.sum(shares)
    assert not counts[shares == 0].any()
    assert chisquare(counts[shares > 0], counts.sum() * shares[shares > 0]).pvalue > 1e-4


# Models on matrices.


def test_labels_have_the_shares_of_the_prior_and_terms_those_of_their_label() -> None:
    X, labels = give(NaiveBayes.from_probabilities).sample(3000, seed=5, n_words=7)
    assert X.shape == (3000, 4)
    assert (X.sum(axis=1) == 7).all()
    assert_shares([(labels == label).sum() for label in LABELS], PRIOR)
    for label, row in zip(LABELS, MATRIX, strict=True):
        assert_shares(X[labels == label].sum(axis=0).A1, row)


def test_bernoulli_draws_for_each_term_whether_a_document_has_it() -> None:
    X, labels = give(NaiveBayes.from_probabilities, "bernoulli").sample(3000, seed=6)
    assert set(X.data.tolist()) == {1}
    for label, row in zip(LABELS, PRESENCE, strict=True):
        own = X[labels == label].toarray()
        assert (np.abs(own.mean(axis=0) - row) <= 4 * np.sqrt(row * (1 - row) / len(own))).all()


def test_rows_that_sum_to_less_than_1_are_drawn_in_proportion() -> None:
    whole, part = give(NaiveBayes.from_probabilities), NaiveBayes.from_probabilities(LABELS, TERMS, MATRIX / 4, PRIOR)
    (X, labels), (Y, others) = whole.sample(50, n_words=9), part.sample(50, n_words=9)
    assert (labels == others).all()
    assert (X.toarray() == Y.toarray()).all()


def test_bernoulli_without_smoothing_draws_certain_terms_always() -> None:
    X, _ = NaiveBayes("bernoulli", 0).fit([[1, 1, 0], [1, 0, 0]], ["x", "x"]).sample(200, seed=3)
    always, sometimes, never = (X.toarray() > 0).mean(axis=0).tolist()
    assert (always, never) == (1.0, 0.0)
    assert 0.3 < sometimes < 0.7


@pytest.mark.parametrize("kind", ["multinomial", "bernoulli"])
def test_a_model_that_learns_its_samples_finds_the_parameters_again(kind: Any) -> None:
    truth = give(NaiveBayes.from_probabilities, kind)
    X, labels = truth.sample(4000, seed=1, n_words=None if kind == "bernoulli" else 10)
    learned = NaiveBayes(kind, 1.0).fit(X, labels)
    one_term = np.eye(4) if kind == "multinomial" else np.ones((1, 4))
    expected = MATRIX.T if kind == "multinomial" else PRESENCE.prod(axis=1)[None]
    np.testing.assert_allclose(np.exp(learned.log_likelihood(one_term)), expected, atol=0.02)
    np.testing.assert_allclose(learned.counts_.n_documents / 4000, PRIOR, atol=0.03)


@pytest.mark.parametrize(
    ("kind", "smoothing"),
    [("bernoulli", 1.0), *((kind, smoothing) for kind in ("multinomial", "binary") for smoothing in (1.0, JelinekMercer(0.4)))],
)
def test_a_learned_model_draws_its_own_probabilities(kind: Any, smoothing: Any) -> None:
    X = np.array([[3, 1, 0, 0], [2, 2, 0, 0], [0, 1, 5, 0], [0, 0, 2, 0]])  # no document has the last term
    model = NaiveBayes(kind, smoothing).fit(X, ["x", "x", "y", "y"])
    drawn, labels = model.sample(2000, seed=3, label="x")
    assert set(labels.tolist()) == {"x"}
    if kind == "bernoulli":
        row = np.array([3, 3, 1, 1]) / 4
        assert (np.abs(drawn.toarray().mean(axis=0) - row) < 4 * np.sqrt(row * (1 - row) / 2000)).all()
        return
    assert (drawn.sum(axis=1) == (2 if kind == "binary" else 4)).all()  # the mean of the documents of the label
    likelihood = np.exp(model.log_likelihood(np.eye(4))[:, 0])
    shares = likelihood if isinstance(smoothing, float) else likelihood * [1, 1, 1, 0]
    assert_shares(drawn.sum(axis=0).A1, shares)


@pytest.mark.parametrize(
    "model", [give(NaiveBayes.from_probabilities), GaussianBayes.from_parameters(["x", "y"], [0, 3], [1, 2], [0.2, 0.8])]
)
def test_the_same_seed_draws_the_same_rows(model: Any) -> None:
    options = {"n_words": 5} if isinstance(model, NaiveBayes) else {}
    draws = []
    for seed in (0, 0, 1):
        X, labels = model.sample(20, seed=seed, **options)
        draws.append((np.asarray(X.todense() if hasattr(X, "todense") else X).tolist(), labels.tolist()))
    assert draws[0] == draws[1]
    assert draws[0] != draws[2]


def test_given_normals_draw_their_means_and_variances() -> None:
    model = GaussianBayes.from_parameters(["x", "y"], [0, 10], [1, 4], [0.25, 0.75])
    X, labels = model.sample(4000, seed=2)
    assert_shares([(labels == "x").sum(), (labels == "y").sum()], [0.25, 0.75])
    learned = GaussianBayes().fit(X, labels)
    np.testing.assert_allclose(learned.means_.ravel(), [0, 10], atol=0.15)
    np.testing.assert_allclose(learned.covariances_.ravel(), [1, 4], rtol=0.1)


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda m: m.sample(0), InvalidOption, "n must be an int >= 1, got 0"),
        (lambda m: m.sample(1, seed=-1), InvalidOption, "seed must be an int >= 0, got -1"),
        (lambda m: m.sample(1, label="q", n_words=1), InvalidLabel, "'q' is unknown here"),
        (lambda m: m.sample(1, n_words=0), InvalidOption, "n_words must be an int >= 1, got 0"),
        (lambda m: m.sample(1), InvalidOption, r"does not know how long documents are: pass n_words \(--words\)"),
        (lambda m: NaiveBayes("complement").fit([[1]], ["x"]).sample(1), InvalidOption, "no probability of a document"),
        (lambda m: NaiveBayes("bernoulli").fit([[1]], ["x"]).sample(1, n_words=3), InvalidOption, "n_words must be None"),
        (lambda m: NaiveBayes().sample(1), NotFitted, "not fitted"),
    ],
)
def test_what_cannot_be_drawn_is_refused(ask: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        ask(give(NaiveBayes.from_probabilities))


# Texts.


def test_texts_have_the_shares_of_their_label() -> None:
    documents = give(Categorizer.from_probabilities).sample(2000, seed=4, n_words=8)
    words: dict[str, Counter[str]] = {label: Counter() for label in LABELS}
    for text, label in zip(documents.texts, documents.labels.tolist(), strict=True):
        words[label].update(text.split())
    n = Counter(documents.labels.tolist())
    assert_shares([n[label] for label in LABELS], PRIOR)
    for label, row in zip(LABELS, MATRIX, strict=True):
        assert_shares([words[label][term] for term in TERMS], row)


def test_texts_and_rows_are_drawn_alike() -> None:
    for kind in ("multinomial", "binary", "bernoulli"):
        n_words = None if kind == "bernoulli" else 6
        documents = give(Categorizer.from_probabilities, kind).sample(30, 2, n_words=n_words)
        X, labels = give(NaiveBayes.from_probabilities, kind).sample(30, 2, n_words=n_words)
        assert documents.labels.tolist() == labels.tolist()
        rows = [[text.split().count(term) for term in TERMS] for text in documents.texts]
        assert rows == X.toarray().tolist()


@pytest.mark.parametrize("model", [None, NaiveBayes("multinomial", 0.5, "uniform"), "auto"])
def test_generate_is_a_sample_of_one_text(model: Any) -> None:
    c = Categorizer(model=model).fit(TEXTS * 4, OWNERS * 4)
    for seed in range(10):
        assert c.generate(seed=seed) == c.sample(1, seed).texts[0]
        assert c.generate("hen", 4, seed) == c.sample(1, seed, "hen", 4).texts[0]
    many = c.sample(12, 3)
    assert isinstance(many, Documents)
    assert (c.sample(5, 3).texts, c.sample(5, 3).labels.tolist()) == (many.texts[:5], many.labels[:5].tolist())
    assert set(many.labels.tolist()) <= set(OWNERS)


def test_without_a_label_generate_draws_it_from_the_prior() -> None:
    c = Categorizer("words", NaiveBayes("multinomial", 0.0, {"x": 0.8, "y": 0.2})).fit(["a a", "b b"], ["x", "y"])
    written = Counter(c.generate(seed=seed) for seed in range(400))
    assert_shares([written["a a"], written["b b"]], [0.8, 0.2])


def test_a_label_that_is_left_out_by_restrict_is_not_drawn() -> None:
    c = Categorizer().fit(TEXTS, OWNERS).restrict(["hen", "owl"])
    n = Counter(c.sample(300, 1).labels.tolist())
    assert_shares([n["hen"], n["owl"]], [0.75, 0.25])


def test_bernoulli_texts_have_the_words_that_were_drawn() -> None:
    c = give(Categorizer.from_probabilities, "bernoulli")
    texts = c.sample(1500, 8, "x").texts
    assert all(text.endswith("d") and "c" not in text for text in texts)  # P = 1 and P = 0
    assert abs(sum("b" in text for text in texts) / 1500 - 0.3) < 4 * math.sqrt(0.3 * 0.7 / 1500)
    learned = Categorizer("words", NaiveBayes("bernoulli")).fit(TEXTS, OWNERS)
    assert set(" ".join(learned.sample(20, 1).texts).split()) <= set(" ".join(TEXTS).split())


def test_a_compact_categorizer_draws_the_words_of_the_full_one() -> None:
    full = Categorizer().fit(TEXTS, OWNERS)
    assert full.compact().generate("hen", 20, 7) == full.generate("hen", 20, 7)
    with pytest.raises(InvalidOption, match="does not know how long documents are"):
        full.compact().generate("hen")


def test_columns_of_numbers_are_drawn_with_the_texts() -> None:
    numbers = {"links": [5.0, 5.5, 0.5, 0.0, 0.1] * 20}
    documents = Documents(TEXTS * 20, ["spam", "spam", "ham", "ham", "ham"] * 20, columns=numbers)
    c = Categorizer(numeric=["links", "n_words"]).fit(documents)
    drawn = c.sample(400, 1)
    assert list(drawn.columns) == ["links"]  # the number of words follows from the text
    is_spam = drawn.labels == "spam"
    assert drawn.columns["links"][is_spam].mean() == pytest.approx(5.25, abs=0.5)
    assert drawn.columns["links"][~is_spam].mean() == pytest.approx(0.2, abs=0.5)
    assert c.score(drawn) > 0.9


def test_drawn_numbers_have_the_deviation_of_their_label() -> None:
    documents = Documents(["a", "b", "c"] * 50, ["x", "x", "y"] * 50, columns={"size": [0.0, 20.0, 7.0] * 50})
    drawn = Categorizer("words", numeric=["size"]).fit(documents).sample(900, label="x").columns["size"]
    assert (drawn.mean(), drawn.std()) == pytest.approx((10, 10), abs=1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Categorizer(model=NaiveBayes("complement")).fit(TEXTS, OWNERS), "complement has no probability"),
        (lambda: Categorizer(model=LinearSVM()).fit(TEXTS, OWNERS), "svm has no probability"),
        (lambda: Categorizer(model=LinearSVM()).fit(TEXTS, OWNERS).compact(), "svm has no probability"),
        (lambda: Categorizer().fit(Documents.join({"a": TEXTS, "b": TEXTS}, OWNERS)), "several text columns"),
    ],
)
def test_texts_that_cannot_be_drawn_are_refused(make: Any, message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        make().sample(2)


def test_a_label_without_words_is_refused() -> None:
    c = Categorizer.from_probabilities(["x", "y"], ["a"], [[0.5], [0.0]], "uniform")
    with pytest.raises(InvalidLabel, match="'y' has no terms"):
        c.generate("y", 3)


def test_characters_are_joined_without_blanks() -> None:
    c = Categorizer(Analyzer(word_ngrams=None, char_ngrams=(1, 1))).fit(["abc", "xyz"], ["x", "y"])
    assert all(len(text) == 5 for text in c.sample(3, n_words=5).texts)


# The command line.


def test_the_command_draws_the_label_and_says_which(shell: Shell) -> None:
    for seed in range(6):
        drawn = tercet.load("m.tercet").sample(1, seed)
        (text,), (label,) = drawn.texts, drawn.labels.tolist()
        result = shell.do(f"tercet generate m.tercet --seed {seed}")
        assert (result.out, result.err) == (text + "\n", f"label: {label}\n")
        found = shell.do(f"tercet generate m.tercet --seed {seed} --json")
        assert (json.loads(found.out), found.err) == ({"label": label, "seed": seed, "text": text}, "")
    assert shell.do("tercet generate m.tercet --quiet").err == ""
    assert shell.do("tercet generate m.tercet good").err == ""


def test_given_probabilities_work_at_the_command_line(shell: Shell) -> None:
    c = give(Categorizer.from_probabilities)
    c.save("given.tercet")
    assert shell.do('tercet predict given.tercet "d d, a"').out.startswith("y\t")
    explained = shell.do('tercet explain given.tercet "d d, a" --label y --against x').out
    assert "+3.89  d" in explained  # 2 log 0.7 / 0.1
    assert shell.do("tercet generate given.tercet z --words 4 --seed 3").out == c.generate("z", 4, 3) + "\n"
    shell.do("tercet inspect given.tercet")
    for line, message in {
        "generate given.tercet": "pass n_words (--words)",
        "learn given.tercet new.csv": "can't learn",
        "forget given.tercet new.csv": "can't",
    }.items():
        result = shell(f"tercet {line}")
        assert result.code == 2
        assert message in result.err
        assert result.err.count("\n") == 1
