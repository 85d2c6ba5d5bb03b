"""audit_groups: planted differences are found, every sentence says what the data could show, bad input is named."""

import json
import math
import random
import re
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from tercet import Categorizer, Documents
from tercet.auditing.audit.groups import GroupAudit, audit_groups
from tercet.errors import InvalidLabel, InvalidMatrix, InvalidOption

WORDS = ["day", "film", "tree", "cloud", "road", "house", "garden", "river", "stone", "lamp"]
METRICS = ("accuracy", "false_positive_rate", "false_negative_rate", "subgroup_auc", "bpsn_auc", "bnsp_auc")


def draw_documents(n: int, seed: int) -> Documents:
    """Texts of which harmless ones of the group "x" often have the word of toxic ones."""
    draw = random.Random(seed)
    texts, labels, race, gender = [], [], [], []
    for _ in range(n):
        race.append(draw.choices(["x", "y", "z", ""], [10, 25, 60, 5])[0])
        gender.append(draw.choice(["female", "male"]))
        labels.append(draw.choices(["fine", "toxic"], [60, 40])[0])
        share = 0.7 if labels[-1] == "toxic" else 0.5 if race[-1] == "x" else 0.15
        texts.append(" ".join([*draw.choices(WORDS, k=8), *(["awful"] * (draw.random() < share))]))
    return Documents(texts, labels, columns={"race": race, "gender": gender})


@pytest.fixture(scope="module")
def model() -> Categorizer:
    return Categorizer().fit(draw_documents(1500, seed=0))


@pytest.fixture(scope="module")
def documents() -> Documents:
    return draw_documents(1500, seed=1)


@pytest.fixture(scope="module")
def audit(model: Categorizer, documents: Documents) -> GroupAudit:
    return audit_groups(model, documents, ["race", "gender"])


def test_planted_difference_is_the_first_finding_with_its_number_and_its_p_value(audit: GroupAudit) -> None:
    number = r"0\.\d+ \[0\.\d+, 0\.\d+\]"
    p = r"\(p = \S+ after correction for 24 tests\)"
    shape = rf"race=x: the false-positive rate of toxic is {number}, {number} above the others {p}\."
    assert any(re.fullmatch(shape, finding) for finding in audit.findings[:2])
    assert {each.metric for each in audit.shown if each.group == "x"} >= {"accuracy", "false_positive_rate", "bpsn_auc"}
    assert all(each.column == "race" for each in audit.shown)


def test_a_finding_about_an_area_says_on_which_side_probabilities_are_wrong(audit: GroupAudit) -> None:
    (found,) = (finding for finding in audit.findings if finding.startswith("race=x: the BPSN AUC of toxic"))
    assert "below the AUC of the others" in found
    assert found.endswith("Its documents without 'toxic' get higher probabilities of it than such documents of the others.")


def test_every_column_and_every_other_difference_has_a_sentence_about_power(audit: GroupAudit) -> None:
    assert len(audit.shown) + len(audit.detectable) == len(audit.differences) == 24
    for sentence in audit.detectable:
        assert re.search(r"this data could have shown a difference of 0\.\d+ or more with 80 % power\.$", sentence)
    *_, race, gender = audit.findings
    assert race.startswith("race: ")
    assert gender.startswith("gender: 6 of 6 tested differences are not significant after correction for 24 tests. ")
    assert "with 80 % power: accuracy: 0." in gender
    assert not re.search("no (bias|difference)|unbiased|fair", str(audit))


def test_groups_that_are_worse_off_come_first_and_many_findings_are_counted(audit: GroupAudit) -> None:
    assert [each.is_worse for each in audit.shown] == sorted((each.is_worse for each in audit.shown), reverse=True)
    assert {each.group for each in audit.shown if each.is_worse} == {"x"}
    (worst,) = audit.worst
    assert worst == audit.findings[0]
    many = replace(audit, differences=audit.shown * 9)
    n_more = 9 * len(audit.shown) - 20
    assert many.findings[20:] == (
        f"{n_more} further significant differences: see the tables.",
        f"race: all {n_more + 20} tested differences are significant after correction for {n_more + 20} tests.",
    )
    alone = replace(audit, differences=audit.shown[:1])
    assert alone.findings[1] == "race: the only tested difference is significant after correction for 1 test."


def test_groups_whose_names_begin_alike_look_different(model: Categorizer, documents: Documents) -> None:
    race = [value and f"a group of people who are said to come from {value}-land" for value in documents.columns["race"]]
    found = audit_groups(model, replace(documents, columns={"race": race}), "race")
    assert all(f"race=a group of people who are said to…{letter}-land" in str(found) for letter in "xyz")
    page = found.to_html()
    assert all(f"…{letter}-land<title>" in page for letter in "xyz")


@pytest.mark.parametrize("missing", ["", " ", None, float("nan"), pd.NaT, pd.NA])
def test_documents_without_a_value_are_no_group_and_a_remark_counts_them(
    model: Categorizer, documents: Documents, audit: GroupAudit, missing: Any
) -> None:
    race = [value or missing for value in documents.columns["race"]]
    found = audit_groups(model, replace(documents, columns={"race": race}), "race")
    n_missing = documents.columns["race"].count("")
    sizes = {each.group: each.n for each in found.differences}
    assert sizes.keys() == {"x", "y", "z"}
    assert sum(sizes.values()) == 1500 - n_missing
    assert f"{n_missing} documents without a value in 'race' are left out of its comparisons." in found.remarks
    expected = [each.difference for each in audit.differences if each.column == "race"]
    assert [each.difference for each in found.differences] == expected


def test_order_of_documents_does_not_change_the_numbers(model: Categorizer, documents: Documents, audit: GroupAudit) -> None:
    turned = documents.pick(range(len(documents.texts) - 1, -1, -1))
    found = audit_groups(model, turned, ["race", "gender"])
    for each, other in zip(found.differences, audit.differences, strict=True):
        assert (each.column, each.group, each.metric) == (other.column, other.group, other.metric)
        assert each.difference.low == pytest.approx(other.difference.low, abs=1e-12)
        assert each.p_value == pytest.approx(other.p_value, rel=1e-9)


def test_compact_categorizer_is_audited_as_the_whole_one(model: Categorizer, documents: Documents, audit: GroupAudit) -> None:
    found = audit_groups(model.compact(), documents, ["race", "gender"])
    assert [each.value.value for each in found.differences] == pytest.approx([each.value.value for each in audit.differences])


def test_learned_documents_are_counted_in_a_remark(model: Categorizer) -> None:
    found = audit_groups(model, draw_documents(1500, seed=0), "gender")
    assert found.remarks[0].startswith("The model has learned 1500 of the 1500 documents, so the numbers are too good")


def test_all_forms_have_the_numbers(audit: GroupAudit) -> None:
    written = json.loads(json.dumps(audit.to_dict()))
    first = audit.differences[0]
    assert written["differences"][0]["difference"]["value"] == first.difference.value
    assert written["findings"] == list(audit.findings)
    frame = audit.to_frame()
    assert len(frame) == 24
    assert set(frame["metric"]) == set(METRICS)
    assert list(frame["p_value"]) == [each.p_value for each in audit.differences]
    page = audit.to_html()
    assert page.count("<svg") == 6
    assert "difference in BPSN AUC of toxic" in page
    assert "| race=x |" in audit.to_markdown()
    for finding in audit.findings:
        assert finding in str(audit)


def test_names_from_the_data_are_harmless_on_the_page(model: Categorizer, documents: Documents) -> None:
    evil = ["<script>alert(1)</script>" if value == "x" else f"{value}\x1b[31m" for value in documents.columns["race"]]
    page = audit_groups(model, replace(documents, columns={"<b>race": evil}), "<b>race").to_html()
    assert "<script" not in page
    assert "<b>race" not in page
    assert "\x1b" not in page


def test_gold_labels_that_the_model_does_not_know_count_as_wrong(
    model: Categorizer, documents: Documents, audit: GroupAudit
) -> None:
    labels = ["odd" if place % 10 == 0 else label for place, label in enumerate(documents.labels)]
    found = audit_groups(model, replace(documents, labels=labels), "gender")
    assert "does not know 1 label of 150 documents, whose answers count as wrong: 'odd' (150)." in "".join(found.remarks)
    (before,) = [each for each in audit.differences if each.column == "gender" and each.metric == "accuracy"]
    assert found.differences[0].value.value < before.value.value - 0.03


def test_positive_label_is_the_last_or_the_one_that_is_named(model: Categorizer, documents: Documents) -> None:
    labels = {each.label for each in audit_groups(model, documents, "gender").differences}
    assert labels == {None, "toxic"}
    turned = audit_groups(model, documents, "gender", positive="fine")
    assert {each.label for each in turned.differences} == {None, "fine"}


@pytest.mark.parametrize(("n_labels", "n_rows"), [(3, 1 + 3 * 5), (7, 1)])
def test_with_several_labels_each_is_compared_with_all_others_if_they_are_few(n_labels: int, n_rows: int) -> None:
    texts = [WORDS[k % n_labels] for k in range(210)]
    columns = {"gender": ["fm"[k % 2] for k in range(210)]}
    documents = Documents(texts, texts, columns=columns)
    found = audit_groups(Categorizer().fit(documents), documents, "gender")
    assert len(found.differences) == n_rows
    assert any("only accuracy is compared" in remark for remark in found.remarks) == (n_rows == 1)
    named = audit_groups(Categorizer().fit(documents), documents, "gender", positive="day")
    assert len(named.differences) == 6


def test_group_of_one_document_is_flagged_and_does_not_crash(model: Categorizer, documents: Documents) -> None:
    column = ["lonely", *["many", "more"] * 800][: len(documents.texts)]
    found = audit_groups(model, replace(documents, columns={"who": column}), "who")
    lonely = [each for each in found.differences if each.group == "lonely"]
    assert all(each.n == 1 for each in lonely)
    assert all(
        "un" in each.difference.note or "no interval" in each.difference.note for each in lonely
    )  # unreliable, undefined
    assert "can't be compared" in " ".join(found.detectable)
    assert "it is not tested." in " ".join(found.detectable)
    assert all(math.isnan(each.detectable) for each in found.differences if math.isnan(each.p_value))
    n_tested = sum(not math.isnan(each.p_value) for each in found.differences)
    assert f" of {n_tested} tested differences are not significant" in found.findings[-1]
    assert "Not tested, because there are too few documents: false-" in found.findings[-1]
    assert "nan" not in f"{found}{found.to_html()}"


BAD: dict[str, tuple[Any, type[Exception], str]] = {
    "no such column": (lambda d: (d, "rase"), InvalidOption, r"no column 'rase'.*'race', 'gender'.*Did you mean 'race'"),
    "one value": (lambda d: (replace(d, columns={"a": ["x"] * 1500}), "a"), InvalidOption, "only the value 'x'"),
    "no value": (lambda d: (replace(d, columns={"a": [None] * 1500}), "a"), InvalidOption, "has no values"),
    "an id": (
        lambda d: (replace(d, columns={"id": list(range(1500))}), "id"),
        InvalidOption,
        "1500 different values: is it an id",
    ),
    "no labels": (lambda d: (replace(d, labels=None), "race"), InvalidLabel, "the documents have no labels"),
    "other labels": (
        lambda d: (replace(d, labels=["a", "b"] * 750), "race"),
        InvalidLabel,
        "knows none of the labels.*'fine', 'toxic'",
    ),
    "missing label": (lambda d: (replace(d, labels=[None, *d.labels[1:]]), "race"), InvalidLabel, "label 0"),
    "short column": (lambda d: (replace(d, columns={"a": ["x", "y"]}), "a"), InvalidMatrix, "2 values for 1500 documents"),
    "no documents": (lambda d: (Documents([], []), "race"), InvalidOption, "no documents to audit"),
    "column twice": (lambda d: (d, ["race", "race"]), InvalidOption, "would count twice"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(model: Categorizer, documents: Documents, name: str) -> None:
    change, error, message = BAD[name]
    with pytest.raises(error, match=message):
        audit_groups(model, *change(documents))


def test_bad_options_are_named(model: Categorizer, documents: Documents) -> None:
    with pytest.raises(InvalidLabel, match=r"'toxik' is unknown.*Did you mean 'toxic'"):
        audit_groups(model, documents, "race", positive="toxik")
    with pytest.raises(InvalidOption, match="confidence"):
        audit_groups(model, documents, "race", confidence=95)
