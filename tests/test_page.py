"""The page in a real browser: every view by the keyboard alone, what screen readers get, and several people at once."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from browsers import Browser, Site, Visitor, expect, open_browser, serve_site, visit

pytestmark = pytest.mark.browser


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with open_browser() as opened:
        yield opened


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with serve_site(tmp_path) as served:
        yield served


@pytest.fixture
def ann(browser: Browser, site: Site) -> Iterator[Visitor]:
    with visit(browser, site, "ann") as visitor:
        yield visitor


def test_a_text_is_classified_explained_and_corrected_by_keys(ann: Visitor) -> None:
    page = ann.page
    expect(page.get_by_label("Text")).to_be_focused()  # one can write at once
    ann.write("a lovely warm plot")
    expect(page.locator(".answer-title")).to_contain_text("pos")
    assert page.locator(".word").all_inner_texts() == ["a", "lovely", "warm", "plot"]
    ann.press("Escape", "e")
    expect(page.locator(".word").first).to_be_focused()
    ann.press("ArrowRight")
    expect(page.locator(".word-detail")).to_contain_text("lovely adds +")
    expect(page.locator(".word-detail")).to_contain_text("log (")
    assert "for" in (page.locator(".word").nth(1).get_attribute("class") or "")
    assert "against" in (page.locator(".word").nth(3).get_attribute("class") or "")
    ann.press("1")  # wrong, it is "neg"
    ann.see("Corrected: it is “neg”.")
    expect(page.locator(".answer-title")).to_contain_text("neg")
    ann.press("u")
    ann.see("Undone: Corrected")
    expect(page.locator(".answer-title")).to_contain_text("pos")


def test_screen_readers_get_names_roles_and_news(ann: Visitor) -> None:
    ann.write("a lovely warm plot")
    expect(ann.page.locator(".answer-title")).to_contain_text("pos")
    expect(ann.page.locator("body")).to_match_aria_snapshot("""
      - link "Skip to the content"
      - banner:
        - link "tercet, first view"
        - navigation "Views":
          - link "Classify"
          - link "Label"
          - link "History"
      - main:
        - heading "Classify" [level=1]
        - textbox "Text"
        - region "Answer of reviews":
          - heading /pos \\d/ [level=2]
          - list:
            - listitem:
              - button /neg \\d/
            - listitem:
              - button /pos proposed \\d/
        - region "Evidence":
          - group /The text, coloured/:
            - paragraph:
              - button /lovely, \\+/
    """)
