"""No serious barrier for people with disabilities, in light and in dark, on a desk and on a phone (axe-core)."""

from collections.abc import Iterator

import pytest
from browsers import Browser, Site, expect, find_barriers, open_browser, serve_site, visit, wait_for_quiet

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with serve_site(tmp_path_factory.mktemp("site")) as served:
        yield served


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_no_view_has_a_serious_barrier(browser: Browser, site: Site, color_scheme: str, width: int) -> None:
    with visit(browser, site, color_scheme=color_scheme, viewport={"width": width, "height": 860}) as ann:
        page = ann.page
        found = {}
        page.get_by_role("textbox", name="Text", exact=True).fill("a lovely warm plot, not dull")
        expect(page.locator(".word").first).to_be_visible()
        page.locator(".word").nth(2).hover()
        found["classify"] = find_barriers(page)
        for view in "lhqwa":
            ann.open(view)
            wait_for_quiet(page)
            found[view] = find_barriers(page)
        ann.press("?")
        found["keys"] = find_barriers(page)
        assert {name: barriers for name, barriers in found.items() if barriers} == {}
