"""What other people do does not take away the focus, nor what somebody has typed."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.browsers import Browser, Site, Visitor, classify, expect, serve_site, visit, wait_for_quiet
from helpers.servers import LABELS, TEXTS

import tercet
from tercet import Documents
from tercet.ledger.ledger import Ledger
from tercet.server.served_model import ModelLocation

pytestmark = pytest.mark.browser


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A model that can be trained, and one of two columns."""
    best = tercet.Categorizer(model="auto", keep_documents=True)
    names = {"reviews": (best, Documents(TEXTS * 3, LABELS * 3)), "wide": (tercet.Categorizer(), join_documents())}
    for name, (model, documents) in names.items():
        Ledger.begin(tmp_path / f"{name}.ledger", model, documents, actor="ann").close()
    places = [ModelLocation(name, tmp_path / f"{name}.tercet", str(tmp_path / f"{name}.ledger")) for name in names]
    with serve_site(tmp_path, places) as served:
        yield served


def join_documents() -> Documents:
    return Documents.join({"title": ["good", "bad"], "body": ["warm", "dull"]}, ["+", "-"])


@pytest.fixture
def ann(browser: Browser, site: Site) -> Iterator[Visitor]:
    with visit(browser, site, "ann") as visitor:
        yield visitor


@pytest.fixture
def ben(browser: Browser, site: Site) -> Iterator[Visitor]:
    with visit(browser, site, "ben") as visitor:
        yield visitor


def teach(visitor: Visitor, text: str) -> int:
    """Teach the model something. Returns the number of the event."""
    classify(visitor, text)
    visitor.page.evaluate("document.getElementById('messages').replaceChildren()")  # messages of earlier steps
    visitor.press("1")
    said = visitor.page.locator("#messages .message")
    expect(said).to_contain_text("Learned as event")
    found = re.search(r"Learned as event (\d+)", said.inner_text())
    assert found
    return int(found[1])


def wait_for_news(visitor: Visitor, event: int) -> None:
    """Wait until the page knows of an event, and has asked for everything that it shows."""
    visitor.page.wait_for_function(
        "event => Number(document.querySelector('.status').textContent.replace(/\\D/g, '')) >= event", arg=event
    )  # a training may have followed
    visitor.page.wait_for_timeout(1200)  # the facts come at most once a second
    wait_for_quiet(visitor.page, 2500)  # the view Quality waits two seconds more


def read_focus(visitor: Visitor) -> str:
    """The name and the words of what has the focus, and the event of its row."""
    found: str = visitor.page.evaluate(
        """() => {
          const { tagName, id, textContent, value } = document.activeElement;
          const row = document.activeElement.closest(".list-row")?.item.number ?? "";
          return [tagName, id, row, textContent.replace(/event \\d+/, ""), value ?? ""].join("|");
        }"""
    )
    return found


@pytest.mark.parametrize("view", ["q", "a"])
def test_a_button_keeps_the_focus_when_news_arrive(ann: Visitor, ben: Visitor, view: str) -> None:
    ann.open(view)
    ann.tab_to(ann.page.get_by_role("button", name="Train now"))
    focused = read_focus(ann)
    wait_for_news(ann, teach(ben, "a zebra of a film"))
    assert read_focus(ann) == focused


def test_an_open_event_keeps_the_focus_when_somebody_changes_it(ann: Visitor, ben: Visitor) -> None:
    teach(ann, "a zebra of a film")
    ann.open("h")
    row = ann.page.locator(".list-row").first
    expect(row).to_contain_text("zebra")
    ann.press("ArrowDown", "Enter")
    ann.tab_to(row.get_by_role("button", name="Unlearn"))
    ben.open("h")
    expect(ben.page.locator(".list-row").first).to_contain_text("zebra")
    ben.press("ArrowDown", "Enter")
    ben.tab_to(ben.page.get_by_role("button", name="Correct the label …"))
    ben.press("Enter", "2")
    ben.see("is now “pos”.")
    changed = ann.page.locator(".list-row").nth(1)
    expect(changed).to_contain_text("corrected")
    expect(changed.get_by_role("button", name="Unlearn")).to_be_focused()


def test_a_dialog_gives_the_focus_back_to_what_was_shown_anew(ann: Visitor, ben: Visitor) -> None:
    teach(ann, "a zebra of a film")
    for visitor in (ann, ben):
        visitor.open("h")
        expect(visitor.page.locator(".list-row").first).to_contain_text("zebra")
        visitor.press("ArrowDown", "Enter")
        visitor.tab_to(visitor.page.get_by_role("button", name="Correct the label …"))
        visitor.press("Enter")
        expect(visitor.page.get_by_role("dialog")).to_be_visible()
    ben.press("2")
    ben.see("is now “pos”.")
    changed = ann.page.locator(".list-row").nth(1)
    expect(changed).to_contain_text("corrected")
    ann.press("Escape")
    expect(changed.get_by_role("button", name="Correct the label …")).to_be_focused()


def test_what_is_typed_stays_when_news_arrive(ann: Visitor, ben: Visitor) -> None:
    ann.write("a half-writ")
    wait_for_news(ann, teach(ben, "first zebra"))
    ann.write("ten text")
    box = ann.page.get_by_role("textbox", name="Text", exact=True)
    expect(box).to_be_focused()
    expect(box).to_have_value("a half-written text")
    ann.open("h")
    ann.press("/")
    ann.write("be")
    wait_for_news(ann, teach(ben, "second zebra"))
    ann.write("n")
    ann.press("Enter")
    expect(ann.page.get_by_label("Who", exact=True)).to_have_value("ben")
    expect(ann.page.locator(".list-row")).to_have_count(6)
    ann.open("c")
    expect(box).to_have_value("a half-written text")  # also after another view


def test_a_word_and_the_open_numbers_stay_after_a_correction(ann: Visitor) -> None:
    ann.write("a lovely warm plot")
    expect(ann.page.locator(".word")).to_have_count(4)
    ann.tab_to(ann.page.locator(".evidence summary"))
    ann.press("Enter", "e", "ArrowRight", "ArrowRight")
    expect(ann.page.locator(".word").nth(2)).to_be_focused()
    ann.press("1")
    ann.see("Corrected")
    wait_for_quiet(ann.page)
    expect(ann.page.locator(".word").nth(2)).to_be_focused()
    expect(ann.page.locator(".word-detail")).to_contain_text("warm adds")
    expect(ann.page.get_by_role("region", name="Evidence of each term")).to_be_visible()


def test_the_settings_of_the_queue_are_walked_by_arrow_keys(ann: Visitor, ben: Visitor) -> None:
    page = ann.page
    ann.open("l")
    ann.press("i")
    page.get_by_label("File", exact=True).set_input_files(
        {"name": "new.txt", "mimeType": "", "buffer": b"one film\ntwo films\n"}
    )
    page.get_by_label("Name of the pool").press("Enter")
    expect(page.locator(".label-work .choice").first).to_be_visible()
    people = page.get_by_label("People per text")
    ann.tab_to(people)
    ann.press("ArrowDown")
    wait_for_quiet(page)
    ann.press("ArrowDown")
    wait_for_news(ann, teach(ben, "a zebra of a film"))
    expect(people).to_be_focused()
    expect(people).to_have_value("3")
    expect(page.locator(".label-text").first).to_contain_text("film")
    ann.press("Escape", "1")
    expect(page.locator(".said")).to_contain_text("“neg”")


def test_models_are_walked_by_arrow_keys_and_may_have_other_columns(ann: Visitor) -> None:
    ann.write("a lovely plot")
    choice = ann.page.get_by_label("Model", exact=True)
    ann.tab_to(choice)
    ann.press("ArrowDown")
    expect(ann.page.get_by_label("title")).to_be_visible()
    expect(choice).to_be_focused()
    ann.press("ArrowUp")
    expect(ann.page.get_by_role("textbox", name="Text", exact=True)).to_be_visible()
    expect(choice).to_be_focused()
