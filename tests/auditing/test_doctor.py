"""tercet.examine: planted defects are found where they are, and clean documents have none."""

import random
import sys
from collections.abc import Callable
from typing import Any

import pytest
from helpers.clean_documents import make_clean

import tercet
from tercet import Categorizer, Documents, NaiveBayes, find_label_errors
from tercet.auditing.doctor.checks import find_copies, find_leaked_texts, find_telling_columns
from tercet.auditing.doctor.cleaning import REMOVED, clean
from tercet.auditing.doctor.diagnosis import Diagnosis, Finding
from tercet.auditing.doctor.examined import DATA, TEST, Examined, ExaminedPart
from tercet.errors import InvalidLabel, InvalidOption


def examine(texts: list[str], labels: list[Any] | None, test: Documents | None = None, **columns: list[Any]) -> Diagnosis:
    return tercet.examine(Documents(texts, labels, columns=columns), test)


def find_places(diagnosis: Diagnosis, kind: str) -> list[set[int | None]]:
    """The positions of the documents that each finding of this kind names."""
    found = diagnosis.of_kind(kind)
    return [{finding.place.position, *(other.position for other in finding.others)} for finding in found]


def test_clean_documents_have_no_findings_and_the_diagnosis_says_what_was_looked_for() -> None:
    texts, labels = make_clean()
    test = Documents(*make_clean(40, seed=1), columns={"id": [f"t{k}" for k in range(40)]})
    diagnosis = examine(texts, labels, test, id=[f"d{k}" for k in range(80)], source=["ab"[k % 3 % 2] for k in range(80)])
    assert diagnosis.findings == ()
    assert diagnosis.not_checked == ()
    shown = str(diagnosis)
    assert shown.startswith("data (80 documents, 2 labels); test: test (40 documents, 2 labels): 0 findings")
    assert "Looked for and not found: test texts that are in the data; " in shown
    assert "probable label errors" in shown
    assert "problem" not in shown


def test_each_planted_defect_of_a_text_is_found_at_its_position() -> None:
    texts, labels = make_clean()
    texts[3], texts[10], texts[11], texts[20] = "", " \t\u00a0", "Ok", " ".join([texts[20]] * 12)
    texts[30], texts[31] = texts[30] + " cafÃ©", texts[31] + " caf\ufffd"
    texts[40] = "zyxwv utsrq ponml kjihg"
    texts[51] = texts[50]
    diagnosis = examine(texts, labels)
    expected = {
        "empty text": [{3}, {10}],
        "short text": [{11}],
        "long text": [{20}],
        "wrong decoding": [{30}, {31}],
        "unrelated text": [{40}],
        "contradiction": [{50, 51}],
    }
    assert {kind: find_places(diagnosis, kind) for kind in expected} == expected


def test_copies_within_the_data_are_found_and_contradictions_come_first() -> None:
    texts, labels = make_clean()
    texts[2], texts[4], texts[5] = texts[0], texts[0], texts[7]
    texts[9] = texts[8]
    words = texts[20].split()
    texts[22] = " ".join([*words[:-1], "novel"])
    texts[24] = texts[26].upper() + "!"
    words = texts[31].split()
    texts[30] = " ".join(["other", *words[1:]])
    diagnosis = examine(texts, labels)
    assert find_places(diagnosis, "copy") == [{0, 2, 4}, {5, 7}]
    assert find_places(diagnosis, "contradiction") == [{8, 9}]
    assert sorted(map(sorted, find_places(diagnosis, "near copy"))) == [[20, 22], [24, 26]]
    assert find_places(diagnosis, "near contradiction") == [{30, 31}]
    kinds = list(diagnosis.counts)
    assert kinds.index("contradiction") < kinds.index("near contradiction") < kinds.index("copy") < kinds.index("near copy")
    assert diagnosis.of_kind("contradiction")[0].sentence == "The same text is in document 9. The labels are 'x' (1), 'y' (1)."


def test_texts_and_ids_that_are_in_data_and_test_are_leaks() -> None:
    texts, labels = make_clean()
    tested, gold = make_clean(40, seed=1)
    tested[5], gold[5] = texts[7], "x"
    tested[6] = " ".join([*texts[8].split()[:-1], "novel"])
    ids = [f"n{k}" for k in range(40)]
    ids[9], ids[5] = "d3", "d7"
    test = Documents(tested, gold, columns={"id": ids, "source": ["a"] * 40})
    diagnosis = examine(texts, labels, test, id=[f"d{k}" for k in range(80)], source=["ab"[k % 3 % 2] for k in range(80)])
    (leak,), (near,), (shared,) = map(diagnosis.of_kind, ("leaked text", "near leak", "leaked id"))
    assert (leak.place.part, leak.place.position, leak.others[0].position) == ("test", 5, 7)
    assert leak.sentence == "The same text is in document 7, with the label 'y'."
    assert (near.place.position, near.others[0].position) == (6, 8)
    assert (shared.place.position, shared.others[0].position) == (9, 3)  # the text of 5 is a leak already


def test_ids_that_only_count_rows_are_no_leaks() -> None:
    test = Documents(*make_clean(40, seed=1), columns={"id": list(range(40))})
    assert examine(*make_clean(), test, id=list(range(80))).findings == ()


def test_a_test_file_that_is_the_training_file_gives_one_sentence() -> None:
    texts, labels = make_clean()
    texts[0] = ""
    diagnosis = examine(texts, labels, Documents(texts, labels))
    assert diagnosis.counts == {"leaked text": 1, "empty text": 2}
    assert "Every test text (79) is in the data" in diagnosis.findings[0].sentence


def test_a_term_that_gives_the_label_away_is_found() -> None:
    texts, labels = make_clean()
    texts = [f"{text} zzqueue" if label == "x" else text for text, label in zip(texts, labels, strict=True)]
    (found,) = examine(texts, labels).of_kind("telling term")
    assert found.sentence == "The word 'zzqueue' is in 40 of the 40 documents with the label 'x', and in 0 of the 40 others."


def test_a_frequent_term_gives_nothing_away_if_nearly_all_documents_have_one_label() -> None:
    texts, labels = make_clean(400)
    labels = ["x" if k % 40 else "y" for k in range(400)]
    texts = [f"{text} the" if k % 50 else text for k, text in enumerate(texts)]
    assert examine(texts, labels).of_kind("telling term") == ()


COLUMNS: dict[str, Callable[[int, str], Any]] = {
    "rating": lambda k, label: k % 4 + (5 if label == "x" else 0),
    "reason": lambda k, label: f"because {k}" if label == "y" else None,
}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_that_gives_the_label_away_is_found(name: str) -> None:
    texts, labels = make_clean()
    column = [COLUMNS[name](k, label) for k, label in enumerate(labels)]
    (found,) = examine(texts, labels, **{name: column, "source": ["ab"[k % 3 % 2] for k in range(80)]}).findings
    assert found.kind == "telling column"
    assert repr(name) in found.sentence


def test_columns_of_ids_and_of_one_value_give_nothing_away() -> None:
    assert examine(*make_clean(), id=[f"d{k}" for k in range(80)], language=["en"] * 80).findings == ()


def test_labels_that_are_variants_rare_unknown_or_out_of_balance_are_found() -> None:
    texts, labels = make_clean(200)
    labels = [{"x": "good", "y": "bad"}[label] for label in labels]
    labels[4], labels[6], labels[8], labels[9] = "Good", "Good", "other", "other"
    tested, gold = make_clean(40, seed=1)
    gold = [{"x": "good", "y": "bad"}[label] for label in gold]
    gold[3] = "odd"
    diagnosis = examine(texts, labels, Documents(tested, gold))
    assert find_places(diagnosis, "label variant") == [{4}]
    assert diagnosis.of_kind("label variant")[0].sentence.startswith("2 documents with 'Good', ")
    assert find_places(diagnosis, "rare label") == [{8}]  # "Good" is a spelling
    assert find_places(diagnosis, "imbalance") == [{8}]
    assert [(found.place.part, found.place.position) for found in diagnosis.of_kind("unknown label")] == [("test", 3)]


def test_planted_label_errors_are_found_and_their_number_is_estimated() -> None:
    texts, labels = make_clean(200)
    planted = [10, 41, 90, 133, 170, 199]
    for position in planted:
        labels[position] = "y" if labels[position] == "x" else "x"
    diagnosis = examine(texts, labels)
    assert {finding.place.position for finding in diagnosis.of_kind("label error")} == set(planted)
    estimate = diagnosis.n_label_errors
    assert estimate is not None
    assert estimate.low <= len(planted) <= estimate.high
    assert "Labels that are probably wrong: 6" in str(diagnosis)
    assert "Texts that read like another label count, too" in str(diagnosis)
    assert "(fewer than 500 documents: " in str(diagnosis)


def test_a_trained_model_says_what_it_has_learned_and_what_it_finds_improbable() -> None:
    texts, labels = make_clean(100)
    model = Categorizer("words").fit(texts[:60], labels[:60])
    saved = model.table_.fingerprint()
    labels[70], labels[80] = "y", "odd"  # 70 was an "x", and no document of the model is odd
    labels[4] = "y"  # the model has learned it with another label
    found = tercet.examine(Documents(texts, labels), Documents(texts[58:62], labels[58:62]), categorizer=model)
    assert {finding.place.position for finding in found.of_kind("unlikely label")} == {4, 70}
    assert find_places(found, "new label") == [{80}]
    assert [(finding.place.part, finding.place.position) for finding in found.of_kind("learned test")] == [
        ("test", 0),
        ("test", 1),
    ]
    assert "The model has learned 59 of the 100 documents of the data." in found.notes
    assert model.table_.fingerprint() == saved


def test_labels_are_judged_by_the_options_of_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    given = []
    monkeypatch.setattr(
        "tercet.auditing.doctor.label_errors.find_label_errors",
        lambda texts, labels, categorizer: given.append(categorizer) or find_label_errors(texts, labels),
    )
    model = Categorizer("words", model=NaiveBayes())
    found = tercet.examine(Documents(*make_clean(40)), categorizer=model)
    assert given == [model]
    assert not {"unlikely label", "new label"} & {*found.counts}
    assert "the model" not in str(found)  # it has learned nothing yet


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda model: "auto", "categorizer must be a Categorizer or None, got 'auto'"),
        (lambda model: model.compact(), "a compact model can't be trained again"),
        (lambda model: Categorizer(numeric=["stars"]), "the model uses the column 'stars'"),
        (lambda model: Categorizer(categorical=["source"]), "the model uses the column 'source'"),
    ],
)
def test_a_model_that_cannot_judge_texts_is_refused(make: Callable[[Categorizer], Any], message: str) -> None:
    texts, labels = make_clean(40)
    with pytest.raises(InvalidOption, match=message):
        tercet.examine(Documents(texts, labels), categorizer=make(Categorizer("words").fit(texts, labels)))


def test_a_model_without_fingerprints_does_not_say_what_it_has_learned() -> None:
    texts, labels = make_clean(40)
    found = tercet.examine(Documents(texts, labels), categorizer=Categorizer("words", remember=False).fit(texts, labels))
    assert "documents whose label the model finds improbable (the model does not remember what it has learned)" in str(found)


def test_a_model_that_has_learned_all_documents_is_no_judge_of_them() -> None:
    texts, labels = make_clean(40)
    found = tercet.examine(Documents(texts, labels), categorizer=Categorizer("words").fit(texts, labels))
    assert "documents whose label the model finds improbable (the model has learned all documents)" in found.not_checked
    assert found.notes == ("The model has learned 40 of the 40 documents of the data.",)


def test_without_the_package_for_typing_errors_the_diagnosis_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rapidfuzz.distance", None)
    monkeypatch.setitem(sys.modules, "rapidfuzz", None)
    found = examine(*make_clean(10))
    why = "typing errors need rapidfuzz, which is not installed: pip install 'tercet[tables]'"
    assert found.not_checked[-1] == f"typing errors in labels ({why})"
    assert "typing errors" not in str(examine(make_clean(10)[0], None))


def describe(finding: Finding, texts: list[str], tested: list[str]) -> tuple[str, frozenset[str], str]:
    """A finding without positions."""
    sources = {"data": texts, "test": tested}
    named = frozenset(sources[place.part][place.position] for place in (finding.place, *finding.others))  # type: ignore[index]
    return finding.kind, named, finding.severity


def test_the_order_of_rows_does_not_change_what_is_found() -> None:
    texts, labels = make_clean()
    texts[2], texts[9], texts[3], texts[11] = texts[0], texts[8], "", "Ok"
    texts[20] = " ".join([*texts[22].split()[:-1], "novel"])
    texts[30] += " cafÃ©"
    labels[40], labels[42] = "X", "y"
    tested = [texts[50], *make_clean(20, seed=1)[0]]
    found = examine(texts, labels, Documents(tested))
    order = random.Random(3).sample(range(80), 80)
    again = examine([texts[k] for k in order], [labels[k] for k in order], Documents(tested[::-1]))
    expected = {describe(finding, texts, tested) for finding in found.findings}
    assert {describe(finding, [texts[k] for k in order], tested[::-1]) for finding in again.findings} == expected
    assert len(expected) > 6
    assert again.counts == found.counts


def test_without_labels_only_texts_are_examined_and_that_is_said() -> None:
    texts, _ = make_clean()
    texts[5] = texts[4]
    diagnosis = tercet.examine(texts)
    assert diagnosis.counts == {"copy": 1}
    assert "probable label errors, labels in several spellings" in str(diagnosis)
    assert "(the documents have no labels)" in str(diagnosis)


def test_one_label_is_said_and_few_documents_are_not_judged() -> None:
    texts, _ = make_clean()
    diagnosis = examine(texts, ["x"] * 80)
    assert diagnosis.counts == {"imbalance": 1}
    assert diagnosis.findings[0].sentence == "All documents have the label 'x': there is nothing to decide."
    assert any(each.endswith("probable label errors (there is one label only)") for each in diagnosis.not_checked)
    few = examine(["to be or", "or not to"], ["x", "y"])
    assert "probable label errors (there are fewer than 20 documents)" in few.not_checked
    alone = examine(texts, ["x"] * 79 + ["y"])
    assert "probable label errors (fewer than two labels have several texts)" in alone.not_checked


def test_labels_that_are_all_different_are_no_labels() -> None:
    texts, _ = make_clean()
    diagnosis = examine(texts, [f"id{k}" for k in range(80)])
    assert diagnosis.findings == ()
    assert "every row has its own label" in diagnosis.notes[0]


def test_labels_that_look_like_ids_are_named_and_not_examined() -> None:
    texts, _ = make_clean()
    diagnosis = examine(texts, [f"id{k}" for k in range(76)] + ["id0"] * 4)
    assert diagnosis.examined == "data (80 documents, no labels)"
    (note,) = diagnosis.notes
    assert "80 documents have 76 different labels" in note
    assert note.endswith("name the label column with --label.")


def test_data_with_too_many_documents_and_labels_are_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.auditing.doctor.checks.MAX_JUDGED", 159)
    diagnosis = examine(*make_clean())
    assert "80 documents with 2 labels are too many to judge each by all others" in " ".join(diagnosis.not_checked)


def test_bad_documents_are_refused() -> None:
    with pytest.raises(InvalidOption, match="no documents to examine"):
        tercet.examine([])
    with pytest.raises(InvalidOption, match="no test documents to examine"):
        tercet.examine(["a"], [])
    with pytest.raises(InvalidLabel, match="there are 2 documents and 1 labels"):
        tercet.examine(Documents(["a", "b"], ["x"]))
    assert tercet.examine(["", "..", "?"]).counts == {"empty text": 1}


HOSTILE = "<script>alert(1)</script>\x1b[31m"


def test_a_page_escapes_labels_texts_and_columns() -> None:
    texts, labels = make_clean()
    labels = [HOSTILE if label == "x" else label for label in labels]
    texts[0] = texts[2] = HOSTILE + texts[0]
    texts[4] = f"{HOSTILE} cafÃ©" + texts[4]
    diagnosis = examine(texts, labels, **{HOSTILE: [label == "y" for label in labels]})
    page = diagnosis.to_html()
    assert len(diagnosis.findings) == 3
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "\x1b" not in page + str(diagnosis)


def test_a_diagnosis_is_a_table_and_json() -> None:
    texts, labels = make_clean()
    texts[6], texts[2] = texts[4], ""
    diagnosis = examine(texts, labels)
    frame, written = diagnosis.to_frame(), diagnosis.to_dict()
    assert frame["kind"].tolist() == [finding.kind for finding in diagnosis.findings] == ["empty text", "copy"]
    assert frame["position"].tolist() == [2, 4]
    assert frame["others"].tolist() == ["", "document 6"]
    assert written["counts"] == {"empty text": 1, "copy": 1}
    assert written["findings"][1]["others"] == [{"part": "data", "position": 6, "file": "", "row": None}]
    assert tercet.examine(["to be"]).to_frame().shape[0] == 0


def test_many_findings_of_a_kind_are_cut() -> None:
    texts, labels = make_clean()
    texts[:10] = [""] * 10
    assert "… 7 more: --html FILE, or --json" in str(examine(texts, labels))


def test_cleaning_changes_what_is_safe_and_nothing_else() -> None:
    texts, labels = make_clean()
    texts[3], texts[6], texts[9], texts[12] = "", texts[4], texts[8], "cafÃ© caf\ufffd"
    texts[14], texts[16] = "cafÃ© " + texts[0], "café " + texts[0]
    labels[20] = "X"
    documents = Documents(texts, labels, columns={"id": list(range(80))})
    cleaning = clean(documents)
    cleaned = cleaning.apply(documents)
    removed = [change.position for change in cleaning.changes if change.action == REMOVED]
    assert removed == [3, 6, 16]  # not 9: its copy has another label; 16 is a copy after the repair
    assert cleaned.columns["id"] == [k for k in range(80) if k not in removed]
    assert [(change.position, change.after) for change in cleaning.changes if change.after] == [(14, texts[16]), (20, "x")]
    expected = {k: texts[k] for k in range(80) if k not in removed} | {14: texts[16]}
    assert cleaned.texts == list(expected.values())
    assert cleaned.labels == [labels[k] if k != 20 else "x" for k in expected]
    assert clean(cleaned).changes == []


def test_cleaned_documents_have_none_of_the_findings_that_cleaning_removes() -> None:
    texts, labels = make_clean()
    texts[3], texts[6], texts[14], labels[20] = "", texts[4], "cafÃ© " + texts[0], "X"
    documents = Documents(texts, labels)
    assert len(tercet.examine(documents).findings) >= 4
    assert tercet.examine(clean(documents).apply(documents)).counts.keys() <= {"near copy"}


def test_what_the_documents_do_not_allow_is_not_called_looked_for() -> None:
    diagnosis = tercet.examine(Documents(["to be", "or not", "so it is"], ["x", "y", "x"]), ["that is"])
    reasons = [
        "test ids that are in the data (data and test have no column of ids in common)",
        "very short texts (short texts are usual in these data)",
        "very long texts (there are fewer than 20 texts)",
        "texts that share no word with another text (texts with other words are usual in these data)",
    ]
    assert all(reason in " ".join(diagnosis.not_checked) for reason in reasons[:3])
    assert "a term that gives the label away, a column that gives the label away (fewer than two labels have 10" in str(
        diagnosis
    )
    different = tercet.examine([f"one{k} two{k} three{k}" for k in range(30)])
    assert reasons[3] in different.not_checked
    assert different.findings == ()


def test_film_reviews_have_123_leaked_texts_and_96_copies_and_a_rating_that_tells(corpus: Callable[[str], Any]) -> None:
    def read(name: str, part: str) -> ExaminedPart:
        rows = corpus(f"imdb/{name}")
        texts, labels, ratings = ([row[column] for row in rows] for column in ("text", "label", "rating"))
        return ExaminedPart.read(Documents(texts, labels, columns={"rating": ratings}), part)

    examined = Examined(read("train", DATA), read("test", TEST))
    assert len(list(find_leaked_texts(examined))) == 123
    assert sum(len(found.others) for found in find_copies(examined) if found.place.part == DATA) == 96
    assert [found.sentence for found in find_telling_columns(examined)] == [
        "The values of the column 'rating' tell the label of 100 % of the documents."
    ]
