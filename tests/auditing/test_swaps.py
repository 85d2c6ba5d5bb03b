"""Swapped terms: versions of texts, the numbers against a brute force, what is exactly 0, and what is refused."""

import json
import math
import random
import re
from dataclasses import replace
from statistics import mean
from typing import Any

import pytest

from tercet import Categorizer, Documents, NaiveBayes, Rule
from tercet.auditing.audit.differences import CorrectedDifference
from tercet.auditing.audit.swaps import SwapDifference, audit_swaps
from tercet.auditing.audit.term_swaps import TermSwaps
from tercet.errors import InvalidLabel, InvalidMatrix, InvalidOption
from tercet.evaluation.intervals import Estimate

PRONOUNS = [("he", "she"), ("him", "her"), ("man", "woman")]
PEOPLE = [("gay", "straight", "old"), ("Gays", "Straights", "Elders")]
MOODS = {
    "good": ["lovely", "kind", "she", "old"],
    "bad": ["dull", "rude", "he", "gay"],
    "odd": ["strange", "woman", "straight"],
}


def write_texts(n: int, labels: tuple[str, ...], seed: int = 0) -> tuple[list[str], list[str]]:
    """Texts whose words depend on their label a little, with some identity terms in every case."""
    draw = random.Random(seed)
    neutral = ["the", "film", "He", "she", "him", "HER", "man", "Woman", "gay", "Straights", "old", "was", "there", "then"]
    texts, gold = [], []
    for _ in range(n):
        label = draw.choice(labels)
        texts.append(" ".join(draw.choices(MOODS[label] + neutral, k=draw.randint(1, 9))) + ".")
        gold.append(label)
    return texts, gold


@pytest.fixture(scope="module")
def two_labels() -> Categorizer:
    return Categorizer("words").fit(*write_texts(150, ("good", "bad")))


@pytest.fixture(scope="module")
def three_labels() -> Categorizer:
    return Categorizer("words").fit(*write_texts(150, ("good", "bad", "odd")))


def swap_slowly(text: str, swaps: list[tuple[str, ...]], group: int) -> str:
    """The version of a text, by a regular expression: an independent oracle for words of ASCII letters."""

    def swap(match: re.Match[str]) -> str:
        word = match[0]
        terms = next((terms for terms in swaps if word.lower() in map(str.lower, terms)), None)
        if terms is None or word in terms:
            return word if terms is None else terms[group]
        return terms[group].lower() if word.islower() else terms[group].upper() if word.isupper() else terms[group].capitalize()

    return re.sub(r"\w+", swap, text)


def log_odds(p: float) -> float:
    return math.log(p) - math.log1p(-p)


@pytest.mark.parametrize("swaps", [PRONOUNS, PEOPLE])
@pytest.mark.parametrize("positive", [None, "good"])
def test_numbers_are_those_of_a_brute_force(swaps: Any, positive: Any, two_labels: Any, three_labels: Any) -> None:
    for model in (two_labels, three_labels):
        texts = write_texts(60, ("good", "bad"), seed=1)[0]
        found = audit_swaps(model, texts, swaps, positive=positive)
        groups = range(len(swaps[0]))
        listed = {term.lower() for terms in swaps for term in terms}
        chosen = [text for text in texts if listed & set(re.findall(r"\w+", text.lower()))]
        versions = [[swap_slowly(text, swaps, group) for text in chosen] for group in groups]
        answers = [[model.predict([text])[0] for text in own] for own in [chosen, *versions]]
        flips = sum(len({answers[0][k]} | {own[k] for own in answers[1:]}) > 1 for k in range(len(chosen)))
        assert (found.n_texts, found.n_documents, found.n_flips) == (len(chosen), 60, flips)
        known = model.classes_.tolist()
        versions = [list(dict.fromkeys(own)) for own in versions]  # equal versions count once
        n = len(versions[0])
        for each in found.differences:
            label = known.index(each.label)
            group = 1 if len(groups) == 2 else found.groups.index(each.group)
            p = [[float(model.predict_proba([text])[0, label]) for text in own] for own in versions]
            others = [own for place, own in enumerate(p) if place != group]
            expected = mean(p[group][k] - mean(own[k] for own in others) for k in range(n))
            assert each.probability.estimate.value == pytest.approx(expected, abs=1e-12)
            odds = mean(log_odds(p[group][k]) - mean(log_odds(own[k]) for own in others) for k in range(n))
            assert each.log_odds.estimate.value == pytest.approx(odds, abs=1e-9)
            assert each.probability.estimate.low < each.probability.estimate.value < each.probability.estimate.high
        wanted = [positive] if positive else ["good"] if len(known) == 2 else known
        assert {each.label for each in found.differences} == set(wanted)


def test_changes_by_term_are_those_of_the_texts_that_have_it(two_labels: Any) -> None:
    texts = write_texts(60, ("good", "bad"), seed=2)[0]
    found = audit_swaps(two_labels, texts, PRONOUNS)
    (change,) = (each for each in found.terms if (each.term, each.replaced_by) == ("him", "her"))
    having = [text for text in texts if "him" in re.findall(r"\w+", text.lower())]
    after = [swap_slowly(text, PRONOUNS, 1) for text in having]
    p = [two_labels.predict_proba(own)[:, 1].tolist() for own in (having, after)]
    assert change.n_texts == len(having) > 3
    assert change.probability.value == pytest.approx(mean(b - a for a, b in zip(*p, strict=True)), abs=1e-12)
    assert change.n_flips == int((two_labels.predict(having) != two_labels.predict(after)).sum())
    assert change.flips.value == change.n_flips / change.n_texts


def test_texts_with_another_label_come_first_and_then_the_largest_changes(two_labels: Any) -> None:
    found = audit_swaps(two_labels, write_texts(80, ("good", "bad"), seed=3)[0], PRONOUNS)
    flipped = [each.is_flipped for each in found.texts]
    assert flipped == sorted(flipped, reverse=True)
    assert sum(flipped) == found.n_flips > 0
    sizes = [abs(each.probability_after - each.probability_before) for each in found.texts if not each.is_flipped]
    assert sizes == sorted(sizes, reverse=True)
    first = found.texts[0]
    assert two_labels.predict([first.before, first.after]).tolist() == [first.decision_before, first.decision_after]


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("He told HIM: the man's he-goat", "She told HER: the woman's she-goat"),
        ("then there, hé, he_, _he, humane", None),
        ("his African-American friend, an AFRICAN AMERICAN; african\tamerican", "her White friend, an WHITE; white"),
        ("African. American? No: African", "White? No: African"),  # words in a row, whatever is between them
        ("वह, 他和她", "वह, 她和她"),
        ("Her dog saw her", "Her dog saw her"),
    ],
)
def test_versions_keep_case_and_replace_whole_words(text: str, version: str | None) -> None:
    swaps = TermSwaps.read([*PRONOUNS, ("his", "her"), ("African American", "white"), ("他", "她")])
    found = swaps.find(text)
    assert swaps.write(text, found, 1) == (version or text)
    assert bool(found) is (version is not None)


def test_the_longer_of_two_terms_is_found_and_replaced_once() -> None:
    swaps = TermSwaps.read([("American", "British"), ("African American", "white"), ("男人", "女人"), ("人", "神")])
    for text, version in [
        ("an African American", "an white"),
        ("an American", "an British"),
        ("好男人", "好女人"),
        ("人", "神"),
    ]:
        assert swaps.write(text, swaps.find(text), 1) == version


def test_a_version_of_its_own_group_is_the_text_itself() -> None:
    swaps = TermSwaps.read([("He", "sHe")])
    assert [swaps.write("HE he sHE", swaps.find("HE he sHE"), group) for group in (0, 1)] == ["HE he He", "SHE she sHE"]


def test_terms_that_the_model_does_not_know_change_exactly_nothing(three_labels: Any) -> None:
    texts = [f"{name} was kind {'there ' * k}" for k in range(20) for name in ("Ada", "Ben", "Eve", "Max")]
    found = audit_swaps(three_labels, texts, [("Ada", "Ben", "Eve", "Max")])
    assert all(each.probability.is_zero and each.probability.adjusted_p == 1 for each in found.differences)
    assert all(each.log_odds.estimate.value == 0 for each in found.differences)
    assert found.n_flips == 0
    assert found.texts == ()
    assert "is exactly the same in 20 texts" in found.findings[1]


def test_a_probe_says_what_so_many_texts_would_have_shown_and_never_that_there_is_no_bias(two_labels: Any) -> None:
    few = audit_swaps(two_labels, ["he was kind there", "him", "she was kind", "a man was rude"], PRONOUNS)
    written = str(few) + " ".join(few.findings)
    assert few.findings[1].count("so it may be chance") == 2
    assert "4 texts would have shown a change of" in written
    assert "no bias" not in written.lower()
    single = audit_swaps(two_labels, ["he was kind"], PRONOUNS)
    assert "no interval: it needs at least two texts" in str(single)
    assert math.isnan(single.differences[0].probability.detectable)


def test_texts_with_the_same_versions_count_once(two_labels: Any) -> None:
    texts = ["He was kind there", "the man saw him", "she was rude", "her film"]
    once = audit_swaps(two_labels, texts, PRONOUNS)
    twice = audit_swaps(two_labels, [*texts, *(swap_slowly(text, PRONOUNS, 1) for text in texts[:2])], PRONOUNS)
    assert twice.differences == once.differences
    assert (once.n_texts, twice.n_texts, twice.differences[0].n_texts) == (4, 6, 4)
    assert "4 of 6 differ" in str(twice)


def test_ambiguous_and_unused_terms_are_named(two_labels: Any) -> None:
    found = audit_swaps(two_labels, ["He saw her", "she"], [("he", "she"), ("him", "her"), ("his", "her")])
    assert found.unused == ("him", "his")
    assert "'her' is in the sets him/her and his/her: where a text has it, the set him/her replaces it." in found.remarks
    assert found.texts[0].after in ("He saw him", "She saw her", "he")


def test_columns_beside_the_text_stay() -> None:
    texts, labels = write_texts(60, ("good", "bad"))
    columns = {"length": [float(len(text)) for text in texts], "source": ["a", "b"] * 30}
    documents = Documents.join({"title": texts, "body": texts[::-1]}, labels, columns=columns)
    model = Categorizer("words", numeric=["length"], categorical=["source"]).fit(documents)
    found = audit_swaps(model, documents, [("he", "she")])
    versions = [replace(documents, texts=[swap_slowly(text, [("he", "she")], k) for text in documents.texts]) for k in (0, 1)]
    p = [model.predict_proba(own)[:, 1] for own in versions]
    assert found.differences[0].probability.estimate.value * found.n_texts == pytest.approx((p[1] - p[0]).sum(), abs=1e-10)


def test_a_rule_changes_probabilities_and_log_odds_are_those_of_the_model_alone() -> None:
    texts, labels = write_texts(40, ("good", "bad"))
    swapped = ["he was rude", "the man was dull and he was rude"]
    plain = audit_swaps(Categorizer("words").fit(texts, labels), swapped, PRONOUNS)
    found = audit_swaps(Categorizer("words", rules=[Rule("she", "good")]).fit(texts, labels), swapped, PRONOUNS)
    assert found.differences[0].probability.estimate.value > 0.5
    assert found.differences[0].log_odds == plain.differences[0].log_odds
    assert any("log-odds those of the model alone" in remark for remark in found.remarks)
    assert not any("rule" in remark for remark in plain.remarks)


def test_texts_that_are_impossible_under_a_label_have_no_log_odds() -> None:
    texts, labels = ["he is good", "she is bad", "it is", "it is"], ["good", "bad", "good", "bad"]
    model = Categorizer("words", NaiveBayes(smoothing=0)).fit(texts, labels)
    found = audit_swaps(model, ["he is", "it is he", "she is it it"], [("he", "she")])
    assert math.isnan(found.differences[0].log_odds.p_value)
    assert found.differences[0].probability.adjusted_p == found.differences[0].probability.p_value  # the only test
    assert found.findings[1].endswith("its log-odds by an unknown amount (undefined: a text has no finite difference).")
    assert "nan" not in f"{found}{found.to_html()}"


def test_many_tests_have_many_resamples_so_that_p_values_can_stay_small_after_correction() -> None:
    labels = [f"label {k}" for k in range(12)]
    found = audit_swaps(Categorizer("words").fit(labels, labels), ["he", "we", "it 1"], [("he", "she", "it", "they", "we")])
    assert found.plan.resamples == 200 * 2 * len(found.differences) == 24_000


def test_a_finding_names_a_significant_change_of_log_odds_even_if_the_probability_may_be_chance() -> None:
    probability = CorrectedDifference(Estimate(0.001, -0.001, 0.002, 0.95, "bootstrap_t"), 0.3, 0.3, 0.002)
    log_odds = CorrectedDifference(Estimate(-0.009, -0.016, -0.001, 0.95, "bootstrap_t"), 0.02, 0.04, 0.011)
    difference = SwapDifference("she", "he", "good", 600, probability, log_odds)
    assert difference.is_shown
    assert difference.describe() == (
        "With 'she' in place of 'he', the probability of 'good' changes by +0.001 [-0.001, +0.002] (p = 0.3 after correction, "
        "so it may be chance) on average over 600 texts, and its log-odds by -0.009 [-0.016, -0.001] (p = 0.04 after "
        "correction)."
    )
    assert not SwapDifference("she", "he", "good", 600, probability, probability).is_shown
    assert "'she' in place of all others" in SwapDifference("she", "all others", "good", 9, log_odds, log_odds).describe()


def test_a_probe_is_a_table_and_json(two_labels: Any) -> None:
    found = audit_swaps(two_labels, write_texts(40, ("good", "bad"))[0], PRONOUNS)
    frame, written = found.to_frame(), json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert len(frame) == 1 + 2 * len(found.differences) + 3 * len(found.terms)
    assert frame["difference"][1] == written["differences"][0]["probability"]["estimate"]["value"]
    assert written["findings"] == list(found.findings)
    again = audit_swaps(two_labels, write_texts(40, ("good", "bad"))[0], PRONOUNS)
    assert again.to_dict() == found.to_dict()


HOSTILE = "<script>alert(1)</script>\x1b[31m\u202e"


def test_a_page_escapes_labels_terms_and_texts() -> None:
    model = Categorizer("words").fit(["he is rude", "she is kind"], [HOSTILE, "good"])
    swaps = [("he", f"she {HOSTILE}"), ("him", "her")]
    found = audit_swaps(model, [f"he {HOSTILE} he", "she"], swaps, positive=HOSTILE)
    page = found.to_html()
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert not {"\x1b", "\u202e"} & set(page + str(found))
    assert page.count("<svg") == 2


@pytest.mark.parametrize(
    ("swaps", "message"),
    [
        ([], "swaps is empty"),
        ("he/she", "swaps must be a list of sets of terms"),
        ([("he", "she"), ("gay", "straight", "old")], "equally many terms"),
        ([("he", "she"), ("she", "it")], "the term 'she' has two places"),
        ([("he", "HE")], "the term 'he' has two places"),
        ([("he",)], "needs two or more terms, got 'he':"),
        ([()], "needs two or more terms, got none:"),
        (["he", "she"], "swaps must be a list of sets of terms"),
        ([("he", "?!")], "terms that have a word"),
        ([("he", 3)], "terms that have a word"),
        ([{"he", "she"}], "the place of a term stands for a group"),
        ([("xyz", "zyx")], "none of the 2 texts has a listed term"),
    ],
)
def test_bad_swaps_are_refused(swaps: Any, message: str, two_labels: Any) -> None:
    with pytest.raises(InvalidOption, match=re.escape(message)):
        audit_swaps(two_labels, ["he came", "she left"], swaps)


def test_bad_labels_and_documents_are_refused(two_labels: Any) -> None:
    with pytest.raises(InvalidLabel, match="'fine' is unknown here"):
        audit_swaps(two_labels, ["he came"], PRONOUNS, positive="fine")
    with pytest.raises(InvalidLabel, match="only one label"):
        audit_swaps(Categorizer().fit(["he"], ["x"]), ["he came"], PRONOUNS)
    with pytest.raises(InvalidOption, match="no documents to audit"):
        audit_swaps(two_labels, [], PRONOUNS)
    model = Categorizer("words", numeric=["n"]).fit(Documents(["he", "she"] * 3, ["x", "y"] * 3, columns={"n": range(6)}))
    with pytest.raises(InvalidMatrix, match="'n' has 1 values for 2 documents"):
        audit_swaps(model, Documents(["he", "she"], columns={"n": [1]}), PRONOUNS)
    with pytest.raises(InvalidOption, match="no column 'n'"):
        audit_swaps(model, ["he"], PRONOUNS)
