"""Pairs of sentences: the audit equals brute force, sentence by sentence, and the terms add up to the difference of scores."""

import json
import math
import os
import random
import re
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tercet
from tercet import NBSVM, Analyzer, Categorizer, Documents, LinearSVM, LogisticRegression, NaiveBayes, Stack
from tercet.auditing.audit.pairs import PairAudit, PairComparison, audit_pairs
from tercet.auditing.audit.templates import fill_templates
from tercet.categorizer.evidence.explain import sum_term_scores
from tercet.errors import InvalidLabel, InvalidOption

WORDS = {"pos": ["lovely", "warm", "she", "her", "great", "Ann"], "neg": ["dull", "he", "him", "loud", "awful", "Bob"]}
NEITHER = ["film", "story", "was", "the", "and", "herself", "himself", "my", "sister", "brother", "feels", "saw", "odd", "plot"]
WORDS["odd"] = ["odd", "plot", "sister"]
BOTH = Analyzer(word_ngrams=(1, 2), char_ngrams=(2, 4), char_ngrams_over="words")
PERSONS = {
    "person": ["he", "she", "Bob", "Ann", "my brother", "my sister"],
    "self": ["himself", "herself"] * 3,
    "gender": ["male", "female"] * 3,
    "kind": ["pronoun", "pronoun", "name", "name", "", ""],
}
TEMPLATES = ["{person} feels {mood}.", "the {mood} film saw {person}!", "{person} hurt {self}."]
SENTENCES = fill_templates(TEMPLATES, {"person": PERSONS, "mood": ["great", "dull", "unheard"]})


def draw_documents(n_labels: int = 2, n: int = 60) -> Documents:
    draw = random.Random(n_labels)
    labels = [list(WORDS)[k % n_labels] for k in range(n)]
    texts = [" ".join(draw.choices(WORDS[label] + NEITHER, k=draw.randint(3, 12))) for label in labels]
    return Documents(texts, labels, columns={"links": [draw.randint(0, 5) for _ in labels]})


def fit(*parts: Any, n_labels: int = 2, **options: Any) -> Categorizer:
    return Categorizer(*parts, **options).fit(draw_documents(n_labels))


MODELS = {
    "multinomial": lambda: fit(),
    "unknown": lambda: fit(Analyzer(word_ngrams=(1, 2)), NaiveBayes(smoothing=0.5, unknown="unk")),
    "binary": lambda: fit(model=NaiveBayes("binary", 0.5, unknown="unk"), select=tercet.MostInformative(12)),
    "bernoulli": lambda: fit(model=NaiveBayes("bernoulli")),
    "complement": lambda: fit(model=NaiveBayes("complement"), n_labels=3),
    "three": lambda: fit(n_labels=3, calibrate="temperature"),
    "measured": lambda: fit(numeric=["n_words", "capital_share"], calibrate="isotonic"),
    "svm": lambda: fit(BOTH, LinearSVM(), weighting=tercet.TermWeighting("log", blocks="kinds")),
    "nbsvm": lambda: fit(BOTH, NBSVM(), calibrate="platt"),
    "logistic": lambda: fit(model=LogisticRegression(), n_labels=3),
    "stack": lambda: fit(BOTH, Stack()),
    "compact": lambda: fit(BOTH, Stack()).compact(),
    "compact bayes": lambda: fit(calibrate="length").compact(),
}


@pytest.fixture(scope="module", params=MODELS)
def model(request: pytest.FixtureRequest) -> Any:
    return MODELS[request.param]()


@pytest.fixture(scope="module")
def audit(model: Any) -> PairAudit:
    return audit_pairs(model, SENTENCES, "template", ["gender", "kind"])


def list_cells(column: str) -> list[tuple[list[int], list[int]]]:
    """The rows of the first and of the second value of a column, for each template and mood."""
    first, second = sorted(set(SENTENCES.columns[column]) - {""})
    found: dict[Any, tuple[list[int], list[int]]] = {}
    for i, key in enumerate(zip(SENTENCES.columns["template"], SENTENCES.columns["mood"], strict=True)):
        if (value := SENTENCES.columns[column][i]) in (first, second):
            found.setdefault(key, ([], []))[value == second].append(i)
    return list(found.values())


def average(values: Any, column: str) -> float:
    """The mean over cells of the mean of the first side minus that of the second."""
    return float(np.mean([np.mean(values[own]) - np.mean(values[others]) for own, others in list_cells(column)]))


def test_differences_equal_brute_force(model: Any, audit: PairAudit) -> None:
    proba, labels, decisions = model.predict_proba(SENTENCES), model.classes_.tolist(), model.predict(SENTENCES)
    assert audit.held_fixed == ("template", "mood")
    shown = labels[1:] if len(labels) == 2 else labels
    assert [(each.column, each.label) for each in audit.comparisons] == list(product(["gender", "kind"], shown))
    for each in audit.comparisons:
        place = labels.index(each.label)
        odds = np.log(proba[:, place]) - np.log(np.delete(proba, place, axis=1).sum(axis=1))
        assert each.probability.estimate.value == pytest.approx(average(proba[:, place], each.column), abs=1e-12)
        assert each.log_odds.estimate.value == pytest.approx(average(odds, each.column), abs=1e-9)
        pairs = [pair for own, others in list_cells(each.column) for pair in product(own, others)]
        assert (each.n_cells, each.n_pairs) == (len(list_cells(each.column)), len(pairs))
        assert each.n_flips == sum(decisions[a] != decisions[b] for a, b in pairs)
        assert each.n_gained == sum(decisions[a] == each.label != decisions[b] for a, b in pairs)
        assert each.n_lost == sum(decisions[b] == each.label != decisions[a] for a, b in pairs)


def test_terms_equal_the_explanations_of_all_sentences_and_add_up_to_the_score(model: Any, audit: PairAudit) -> None:
    labels = model.classes_.tolist()
    for each in audit.comparisons:
        assert_explained(model, SENTENCES, list_cells(each.column), each)
        if len(labels) == 2 and not audit.is_calibrated:
            assert each.score == pytest.approx(each.log_odds.estimate.value, abs=1e-9)


def assert_explained(
    model: Any, sentences: Documents, cells: Sequence[tuple[list[int], list[int]]], found: PairComparison
) -> None:
    """The terms are the mean differences of the explanations, sentence by sentence, and add up to the difference of scores."""
    others = [label for label in model.classes_.tolist() if label != found.label]
    parts: dict[str, float] = {}
    for own, against in cells:
        for sign, rows in ((1, own), (-1, against)):
            for i, other in product(rows, others):
                weight = sign / (len(rows) * len(cells) * len(others))
                for term, _, value, _ in model.explain(sentences.pick([i]), found.label, other).evidence:
                    name = term.partition(" = ")[0]  # the number of a numeric column
                    parts[name] = parts.get(name, 0.0) + weight * value
    terms = dict(found.terms)
    assert len(terms) == 100 or found.other_terms == 0
    for term, value in terms.items():
        assert value == pytest.approx(parts[term], rel=1e-6, abs=1e-9)
    assert math.fsum([found.other_terms, *terms.values()]) == pytest.approx(found.score, abs=1e-9)
    assert found.score == pytest.approx(math.fsum(parts.values()), abs=1e-9)


@pytest.mark.parametrize("name", ["multinomial", "unknown", "binary", "bernoulli", "nbsvm"])
def test_repeated_and_unknown_terms_count_as_in_an_explanation(name: str) -> None:
    texts = ["he he saw saw qqq", "she saw was was was", "him film vvv www film", "her film xxx xxx yyy zzz film"]
    sentences = Documents(texts, columns={"template": [1, 1, 2, 2], "gender": ["m", "f"] * 2})
    model = MODELS[name]()
    (found,) = audit_pairs(model, sentences, "template", "gender").comparisons
    assert_explained(model, sentences, [([1], [0]), ([3], [2])], found)
    assert ("(unknown terms)" in dict(found.terms)) == (name == "unknown")


@pytest.mark.parametrize("over", ["words", "text", "bytes"])
def test_terms_of_any_character_n_grams_add_up_to_the_score(over: Any) -> None:
    """Those of whole texts reach from one word into the next, and are not folded into words."""
    model = fit(BOTH.replace(char_ngrams_over=over), LogisticRegression())
    (found,) = audit_pairs(model, SENTENCES, "template", "gender").comparisons
    assert math.fsum([found.other_terms, *dict(found.terms).values()]) == pytest.approx(found.score, abs=1e-9)
    assert any(":" in term for term, _ in found.terms) == (over != "words")


def test_sums_of_terms_are_the_same_in_small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    scorer = fit(BOTH, NBSVM()).scorer()
    weights = np.random.default_rng(0).normal(size=(len(SENTENCES.texts), 2))
    whole = sum_term_scores(scorer, SENTENCES, weights, np.array([[-1.0], [1.0]]))
    monkeypatch.setattr("tercet.categorizer.evidence.explain.AT_A_TIME", 100)
    blocks = sum_term_scores(scorer, SENTENCES, weights, np.array([[-1.0], [1.0]]))
    assert sorted(whole.names) == sorted(blocks.names)
    places = [blocks.names.index(name) for name in whole.names]
    np.testing.assert_allclose(whole.values, blocks.values[places], atol=1e-12)


# Neutral words


NEUTRAL = {
    "bayes": lambda analyzer: fit(analyzer),
    "svm": lambda analyzer: fit(analyzer, LinearSVM(), weighting=tercet.TermWeighting("log", blocks="kinds")),
    "nbsvm": lambda analyzer: fit(analyzer, NBSVM(), calibrate="platt"),
    "auto": lambda analyzer: fit(analyzer, "auto"),
}


@pytest.mark.parametrize("name", NEUTRAL)
def test_with_the_differing_tokens_neutral_the_difference_is_exactly_0(name: str) -> None:
    """Cells have sentences with one word and with two words for a person: he, my brother."""
    before = audit_pairs(NEUTRAL[name](BOTH), SENTENCES, "template", ["gender", "kind"])
    assert set(before.not_neutral) == {"he", "she", "bob", "ann", "brother", "sister", "himself", "herself"}
    assert before.comparisons[0].log_odds.estimate.value != 0
    after = audit_pairs(NEUTRAL[name](BOTH.replace(neutral=before.not_neutral)), SENTENCES, "template", ["gender", "kind"])
    assert after.not_neutral == ()
    for found in after.comparisons:
        assert found.is_zero
        assert found.probability.estimate.value == found.log_odds.estimate.value == found.score == found.other_terms == 0
        assert found.terms == ()
        assert found.probability.p_value == found.log_odds.p_value == 1
        assert found.n_gained == found.n_lost
    assert "equal" in after.detectable[0]
    assert "are exactly equal with female and with male, in 7 cells" in after.findings[0]


def test_words_to_be_neutral_are_words_even_if_tokens_are_stems() -> None:
    audit = audit_pairs(fit(Analyzer(stems="porter", stop_words=["he"])), SENTENCES, "template", "gender")
    assert "brother" in audit.not_neutral
    assert "--neutral 'ann, bob, brother, " in audit.findings[-1]


def test_cells_that_neutral_words_do_not_make_equal_are_counted() -> None:
    texts = ["he ran", "a tall woman ran", "he fell", "she fell"]
    columns = {"verb": ["ran", "ran", "fell", "fell"], "gender": ["m", "f"] * 2}
    audit = audit_pairs(fit(), Documents(texts, columns=columns), "verb", "gender")
    assert any(
        remark.startswith("gender: with all differing tokens neutral, 1 cell would still differ") for remark in audit.remarks
    )


# Columns, labels and rules


def test_a_sentence_without_its_partner_is_left_out_and_named() -> None:
    kept = [i for i in range(len(SENTENCES.texts)) if SENTENCES.columns["template"][i] != TEMPLATES[2] or i % 2]
    audit = audit_pairs(fit(), SENTENCES.pick(kept), "template", ["gender", "kind"])
    assert audit.held_fixed == ("template", "mood")
    assert audit.comparisons[0].n_cells == 6
    assert any(
        "1 cell left out, because only one group has a sentence there" in each and "hurt" in each for each in audit.remarks
    )
    assert any("kind" in each and "the value is missing" in each for each in audit.remarks)


def test_a_filler_is_found_even_if_a_sentence_has_lost_its_partner() -> None:
    moods = [f"mood{k}" for k in range(10)]
    sentences = fill_templates(TEMPLATES[:2], {"person": PERSONS, "mood": moods})
    columns = sentences.columns
    lost = zip(columns["template"], columns["mood"], columns["gender"], strict=True)
    kept = [i for i, row in enumerate(lost) if row != (TEMPLATES[0], "mood3", "male")]
    audit = audit_pairs(fit(), sentences.pick(kept), "template", ["gender", "kind"])
    assert audit.held_fixed == ("template", "mood")
    assert [each.n_cells for each in audit.comparisons] == [19, 20]
    assert any("gender: 1 cell left out, because only one group" in each and "'mood3'" in each for each in audit.remarks)


def test_more_than_two_groups_are_each_compared_with_all_others() -> None:
    columns = {"template": [1, 1, 1, 2, 2, 2], "who": ["a", "b", "c"] * 2}
    texts = ["he ran", "she ran", "Ann ran", "I saw him", "I saw her", "I saw Ann"]
    model = fit()
    audit = audit_pairs(model, Documents(texts, columns=columns), "template", "who")
    assert [each.name for each in audit.comparisons] == [f"who: {value} - all others" for value in "abc"]
    proba = model.predict_proba(texts)[:, 1].reshape(2, 3)
    expected = np.mean(proba[:, 0] - proba[:, 1:].mean(axis=1))
    assert audit.comparisons[0].probability.estimate.value == pytest.approx(expected)


def test_identical_sentences_have_no_difference() -> None:
    columns = {"template": [1, 1, 2, 2], "gender": ["m", "f"] * 2}
    audit = audit_pairs(
        fit(), Documents(["Sam ran", "Sam ran", "I saw Sam", "I saw Sam"], columns=columns), "template", "gender"
    )
    assert audit.comparisons[0].probability.estimate.value == 0
    assert any("two groups have the same sentence" in each for each in audit.remarks)
    assert not any("no bias" in each.lower() for each in (*audit.findings, *audit.detectable, str(audit)))


def test_sentences_without_a_term_that_the_model_knows_have_no_difference() -> None:
    columns = {"template": [1, 1], "gender": ["m", "f"]}
    model = Categorizer().fit(["sun", "rain"], ["pos", "neg"]).compact()
    (found,) = audit_pairs(model, Documents(["He ran", "She ran"], columns=columns), "template", "gender").comparisons
    assert (found.probability.estimate.value, found.score, found.terms) == (0, 0, ())


def test_a_positive_label_can_be_named() -> None:
    model = fit(n_labels=3)
    (found,) = audit_pairs(model, SENTENCES, "template", "gender", positive="odd").comparisons
    assert found.label == "odd"
    whole = audit_pairs(model, SENTENCES, "template", "gender").comparisons
    assert found.probability.estimate.value in [each.probability.estimate.value for each in whole]
    assert found.probability.adjusted_p <= max(each.probability.adjusted_p for each in whole)


def test_of_many_labels_those_with_the_largest_differences_are_shown() -> None:
    texts = [f"word{k} film" for k in range(11)] + ["he film", "she story"]
    labels = [f"label{k:02}" for k in range(11)] + ["label10", "label03"]
    audit = audit_pairs(Categorizer().fit(texts, labels), SENTENCES, "template", "gender")
    shown = [each.label for each in audit.comparisons]
    assert len(shown) == 10
    assert {"label03", "label10"} < set(shown)
    assert audit.n_tests == 22
    assert any("10 labels" in each for each in audit.remarks)


def test_findings_are_sorted_by_p_value_and_say_what_may_be_chance() -> None:
    audit = audit_pairs(fit(), SENTENCES, "template", ["kind", "gender"])
    assert audit.comparisons[0].column == "kind"
    smallest = [min(each.probability.adjusted_p, each.log_odds.adjusted_p) for each in audit.comparisons]
    assert smallest[0] > 0.05 > smallest[1]
    assert audit.findings[0].startswith("gender: the mean probability of 'pos' is 0.349 higher with female than with male")
    assert "may be chance" in audit.findings[1]


def test_a_rule_decides_and_the_log_odds_are_those_of_the_model() -> None:
    plain, ruled = fit(), fit(rules={"(?i)^she": "neg"})
    one, two = (audit_pairs(each, SENTENCES, "template", "gender") for each in (plain, ruled))
    (without,), (decided,) = one.comparisons, two.comparisons
    assert decided.log_odds.estimate == without.log_odds.estimate
    assert decided.terms == without.terms
    assert decided.probability.estimate.value < without.probability.estimate.value
    assert any("A rule decides 4 sentences" in each for each in two.remarks)


def test_impossible_sentences_have_no_log_odds() -> None:
    model = fit(model=NaiveBayes(smoothing=0))
    with pytest.warns(RuntimeWarning):
        audit = audit_pairs(model, SENTENCES, "template", "gender")
    (found,) = audit.comparisons
    assert math.isnan(found.log_odds.estimate.value)
    assert math.isfinite(found.probability.estimate.value)
    assert found.terms == ()
    json.dumps(audit.to_dict(), allow_nan=False)
    assert "undefined" in str(audit)


@pytest.mark.parametrize(
    ("pair", "by", "words"),
    [
        ("templat", "gender", ["'templat'", "Did you mean 'template'?"]),
        ("template", "genders", ["'genders'", "gender"]),
        ("template", "template", ["'template'", "both"]),
        ("person", "gender", ["partner", "'person'"]),
        ("template", [], ["by"]),
        ([], "gender", ["pair"]),
    ],
)
def test_columns_that_can_not_be_compared_are_refused(pair: Any, by: Any, words: list[str]) -> None:
    with pytest.raises(InvalidOption) as error:
        audit_pairs(fit(), SENTENCES, pair, by)
    assert all(word in str(error.value) for word in words), str(error.value)


def test_a_column_with_one_value_unknown_labels_and_no_sentences_are_refused() -> None:
    columns = {"template": [1, 1], "gender": ["m", "m"]}
    with pytest.raises(InvalidOption, match="only the value 'm'"):
        audit_pairs(fit(), Documents(["he ran", "Bob ran"], columns=columns), "template", "gender")
    with pytest.raises(InvalidLabel, match="'good' is unknown"):
        audit_pairs(fit(), SENTENCES, "template", "gender", positive="good")
    with pytest.raises(InvalidOption, match="no sentences"):
        audit_pairs(fit(), Documents([], columns={"a": [], "b": []}), "a", "b")
    with pytest.raises(InvalidLabel, match="only one label"):
        audit_pairs(fit(n_labels=1), SENTENCES, "template", "gender")


# Forms


def test_all_forms_show_the_numbers() -> None:
    audit = audit_pairs(fit(), SENTENCES, "template", ["gender", "kind"], confidence=0.9)
    (first, _) = audit.comparisons
    assert first.probability.estimate.confidence == 0.9
    frame = audit.to_frame()
    assert frame.shape[0] == 3 * len(audit.comparisons)
    assert frame["difference"][0] == first.probability.estimate.value
    written = json.loads(json.dumps(audit.to_dict(), allow_nan=False))
    assert written["comparisons"][0]["terms"][0]["term"] == first.terms[0].term
    assert len(audit.findings) == len(audit.comparisons) + 1
    for text in (str(audit), audit.to_markdown(), audit.to_latex(), audit.to_html()):
        assert first.terms[0].term in text
    assert audit.to_html().count("<svg") == 3
    assert "80 % power" in audit.detectable[0]


def test_the_order_of_the_sentences_does_not_matter() -> None:
    order = list(range(len(SENTENCES.texts)))
    random.Random(0).shuffle(order)
    one, two = (audit_pairs(fit(), each, "template", "gender") for each in (SENTENCES, SENTENCES.pick(order)))
    assert one.comparisons[0].probability.estimate.value == two.comparisons[0].probability.estimate.value
    assert one.not_neutral == two.not_neutral


def test_the_equity_evaluation_corpus_reads_as_it_is() -> None:
    if not (data := os.environ.get("TERCET_DATA")):
        pytest.skip("TERCET_DATA is not set")
    sentences = tercet.read(Path(data, "eec", "all.jsonl.gz"), columns="all")
    audit = audit_pairs(fit(), sentences, "template", ["gender", "race"])
    assert audit.held_fixed == ("template", "emotion_word")
    assert [(each.name, each.n_cells, each.n_pairs) for each in audit.comparisons] == [
        ("gender: female - male", 144, 129600),
        ("race: African-American - European", 144, 57600),
    ]
    assert {"himself", "herself"} <= set(audit.not_neutral)
    assert not any("would still differ" in each for each in audit.remarks)


def test_terms_that_add_to_a_difference_are_named_apart_from_those_that_reduce_it() -> None:
    model = Categorizer("words").fit(["he", "bob", "tim", "max", "sam"], ["pos", "neg", "neg", "neg", "neg"])
    columns = {"template": [1] * 6, "gender": ["m", "m", "m", "m", "m", "f"]}
    texts = ["he ran", "Bob ran", "Tim ran", "Max ran", "Sam ran", "Ann ran"]
    audit = audit_pairs(model, Documents(texts, columns=columns), "template", "gender", positive="neg")
    (found,) = audit.comparisons
    assert found.terms[0].term == "he"
    assert found.terms[0].value * found.score < 0
    named = re.search("difference are bob .*, max .*, sam .*; he .* reduces it", audit.findings[0])
    assert named, audit.findings[0]


def test_remarks_name_groups_of_one_word_and_groups_with_several_spellings() -> None:
    columns = {"template": [1, 1, 1, 1, 2, 2, 2, 2], "who": ["m", "m", "M", "f"] * 2}
    texts = ["Bob ran", "Tom ran", "Max ran", "Ann ran", "I saw Bob", "I saw Tom", "I saw Max", "I saw Ann"]
    remarks = " ".join(audit_pairs(fit(), Documents(texts, columns=columns), "template", "who").remarks)
    assert "who: one word alone stands for M (max), f (ann)." in remarks
    assert "who: 'M', 'm' differ only by case" in remarks
    assert "A cell has all sentences with equal template." in remarks
