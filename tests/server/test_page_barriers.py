"""No serious barrier for people with disabilities, in light and in dark, on a desk and on a phone (axe-core)."""

from collections.abc import Callable, Iterator

import pytest
from helpers.browsers import Browser, Site, Visitor, expect, find_barriers, serve_site, visit, wait_for_quiet
from helpers.servers import write_model

from tercet import Documents
from tercet.ledger.changes import Verdict
from tercet.ledger.labelling import Proposal
from tercet.ledger.ledger import Ledger

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server whose views all have something to show: judged texts, charts, a disagreement, findings, suspects."""
    folder = tmp_path_factory.mktemp("site")
    place = write_model(folder)
    assert place.ledger is not None
    with Ledger.open(place.ledger, write=True) as ledger:
        texts = [f"a {word} film number {i}" for i, word in enumerate(["good", "bad", "dull", "warm"] * 3)]
        for offer in ledger.offer(Documents(texts), pool="inbox", actor="ann")[:10]:
            for actor, label in (("ann", "pos"), ("ben", "neg" if offer.number % 4 == 0 else "pos")):
                verdict = Verdict(label=label, proposal=Proposal("pos", 0.7, offer.number), judges=2)
                ledger.judge(offer.number, verdict, actor=actor)
    with serve_site(folder, [place]) as served:
        yield served


def look_at_check(ann: Visitor, look: Callable[[str], None]) -> None:
    """The view Check: before, during and after a check, and the question before it is thrown away."""
    page = ann.page
    ann.see("How good is the model on your texts?")
    look("check")
    page.get_by_label("How many to check").fill("2")
    page.get_by_role("button", name="Begin").click()
    ann.see("Text 1 of 2")
    look("check: a text")
    ann.press("1")
    ann.see("Text 2 of 2")
    page.get_by_role("button", name="Throw this check away").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    look("check: dialog")
    ann.press("Escape", "1")
    ann.see("All texts are answered")
    look("check: the end")
    ann.press("f")
    expect(page.get_by_role("heading", name="The result")).to_be_visible()
    look("check: the result")
    ann.press("u")
    ann.see("Undone: The check is written down")


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_no_view_has_a_serious_barrier(browser: Browser, site: Site, color_scheme: str, width: int) -> None:
    with visit(browser, site, color_scheme=color_scheme, viewport={"width": width, "height": 860}) as ann:
        page = ann.page
        found = {}

        def look(name: str) -> None:
            wait_for_quiet(page)
            found[name] = find_barriers(page)
            if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                found[name].append("the page is wider than the window")

        look("nothing to classify")
        page.get_by_role("textbox", name="Text", exact=True).fill(f"a lovely warm plot, not dull, {'long' * 40}")
        expect(page.locator(".word").first).to_be_visible()
        page.locator(".word").nth(2).hover()
        page.get_by_text("All numbers").click()
        look("classify")
        ann.press("Escape", "1")
        ann.see("Learned as event")
        for view in "lkhqwa":
            ann.open(view)
            if view == "k":
                look_at_check(ann, look)
                continue
            if view == "l":
                ann.see("to settle")
            if view == "h":
                expect(page.locator(".list-row").first).to_be_visible()
                ann.press("ArrowDown", "Enter", "/")
            if view == "q":
                ann.see("What the doctor finds in imported files")
                page.get_by_text("Numbers", exact=True).first.click()
            look(view)
        for view, key in (("l", "i"), ("h", "e"), ("h", "?")):
            ann.open(view)
            ann.press(key)
            expect(page.get_by_role("dialog")).to_be_visible()
            look(f"dialog {key}")
            ann.press("Escape")
        ann.context.clear_cookies()
        page.reload()
        expect(page.get_by_label("Name")).to_be_focused()
        look("log in")
        ann.talk.clear()  # 401, because nobody is in
        assert {name: barriers for name, barriers in found.items() if barriers} == {}
