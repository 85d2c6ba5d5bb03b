"""The evidence for one decision: what it adds up to, and what is left of any text once it is shown."""

import json
import math
import re
from fractions import Fraction
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from helpers.invented_texts import texts
from helpers.labelled_documents import some
from hypothesis import assume, example, given
from hypothesis import strategies as st

from tercet.characters import measure_columns, replace_surrogates, show_line, show_text
from tercet.errors import InvalidOption
from tercet.report.explanation.as_text import list_rows
from tercet.report.explanation.evidence import Evidence, add_up
from tercet.report.explanation.explanation import Explanation

INF = math.inf
ANSI = re.compile(r"\x1b\[[0-9;]*m")
# What would run, hide or break something, were it obeyed.
ATTACK = "\x1b]0;title\x07\x1b[2J<script>alert('1')</script>&amp;\r\x9b31m\x00\ud800\x7f</div>\"$x$"

finite = st.floats(-1e6, 1e6)
values = finite | st.sampled_from([INF, -INF, 0.0, -0.0, 1e308, 5e-324])
labels = texts | st.integers() | st.booleans() | st.floats()


@st.composite
def explanations(draw: st.DrawFn, values: st.SearchStrategy[float] = finite) -> Explanation:
    """Any evidence on any text: spans that overlap, repeat themselves, are empty or are not there."""
    text = draw(texts)
    spans = st.lists(st.tuples(*[st.integers(0, len(text))] * 2).map(lambda span: tuple(sorted(span))), max_size=4).map(tuple)
    leaves = st.builds(Evidence, texts, spans, values, st.just(()))
    folded = st.builds(fold, texts, spans, st.lists(leaves, min_size=1, max_size=3))
    evidence = draw(st.lists(leaves | folded, max_size=6))
    return Explanation(
        text, draw(labels), draw(labels), draw(values), tuple(evidence), tuple(draw(st.lists(texts, max_size=3)))
    )


def fold(term: str, spans: tuple[tuple[int, int], ...], parts: list[Evidence]) -> Evidence:
    """A word with these parts."""
    return Evidence(term, spans, add_up(part.value for part in parts), tuple(parts))


def explain(text: str, *evidence: Evidence, prior: float = 0.0) -> Explanation:
    return Explanation(text, "hell", "heaven", prior, evidence)


def assert_close(a: float, b: float, size: float) -> None:
    assert a == pytest.approx(b, abs=1e-12 * size + 1e-300)


class Reader(HTMLParser):
    """What a page says: the text of the block that keeps its blanks, the tags, their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.text = ""
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.block: int | None = None
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if "pre-wrap" in (dict(attrs).get("style") or ""):
            self.block = len(self.open)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        self.block = self.block if self.block and len(self.open) >= self.block else None

    def handle_data(self, data: str) -> None:
        self.text += data if self.block else ""


@given(explanations())
@some(0.5)
def test_highlights_are_disjoint_in_order_and_inside_the_text(explanation: Explanation) -> None:
    pieces = explanation.highlights()
    assert all(0 <= start <= end <= len(explanation.text) for start, end, _ in pieces)
    assert all(start < end for start, end, _ in pieces) or not explanation.text
    assert all(left.end <= right.start for left, right in pairwise(pieces))


@given(explanations())
@some(0.5)
def test_highlights_add_up_to_the_evidence_that_has_a_place(explanation: Explanation) -> None:
    placed = [item.value for item in explanation.evidence if item.spans]
    size = sum(map(abs, placed))
    assert_close(math.fsum(piece.value for piece in explanation.highlights()), math.fsum(placed), size)


@given(explanations())
@some(0.5)
def test_each_character_is_highlighted_by_the_spans_over_it(explanation: Explanation) -> None:
    """The plain way: each character has its part of each span over it."""
    assume(explanation.text)
    shares = [Fraction(0)] * len(explanation.text)
    for item in explanation.evidence:
        for start, end in item.spans:
            over = range(start, end) or [min(start, len(shares) - 1)]
            for place in over:
                shares[place] += Fraction(item.value) / len(item.spans) / len(over)
    size = sum(abs(item.value) for item in explanation.evidence)
    for start, end, value in explanation.highlights():
        assert_close(value, float(sum(shares[start:end], Fraction(0))), size)


def test_the_tokens_of_a_term_share_its_value_equally() -> None:
    bitter = explain("so bitter, so", Evidence("so", ((0, 2), (11, 13)), 1.0), Evidence("so bitter", ((0, 2), (3, 9)), 3.0))
    assert bitter.highlights() == [(0, 2, 2.0), (3, 9, 1.5), (11, 13, 0.5)]


def test_a_span_that_is_cut_divides_its_share_by_length() -> None:
    assert explain("abcd", Evidence("abcd", ((0, 4),), 4.0), Evidence("b", ((1, 2),), -1.0)).highlights() == [
        *((0, 1, 1.0), (1, 2, 0.0), (2, 4, 2.0))
    ]


def test_an_empty_span_counts_as_a_character_beside_it() -> None:
    assert explain("ab", Evidence("x", ((1, 1),), 1.0)).highlights() == [(1, 2, 1.0)]
    assert explain("ab", Evidence("x", ((2, 2),), 1.0)).highlights() == [(1, 2, 1.0)]
    assert explain("", Evidence("x", ((0, 0),), 1.0), Evidence("y", ((0, 0),), 1.0)).highlights() == [(0, 0, 2.0)]


@pytest.mark.parametrize("span", [(0, 4), (-1, 2), (2, 1)])
def test_a_span_that_is_no_place_in_the_text_is_refused(span: tuple[int, int]) -> None:
    with pytest.raises(InvalidOption, match="of the term 'hen' is not inside a text of 3 characters"):
        explain("hen", Evidence("hen", (span,), 1.0))


@given(explanations())
@some(0.5)
def test_evidence_stands_in_order_of_strength_however_it_came(explanation: Explanation) -> None:
    strengths = [abs(item.value) for item in explanation.evidence]
    assert strengths == sorted(strengths, reverse=True)
    turned = explain(explanation.text, *reversed(explanation.evidence))
    assert turned.evidence == explanation.evidence


def test_items_that_differ_in_their_parts_alone_stand_in_order() -> None:
    plain, folded = Evidence("hen", (), 1.0), Evidence("hen", (), 1.0, (Evidence("char:he", (), 1.0),))
    assert explain("", plain, folded).evidence == explain("", folded, plain).evidence


@given(explanations(), st.integers(0, 8))
@some(0.5)
def test_rows_add_up_to_the_score(explanation: Explanation, n: int) -> None:
    rows = list_rows(explanation.prior, explanation.evidence, n)
    size = abs(explanation.prior) + sum(abs(item.value) for item in explanation.evidence)
    assert_close(math.fsum(row.value for row in rows), explanation.score, size)
    assert len(rows) == 1 + min(n + 1, len(explanation.evidence))


@given(explanations(), st.integers(0, 8))
@some(0.5)
def test_parts_add_up_to_the_row_above_them(explanation: Explanation, n: int) -> None:
    rows = list_rows(explanation.prior, explanation.evidence, n, detail=True)
    assert [row for row in rows if not row.is_part] == list_rows(explanation.prior, explanation.evidence, n)
    starts = [place for place, row in enumerate(rows) if not row.is_part]
    for item, start, end in zip(explanation.evidence[:n], starts[1:], [*starts[2:], len(rows)], strict=False):
        shown = rows[start + 1 : end]
        assert len(shown) == min(n + 1, len(item.parts))
        if item.parts:
            assert_close(math.fsum(row.value for row in shown), item.value, sum(abs(part.value) for part in item.parts))


@given(explanations())
@some(0.5)
def test_the_parts_of_all_words_are_the_terms_of_the_model_each_once(explanation: Explanation) -> None:
    terms = [part.term for part in explanation.parts]
    assert len(set(terms)) == len(terms)
    leaves = [part for item in explanation.evidence for part in item.parts or (item,)]
    assert set(terms) == {part.term for part in leaves}
    size = abs(explanation.prior) + sum(abs(part.value) for part in leaves)
    assert_close(math.fsum([explanation.prior, *(part.value for part in explanation.parts)]), explanation.score, size)
    assert sorted(span for part in explanation.parts for span in part.spans) == sorted(
        span for part in leaves for span in part.spans
    )


@given(st.lists(finite.map(lambda value: value / 1e4), max_size=8), st.integers(0, 8))
def test_shown_numbers_add_up_but_for_their_rounding(values: list[float], n: int) -> None:
    lines = explain("", *(Evidence("hen", (), value) for value in values)).to_table(n).splitlines()
    *rows, _, total = lines[3:]
    assert sum(float(row.split()[0]) for row in rows) == pytest.approx(float(total.split()[0]), abs=0.0051 * (len(rows) + 1))


@given(explanations(values))
@some(0.5)
def test_a_table_has_a_line_for_each_row_whatever_the_terms(explanation: Explanation) -> None:
    lines, detailed = explanation.to_table().splitlines(), explanation.to_table(detail=True).splitlines()
    assert len(lines) == 3 + 1 + len(explanation.evidence) + 2 + bool(explanation.unknown)
    assert len(detailed) == len(lines) + sum(len(item.parts) for item in explanation.evidence)
    assert "\x1b" not in str(explanation) + "".join(detailed)
    str(explanation).encode()


@given(st.floats())
def test_the_probability_is_the_logistic_of_the_score(score: float) -> None:
    probability = explain("", prior=score).probability
    with np.errstate(over="ignore"):
        assert probability == pytest.approx(1 / (1 + np.exp(-np.float64(score))), rel=1e-12, abs=1e-300, nan_ok=True)


@example(Explanation(ATTACK, ATTACK, ATTACK, 0.5, (Evidence(ATTACK, ((3, 20), (10, 40)), -1.0),), (ATTACK,)))
@given(explanations(values))
@some(0.5)
def test_a_page_says_the_text_and_obeys_none_of_it(explanation: Explanation) -> None:
    page = explanation.to_html()
    page.encode()
    reader = Reader(page)
    assert reader.text == show_text(explanation.text)
    assert reader.tags <= {"div", "mark", "bdi", "table", "tr", "td"}
    assert reader.attributes <= {"class", "style", "title"}
    assert page.count("<") == len(re.findall(r"</?(?:div|mark|bdi|table|tr|td)\b", page))
    assert explanation._repr_html_() == page
    detailed = Reader(explanation.to_html(detail=True))
    assert detailed.text == reader.text
    assert detailed.tags == reader.tags


@example(Explanation(ATTACK, ATTACK, ATTACK, 0.5, (Evidence(ATTACK, ((3, 20), (10, 40)), -1.0),), (ATTACK,)))
@given(explanations(values))
@some(0.5)
def test_a_terminal_shows_the_text_and_obeys_none_of_it(explanation: Explanation) -> None:
    painted = explanation.to_terminal(color=True)
    assert ANSI.sub("", painted) == explanation.to_terminal(color=False) == show_text(explanation.text)
    painted.encode()


@given(texts)
def test_shown_text_has_an_escape_for_each_character_that_a_terminal_or_a_browser_obeys(text: str) -> None:
    shown = show_text(text)
    unsafe = "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
    assert not re.search(unsafe, shown)
    assert shown == re.sub(unsafe, lambda match: match[0].encode("unicode_escape").decode(), text)
    assert show_text(shown) == shown


@given(texts, st.integers(1, 60))
def test_a_shown_name_is_one_short_line(name: str, width: int) -> None:
    shown = show_line(name, width)
    assert len(shown.splitlines()) == 1
    assert len(shown) <= max(width, 2)
    assert not re.search("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]", shown)
    assert not re.search("[\xad\u200b\u2060\ufeff\U000e0000-\U000e007f]", shown)  # invisible: two labels would look equal


def test_no_color_crosses_a_line() -> None:
    painted = explain("a\n\nb", Evidence("a b", ((0, 4),), 1.0)).to_terminal(color=True)
    assert [ANSI.sub("", line) for line in painted.split("\n")] == ["a", "", "b"]
    assert all(line == "" or line.endswith("\x1b[0m") for line in painted.split("\n"))


def test_what_speaks_against_is_underlined() -> None:
    both = explain("hen fox", Evidence("hen", ((0, 3),), -1.0), Evidence("fox", ((4, 7),), 1.0))
    hen, fox = (re.escape(ANSI.search(part)[0]) for part in both.to_terminal(color=True).split(" "))  # type: ignore[index]
    assert ";4;" in hen
    assert ";4;" not in fox
    assert re.search('underline" title="-1.00">hen<', both.to_html())
    assert re.search(r'0\.60\)" title="\+1.00">fox<', both.to_html())


def test_faint_evidence_stays_plain_in_a_terminal() -> None:
    faint = explain("the hen", Evidence("the", ((0, 3),), 0.01), Evidence("hen", ((4, 7),), 1.0))
    assert faint.to_terminal(color=True).startswith("the \x1b[")


def test_color_is_asked_of_standard_output(monkeypatch: pytest.MonkeyPatch) -> None:
    hen = explain("hen", Evidence("hen", ((0, 3),), 1.0))
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert "\x1b" in hen.to_terminal()
    monkeypatch.setenv("NO_COLOR", "1")
    assert hen.to_terminal() == "hen"
    assert "\x1b" in hen.to_terminal(color=True)
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert hen.to_terminal() == "hen"
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stdout", None)
    assert hen.to_terminal() == "hen"


def test_an_impossible_word_decides() -> None:
    never = explain("the hen", Evidence("the", ((0, 3),), 2.0), Evidence("hen", ((4, 7),), -INF))
    assert (never.score, never.probability) == (-INF, 0.0)
    assert str(never).startswith("label hell against heaven: -inf (probability 0)\n")
    assert 'rgba(230,140,0,0.60);text-decoration:underline" title="-inf">hen<' in never.to_html()
    assert "\x1b[1;4;38;5;16;48;5;208mhen" in never.to_terminal(color=True)


def test_two_impossible_words_decide_nothing() -> None:
    words = Evidence("hen", ((0, 3),), INF), Evidence("fox", ((4, 7),), -INF), Evidence("h", ((0, 5),), -INF)
    both = explain("hen fox", *words, prior=1.0)
    assert both.is_impossible
    assert (both.score, both.probability) == (1.0, pytest.approx(0.731059))
    for form in (str(both), both.to_html(), both.to_latex(), str(both.to_dict())):
        assert "nan" not in form
    assert "+1.00 (probability 0.731). The text is impossible under both labels" in str(both)
    assert "+1.00  score of the prior" in str(both)
    assert both.to_dict()["impossible"] is True
    assert both.to_dict()["score"] == 1.0


def test_a_probability_is_not_rounded_to_a_certainty() -> None:
    assert "+12.00 (probability >0.999)" in str(explain("", prior=12.0))
    assert "-40.00 (probability <0.001)" in str(explain("", prior=-40.0))


def read_evidence(row: Any) -> Evidence:
    parts = tuple(map(read_evidence, row.get("parts", ())))
    return Evidence(row["term"], tuple(map(tuple, row["spans"])), float(row["value"]), parts)


def without_surrogates(item: Evidence) -> Evidence:
    return item._replace(term=replace_surrogates(item.term), parts=tuple(map(without_surrogates, item.parts)))


@given(explanations(values))
@some(0.5)
def test_a_dict_is_json_and_holds_everything(explanation: Explanation) -> None:
    written = json.dumps(explanation.to_dict(), allow_nan=False, ensure_ascii=False).encode()
    read = json.loads(written)
    assert read["text"] == replace_surrogates(explanation.text)
    assert read["unknown"] == [replace_surrogates(term) for term in explanation.unknown]
    assert str(list(map(read_evidence, read["evidence"]))) == str([without_surrogates(item) for item in explanation.evidence])
    assert float(read["score"]) == pytest.approx(explanation.score, nan_ok=True)


@pytest.mark.parametrize(
    ("label", "shown", "simple"),
    [
        *(("hell", "hell", "hell"), (3, "3", 3), (True, "True", True), (1.5, "1.5", 1.5), ("", "''", "")),
        *((np.int64(3), "3", 3), (np.True_, "True", True), (np.str_("a\nb"), "a\\nb", "a\nb"), (None, "None", "None")),
    ],
)
def test_labels_are_of_any_type(label: Any, shown: str, simple: Any) -> None:
    explanation = Explanation("", label, 0, np.float64(0.5), ())
    assert str(explanation).startswith(f"label {shown} against 0: +0.50")
    assert explanation.to_dict()["label"] == simple
    json.dumps(explanation.to_dict())


def test_numbers_of_numpy_become_plain() -> None:
    plain = explain("hen", Evidence("hen", ((np.int64(0), np.int64(3)),), np.float32(0.5)))  # type: ignore[arg-type]
    assert plain == explain("hen", Evidence("hen", ((0, 3),), 0.5))
    assert json.loads(json.dumps(plain.to_dict()))["evidence"] == [{"term": "hen", "spans": [[0, 3]], "value": 0.5}]


def test_the_rest_of_the_evidence_and_of_the_unknown_is_counted() -> None:
    many = Explanation("", "a", "b", 0.0, tuple(Evidence(f"t{i}", (), 0.5) for i in range(57)), tuple("abcdefghijklm"))
    assert "+18.50  … 37 more" in str(many)
    assert str(many).endswith("unknown to the model: a · b · c · d · e · f · g · h · i · j · … 3 more")
    assert len(many.to_table(n=0).splitlines()) == 8
    assert "… 57 more" in many.to_html(n=0)


@pytest.mark.parametrize("n", [-1, 1.5, True, None])
def test_a_number_of_rows_is_a_count(n: Any) -> None:
    with pytest.raises(InvalidOption, match="n must be an int >= 0"):
        explain("").to_table(n)


def test_columns_stand_below_each_other_in_any_script() -> None:
    table = explain("日本 hen", Evidence("日本", ((0, 2),), 2.0), Evidence("hen", ((3, 6),), 1.0)).to_table()
    places = [
        measure_columns(line[: line.index(place)]) for line in table.splitlines() for place in ("0:2", "3:6") if place in line
    ]
    assert len(set(places)) == 1
    assert len(places) == 2
