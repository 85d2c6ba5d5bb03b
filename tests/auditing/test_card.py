"""The model card: what it says of any model, what it leaves out, and that no text can break its Markdown, YAML or HTML."""

import json
import math
import random
import re
from collections import Counter
from html.parser import HTMLParser
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import yaml
from helpers.invented_texts import texts as odd_texts
from helpers.labelled_documents import some
from huggingface_hub import ModelCard as HubCard
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from sklearn.metrics import roc_auc_score

import tercet
from tercet import Categorizer, Documents, NaiveBayes, make_card
from tercet.auditing.card.header import write_front_matter
from tercet.auditing.card.model_card import Text
from tercet.auditing.card.notes import QUESTIONS, CardNotes, list_questions, write_template
from tercet.auditing.card.privacy import Exposure, measure_membership
from tercet.characters import replace_surrogates
from tercet.errors import InvalidFile, InvalidLabel, InvalidOption

HOSTILE = 'a"b\\\n---\n# <script>alert(1)</script> | `x` *y* \u202e \ud800 {{z}} $1$ [a](b) &lt; \x7f 1. - é'
FEW = 18  # documents: of so few the doctor does not judge the labels, which takes most of the time
MARKDOWN = MarkdownIt("commonmark").enable("table")


def draw(n: int, seed: int, labels: str = "abc") -> Documents:
    """Documents whose words tell their labels most of the time, with two columns of groups."""
    chance = random.Random(seed)
    gold = [labels[k % len(labels)] for k in range(n)]
    words = [
        [f"{chance.choice([label, label, chance.choice(labels)])}{chance.randrange(9)}" for _ in range(5)] for label in gold
    ]
    sides = [chance.choice(["m", "f", None]) for _ in gold]
    return Documents([" ".join(each) for each in words], gold, columns={"side": sides, "part": [k % 2 for k in range(n)]})


@pytest.fixture(scope="module")
def train() -> Documents:
    return draw(90, 0)


@pytest.fixture(scope="module")
def test() -> Documents:
    return draw(60, 1)


@pytest.fixture(scope="module")
def bayes(train: Documents) -> Categorizer:
    return Categorizer("words").fit(train)


@pytest.fixture(scope="module")
def whole(bayes: Categorizer, train: Documents, test: Documents) -> Any:
    """A card with everything."""
    return make_card(bayes, test, train=train.pick(range(FEW)), by=["side", "part"], notes=answer_all("plain"))


def answer_all(answer: str) -> dict[str, Any]:
    """An answer to every question that takes any text."""
    special = {
        "languages": ["en", "deu"],
        "datasets": ["a/b"],
        "dataset": "a/c",
        "date": "2025-12",
        "license": "mit",
        "license_link": "https://a.org",
    }
    return {
        section: {key: special.get(key, [answer] if question.is_list else answer) for key, question in questions.items()}
        for section, questions in QUESTIONS.items()
    }


def find_headings(markdown: str) -> list[str]:
    tokens = MARKDOWN.parse(markdown.split("\n---\n", 1)[1])
    return [tokens[k + 1].content for k, token in enumerate(tokens) if token.type == "heading_open"]


def unescape(markdown: str) -> str:
    return re.sub(r"\\([^\w\s])", r"\1", markdown)


def read_header(markdown: str) -> Any:
    return yaml.safe_load(markdown.split("---\n")[1])


# What it says


def test_the_card_has_the_sections_of_the_paper_in_its_order(whole: Any) -> None:
    headings = find_headings(whole.to_markdown())
    paper = ["Model details", "Intended use", "Factors", "Metrics", "Evaluation data", "Training data", "Quantitative analyses"]
    paper += ["Ethical considerations", "Caveats and recommendations"]
    assert [heading for heading in headings if heading in paper] == paper


def test_numbers_are_those_of_the_evaluation(whole: Any, bayes: Categorizer, test: Documents) -> None:
    report = tercet.evaluate(test.labels, bayes.predict(test))
    text = whole.to_markdown()
    assert f"| accuracy | {report.accuracy} | {report.baseline.accuracy} |" in text
    assert f"accuracy {report.accuracy} and macro F1 {report.macro_f1} on 60 test documents" in text
    for value in (0, 1):
        part = [k for k in range(60) if test.columns["part"][k] == value]
        accuracy = np.mean(bayes.predict(test.pick(part)) == test.pick(part).labels)
        assert f"| {value} | {len(part)} | {accuracy:.3f} [" in text
    assert "### By side × part" in text
    assert whole.to_dict()["evaluation"]["report"]["metrics"]["accuracy"]["value"] == report.accuracy.value


def test_equal_inputs_give_equal_bytes(test: Documents) -> None:
    few = draw(FEW, 0)
    a, b = (make_card(Categorizer("words").fit(few), test, train=few, by=["part"]) for _ in range(2))
    assert a.to_markdown() == b.to_markdown()
    assert a.to_html() == b.to_html()
    assert a.to_dict() == b.to_dict()


def test_missing_answers_are_shown_and_counted(bayes: Categorizer, whole: Any) -> None:
    assert whole.missing == ()
    assert "Not answered" not in whole.to_markdown() + whole.to_html()
    card = make_card(bayes, notes={"model": {"license": "mit", "contact": " "}})
    required = [name for name, question in list_questions().items() if not question.is_optional]
    assert list(card.missing) == [name for name in required if name != "model.license"]
    for name in card.missing:
        assert f"Add `{name}` to the notes." in card.to_markdown()
        assert f">{name}</code> to the notes." in card.to_html()
    assert f"{len(card.missing)} of {len(required)} questions are not answered" in card.to_markdown()


def test_learned_test_documents_are_left_out(bayes: Categorizer, train: Documents, test: Documents) -> None:
    mixed = Documents([*test.texts, *train.texts[:7]], [*test.labels, *train.labels[:7]])
    card = make_card(bayes, mixed)
    assert (card.evaluation.n_documents, card.evaluation.n_copies) == (67, 7)
    assert card.evaluation.report.accuracy == make_card(bayes, test).evaluation.report.accuracy
    sentence = "7 of the 67 test documents are training documents: they are left out of all numbers of this card."
    assert sentence in card.to_markdown()
    assert sentence in card.caveats


def test_a_copy_with_another_label_is_found_by_its_text(test: Documents) -> None:
    few = draw(FEW, 0)
    mixed = Documents([*test.texts, few.texts[0]], [*test.labels, "c"])
    for model in (Categorizer("words").fit(few), Categorizer("words").fit(few).compact()):
        assert make_card(model, mixed, train=few).evaluation.n_copies == 1


def test_a_test_file_that_is_the_training_file_is_no_test(bayes: Categorizer, train: Documents) -> None:
    card = make_card(bayes, train)
    assert "> **Warning**: The model has learned all 90 test documents, so this is not a test" in card.to_markdown()
    assert "model-index" not in read_header(card.to_markdown())


@pytest.mark.parametrize("n_labels", [20, 60])
def test_all_labels_are_listed(n_labels: int) -> None:
    labels = [f"label {k:02}" for k in range(n_labels)]
    documents = Documents([f"w{k} w{k % 7} common" for k in range(n_labels)], labels)
    text = make_card(Categorizer("words").fit(documents), Documents([f"w{k}" for k in range(n_labels)], labels)).to_markdown()
    for label in labels:
        assert text.count(f"\n| {label} |") == 2  # documents that were learned, and numbers


def test_every_kind_of_model_has_a_card(bayes: Categorizer, train: Documents, test: Documents) -> None:
    joined = Documents.join({"subject": ["a1", "b1"] * 6, "body": ["x", "y"] * 6}, ["a", "b"] * 6)
    given_terms = Categorizer.from_probabilities(["a", "b"], ["a1", "b1"], [[0.2, 0.1], [0.1, 0.3]], [0.5, 0.5])
    models = {
        "There is no record of the training": bayes,
        "weights only: it can't learn or forget": bayes.compact(),
        "a person has given the probabilities": given_terms,
        "stack of linear models": tercet.train(draw(200, 3)).categorizer,
        "leave-one-out on the training documents": tercet.train(train, categorizer=Categorizer("words")).categorizer,
        "The file contains the whole texts of 12 training documents": Categorizer(keep_documents=True).fit(joined),
        "Columns beside the text**: part": Categorizer(numeric=["part"]).fit(train),
    }
    for sentence, model in models.items():
        card = make_card(model, test if not model.text_columns_ else joined.pick([0]))
        assert sentence in card.to_markdown()
        assert card.to_html()
        json.dumps(card.to_dict(), allow_nan=False)


def make_chosen() -> Categorizer:
    """A categorizer that chooses its smoothing and its calibration."""
    return Categorizer("words", NaiveBayes("multinomial", "auto"), calibrate="temperature")


def test_what_is_out_of_date_is_said_and_not_warned_of(train: Documents, test: Documents) -> None:
    model = tercet.train(train, categorizer=make_chosen()).categorizer
    assert not any("before the last change" in caveat for caveat in make_card(model, test).caveats)
    model.learn(["a1"], ["a"])
    caveats = make_card(model, test).caveats
    assert any(
        caveat.startswith("Its smoothing and calibration are of the documents before the last change") for caveat in caveats
    )
    assert any(caveat.startswith("The estimate of the training belongs to the documents before") for caveat in caveats)


def test_doubts_about_labels_and_probabilities_are_said(bayes: Categorizer, test: Documents) -> None:
    strange = Documents([*test.texts, "a1"], [*test.labels, "new"])
    caveats = " ".join(make_card(bayes, strange).caveats)
    assert "The model does not know the label 'new' of the test documents" in caveats
    assert "The probabilities are not calibrated. Naive Bayes is usually far too sure." in caveats
    assert "Fewer than 10 test documents have the label 'new'" in caveats


def test_what_cannot_be_described_is_refused(bayes: Categorizer, test: Documents) -> None:
    with pytest.raises(InvalidOption, match="must be a fitted Categorizer"):
        make_card("model.tercet")  # type: ignore[arg-type]
    with pytest.raises(InvalidOption, match="by names columns of test documents, and there are none"):
        make_card(bayes, by=["side"])
    with pytest.raises(InvalidOption, match=r"have no column 'age': there is 'side', 'part'"):
        make_card(bayes, test, by=["age"])
    with pytest.raises(InvalidOption, match="has learned none of the 60 training documents"):
        make_card(bayes, test, train=test)
    with pytest.raises(InvalidLabel, match=r"knows none of the labels of the test documents \(x\): it knows a, b, c"):
        make_card(bayes, Documents(["a1"], ["x"]))
    with pytest.raises(InvalidLabel, match="the test documents have no labels"):
        make_card(bayes, Documents(["a1"]))


def test_findings_of_groups_and_of_another_audit_are_quoted(whole: Any, bayes: Categorizer, tmp_path: Any) -> None:
    assert whole.groups.findings
    assert whole.findings == whole.groups.findings
    assert not whole.groups.shown
    assert "No difference between groups by side, part is significant: the ethical considerations say" in whole.to_markdown()
    for finding in whole.findings:
        assert finding in unescape(whole.to_markdown())
    (tmp_path / "audit.json").write_text('{"findings": ["Men and women differ."]}')
    for audit in (tmp_path / "audit.json", SimpleNamespace(findings=["Men and women differ."])):
        text = make_card(bayes, audit=audit).to_markdown()
        assert "\n- Men and women differ.\n" in text
        assert "Another audit has 1 finding: see the ethical considerations.\n" in text
    assert "Another audit has" not in whole.to_markdown()
    for written in ("{}", "[1]", '{"findings": "x"}', "{", ""):
        (tmp_path / "audit.json").write_text(written)
        with pytest.raises(InvalidFile, match="rite it with: tercet audit MODEL"):
            make_card(bayes, audit=tmp_path / "audit.json")


# Privacy


def test_membership_is_the_area_that_scikit_learn_measures(bayes: Categorizer, train: Documents, test: Documents) -> None:
    others = test.pick([k for k in range(60) if test.labels[k] != "c" or k % 2])  # labels have other shares than in training
    found = measure_membership(bayes, train, others)
    scores = [
        bayes.predict_log_proba(part)[np.arange(len(part.texts)), ["abc".index(label) for label in part.labels]]
        for part in (train, others)
    ]
    shares = {label: train.labels.count(label) / others.labels.count(label) for label in "abc"}
    weights = [1.0] * 90 + [shares[label] for label in others.labels]
    expected = roc_auc_score([1] * 90 + [0] * len(others.texts), np.concatenate(scores), sample_weight=weights)
    assert math.isclose(found.auc.value, expected)
    assert found.auc.low < expected < found.auc.high
    assert (found.n_learned, found.n_others, found.n_copies) == (90, len(others.texts), 0)


def test_membership_leaves_copies_and_unknown_labels_out(bayes: Categorizer, train: Documents, test: Documents) -> None:
    more = Documents([*test.texts, *train.texts[:5], "a1"], [*test.labels, *train.labels[:5], "new"])
    found, plain = measure_membership(bayes, train, more), measure_membership(bayes, train, test)
    assert (found.auc, found.n_others, found.n_copies) == (plain.auc, plain.n_others, 5)


def test_a_model_that_has_learned_neither_side_reveals_nothing(test: Documents) -> None:
    model = Categorizer("words").fit(draw(90, 5))
    halves = draw(400, 6), draw(400, 7)
    assert measure_membership(model, *halves).auc.low < 0.5 < measure_membership(model, *halves).auc.high


def test_a_file_without_fingerprints_still_shows_what_was_probably_learned() -> None:
    words = np.random.default_rng(0).zipf(1.3, (400, 12)) % 5000
    texts, labels = [" ".join(f"w{word}" for word in row) for row in words], ["a", "b"] * 200
    whole = Categorizer().fit(texts[:200], labels[:200])
    pruned = Categorizer(min_documents=2).fit(texts[:200], labels[:200]).prune()
    for model, is_telling in ((whole, True), (whole.compact(), True), (pruned, False)):
        known = np.array([not model.explain(text).unknown for text in texts])
        accuracy = (known[:200].mean() + 1 - known[200:].mean()) / 2
        assert accuracy > 0.95 if is_telling else accuracy < 0.6
    for model in (whole, whole.compact()):
        assert "was probably learned: most other texts have a new one" in " ".join(Exposure.of(model).sentences)


def test_rare_terms_are_those_of_one_document(train: Documents) -> None:
    texts = [f"{text} own{k} own{k} pair{k // 2}" for k, text in enumerate(train.texts)]
    model = Categorizer("words").fit(texts, train.labels)
    n_documents = Counter(term for text in texts for term in set(text.split()))
    exposure = Exposure.of(model)
    assert exposure.n_rare == sum(n == 1 for n in n_documents.values()) == 90
    assert (exposure.n_terms, exposure.n_texts, exposure.n_fingerprints) == (len(n_documents), 0, 90)
    assert Exposure.of(model.compact()).n_rare is None


def test_test_documents_that_are_nearly_training_documents_are_a_caveat(test: Documents) -> None:
    train = draw(FEW, 0)
    near = [f"{text.upper()}!" for text in train.texts[:2]]
    card = make_card(Categorizer("words").fit(train), Documents([*near, *test.texts], ["a", "b", *test.labels]), train=train)
    assert card.caveats[0] == "2 of the 62 test documents are nearly equal to training documents: the numbers may be too good."


def test_the_summary_says_what_the_model_is_not_for(bayes: Categorizer) -> None:
    card = make_card(bayes, notes={"intended_use": {"out_of_scope": "- Do not sort mail.\n- Do not judge people."}})
    assert "- **Not for**: Do not sort mail. Do not judge people.\n" in card.to_markdown()


def test_a_file_that_keeps_the_training_texts_is_said_to_have_them(train: Documents) -> None:
    for keeps in (True, False):
        card = make_card(Categorizer("words", keep_documents=keeps).fit(train.pick(range(FEW))))
        assert ("- **Content of the file**: counts and weights, and the training texts\n" in card.to_markdown()) == keeps


def test_the_summary_of_the_doctor_counts_findings(test: Documents) -> None:
    few = draw(FEW, 0)
    few = Documents([*few.texts, few.texts[0], ""], [*few.labels, "b", "c"])
    text = make_card(Categorizer("words").fit(few), test, train=few).to_markdown()
    assert "What the doctor has found in the training documents and the test documents:" in text
    assert "| equal texts with different labels | 1 | high |" in text
    assert "| empty texts | 1 | medium |" in text


def test_what_was_not_measured_is_said(bayes: Categorizer, test: Documents) -> None:
    assert "Membership AUC: not measured." in make_card(bayes, test).to_markdown()
    assert "The training documents were not examined" in make_card(bayes, test).to_markdown()
    few = draw(FEW, 0)
    kept = Categorizer("words", keep_documents=True).fit(few)
    text = make_card(kept, test).to_markdown()
    assert f"Membership AUC: {measure_membership(kept, few, test).auc}" in text
    assert "The doctor has examined the training documents and the test documents, and has no findings." in text


# Hubs


def test_hubs_read_the_header(whole: Any) -> None:
    data = HubCard(whole.to_markdown()).data
    found = {name: data[name] for name in ("language", "license", "library_name", "pipeline_tag", "datasets", "metrics")}
    assert found == {
        "language": ["en", "deu"],
        "license": "mit",
        "library_name": "tercet",
        "pipeline_tag": "text-classification",
        "datasets": ["a/b"],
        "metrics": ["accuracy", "f1", "matthews_correlation"],
    }
    assert data.tags == ["tercet", "text-classification", "plain"]
    report = whole.evaluation.report
    results = {result.metric_type: result for result in data.eval_results}
    assert results["accuracy"].metric_value == round(report.accuracy.value, 4)
    assert results["f1"].metric_args["low"] == round(report.macro_f1.low, 4)
    assert {result.task_type for result in data.eval_results} == {"text-classification"}
    assert {(result.dataset_type, result.dataset_split) for result in data.eval_results} == {("a/c", "test")}
    assert data.to_dict() == read_header(whole.to_markdown())


def test_an_empty_card_has_a_header_that_hubs_read(bayes: Categorizer) -> None:
    data = HubCard(make_card(bayes).to_markdown()).data
    assert data.to_dict() == {
        "library_name": "tercet",
        "pipeline_tag": "text-classification",
        "tags": ["tercet", "text-classification"],
    }


@given(st.text() | odd_texts)
@some(0.3)
def test_yaml_gives_every_text_back(text: str) -> None:
    values = {"a": text, "b": [text, "---"], "c": [{"d": text, "e": 1e-05}, {"d": True}], "f": None, "g": []}
    header = write_front_matter(values)
    assert not re.search(r"\n---[ \t]*(\r\n|\n)", header[:-4] + " ")
    safe = replace_surrogates(text)
    assert yaml.safe_load(header.split("---\n", 1)[1].rsplit("\n---", 1)[0]) == {
        "a": safe,
        "b": [safe, "---"],
        "c": [{"d": safe, "e": 1e-05}, {"d": True}],
    }


# Hostile texts


class TagList(HTMLParser):
    """The tags of a page, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_hostile_texts_change_neither_the_structure_nor_the_header(whole: Any, test: Documents) -> None:
    train = draw(FEW, 0)

    def disguise(documents: Documents) -> Documents:
        labels = [HOSTILE if label == "a" else label for label in documents.labels]
        columns = {HOSTILE: [None if each is None else HOSTILE + each for each in documents.columns["side"]]}
        return Documents(documents.texts, labels, columns=columns)

    model = Categorizer("words").fit(disguise(train))
    notes = answer_all(HOSTILE) | {"model": answer_all("<b> --- | x")["model"]}
    card = make_card(model, disguise(test), train=disguise(train), by=[HOSTILE], notes=notes)
    text = card.to_markdown()
    tokens = MARKDOWN.parse(text.split("\n---\n", 1)[1])
    inline = [child.type for token in tokens for child in token.children or ()]
    assert not {"html_inline", "image"} & set(inline)
    assert not {"html_block", "fence", "code_block", "hr"} & {token.type for token in tokens}
    plain = find_headings(whole.to_markdown())
    assert len(find_headings(text)) == len([heading for heading in plain if not heading.startswith(("By part", "By side ×"))])
    assert card.name == "<b> --- | x"
    assert HubCard(text).data.model_name == card.name
    assert "\u202e" not in text
    page, usual = TagList(card.to_html()), TagList(whole.to_html())
    assert page.tags == usual.tags
    assert page.attributes == usual.attributes
    assert "<script>alert(1)</script>" in page.text


@given(odd_texts | st.text("-+=1.)#>*_`|<&\n \t~[](!", max_size=12))
@example("---")
@example("+ a")
@example("1. a\n===")
@example("x\n---\n# y\n\n- - -\n\n12) z")
@some(0.5)
def test_plain_text_stays_plain_in_markdown(text: str) -> None:
    tokens = MARKDOWN.parse("before\n\n" + Text(text).to_markdown() + "\n\nafter")
    blocks = {token.type.removesuffix("_open").removesuffix("_close") for token in tokens}
    assert blocks <= {"inline", "paragraph", "bullet_list", "list_item"}
    kinds = {child.type for token in tokens for child in token.children or ()}
    assert kinds <= {"text", "softbreak", "text_special", "link_open", "link_close"}


# Notes


def test_the_template_is_valid_and_answers_nothing(tmp_path: Any) -> None:
    (tmp_path / "card.toml").write_text(write_template())
    notes = CardNotes.of(tmp_path / "card.toml")
    assert not notes.answers
    assert len(notes.missing) == sum(not question.is_optional for question in list_questions().values())
    for name, question in list_questions().items():
        assert f"# {question.asked}" in write_template()
        assert f"\n{name.partition('.')[2]} = " in write_template()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("[modle]\nname = 'x'", r"has a table 'modle', which no card has. Did you mean 'model'\?"),
        ("licence = 'mit'", r"has a table 'licence', which no card has. Did you mean 'model.license'\?"),
        ("[model]\nlicence = 'mit'", r"answers model.licence, which no card asks. Did you mean 'license'\?"),
        ("[factors]\nzzz = 'mit'", r"answers factors.zzz, which no card asks. \[factors\] has groups."),
        ("model = 'x'", "model must be a table of answers, got 'x'"),
        ("[model]\nname = 3", "model.name must be a text, got 3. Write it in quotes."),
        ("[model]\nname = ['x']", r"model.name must be a text, got \['x'\]"),
        ("[model]\nauthors = [1]", r"model.authors must be a list of texts, got \[1\]"),
        ("[model]\nlanguages = 'English'", "must be a code of ISO 639 in small letters"),
        ("[model]\ndate = 'yesterday'", "model.date must be a date such as 2025-12-31"),
        ("[training_data]\ndatasets = ['a b']", 'must be the name of a dataset on a model hub, such as "owner/name"'),
        ('[model]\nname = "a\\nb"', "model.name must be one line"),
        ("[model\nname = 3", "is not TOML: "),
        ("[model]\nname = " + "[" * 5000, "is not TOML: "),
        ("[model]\nname = " + "9" * 5000, "is not TOML: "),
    ],
)
def test_wrong_notes_are_refused_with_the_nearest_name(given: str, message: str, tmp_path: Any) -> None:
    (tmp_path / "card.toml").write_text(given)
    with pytest.raises((InvalidOption, InvalidFile), match=message):
        CardNotes.of(tmp_path / "card.toml")


def test_dates_and_single_texts_are_taken_as_people_write_them(tmp_path: Any) -> None:
    (tmp_path / "card.toml").write_text("[model]\ndate = 2025-12-31\nauthors = 'Ada'\nlanguages = ['en']\n", "utf-8-sig")
    notes = CardNotes.of(tmp_path / "card.toml")
    assert (notes["model.date"], notes["model.authors"]) == (("2025-12-31",), ("Ada",))
