"""Character n-grams in an explanation: they are folded into words, everything adds up, and nothing is lost."""

import json
import math
import subprocess
import sys
import warnings
from collections import defaultdict
from typing import Any

import pytest
from helpers.analyzer_recipes import OVERS, analyzers
from helpers.evidence_sums import check_sum
from helpers.invented_texts import texts as odd_texts
from helpers.labelled_documents import MODELS, Learned, any_text, learned, plain_texts, some
from hypothesis import given
from hypothesis import strategies as st

from tercet import NBSVM, Analyzer, Categorizer, Documents, LinearSVM, LogisticRegression, NaiveBayes, TermWeighting
from tercet.categorizer.evidence.word_lines import TermKinds, locate_lines
from tercet.report.explanation.evidence import Evidence
from tercet.report.explanation.explanation import Explanation

CHARACTERS = {"char_ngrams": (2, 4), "char_ngrams_over": "words"}
BOTH = Analyzer(tokens="words_and_marks", word_ngrams=(1, 2), **CHARACTERS)  # type: ignore[arg-type]
MARGINS: list[tuple[Any, Any]] = [
    (NBSVM(), None),
    (LinearSVM(), None),
    (LinearSVM(), TermWeighting(norm=None)),
    (LogisticRegression(multi="softmax"), TermWeighting("raw", "smooth", "l1")),
]
TEXTS = ["a good, good hen!", "the hens sat", "bad foxes ran", "the foxy fox is not bad", "an owl flew off", "goody owls"]
LABELS = ["hen", "hen", "fox", "fox", "owl", "owl"]
ASKED = ["good good good", "the goodness of don't!", "un-hen hen", "", "!!", "owl owlish (unknown terms)", "你好 hen你好"]


def fit(model: Any = None, weighting: Any = None, analyzer: Analyzer = BOTH) -> Categorizer:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Categorizer(analyzer, model, weighting=weighting).fit(TEXTS, LABELS)


def check_parts(model: Any, document: Any) -> Explanation:
    """Lines add up to the score, each line is the sum of its parts, and the parts are the terms of the text."""
    explanation: Explanation = check_sum(model, document)
    size = sum(abs(part.value) for part in explanation.parts)
    for item in explanation.evidence:
        if item.parts:
            assert math.fsum(part.value for part in item.parts) == pytest.approx(item.value, abs=1e-12 * size)
    assert list_values(explanation.parts) == pytest.approx(sum_occurrences(model, explanation), abs=1e-12 * size)
    places: dict[str, list[Any]] = defaultdict(list)
    for term, spans in model.scorer().analyzer.located_terms(explanation.text):
        places[term] += spans
    named = [part for part in explanation.parts if part.term in places and part.spans]
    assert all(list(part.spans) == sorted(places[part.term]) for part in named)
    return explanation


def list_values(evidence: Any) -> dict[str, float]:
    return {item.term: item.value for item in evidence if not item.term.startswith("(")}


def sum_occurrences(model: Any, explanation: Explanation) -> dict[str, float]:
    """The value of each known term, without lines."""
    scorer = model.scorer()
    a, b = (scorer.labels.tolist().index(label) for label in (explanation.label, explanation.against))
    numbers = scorer.find(explanation.text)
    values = scorer.weights.occurrence_values(numbers, range(len(scorer.labels)))
    found: dict[str, list[float]] = defaultdict(list)
    terms = scorer.analyzer.terms(explanation.text)
    for term, value, known in zip(terms, (values[:, a] - values[:, b]).tolist(), scorer.weights.known(numbers), strict=True):
        if known:
            found[term].append(value)
    return {
        term: some[0] if scorer.weights.counts_once else math.fsum(some)
        for term, some in found.items()
        if not term.startswith("(")
    }


def lines(explanation: Explanation) -> dict[str, Evidence]:
    return {item.term: item for item in explanation.evidence}


@pytest.mark.parametrize("over", OVERS)
@pytest.mark.parametrize("model", MODELS, ids=repr)
@given(learned(min_size=2), st.lists(any_text, min_size=1, max_size=2))
@some(0.04)
def test_lines_and_parts_of_naive_bayes_add_up(model: NaiveBayes, over: Any, documents: Learned, texts: list[str]) -> None:
    documents += Learned(["the hen (unknown terms)", "fox"], ["a", "b"], [1.0, 2.0])
    ours = Categorizer(BOTH.replace(char_ngrams_over=over), model).fit(*documents)
    for text in [*texts, documents.texts[0]]:
        check_parts(ours, text)


@pytest.mark.parametrize("over", OVERS)
@pytest.mark.parametrize(("model", "weighting"), MARGINS, ids=repr)
def test_lines_and_parts_of_margins_add_up(model: Any, weighting: Any, over: Any) -> None:
    full = fit(model, weighting, BOTH.replace(char_ngrams_over=over))
    for ours in (full, full.compact()):
        for text in [*TEXTS, *ASKED]:
            check_parts(ours, text)


@pytest.mark.parametrize("n_labels", [2, 3])
def test_lines_and_parts_of_a_stack_add_up(n_labels: int) -> None:
    names = ["hen", "fox", "owl"][:n_labels]
    labels = [names[i % n_labels] for i in range(90)]
    texts = [f"{TEXTS[i % 5]} {label * (i % 7 > 0)}, {i} {label}s" for i, label in enumerate(labels)]
    full = Categorizer(model="auto").fit(texts, labels)
    assert full.table_.analyzer.char_ngrams is not None
    for ours in (full, full.compact()):
        for text in [*texts[:9], *ASKED]:
            check_parts(ours, text)
    assert any(len(item.parts) > 5 for item in full.explain(texts[0]).evidence)


@given(analyzers(), st.sampled_from(OVERS), st.lists(odd_texts | plain_texts, min_size=1, max_size=3))
@some(0.5)
def test_lines_and_parts_of_any_recipe_add_up(analyzer: Analyzer, over: Any, texts: list[str]) -> None:
    options = {name: value for name, value in analyzer.to_dict().items() if name != "layout"}
    ours = fit(analyzer=Analyzer.from_dict(options | {"char_ngrams": (1, 3), "char_ngrams_over": over}))
    for text in texts:
        check_parts(ours, text)


@given(analyzers(), st.sampled_from(OVERS), odd_texts | plain_texts)
def test_an_ngram_is_in_the_line_of_a_word_that_it_touches(analyzer: Analyzer, over: Any, text: str) -> None:
    analyzer = analyzer.replace(char_ngrams=(1, 4), char_ngrams_over=over)
    kinds, terms = TermKinds(analyzer), analyzer.located_terms(text)
    found = list(locate_lines(analyzer, text, terms))
    assert len(found) == len(terms)
    for (term, own), (line, spans) in zip(terms, found, strict=True):
        assert all(0 <= start <= end <= len(text) for start, end in spans)
        if not kinds.is_characters(term):
            assert (line.name, spans) == (kinds.name_term(term), own)
        elif not line.is_word:
            assert (line.name, spans) == (term, own)
            assert kinds.crosses_blank(term) or not text[own[0][0] : own[0][1]].strip()
        else:
            ((start, end),), ((first, last),) = spans, own
            assert start <= last
            assert first <= end
            assert not kinds.crosses_blank(term)


@given(st.lists(plain_texts | odd_texts, min_size=1, max_size=3))
@some(0.5)
def test_with_ngrams_inside_words_no_line_is_an_ngram_of_characters(texts: list[str]) -> None:
    ours = Categorizer(BOTH).fit([*texts, "hen", "fox"], [*("ab"[i % 2] for i in range(len(texts))), "a", "b"])
    kinds = TermKinds(BOTH)
    for text in texts:
        explanation = ours.explain(text)
        names = {token.text for token in BOTH.tokens(text)}
        for item in explanation.evidence:
            assert item.parts or item.term.startswith("(")
            characters = [part for part in item.parts if kinds.is_characters(part.term)]
            assert not characters or item.term in names or not item.term.split()[1:]


def test_a_word_has_its_own_evidence_and_that_of_its_characters() -> None:
    explanation = check_parts(fit(), "good hen, good")
    good = lines(explanation)["good"]
    assert good.spans == ((0, 4), (10, 14))
    assert {part.term for part in good.parts} >= {"word:good", "char: g", "char:goo", "char:od "}
    assert lines(explanation)["hen"].spans == ((5, 8),)
    pair = lines(explanation)["good hen"]
    assert [part.term for part in pair.parts] == ["word:good hen"]


def test_an_ngram_belongs_to_the_word_with_most_of_its_characters() -> None:
    found = lines(check_parts(fit(), "a good, good hen!"))
    assert "char:od, " in {part.term for part in found["good"].parts}  # two letters, one mark, and the blank after the word
    assert "char:n!" in {part.term for part in found["hen"].parts}  # a tie goes to the longer word
    assert {part.term for part in found["!"].parts} == {"word:!", "char:! "}


def test_ngrams_that_touch_no_token_are_shown_with_the_text_between_tokens() -> None:
    analyzer = Analyzer(stop_words=["the"], **CHARACTERS)  # type: ignore[arg-type]
    found = lines(check_parts(fit(analyzer=analyzer), "The hens!! THE owl"))
    assert found["the"].spans == ((0, 3), (11, 14))
    assert {part.term for part in found["the"].parts} >= {"char: t", "char:the"}
    assert "!" not in found
    assert "word:the" not in {part.term for part in found["the"].parts}


def test_an_ngram_across_a_blank_is_a_line_of_its_own() -> None:
    analyzer = Analyzer(char_ngrams=(2, 3), char_ngrams_over="text")
    found = lines(check_parts(fit(analyzer=analyzer), "a good hen"))
    assert found["char:d h"].spans == ((5, 8),)
    assert found["char:d h"].parts == ()
    assert {part.term for part in found["hen"].parts} >= {"word:hen", "char: h", "char:hen"}
    marked = fit(analyzer=Analyzer(word_ngrams=None, char_ngrams=(2, 3), char_ngrams_over="marked_text"))
    found = lines(check_parts(marked, "an owl"))
    assert found["n~o"].parts == ()
    assert {part.term for part in found["owl"].parts} >= {"~o", "owl"}


def test_a_term_that_counts_once_is_shared_by_its_words() -> None:
    found = lines(check_parts(fit(NaiveBayes("binary")), "hen owl hens"))
    shares = [part.value for name in ("hen", "hens") for part in found[name].parts if part.term == "char:hen"]
    (whole,) = (part.value for part in fit(NaiveBayes("binary")).explain("hen owl hens").parts if part.term == "char:hen")
    assert shares == [whole / 2] * 2


def test_unknown_words_are_listed_without_their_characters() -> None:
    assert fit().explain("zzz hen").unknown == ("zzz", "zzz hen")


def test_colours_are_those_of_words() -> None:
    text = "good hen"
    pieces = fit().explain(text).highlights()
    assert [text[piece.start : piece.end] for piece in pieces] == ["good", "hen"]


def test_each_column_has_its_own_words() -> None:
    rows = [("Good hen", "the owl"), ("the fox", "bad, bad"), ("hen", "good")]
    for fields in (False, True):
        documents = Documents.join({"subject": [row[0] for row in rows], "body": [row[1] for row in rows]}, ["a", "b", "a"])
        for model in (None, NBSVM(), LinearSVM()):
            ours = Categorizer(BOTH, model, fields=fields).fit(documents)
            explanation = check_parts(ours, Documents.join({"subject": ["good owl"], "body": ["so good"]}))
            found = lines(explanation)
            if fields:
                assert (found["subject:good"].spans, found["body:good"].spans) == (((0, 4),), ((12, 16),))
            else:
                assert found["good"].spans == ((0, 4), (12, 16))
            shown = [line.split() for line in explanation.to_table().splitlines()]
            assert any(
                line[1:3] == ["good", "subject"] if fields else line[1:4] == ["good", "subject,", "body"] for line in shown
            )


def test_a_feature_is_not_mixed_with_a_word_of_the_same_name() -> None:
    analyzer = Analyzer(tokens="whitespace", lowercase=False, lexicon={"bird": ["hen"]}, **CHARACTERS)  # type: ignore[arg-type]
    ours = Categorizer(analyzer).fit(["hen LEX:bird", "fox"], ["a", "b"])
    same = [item for item in ours.explain("hen LEX:bird").evidence if item.term == "LEX:bird"]
    assert sorted(len(item.parts) > 0 for item in same) == [False, True]


def test_the_most_informative_terms_are_words_unless_detail_is_asked_for() -> None:
    ours = fit()
    for label, terms in ours.most_informative(1000).items():
        words = {term for term, _ in ours.most_informative(10_000, detail=True)[label] if term.startswith("word:")}
        assert {f"word:{term}" for term, _ in terms} == words
        assert [value for _, value in terms] == sorted((value for _, value in terms), reverse=True)
    assert any(term.startswith("char:") for term, _ in ours.most_informative(10_000, detail=True)["hen"])
    alone = fit(analyzer=Analyzer(word_ngrams=None, char_ngrams=(2, 3)))
    assert alone.most_informative(5) == alone.most_informative(5, detail=True)
    mixed = fit(analyzer=Analyzer(lexicon={"bird": ["hen", "hens"]}, **CHARACTERS))  # type: ignore[arg-type]
    assert "LEX:bird" in [term for term, _ in mixed.most_informative(100)["hen"]]
    assert [term for term, _ in ours.compact().most_informative(3)["hen"]] == [
        term for term, _ in ours.most_informative(3)["hen"]
    ]


def test_native_and_reference_explain_alike() -> None:
    script = f"""
import json, sys, warnings
warnings.simplefilter("ignore")
if sys.argv[1] == "reference":
    sys.modules["tercet.kernel._native"] = None
from tercet import NBSVM, Analyzer, Categorizer, LinearSVM, NaiveBayes
analyzer = Analyzer.from_dict({BOTH.to_dict()!r})
for model in (NaiveBayes("multinomial", 0.5), NaiveBayes("bernoulli", 0.5), NBSVM(tol=1e-9), LinearSVM(tol=1e-9)):
    for over in {OVERS!r}:
        fitted = Categorizer(analyzer.replace(char_ngrams_over=over), model).fit({TEXTS!r}, {LABELS!r})
        print(json.dumps([fitted.explain(text, "hen", "fox").to_dict() for text in {ASKED!r}]))
"""
    native, plain = ([json.loads(line) for line in run(script, kind).splitlines()] for kind in ("native", "reference"))
    assert len(native) == len(plain) == 20
    for one, other in zip(native, plain, strict=True):
        for ours, theirs in zip(one, other, strict=True):
            assert ours["unknown"] == theirs["unknown"]
            assert flatten(ours) == pytest.approx(flatten(theirs), rel=1e-4, abs=1e-4)


def run(script: str, kind: str) -> str:
    return subprocess.run([sys.executable, "-c", script, kind], check=True, capture_output=True, text=True).stdout


def flatten(explanation: dict[str, Any]) -> dict[str, float]:
    """The value of each line and each part, with its places."""
    found = {}
    for item in explanation["evidence"]:
        found[f"{item['term']} {item['spans']}"] = item["value"]
        found |= {f"{item['term']} > {part['term']} {part['spans']}": part["value"] for part in item.get("parts", ())}
    return found
