"""A report in every form that it takes, with labels that try to break it."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest
from helpers.invented_answers import invent_probabilities

import tercet
from tercet.report.report import Report

HOSTILE = "<script>1</script>\\input{a}\x1b[31m|$_\n"  # within what a table shows of a label


@pytest.fixture(scope="module")
def hostile() -> Report:
    gold, predicted, probabilities = invent_probabilities()
    labels = np.array([HOSTILE, "b&b", "c%_{}"])
    slices = {HOSTILE: labels[gold]}
    return tercet.evaluate(labels[gold], labels[predicted], probabilities, labels=labels, slices=slices, resamples=200)


class Reader(HTMLParser):
    """Elements that are open, all that were opened, and what is written between them."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        if tag not in ("line", "circle"):
            self.open.append(tag)
        assert all(not name.startswith("on") and "script" not in str(value) for name, value in attrs)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in ("line", "circle"):
            return
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html_is_whole_and_obeys_no_label(hostile: Report) -> None:
    reader = Reader()
    reader.feed(hostile.to_html())
    reader.close()
    assert not reader.open
    assert reader.seen <= {
        "div",
        "table",
        "tr",
        "th",
        "td",
        "bdi",
        "figure",
        "figcaption",
        "svg",
        "text",
        "rect",
        "line",
        "circle",
        "title",
        "code",
    }
    assert "<script>1" in reader.text  # as words
    assert "\x1b" not in hostile.to_html()
    assert "http" not in hostile.to_html()
    assert hostile._repr_html_() == hostile.to_html()


def test_latex_and_markdown_obey_no_label(hostile: Report) -> None:
    latex, markdown = hostile.to_latex(), hostile.to_markdown()
    assert r"c\%\_\{\}" in latex
    assert r"\input" not in latex
    assert r"\textbackslash{}input\{a" in latex
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}")
    assert "<script>" not in markdown.replace(r"\<script\>", "")
    widths = [line.replace(r"\|", "").count("|") for line in markdown.split("\n\n")[1].splitlines()]
    assert len(set(widths)) == 1


def test_a_row_of_latex_never_begins_with_an_option() -> None:
    latex = tercet.evaluate(["[1cm]", "*b"], ["[1cm]", "*b"], resamples=20).to_latex()
    assert "\n{}[1cm] &" in latex  # at the start of a row LaTeX reads [1cm] as a distance and * as a command
    assert "\n{}*b &" in latex


def test_a_cell_of_the_picture_has_its_share_of_the_gold_label() -> None:
    page = tercet.evaluate(["a"] * 4 + ["b"] * 2, ["a", "b", "b", "b", "b", "b"], resamples=20).to_html()
    assert "gold a, predicted b: 3 (75.0%)" in page
    assert "gold b, predicted a: 0 (0.0%)" in page


NEWSGROUPS = ["comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware", "talk.politics.mideast", "talk.politics.misc"]


def list_svg_texts(page: str) -> list[str]:
    """What is written in the heat map, without its tooltips."""
    picture = page[page.index("<svg") : page.index("</svg>")]
    return [re.sub("<title>.*?</title>", "", text) for text in re.findall("<text[^>]*>(.*?)</text>", picture)]


def test_names_that_are_cut_can_be_told_apart_and_read_in_full() -> None:
    page = tercet.evaluate(NEWSGROUPS, NEWSGROUPS[1:] + NEWSGROUPS[:1], resamples=20).to_html()
    shown = list_svg_texts(page)
    names = ["comp.sys.ibm.pc…", "comp.sys.mac.ha…", "talk.pol…mideast", "talk.pol…misc"]
    assert [shown.count(name) for name in names] == [2, 2, 2, 2]
    for name in NEWSGROUPS:
        assert f"<title>{name}</title>" in page
    assert "gold comp.sys.ibm.pc.hardware, predicted comp.sys.mac.hardware: 1 (100.0%)" in page


@pytest.mark.parametrize("n_labels", [2, 20, 30])
def test_every_cell_of_the_heat_map_has_its_number_and_the_colours_a_legend(n_labels: int) -> None:
    gold = np.repeat(np.arange(n_labels), 1234)
    shown = list_svg_texts(tercet.evaluate(gold, np.roll(gold, 1), metrics=["accuracy"], resamples=20).to_html())
    assert shown.count("1233") == n_labels
    assert {"right", "wrong", "share of its row", "0%", "100%"} <= set(shown)


def test_a_number_that_does_not_fit_into_its_cell_is_left_out() -> None:
    gold = np.arange(30)
    report = tercet.evaluate(gold, gold, weights=np.full(30, 0.123456), metrics=["accuracy"], resamples=20)
    assert "0.1235" not in list_svg_texts(report.to_html())
    assert "gold 0, predicted 0: 0.123" in report.to_html()


def test_a_terminal_gets_no_command_of_a_label(hostile: Report) -> None:
    for shown in (str(hostile), hostile.to_terminal(color=True).replace("\x1b[", "")):
        assert r"\x1b[31m" in shown
        assert "\x1b" not in shown
    assert hostile.to_terminal(color=False) == str(hostile)


def test_many_labels_stay_readable() -> None:
    rng = np.random.default_rng(0)
    gold = np.concatenate([np.arange(120), rng.integers(120, size=3000)])
    report = tercet.evaluate(gold, np.where(rng.random(3120) < 0.7, gold, gold[::-1]), resamples=20)
    assert "… 70 more" in str(report)
    assert "30 most mistaken of 120 labels" in report.to_html()
    assert len(report.rows) == 120
