"""Texts, labels, names, notes and files of attackers are only ever text on the page: no script runs, nothing is blocked."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.browsers import Browser, Site, Visitor, expect, serve_site, visit, wait_for_quiet
from helpers.servers import LABELS, TEXTS, write_model

import tercet
from tercet import Documents
from tercet.ledger.ledger import Ledger
from tercet.server.served_model import ModelLocation

pytestmark = pytest.mark.browser

# Each would call alert, load something, or change the page, if it became markup or code anywhere.
ATTACKS = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    '"><svg onload=alert(3)>',
    "' onmouseover='alert(4)' autofocus onfocus='alert(4)' x='",
    "</textarea></script></style></title><script>alert(5)</script>",
    "<iframe srcdoc='<script>parent.alert(6)</script>'></iframe>",
    "<style>*{background:url(//evil.invalid/7)}</style>",
    "<a href='javascript:alert(8)'>click</a> [click](javascript:alert(8)) ![x](//evil.invalid/8.png)",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(9)>",
    "{{constructor.constructor('alert(10)')()}} ${alert(10)} `${alert(10)}` <%= alert(10) %>",
    "<form action=//evil.invalid/11><button>send</button></form><base href=//evil.invalid/>",
    "<link rel=stylesheet href=//evil.invalid/12.css><meta http-equiv=refresh content='0;url=//evil.invalid/12'>",
    "\u202e<dialog open>13</dialog>\u2028\u0000\u200d",
    "<details open ontoggle=alert(14)><summary>x</summary></details>",
    "javascript:alert(15)",
    "__proto__",
    "</li></ul></main><marquee onstart=alert(16)>",
)
NAMED = [attack.replace("\0", "") for attack in ATTACKS]  # names have no byte 0
ATTACKER = NAMED[1]


def write_hostile_model(folder: Path) -> ModelLocation:
    """A model whose texts, labels, subjects, actor and card are attacks."""
    path, ledger = folder / "reviews.tercet", folder / "reviews.ledger"
    texts = [*TEXTS, *(f"{attack} good {i}" for i, attack in enumerate(ATTACKS))]
    labels = [*LABELS, *(NAMED[i % 8] for i in range(len(ATTACKS)))]
    subjects = [None] * len(TEXTS) + NAMED
    with Ledger.begin(ledger, tercet.Categorizer(), Documents(texts, labels), actor=ATTACKER, subjects=subjects) as begun:
        begun.relabel_event(3, NAMED[2], actor=NAMED[3])
        begun.undo(4, actor=NAMED[4])
    (folder / "reviews.card.md").write_text(
        "\n\n".join(["# Card", *ATTACKS, f"| {ATTACKS[1]} | b |\n|---|---|\n| {ATTACKS[2]} | c |"])
    )
    return ModelLocation("reviews", path, str(ledger))


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    second = write_model(tmp_path, "<img src=x onerror=alert(0)>".replace("/", ""))
    with serve_site(tmp_path, [write_hostile_model(tmp_path), second], {ATTACKER: "admin"}) as served:
        yield served


def look_around(visitor: Visitor) -> None:
    """Open everything that shows data."""
    page = visitor.page
    for view in "clhqwa":
        visitor.open(view)
        wait_for_quiet(page)
        for summary in page.locator("main summary:visible").all():
            summary.click()
    visitor.open("h")
    expect(page.locator(".list-row").first).to_be_visible()
    for row in range(12):
        visitor.press("ArrowDown")
        if row:
            visitor.press("Enter")


def test_attacks_in_a_ledger_and_a_card_are_text(browser: Browser, site: Site) -> None:
    with visit(browser, site, ATTACKER) as eve:
        look_around(eve)
        shown = eve.main.inner_text()
        assert "<dialog open>13</dialog>" in shown
        eve.open("a")
        eve.see("<form action=//evil.invalid/11>")
        expect(eve.page.locator("main a[href*=script], main iframe, main img, main marquee")).to_have_count(0)


def test_attacks_by_hand_are_text(browser: Browser, site: Site) -> None:
    """Attacks in a file, its name, a text, a new label, a person, a note and a pool."""
    with visit(browser, site, ATTACKER) as eve:
        page = eve.page
        for attack in NAMED[:6]:
            eve.press("Escape", "o")
            name = attack.replace("/", "") + ".txt"
            eve.choose_file(name, f"{attack} good".encode())
            eve.see(f"from {name}")
            page.locator("summary", has_text="Person and note").press("Enter")
            page.get_by_label("Whom is the text about?").fill(attack)
            page.get_by_label("Note").fill(attack)
            page.get_by_role("button", name="Another label …").press("Enter")
            eve.write(f"{attack}!")
            eve.press("Enter")
            eve.see("Learned as event")
            page.reload()
            page.wait_for_selector("main h1", state="attached")
        eve.open("l")
        eve.press("i")
        table = "".join(f'"{attack.replace(chr(34), chr(34) * 2)}"\n' for attack in NAMED)
        header = '"text"\n'
        page.get_by_label("File", exact=True).set_input_files(
            {"name": f"{NAMED[1]}.csv".replace("/", ""), "mimeType": "text/csv", "buffer": (header + table).encode()}
        )
        page.get_by_label("Name of the pool").fill(ATTACKER)
        page.get_by_label("Name of the pool").press("Enter")
        eve.see("imported into")
        for _ in range(5):
            eve.press("e")
            expect(page.locator(".label-text").first).to_be_visible()
            eve.press("1")
        eve.press("n")
        eve.write(NAMED[5])
        eve.press("Enter")
        eve.see("Note kept.")
        look_around(eve)
