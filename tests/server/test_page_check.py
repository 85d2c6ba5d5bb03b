"""The view Check: texts without the answers of the model, one key for each, and what is kept in between."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.browsers import Browser, Site, Visitor, expect, serve_site, visit, wait_until
from helpers.servers import write_model

import tercet
from tercet import Documents
from tercet.ledger.ledger import Ledger
from tercet.server.served_model import ModelLocation

pytestmark = pytest.mark.browser

WORDS = ["good", "lovely", "warm", "dull", "bad", "awful"]
NEW = [f"what a {word} film {number}" for number in range(5) for word in WORDS]


@pytest.fixture
def place(tmp_path: Path) -> ModelLocation:
    place = write_model(tmp_path)
    assert place.ledger is not None
    with Ledger.open(place.ledger, write=True) as ledger:
        ledger.offer(Documents(NEW), pool="new", actor="ann", subjects=["eve", *[None] * 29])
    return place


@pytest.fixture
def site(tmp_path: Path, place: ModelLocation) -> Iterator[Site]:
    with serve_site(tmp_path, [place]) as served:
        yield served


@pytest.fixture
def ben(browser: Browser, site: Site) -> Iterator[Visitor]:
    with visit(browser, site, "ben") as visitor:
        yield visitor


def begin(visitor: Visitor, n: int = 30) -> None:
    """Begin a check by the keyboard."""
    visitor.open("k")
    visitor.see("30 texts without a label")
    number = visitor.page.get_by_label("How many to check")
    visitor.tab_to(number)
    visitor.press("ControlOrMeta+a")
    visitor.write(str(n))
    visitor.press("Enter")
    visitor.see(f"Text 1 of {n}")


def answer(visitor: Visitor, first: int, n: int, most: int = 30) -> None:
    """Answer n texts by their words: 1 is neg, 2 is pos."""
    for place in range(first, first + n):
        expect(visitor.page.get_by_text(f"Text {place} of {most}")).to_be_visible()
        text = visitor.page.locator(".label-text").inner_text()
        visitor.press("2" if any(word in text for word in WORDS[:3]) else "1")


def test_a_teacher_checks_a_model_by_keys(ben: Visitor, site: Site, place: ModelLocation) -> None:
    page = ben.page
    begin(ben)
    assert "proposed" not in ben.main.inner_text()
    assert "%" not in ben.main.inner_text()  # nothing that the model says
    answer(ben, 1, 29)
    ben.press("0")
    ben.see("All texts are answered")
    ben.press("u")
    ben.see("Taken back.")
    answer(ben, 30, 1)
    ben.see("All texts are answered")
    ben.press("f")
    expect(page.get_by_role("heading", name="The result")).to_be_focused()
    ben.see("Every text was checked, so this is exact.")
    ben.see("30 of 30 texts")
    rows = page.locator(".shares tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("50.0 %")
    assert place.ledger is not None
    with Ledger.open(place.ledger) as ledger:
        model = ledger.replay().model
        assert model.hand_check_ is not None
        right = [str(label) == ("pos" if any(w in text for w in WORDS[:3]) else "neg") for text, label in predict(model)]
        assert model.hand_check_.accuracy.value == pytest.approx(sum(right) / len(right))
        assert (model.hand_check_.n, model.is_check_current_) == (30, True)
    ben.open("q")
    ben.see("Checked by hand")
    expect(ben.main).to_contain_text("right, 30 of 30 texts")
    ben.open("a")
    expect(ben.main).to_contain_text("right, 30 of 30 texts")
    ben.open("h")
    expect(page.locator(".list-row").first).to_contain_text("by hand: 50.0 % (50.0 % to 50.0 %), 30 of 30 texts")
    ben.press("u")
    ben.see("Undone: The check is written down")
    ben.open("a")
    expect(ben.main).not_to_contain_text("right, 30 of 30 texts")


def predict(model: tercet.Categorizer) -> list[tuple[str, str]]:
    return list(zip(NEW, model.predict(NEW).tolist(), strict=True))


def test_a_check_goes_on_after_a_reload_and_can_end_at_any_time(ben: Visitor) -> None:
    page = ben.page
    begin(ben, 20)
    expect(page.get_by_role("button", name="End, and see the result")).to_be_disabled()
    ben.press("f")  # nothing is answered yet
    answer(ben, 1, 4, 20)
    ben.see("Text 5 of 20")
    shown = page.locator(".label-text").inner_text()
    stored = page.evaluate("JSON.stringify(localStorage)")
    assert not any(text in stored for text in NEW)  # texts are not kept in the browser
    page.reload()
    ben.see("Text 5 of 20")
    assert page.locator(".label-text").inner_text() == shown
    answer(ben, 5, 2, 20)
    ben.see("Text 7 of 20")
    ben.press("f")
    ben.see("6 of 30 texts")
    ben.see("Unreliable: only 6 texts")
    ben.see("The result")
    page.reload()
    ben.see("The last check")
    ben.see("How good is the model on your texts?")


def test_texts_that_are_erased_meanwhile_are_passed_over(ben: Visitor, browser: Browser, site: Site, tmp_path: Path) -> None:
    begin(ben)
    answer(ben, 1, 2)
    ben.see("Text 3 of 30")
    with visit(browser, site, "ann") as ann:
        ann.page.evaluate(
            """async () => {
              const { csrf } = await (await fetch("api/session")).json();
              const headers = { "Content-Type": "application/json", "X-CSRF-Token": csrf };
              const body = JSON.stringify({ subject: "eve" });
              await fetch("api/models/reviews/erase", { method: "POST", headers, body });
            }"""
        )
    ben.page.reload()
    for _ in range(40):
        if ben.page.get_by_text("All texts are answered").is_visible():
            break
        before = ben.main.inner_text()
        ben.press("1")
        wait_until(lambda before=before: ben.main.inner_text() != before)
    ben.see("All texts are answered")
    ben.press("f")
    ben.see("29 of 30 texts")
    expect(ben.page.locator(".notice").first).to_contain_text("The model has changed since it was checked")


def test_a_check_can_be_thrown_away(ben: Visitor) -> None:
    page = ben.page
    begin(ben)
    answer(ben, 1, 1)
    ben.see("Text 2 of 30")
    ben.tab_to(page.get_by_role("button", name="Throw this check away"))
    ben.press("Enter")
    expect(page.get_by_role("dialog")).to_contain_text("1 answer will be lost")
    ben.press("Escape")
    ben.see("Text 2 of 30")
    ben.tab_to(page.get_by_role("button", name="Throw this check away"))
    ben.press("Enter", "Tab", "Enter")
    ben.see("How good is the model on your texts?")
    page.reload()
    ben.see("How good is the model on your texts?")


def test_a_label_that_the_model_does_not_have_is_an_error_of_the_model(ben: Visitor) -> None:
    begin(ben, 30)
    ben.tab_to(ben.page.get_by_role("button", name="Another label …"))
    ben.press("Enter")
    ben.see("its answer is wrong")
    ben.write("mixed")
    ben.press("Enter")
    ben.see("Last answer: mixed.")
    ben.press("f")
    ben.see("1 of 30 texts")
    expect(ben.page.locator(".big-number")).to_have_text("0.0 %")


def test_a_reader_sees_the_result_and_has_no_view_check(browser: Browser, site: Site, ben: Visitor) -> None:
    begin(ben, 5)
    answer(ben, 1, 5, 5)
    ben.see("All texts are answered")
    ben.press("f")
    ben.see("The result")
    with visit(browser, site, "rob") as rob:
        expect(rob.page.get_by_role("link", name="Check")).to_have_count(0)
        rob.open("q")
        expect(rob.main).to_contain_text("5 of 30 texts")
        assert "ben" not in rob.main.inner_text()


def test_nothing_is_checked_is_said_everywhere_until_somebody_has_checked(browser: Browser, tmp_path: Path) -> None:
    first = tercet.begin(NEW * 2, {"pos": ["good", "lovely"], "neg": ["dull", "bad"]}, vectors=None).categorizer
    with Ledger.begin(tmp_path / "m.ledger", first, actor="ann") as ledger:
        ledger.offer(Documents(NEW), pool="new", actor="ann")
    place = ModelLocation("m", tmp_path / "m.tercet", str(tmp_path / "m.ledger"))
    with serve_site(tmp_path, [place]) as site, visit(browser, site) as ann:
        for view in "clkhqwa":
            ann.open(view)
            ann.see("Nothing has been checked: the labels of the texts were guessed")
        ann.tab_to(ann.page.locator(".warning button"))
        ann.press("Enter")
        begin(ann, 5)
        answer(ann, 1, 5, 5)
        ann.see("All texts are answered")
        ann.press("f")
        ann.see("The result")
        expect(ann.page.locator(".warning")).to_be_hidden()


def test_names_of_pools_and_labels_are_never_markup(browser: Browser, tmp_path: Path) -> None:
    evil = "<img src=x onerror=alert(1)>"
    documents = Documents(["so good", "so bad"] * 3, [evil, "-"] * 3)
    with Ledger.begin(tmp_path / "m.ledger", tercet.Categorizer(), documents, actor="ann") as ledger:
        ledger.offer(Documents([f"{evil} {number}" for number in range(4)]), pool=evil, actor="ann")
    place = ModelLocation("m", tmp_path / "m.tercet", str(tmp_path / "m.ledger"))
    with serve_site(tmp_path, [place]) as site, visit(browser, site) as ann:
        ann.open("k")
        ann.page.get_by_role("button", name="Begin").click()
        for number in range(1, 5):
            ann.see(f"Text {number} of 4")
            ann.press("2")
        ann.see("All texts are answered")
        ann.press("f")
        ann.see("The result")
        expect(ann.main).to_contain_text(evil)
        ann.open("q")
        expect(ann.main).to_contain_text("Checked by hand")
