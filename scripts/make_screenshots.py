"""Writes docs/pictures, the page as the README shows it:  python scripts/make_screenshots.py

Two people teach a server on invented letters, and Debian's Chromium takes pictures of the views: light and dark, on a desk and
on a phone. The checksum of the page and of these scripts is kept beside them, so that a test says when they are out of date.
"""

import csv
import hashlib
import io
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from invented_letters import Letter, write_letters
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

import tercet
from tercet.ledger.ledger import Ledger
from tercet.server.accounts import Accounts

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
CHECKSUM = PICTURES / "sources.sha256"
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-sync",
]
DESK, PHONE = {"width": 1200, "height": 800}, {"width": 390, "height": 800}
VIEWS = ("classify", "label", "check", "history", "quality", "words", "about", "begin")
ON_PHONE = ("classify", "label", "history")
LETTER = "Hello, I was charged twice for the kettle that I returned in March. Please correct the invoice and send me a receipt."
WORDS = {
    "billing": ("invoice", "receipt", "payment"),
    "delivery": ("parcel", "courier", "tracking"),
    "returns": ("return", "exchange", "broke"),
    "account": ("password", "account", "log in"),
}
N_FREQUENT = 160  # colours of a picture that stay as they are


def hash_sources() -> str:
    """The checksum of everything that the pictures depend on in this repository, but for what the server says."""
    pages = ROOT / "src" / "tercet" / "server" / "pages"
    files = [*sorted(pages.iterdir()), Path(__file__), Path(__file__).with_name("invented_letters.py")]
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


class Team:
    """A server with two people who teach it."""

    def __init__(self, url: str, accounts: Accounts) -> None:
        self.url, self.accounts = url, accounts
        self.clients = {name: self._make_client(name) for name in ("ann", "ben")}

    def _make_client(self, name: str) -> httpx.Client:
        token = self.accounts.issue(name, "token", seconds=3600)
        headers = {"Authorization": f"Bearer {token}"}
        return httpx.Client(base_url=f"{self.url}/api/models/letters/", headers=headers, timeout=60)

    def ask(self, name: str, method: str, path: str, **content: Any) -> Any:
        answer = self.clients[name].request(method, path, **content)
        answer.raise_for_status()
        return answer.json()

    def make_link(self) -> str:
        return f"{self.url}/#token={self.accounts.issue('ann', 'link', seconds=3600)}"


@contextmanager
def serve_letters(folder: Path) -> Iterator[Team]:
    """Serve two models of invented letters until the block ends."""
    letters = write_letters(240, seed=1, wrong_share=0.05)
    documents = tercet.Documents([each.text for each in letters], [each.label for each in letters])
    models = folder / "models"
    models.mkdir()
    best = tercet.Categorizer(model="auto", calibrate="auto", keep_documents=True)
    trained = tercet.train(documents, categorizer=best).categorizer
    for name, categorizer in {"letters": trained, "quick": tercet.Categorizer()}.items():
        subjects = [each.customer for each in letters]
        Ledger.begin(models / f"{name}.ledger", categorizer, documents, actor="ann", subjects=subjects).close()
    accounts = Accounts(folder / "team.users", new=True)
    accounts.add_user("ann", "admin", None)
    accounts.add_user("ben", "teacher", None)
    command = [sys.executable, "-m", "tercet", "serve", os.fspath(models), "--users", accounts.location, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONUNBUFFERED": "1"}) as process:
        try:
            assert process.stdout is not None
            url = process.stdout.readline().strip().rstrip("/")
            wait_until_ready(url)
            yield Team(url, accounts)
        finally:
            process.terminate()


def wait_until_ready(url: str) -> None:
    transport = httpx.HTTPTransport(retries=50)
    with httpx.Client(transport=transport, timeout=60) as client:
        client.get(f"{url}/ready").raise_for_status()


def teach(team: Team) -> None:
    """Import letters, and let two people judge some of them. They disagree now and then."""
    inbox = write_letters(120, seed=2)
    label_of = {each.text: each.label for each in inbox}
    team.ask(
        "ann", "POST", "pools?name=inbox&subject=customer", content=write_table(inbox), headers={"Content-Type": "text/csv"}
    )
    rng = random.Random(3)
    for name, n in (("ann", 45), ("ben", 30)):
        for _ in range(n):
            (offer,) = team.ask(name, "POST", "pools/next", json={"pool": "inbox", "order": "random", "judges": 2, "limit": 1})[
                "offers"
            ]
            label = label_of[offer["text"]] if rng.random() < 0.93 else rng.choice(list(label_of.values()))
            proposal = {key: offer["proposal"][key] for key in ("label", "probability")}
            message = {"offer": offer["offer"], "kind": "label", "label": label, "proposal": proposal, "judges": 1}
            team.ask(name, "POST", "judge", json=message)
    last = team.ask("ben", "POST", "history", json={"limit": 5, "verb": "judge"})["events"][0]
    team.ask("ben", "POST", "undo", json={"event": last["number"]})


def write_table(letters: Sequence[Letter]) -> bytes:
    written = io.StringIO()
    table = csv.writer(written)
    table.writerow(["text", "customer"])
    table.writerows((each.text, each.customer) for each in letters)
    return written.getvalue().encode()


def take_pictures(browser: Browser, team: Team, color_scheme: str, size: dict[str, int]) -> None:
    """A picture of each view."""
    is_phone = size is PHONE
    context = browser.new_context(
        color_scheme=color_scheme,
        viewport=size,
        device_scale_factor=1.5 if not is_phone else 2,
        reduced_motion="reduce",
        locale="en-GB",
    )
    page = context.new_page()
    page.goto(team.make_link())
    page.wait_for_selector(".answer")
    for view in ON_PHONE if is_phone else VIEWS:
        open_view(page, team.url, view, points=not is_phone)
        save(page.screenshot(), PICTURES / f"{view}{'-phone' if is_phone else ''}-{color_scheme}.png")
    context.close()


def open_view(page: Page, url: str, view: str, *, points: bool) -> None:
    """Go to a view, and do there what a person would do first. On a phone nobody points at something without touching it."""
    page.goto(f"{url}/#/letters/{view}")
    page.wait_for_selector(f"main.view-{view}")
    if view == "classify":
        page.get_by_role("textbox", name="Text", exact=True).fill(LETTER)
        page.wait_for_selector(".word")
        page.keyboard.press("Escape")
        if points:
            page.get_by_role("button", name="charged").hover()
    if view == "check":
        page.get_by_role("button", name="Begin", exact=True).click()
        page.get_by_text("Text 1 of").wait_for()
        page.keyboard.press("2")
    if view == "begin":
        begin_model(page)
    if view == "words":
        page.get_by_role("searchbox", name="Search a word").fill("invoice")
        page.keyboard.press("Enter")
    if view == "history":
        page.wait_for_selector(".list-row")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
    page.wait_for_timeout(1500)  # until everything has arrived


def begin_model(page: Page) -> None:
    """Work out a first model of the letters, from three words for each label."""
    table = {"name": "letters.csv", "mimeType": "text/csv", "buffer": write_table(write_letters(200, seed=4))}
    page.get_by_label("File of texts").set_input_files(table)
    page.get_by_text("different texts").wait_for()
    page.get_by_label("Labels").fill("\n".join(f"{label}: {', '.join(words)}" for label, words in WORDS.items()))
    page.get_by_role("button", name="Work it out").click()
    page.locator(".begin-label").first.wait_for()
    page.locator(".notice").first.evaluate("element => scrollTo(0, element.offsetTop - 80)")


def save(screenshot: bytes, path: Path) -> None:
    """Write a small PNG: its most frequent colours stay as they are, and the edges of letters get the nearest of others."""
    picture = Image.open(io.BytesIO(screenshot)).convert("RGB")
    counted = sorted(picture.getcolors(picture.width * picture.height) or [], reverse=True)
    frequent = [value for _, color in counted[:N_FREQUENT] for value in color]
    others = (picture.quantize(256 - N_FREQUENT).getpalette() or [])[: 3 * (256 - N_FREQUENT)]
    palette = Image.new("P", (1, 1))
    palette.putpalette(frequent + others)
    picture.quantize(palette=palette, dither=Image.Dither.NONE).save(path, optimize=True)
    print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1000:.0f} kB")


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, serve_letters(Path(folder)) as team, sync_playwright() as player:
        teach(team)
        browser = player.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        for color_scheme in ("light", "dark"):
            for size in (DESK, PHONE):
                take_pictures(browser, team, color_scheme, size)
        browser.close()
    CHECKSUM.write_text(f"{hash_sources()}\n")


if __name__ == "__main__":
    main()
