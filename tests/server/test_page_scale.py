"""A ledger of 100,000 events: the first view is quick, and the history scrolls without long tasks and without growing."""

import random
from collections.abc import Iterator

import pytest
from helpers.browsers import Browser, Site, Visitor, expect, serve_site, visit, wait_for_quiet

import tercet
from tercet import Documents
from tercet.ledger.ledger import Ledger
from tercet.server.served_model import ModelLocation

pytestmark = pytest.mark.browser

N_EVENTS = 100_000
# What people notice. Both are times of a clock, so other programs make them longer: a limit must hold in one of TRIES visits.
# `pytest -s` prints them. On two cores with a load of 8, they were about 500 ms and 70 ms.
FIRST_VIEW_MS = 1000
LONG_TASK_MS = 200
TRIES = 3
MAX_ROWS = 300  # in the document: those of the list, and a page that has just come


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder, rng = tmp_path_factory.mktemp("large"), random.Random(0)
    words = [f"word{i}" for i in range(2000)]
    texts = [" ".join(rng.choices(words, k=8)) for _ in range(N_EVENTS - 1)]
    labels = rng.choices(["neg", "pos", "mixed"], k=len(texts))
    with Ledger.begin(
        folder / "large.ledger", tercet.Categorizer(), Documents(texts[:6], ["neg", "pos", "mixed"] * 2), actor="ann"
    ) as ledger:
        ledger.learn(
            Documents(texts[6:], labels[6:]), actor="ben", subjects=[f"person {i % 5000}" for i in range(len(texts) - 6)]
        )
        assert ledger.head.number == N_EVENTS
    with serve_site(folder, [ModelLocation("large", folder / "large.tercet", str(folder / "large.ledger"))]) as served:
        yield served


def read_numbers(visitor: Visitor) -> list[int]:
    return [int(each) for each in visitor.page.locator(".event-number").all_inner_texts()]


def check_rows(visitor: Visitor) -> list[int]:
    """The events in the document follow each other, and are few."""
    numbers = read_numbers(visitor)
    assert numbers == list(range(numbers[0], numbers[0] - len(numbers), -1))
    assert len(numbers) <= MAX_ROWS
    return numbers


def test_the_first_view_and_the_history_are_there_in_a_second(browser: Browser, site: Site) -> None:
    first, history = [], []
    for _ in range(TRIES):
        with visit(browser, site) as ann:
            first.append(ann.page.evaluate("performance.getEntriesByName('view classify')[0].startTime"))
            ann.open("h")
            expect(ann.page.locator(".list-row").first).to_contain_text("learned")
            history.append(ann.page.evaluate("performance.now() - performance.getEntriesByName('view history')[0].startTime"))
    print(f"first view after {first} ms, history {history} ms after its view")
    assert min(first) < FIRST_VIEW_MS
    assert min(history) < FIRST_VIEW_MS


def test_history_scrolls_without_long_tasks(browser: Browser, site: Site) -> None:
    longest = []
    while not longest or (min(longest) >= LONG_TASK_MS and len(longest) < TRIES):
        with visit(browser, site) as ann:
            longest.append(scroll_there_and_back(ann))
    print(f"longest task {longest} ms")
    assert min(longest) < LONG_TASK_MS


def scroll_there_and_back(visitor: Visitor) -> float:
    """Scroll through more than 1,000 events and back to the newest one. Returns the longest task in milliseconds."""
    page = visitor.page
    visitor.open("h")
    expect(page.locator(".list-row").first).to_be_visible()
    page.mouse.move(640, 600)
    begun = page.evaluate("performance.now()")
    for _ in range(60):
        page.mouse.wheel(0, 2500)
        page.wait_for_timeout(30)
    wait_for_quiet(page)
    assert check_rows(visitor)[-1] < N_EVENTS - 1000
    for _ in range(90):
        page.mouse.wheel(0, -2500)
        page.wait_for_timeout(30)
    expect(page.locator(".event-number").first).to_have_text(str(N_EVENTS))
    check_rows(visitor)
    return max((duration for start, duration in visitor.seen["longTasks"] if start > begun), default=0.0)


def test_any_event_is_reached_by_its_number_and_the_list_goes_both_ways(browser: Browser, site: Site) -> None:
    with visit(browser, site) as ann:
        page = ann.page
        ann.open("h")
        ann.press("/")
        ann.tab_to(page.get_by_label("From event"))
        ann.write("50000")
        ann.press("Enter")
        expect(page.locator('.list-row[tabindex="0"]')).to_have_count(1)
        page.wait_for_timeout(500)
        numbers = check_rows(ann)
        assert numbers[0] > 50_000 > numbers[-1]  # the events before and after it are there, too
        ann.press("Escape", "ArrowDown")
        for _ in range(150):
            ann.press("ArrowDown")
        page.wait_for_timeout(500)
        check_rows(ann)
        focused = page.evaluate("document.activeElement.item?.number")
        assert focused == numbers[0] - 150 or focused in read_numbers(ann)
