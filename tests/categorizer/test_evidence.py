"""What a decision is made of, and what a label would write: exact evidence, the language model, the compact form."""

import math
import pickle
from collections import Counter
from typing import Any

import numpy as np
import pytest
from helpers.evidence_sums import check_sum
from helpers.labelled_documents import LANGUAGE_MODELS, MODELS, Learned, any_text, learned, plain_texts, some
from hypothesis import given
from hypothesis import strategies as st

from tercet import Analyzer, Categorizer, Documents, NaiveBayes
from tercet.errors import InvalidLabel, InvalidOption, InvalidText
from tercet.models.smoothing import Additive, JelinekMercer

each_model = pytest.mark.parametrize("model", MODELS, ids=repr)
ANALYZERS = [Analyzer(word_ngrams=(1, 2)), Analyzer.preset("whitespace", word_ngrams=(1, 2)), Analyzer(char_ngrams=(1, 2))]
TEXTS = ["the hen sat", "a hen and a hen", "the fox ran", "sly fox, sly", "an owl flew", "owl"]
LABELS = ["hen", "hen", "fox", "fox", "owl", "owl"]


@each_model
@pytest.mark.parametrize("analyzer", ANALYZERS, ids=repr)
@given(learned(min_size=2), st.lists(plain_texts | any_text | st.just("(unknown terms) zzz"), min_size=1, max_size=3))
@some(0.1)
def test_prior_and_evidence_add_up_to_the_score(
    model: NaiveBayes, analyzer: Analyzer, documents: Learned, texts: list[str]
) -> None:
    documents += Learned(["the hen (unknown terms)", "fox"], ["a", "b"], [1.0, 2.0])
    ours = Categorizer(analyzer, model).fit(*documents)
    for text in [*texts, documents.texts[0]]:
        for label, against in ((None, None), ("a", None), (None, "a"), ("b", "a")):
            explanation = check_sum(ours, text, label, against)
            assert label is None or explanation.label == label
            assert against is None or explanation.against == against
            assert explanation.label != explanation.against


@each_model
@given(learned(plain_texts), plain_texts | any_text)
@some(0.3)
def test_each_term_points_at_all_its_places(model: NaiveBayes, documents: Learned, text: str) -> None:
    documents += Learned(["the hen", "fox"], ["a", "b"], [1.0, 2.0])
    ours = Categorizer(model=model).fit(*documents)
    places: dict[str, list[Any]] = {}
    for term, spans in ours.table_.analyzer.located_terms(text):
        places.setdefault(term, []).extend(spans)
    explanation = ours.explain(text)
    # No word has a bracket in it: what has is no term, but all absent or all unknown ones.
    named = {item.term: list(item.spans) for item in explanation.evidence if "(" not in item.term}
    assert named == {term: spans for term, spans in places.items() if term not in explanation.unknown}
    assert set(explanation.unknown) <= set(places)


def test_spans_are_the_words_of_the_text() -> None:
    model = Categorizer(model=NaiveBayes("multinomial")).fit(["così è", "hen"], ["a", "b"])
    text = "¡COSI\u0300 e\u0300, hen hen owl!"
    explanation = check_sum(model, text)
    words = {item.term: [text[start:end] for start, end in item.spans] for item in explanation.evidence}
    assert words == {"così": ["COSI\u0300"], "è": ["e\u0300"], "così è": ["COSI\u0300", "e\u0300"], "hen": ["hen", "hen"]}
    assert explanation.unknown == ("owl", "è hen", "hen hen", "hen owl")
    # Each hen speaks; with binary counts all together speak once.
    once = Categorizer(model=NaiveBayes("binary")).fit(["così è", "hen"], ["a", "b"]).explain("hen hen")
    assert [len(item.spans) for item in once.evidence] == [2]
    assert check_sum(model, "hen hen").evidence[0].value == pytest.approx(2 * model.explain("hen").evidence[0].value)


def test_absent_terms_unknown_terms_and_numbers_are_evidence() -> None:
    absent = check_sum(Categorizer(model=NaiveBayes("bernoulli")).fit(TEXTS, LABELS), "the hen")
    assert [item.spans for item in absent.evidence if item.term == "(absent terms)"] == [()]
    unk = Categorizer("words", NaiveBayes("multinomial", unknown="unk")).fit(["a", "b c d"], ["x", "y"])
    twice = check_sum(unk, "a zzz qqq", "x", "y")
    (unknown,) = (item for item in twice.evidence if item.term == "(unknown terms)")
    assert unknown.value == pytest.approx(2 * math.log((1 / 6) / (1 / 8)))
    assert (unknown.spans, twice.unknown) == (((2, 5), (6, 9)), ("zzz", "qqq"))
    documents = Documents(
        ["buy", "see you", "buy it"], ["spam", "ham", "spam"], columns={"links": [7, 0, 3], "share": [0.5, 0.25, 1]}
    )
    for kind in ("multinomial", "bernoulli"):
        model = Categorizer(model=NaiveBayes(kind), numeric=["links", "share"]).fit(documents)  # type: ignore[arg-type]
        explanation = check_sum(model, Documents(["buy"], columns={"links": [2.5], "share": [0.5]}))
        assert {"links = 2.5", "share = 0.5", "buy"} <= {item.term for item in explanation.evidence}


def test_the_runner_up_is_what_a_label_is_compared_with() -> None:
    model = Categorizer().fit(TEXTS, LABELS)
    ranked = model.classes_[np.argsort(-model.log_joint(["the hen and fox"])[0], kind="stable")].tolist()
    explanation = model.explain("the hen and fox")
    assert [explanation.label, explanation.against] == ranked[:2]
    assert model.explain("the hen and fox", ranked[2]).against == ranked[0]
    assert model.explain("the hen and fox", against=ranked[0]).label == ranked[1]


@pytest.mark.parametrize("model", [*MODELS, NaiveBayes(smoothing=1e-12), NaiveBayes(prior=[1e-9, 1e-9, 1 - 2e-9])], ids=repr)
def test_the_most_informative_terms_are_those_of_brute_force(model: NaiveBayes) -> None:
    ours = Categorizer("words", model).fit(TEXTS, LABELS)
    terms = [term for term in ours.table_.terms() if not ours.explain(term).unknown]
    values = ours.log_likelihood(terms) - ours.log_likelihood([""])  # Bernoulli: what the presence of a term adds
    prior = np.exp(ours.log_joint([""]) - ours.log_likelihood([""]))[0]
    for place, label in enumerate(ours.classes_.tolist()):
        others = np.arange(3) != place
        rest = np.log((np.exp(values[:, others]) * prior[others]).sum(axis=1) / prior[others].sum())
        expected = dict(zip(terms, values[:, place] - rest, strict=True))
        found = ours.most_informative(n=1000)[label]
        assert dict(found) == pytest.approx(expected, rel=1e-6, abs=1e-9)
        assert [value for _, value in found] == sorted((value for _, value in found), reverse=True)
        assert ours.most_informative(n=2)[label] == found[:2]


def test_equally_informative_terms_stand_in_canonical_order() -> None:
    found = Categorizer("words").fit(["b é Z a", "c"], ["x", "y"]).most_informative()
    assert [term for term, _ in found["x"]][:4] == ["a", "b", "z", "é"]
    assert found == Categorizer("words").fit(["c", "a é Z b"], ["y", "x"]).most_informative()


def test_of_equally_informative_terms_the_frequent_ones_come_first() -> None:
    model = NaiveBayes("binary", JelinekMercer(0.7))  # each term of one label alone has the same odds
    found = Categorizer("words", model).fit(["a b c", "c z", "z c", "y"], ["x", "x", "x", "y"]).most_informative(3)
    assert [term for term, _ in found["x"]] == ["c", "z", "a"]


@pytest.mark.parametrize("kind", ["multinomial", "binary"])
def test_a_label_writes_the_words_it_has_as_often_as_it_has_them(kind: Any) -> None:
    model = Categorizer(model=NaiveBayes(kind, 0.5)).fit(TEXTS, LABELS)  # pairs of words are known, and not written
    words = [term for term in model.table_.terms() if " " not in term]
    shares = np.exp(model.log_likelihood(words)[:, 1])
    shares /= shares.sum()
    n = 200_000
    written = Counter(model.generate("hen", n_words=n, seed=7).split(" "))
    assert set(written) == set(words)
    frequencies = np.array([written[word] for word in words]) / n
    assert (np.abs(frequencies - shares) < 5 * np.sqrt(shares * (1 - shares) / n)).all()


def test_the_length_is_that_of_a_document_of_the_label() -> None:
    model = Categorizer().fit(["a", "a b c", "a b c", "a b c d e f"], ["x", "x", "x", "y"], sample_weight=[2, 1, 1, 9])
    lengths = Counter(len(model.generate("x", seed=seed).split()) for seed in range(600))
    assert set(lengths) == {1, 3}
    assert abs(lengths[1] - 300) < 5 * math.sqrt(600 / 4)
    assert {len(model.generate("y", seed=seed).split()) for seed in range(20)} == {6}
    assert Categorizer().fit(["", "a"], ["x", "y"]).generate("x") == ""


def test_the_same_seed_writes_the_same_text() -> None:
    one, other = Categorizer().fit(TEXTS, LABELS), Categorizer(threads=2).fit(TEXTS[::-1], LABELS[::-1])
    for n_words in (None, 50):
        assert (
            one.generate("fox", n_words, seed=3)
            == one.generate("fox", n_words, seed=3)
            == other.generate("fox", n_words, seed=3)
        )
    assert len({one.generate("fox", 50, seed=seed) for seed in range(20)}) == 20
    assert len(one.generate("fox", 50).split()) == 50
    assert len(Categorizer(Analyzer(word_ngrams=None, char_ngrams=(1, 1))).fit(TEXTS, LABELS).generate("owl", 30)) == 30


def test_perplexity_is_the_inverse_of_the_mean_probability() -> None:
    model = Categorizer("words", NaiveBayes(smoothing=1.0)).fit(["a a b", "b c"], ["x", "y"])
    # Under x: a 3/6, b 2/6, c 1/6; zzz is unknown.
    expected = [((3 * 3 * 2) / 6**3) ** (-1 / 3), 6.0, np.nan, np.nan, 2.0]
    assert model.perplexity(["a a b", "c zzz", "", "zzz", "a " * 5000], "x") == pytest.approx(expected, nan_ok=True)
    binary = Categorizer("words", NaiveBayes("binary", 1.0)).fit(["a a b", "b c"], ["x", "y"])
    assert binary.perplexity(["a a b"], "x") == pytest.approx([((2 * 2) / 5**2) ** (-1 / 2)])
    unk = Categorizer("words", NaiveBayes("multinomial", unknown="unk")).fit(["a a b", "b c"], ["x", "y"])
    assert unk.perplexity(["zzz qqq a"], "x") == pytest.approx([((1 * 1 * 3) / 7**3) ** (-1 / 3)])
    assert model.perplexity([], "x").shape == (0,)


@pytest.mark.parametrize("model", [model for model in LANGUAGE_MODELS if model.vocabulary == "union"], ids=repr)
@given(learned(plain_texts, weights=st.just(1.0)), st.lists(any_text, max_size=3))
@some(0.2)
def test_perplexity_is_that_of_the_log_likelihood(model: NaiveBayes, documents: Learned, texts: list[str]) -> None:
    ours = Categorizer("words", model).fit(*documents)
    place = ours.classes_.tolist().index(documents.labels[0])
    known = ours.table_.terms()
    for text, logs, perplexity in zip(
        texts, ours.log_likelihood(texts), ours.perplexity(texts, documents.labels[0]), strict=True
    ):
        terms = [term if term in known else None for term in Analyzer().terms(text)]
        counted = [term for term in terms if term is not None or model.unknown == "unk"]
        n = len(set(counted)) if model.kind == "binary" else len(counted)
        assert perplexity == pytest.approx(math.exp(-logs[place] / n) if n else math.nan, nan_ok=True)


@each_model
@pytest.mark.parametrize("options", [{}, {"min_documents": 2}, {"max_terms": 4}], ids=str)
@given(learned(plain_texts | any_text, min_size=2, max_size=8), st.lists(plain_texts | any_text, min_size=1, max_size=4))
@some(0.05)
def test_the_compact_form_decides_alike(model: NaiveBayes, options: Any, documents: Learned, texts: list[str]) -> None:
    full = Categorizer(model=model, **options).fit(*documents)
    compact = full.compact()
    for small in (compact, pickle.loads(pickle.dumps(compact))):
        assert small.classes_.tolist() == full.classes_.tolist()
        np.testing.assert_allclose(small.predict_proba(texts), full.predict_proba(texts), rtol=0, atol=1e-4)
        certain = np.sort(full.predict_proba(texts), axis=1)
        clear = np.ptp(certain[:, -2:], axis=1) > 2e-4 if len(full.classes_) > 1 else np.ones(len(texts), bool)
        assert small.predict(texts)[clear].tolist() == full.predict(texts)[clear].tolist()
        assert small.log_joint(texts).tolist() == compact.log_joint(texts).tolist()


def test_the_compact_form_explains_and_is_small() -> None:
    rng = np.random.default_rng(0)
    texts, labels = (
        [" ".join(f"word{i}" for i in row) for row in rng.zipf(1.3, (2000, 20)) % 9999],
        rng.choice(["x", "y"], 2000),
    )
    full = Categorizer().fit(texts, labels)
    compact = full.compact()
    check_sum(compact, texts[0])
    ours, theirs = full.explain(texts[0], "x", "y"), compact.explain(texts[0], "x", "y")
    assert theirs.score == pytest.approx(ours.score, abs=1e-4)
    assert {item.term: item.spans for item in theirs.evidence} == {item.term: item.spans for item in ours.evidence}
    assert [term for term, _ in compact.most_informative(5)["x"]] == [term for term, _ in full.most_informative(5)["x"]]
    assert compact.score(texts, labels) == full.score(texts, labels)
    assert max(compact.nbytes, len(pickle.dumps(compact))) < 0.6 * len(pickle.dumps(full))


def test_the_compact_form_of_numbers_decides_alike() -> None:
    documents = Documents(["buy", "see you", "buy it"], ["spam", "ham", "spam"], columns={"links": [7, 0, 3]})
    full = Categorizer(numeric=["links"]).fit(documents)
    compact = pickle.loads(pickle.dumps(full.compact()))
    np.testing.assert_allclose(compact.predict_proba(documents), full.predict_proba(documents), atol=1e-4)
    check_sum(compact, Documents(["buy"], columns={"links": [3]}))


def test_the_compact_form_can_not_learn() -> None:
    full = Categorizer().fit(TEXTS, LABELS)
    for name in ("learn", "forget", "fit", "partial_fit"):
        with pytest.raises(InvalidOption, match="Keep the full categorizer"):
            getattr(full.compact(), name)(TEXTS, LABELS)
    with pytest.raises(InvalidOption, match="Use a smoothing above 0"):
        Categorizer(model=NaiveBayes(smoothing=Additive(0))).fit(TEXTS, LABELS).compact()
    full.compact()
    assert full.learn(["x"], ["fox"]).forget(["x"], ["fox"]).predict(["hen"]).tolist() == ["hen"]


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda c: c.explain("hen", "cat"), InvalidLabel, "'cat' is unknown here: known are 'fox', 'hen', 'owl'"),
        (lambda c: c.explain("hen", "hen", "hen"), InvalidLabel, "Name two different labels"),
        (lambda c: c.explain(["hen", "fox"]), InvalidText, "explain takes one text"),
        (lambda c: c.explain(None), InvalidText, "explain takes one text"),
        (lambda c: c.explain(5), InvalidText, "explain takes one text"),
        (lambda c: c.explain([b"hen"]), InvalidText, "explain takes one text"),
        (lambda c: c.restrict(["owl"]).explain("hen"), InvalidLabel, "explain needs two"),
        (lambda c: c.most_informative(0), InvalidOption, "n must be an int >= 1, got 0"),
        (lambda c: c.generate("cat"), InvalidLabel, "'cat' is unknown here"),
        (lambda c: c.generate("hen", 0), InvalidOption, "n_words must be an int >= 1, got 0"),
        (lambda c: c.generate("hen", seed=-1), InvalidOption, "seed must be an int >= 0, got -1"),
        (lambda c: c.perplexity(["hen"], "cat"), InvalidLabel, "'cat' is unknown here"),
        (lambda c: c.perplexity("hen", "hen"), InvalidText, r"Write \[text\]"),
        (lambda c: c.restrict(["cat"]), InvalidLabel, "'cat' is unknown here"),
        (lambda c: c.restrict(None), InvalidLabel, "labels must be a list|name at least one"),
        (lambda c: Categorizer().fit(["", ""], ["x", "y"]).generate("x", 3), InvalidLabel, "no terms to draw from"),
    ],
)
def test_what_can_not_be_answered_is_refused(ask: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        ask(Categorizer().fit(TEXTS, LABELS))


@pytest.mark.parametrize("kind", ["bernoulli", "complement"])
def test_what_is_no_language_model_writes_nothing(kind: Any) -> None:
    model = Categorizer(model=NaiveBayes(kind)).fit(TEXTS, LABELS)
    for ask in (lambda: model.generate("hen"), lambda: model.perplexity(["hen"], "hen")):
        with pytest.raises(InvalidOption, match="multinomial or binary"):
            ask()


@pytest.mark.parametrize("calibrate", [None, "auto"])
def test_both_probabilities_are_shown_if_there_are_more_than_two_labels(calibrate: Any) -> None:
    texts = ["good fun", "good film", "bad film", "bad end", "so so", "so film"] * 5
    model = Categorizer("words", calibrate=calibrate).fit(texts, ["+", "+", "-", "-", "0", "0"] * 5)
    text = "so good a film"
    ranked = model.rank_labels([text])[0]
    explanation = model.explain(text)
    (label, first), (against, second) = ranked[:2]
    assert (explanation.label, explanation.against) == (label, against)
    assert explanation.overall_probability == pytest.approx(first)
    assert explanation.probability == pytest.approx(first / (first + second))
    written = explanation.to_dict()
    assert (written["overall_probability"], written["probability"]) == (
        explanation.overall_probability,
        explanation.probability,
    )
    shown = f"probability {first:.3f} among all 3 labels, {first / (first + second):.3f} between these two)"
    for form in (str(explanation), explanation.to_html(), explanation.to_latex()):
        assert shown in form
    for label, probability in ranked:
        other = next(each for each, _ in ranked if each != label)
        assert model.explain(text, label, other).overall_probability == pytest.approx(probability)
    of_two = model.restrict(["+", "0"])
    assert of_two.explain(text).overall_probability == pytest.approx(of_two.explain(text).probability)
    assert "among all" not in str(of_two.explain(text))
