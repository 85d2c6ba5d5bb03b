"""The view Begin: a first model from texts without labels, by the keyboard; its words, its errors, and the way to the check."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.browsers import Browser, Site, Visitor, expect, find_barriers, serve_site, visit, wait_for_quiet
from helpers.servers import write_model

from tercet.server.app import ServerOptions

pytestmark = pytest.mark.browser

PLAY, MONEY = ["team", "goal", "match", "coach", "referee"], ["bank", "rate", "loan", "market", "bond"]


def write_texts(n: int = 80, more: str = "") -> bytes:
    draw = random.Random(0)
    rows = [" ".join(["the", *draw.choices(PLAY if i % 2 else MONEY, k=3), f"today {i}"]) for i in range(n)]
    return ("text,who\n" + "".join(f"{row},person {i}\n" for i, row in enumerate(rows)) + more).encode()


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A server of an empty folder."""
    folder = tmp_path / "models"
    folder.mkdir()
    monkeypatch.setattr("helpers.browsers.write_model", lambda _: None)

    def leave_out(**options: object) -> ServerOptions:
        return ServerOptions(**options | {"models": ()})  # type: ignore[arg-type]

    monkeypatch.setattr("helpers.browsers.ServerOptions", leave_out)
    with serve_site(tmp_path, models_folder=folder) as served:
        yield served


def choose_texts(visitor: Visitor, content: bytes, name: str = "letters.csv") -> None:
    visitor.tab_to(visitor.page.get_by_label("File of texts"))
    visitor.press("Enter")
    visitor.choose_file(name, content)


def write_labels(visitor: Visitor, words: str) -> None:
    visitor.press("Escape", "/", "ControlOrMeta+a")
    visitor.write(words)
    visitor.press("Escape")


def test_texts_without_labels_become_a_model_that_can_be_checked(browser: Browser, empty: Site) -> None:
    with visit(browser, empty, "ann") as ann:
        page = ann.page
        expect(page.get_by_role("heading", level=1, name="Begin a model")).to_be_visible()  # there is nothing else
        choose_texts(ann, write_texts())
        ann.see("80 different texts of 80 rows.")
        write_labels(ann, "sports: team, goal\nbusiness: bank, rate")
        ann.press("r")
        ann.see("Nothing has been checked.")
        labels = page.locator(".begin-label")
        expect(labels).to_have_count(2)
        expect(labels.first).to_contain_text("50 % of the texts, a guess")
        expect(labels.first.locator(".chip.is-mine")).to_have_count(2)
        proposed = labels.nth(1).locator(".chip:not(.is-mine)").first.locator("bdi").inner_text()
        ann.press("ArrowDown")
        expect(labels.nth(1).locator("h2")).to_be_focused()
        ann.press("1")  # the first proposed word
        expect(labels.nth(1).locator(".chip.is-mine")).to_have_count(3)
        expect(page.get_by_label("Labels")).to_have_value(f"sports: team, goal, {proposed}\nbusiness: bank, rate")
        ann.see("Work it out again (r).")
        ann.tab_to(labels.nth(1).get_by_role("button", name="Strike goal"))
        ann.press("Enter")
        expect(labels.nth(1).locator(".chip.is-mine")).to_have_count(2)
        ann.press("r")
        ann.see("Worked out. Add words that fit")
        page.get_by_text("Typical texts").first.click()
        expect(labels.first.locator(".begin-texts li").first).to_be_visible()
        ann.press("m")
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("Nothing of it has been checked yet.")
        ann.press("Enter")  # the name of the file
        expect(page.get_by_role("heading", level=1, name="Check")).to_be_visible()
        ann.see("Nothing has been checked: the labels of the texts were guessed")
        ann.see("80 texts without a label")
        ann.open("c")
        page.get_by_role("textbox", name="Text", exact=True).fill("the referee")
        expect(page.locator(".answer-title")).to_contain_text("sports")


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ("sports: team", "There is only the label 'sports'"),
        ("sports: team\nbusiness: team", "can't tell them apart"),
        ("sports: team\nbusiness: zebra", "zebra"),
        ("sports: team\nsports: goal", "stands in two lines"),
        ("", "There are no labels"),
    ],
)
def test_bad_labels_are_explained_beside_the_form(browser: Browser, empty: Site, labels: str, words: str) -> None:
    with visit(browser, empty, "ann") as ann:
        ann.press("Escape", "r")
        ann.see("Choose a file of texts first.")
        choose_texts(ann, write_texts())
        ann.see("80 different texts")
        write_labels(ann, labels)
        ann.press("r")
        expect(ann.page.locator(".begin-view .problem")).to_contain_text(words)
        expect(ann.page.locator(".begin-label")).to_have_count(0)
        expect(ann.page.get_by_role("button", name="Make this model")).to_be_hidden()
        ann.talk.clear()  # the browser notes that the request was refused


def test_a_name_that_is_taken_is_said_and_words_are_never_markup(browser: Browser, tmp_path: Path) -> None:
    evil = "<img src=x onerror=alert(1)>"
    folder = tmp_path / "models"
    folder.mkdir()
    texts = write_texts(40, "".join(f"{evil} {evil} {i},x\n" for i in range(30)))
    with serve_site(tmp_path, [write_model(folder)], models_folder=folder) as site, visit(browser, site, "ann") as ann:
        page = ann.page
        ann.press("Escape", "g", "b")
        expect(page.get_by_role("heading", level=1, name="Begin a model")).to_be_visible()
        choose_texts(ann, texts, "reviews.csv")
        ann.see("different texts of 70 rows.")
        write_labels(ann, f"{evil}: img, onerror\nsports: team, goal")
        ann.press("r")
        expect(page.locator(".begin-label").first).to_contain_text(evil)
        for each in page.locator(".begin-label summary").all():
            each.click()
        ann.press("m", "Enter")
        expect(page.locator(".begin-view .problem")).to_contain_text("choose another name")
        ann.talk.clear()  # the browser notes that the request was refused


def test_who_is_no_admin_begins_nothing(browser: Browser, empty: Site) -> None:
    with visit(browser, empty, "ben") as ben:
        ben.see("This server has no model yet")
        expect(ben.page.get_by_role("link", name="Begin a model")).to_have_count(0)


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 1280), ("light", 390)])
def test_the_view_has_no_serious_barrier(browser: Browser, empty: Site, scheme: str, width: int) -> None:
    with visit(browser, empty, "ann", color_scheme=scheme, viewport={"width": width, "height": 860}) as ann:
        page = ann.page
        assert find_barriers(page) == []
        choose_texts(ann, write_texts())
        ann.see("80 different texts")
        write_labels(ann, "sports: team, goal\nbusiness: bank, rate")
        ann.press("r")
        expect(page.locator(".begin-label")).to_have_count(2)
        page.get_by_text("Doubtful texts").first.click()
        wait_for_quiet(page)
        assert find_barriers(page) == []
        assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
        ann.press("m")
        expect(page.get_by_role("dialog")).to_be_visible()
        assert find_barriers(page) == []
        ann.press("Escape")
