"""tercet.audit: which parts are measured, that they are the parts themselves, and all forms of the result."""

import json
from typing import Any

import pytest

import tercet
from tercet import Categorizer, Documents
from tercet.auditing.audit.audit import Audit, audit
from tercet.auditing.audit.groups import audit_groups
from tercet.auditing.audit.pairs import audit_pairs
from tercet.auditing.audit.swaps import audit_swaps
from tercet.errors import InvalidOption, TercetError

HOSTILE = "<script>alert(1)</script>\x1b[31m\u202e"
SWAPS = [("he", "she")]


@pytest.fixture(scope="module")
def model() -> Categorizer:
    texts = ["he is kind", "she is rude", "a kind man", "a rude woman", "so kind", "so rude"] * 3
    return Categorizer("words").fit(texts, ["good", "bad"] * 9)


def make_documents(n_groups: int = 2, name: str = "group", prefix: str = "g") -> Documents:
    """Sentences in cells: each mood with each person, in groups."""
    moods = ["kind", "rude", "kind kind", "so rude", "a man", "a woman"]
    rows = [(f"{'He' if k % 2 else 'She'} is {mood}", k, mood) for mood in moods for k in range(max(n_groups, 2))]
    columns = {
        name: [f"{prefix}{k}" for _, k, _ in rows],
        "template": ["x is y"] * len(rows),
        "mood": [mood for _, _, mood in rows],
    }
    labels = ["bad" if "rude" in mood else "good" for _, _, mood in rows]
    return Documents([text for text, _, _ in rows], labels, columns=columns)


@pytest.fixture(scope="module")
def whole(model: Categorizer) -> Audit:
    """Groups and swapped terms."""
    return audit(model, make_documents(), by="group", swaps=SWAPS)


def test_parts_are_what_their_own_functions_give(model: Categorizer, whole: Audit) -> None:
    documents = make_documents()
    assert whole.groups is not None
    assert whole.groups.to_dict() == audit_groups(model, documents, "group").to_dict()
    assert whole.probe is not None
    assert whole.probe.to_dict() == audit_swaps(model, documents, SWAPS).to_dict()
    assert whole.pairs is None
    paired = audit(model, documents, by=["group"], pair=["template", "mood"])
    assert paired.pairs is not None
    assert paired.pairs.to_dict() == audit_pairs(model, documents, ["template", "mood"], "group").to_dict()
    assert paired.groups is None
    assert paired.probe is None


def test_a_stream_is_read_once_for_all_parts(model: Categorizer, whole: Audit) -> None:
    documents = make_documents()
    stream = iter([documents.pick(range(5)), documents.pick(range(5, 12))])
    assert audit(model, stream, by="group", swaps=SWAPS).to_dict() == whole.to_dict()


def test_templates_are_filled_and_compared(model: Categorizer) -> None:
    words = {"person": {"person": ["he", "she"], "gender": ["m", "f"]}, "mood": ["kind", "rude", "late"]}
    found = audit(model, by="gender", templates=["{person} is {mood}", "so {mood} of {person}"], words=words)
    assert found.pairs is not None
    assert found.pairs.n_sentences == 12
    assert [each.n_cells for each in found.pairs.comparisons] == [6]


def test_findings_come_first_and_once(whole: Audit) -> None:
    assert whole.groups is not None
    assert whole.probe is not None
    assert whole.findings == (*whole.groups.findings, *whole.probe.findings)
    for text in (whole.to_table(), whole.to_html()):
        places = [text.index(finding[:30].replace("'", "&#x27;") if "<div" in text else finding) for finding in whole.findings]
        assert places == sorted(places)
    assert all(whole.to_table().count(finding) == 1 for finding in whole.findings)
    assert whole.to_table().index(whole.findings[-1]) < whole.to_table().index(whole.groups.to_sheet().headline)


def test_every_form_has_every_table_with_its_title(whole: Audit) -> None:
    grids = [grid for part in whole.parts.values() for grid in part.to_sheet().grids]
    for written in (whole.to_table(), whole.to_markdown(), whole.to_latex(), whole.to_terminal(color=True), whole.to_html()):
        assert len(grids) > 2
        assert all(grid.title in written for grid in grids)
    assert "``" not in whole.to_markdown()
    assert "no bias" not in whole.to_table().lower()


def test_of_many_findings_the_first_come_first_and_the_others_are_notes(model: Categorizer) -> None:
    found = audit(model, make_documents(30), by="group", pair="template")
    written = found.to_table()
    place = written.index(found.signature)
    assert len(found.findings) > 20
    assert all(written.index(finding) < place for finding in found.findings[:10])
    assert all(written.index(finding) > place for finding in found.findings[10:])


def test_an_audit_is_a_table_and_json(whole: Audit) -> None:
    frame, written = whole.to_frame(), json.loads(json.dumps(whole.to_dict(), allow_nan=False))
    assert whole.groups is not None
    assert whole.probe is not None
    n_rows = {name: int((frame["part"] == name).sum()) for name in ("groups", "probe")}
    assert n_rows == {"groups": len(whole.groups.to_frame()), "probe": len(whole.probe.to_frame())}
    assert set(frame.columns) == {"part", *whole.groups.to_frame().columns, *whole.probe.to_frame().columns}
    assert frame["difference"].tolist()[-1] == whole.probe.to_frame()["difference"].tolist()[-1]
    assert written["pairs"] is None
    assert written["findings"] == list(whole.findings)


def test_a_page_escapes_names_and_shows_many_groups(model: Categorizer) -> None:
    documents = make_documents(30, HOSTILE, HOSTILE)
    for found in (audit(model, documents, by=HOSTILE, swaps=SWAPS), audit(model, documents, by=HOSTILE, pair="template")):
        page = found.to_html()
        assert "<script" not in page
        assert "&lt;script&gt;" in page
        assert not {"\x1b", "\u202e"} & set(page + found.to_table() + found.to_terminal(color=False))
        assert "<svg" in page


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "nothing to audit: by (--by) compares"),
        ({"pair": "template"}, "Name it with by (--by)"),
        ({"templates": ["{x}"], "words": {}, "documents": None}, "Name it with by (--by)"),
        ({"pair": "template", "templates": ["{x}"], "words": {}, "by": "group"}, "pair and templates exclude each other"),
        ({"templates": ["{x}"], "by": "group", "documents": None}, "templates (--templates) need words (--words)"),
        ({"words": {}, "by": "group"}, "templates (--templates) need words (--words)"),
        ({"by": "group", "documents": None}, "there are no documents to audit"),
        ({"swaps": SWAPS, "documents": None}, "there are no documents to audit"),
        ({"templates": ["{x}"], "words": {}, "by": "group"}, "the documents would not be used"),
    ],
)
def test_options_that_do_not_go_together_are_refused(options: dict[str, Any], message: str, model: Categorizer) -> None:
    with pytest.raises(InvalidOption) as refused:
        audit(model, **{"documents": make_documents(), **options})
    assert message in str(refused.value)


def test_what_is_no_model_is_refused() -> None:
    with pytest.raises(InvalidOption, match=r"a fitted Categorizer, got 'm\.tercet'.*tercet\.load"):
        audit("m.tercet", ["he ran"], swaps=[("he", "she")])


def test_columns_that_are_missing_are_refused(model: Categorizer) -> None:
    for options in ({"by": "nothing"}, {"by": "nothing", "pair": "template"}, {"by": "group", "pair": "nothing"}):
        with pytest.raises(TercetError, match="nothing"):
            tercet.audit(model, make_documents(), **options)
