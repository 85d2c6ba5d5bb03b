"""A server in a thread, and people who visit its page in a real Chromium, with the keyboard."""

import asyncio
import os
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from helpers.servers import write_model

pytest.importorskip("playwright", reason="the browser tests need the extra [test]")

from playwright.sync_api import Browser, FileChooser, Locator, Page, expect, sync_playwright
from uvicorn import Config, Server

from tercet.server.accounts import Accounts
from tercet.server.addresses import Address
from tercet.server.app import ServerOptions, make_app
from tercet.server.served_model import ModelLocation
from tercet.server.start import LOGGING, Connection, listen

expect.set_options(timeout=20_000)  # the machine may be busy

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
OPTIONS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
)
PEOPLE = {"ann": "admin", "ben": "teacher", "rob": "reader"}
AXE = "axe-core@4.14.0"
# Notes what must not happen on a page, and what takes long.
WATCH = """
window.seen = { scripts: [], violations: [], longTasks: [] };
window.alert = (words) => window.seen.scripts.push(String(words));
document.addEventListener("securitypolicyviolation", (event) => {
  window.seen.violations.push(`${event.violatedDirective} ${event.blockedURI}`);
});
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.seen.longTasks.push([entry.startTime, entry.duration]);
}).observe({ type: "longtask", buffered: true });
"""


@contextmanager
def open_browser() -> Iterator[Browser]:
    """Debian's Chromium, without a window."""
    if not Path(CHROMIUM).exists():
        pytest.skip(f"there is no {CHROMIUM}: install Debian's package chromium, or name another one in CHROMIUM")
    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        yield browser
        browser.close()


class Site:
    """A server that runs in a thread, with a link for each person."""

    def __init__(self, url: str, accounts: Accounts) -> None:
        self.url, self.accounts = url, accounts

    def make_link(self, name: str) -> str:
        return f"{self.url}/#token={self.accounts.issue(name, 'link', seconds=3600)}"


@contextmanager
def serve_site(
    folder: Path, places: Sequence[ModelLocation] = (), people: dict[str, str] = PEOPLE, **options: Any
) -> Iterator[Site]:
    """Serve models until the block ends."""
    accounts = Accounts(folder / "site.users", new=True)
    for name, role in people.items():
        accounts.add_user(name, role, None)
    with listen("127.0.0.1", 0) as listening:
        port = listening.getsockname()[1]
        chosen = ServerOptions(
            models=tuple(places or [write_model(folder)]),
            accounts=accounts.location,
            address=Address.local(port),
            port=port,
            **options,
        )
        config = Config(
            lambda: make_app(chosen),
            factory=True,
            http=Connection,
            log_config=LOGGING,
            access_log=False,
            timeout_graceful_shutdown=1,
        )
        server = Server(config)
        thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listening])))
        thread.start()
        try:
            wait_until(lambda: server.started or not thread.is_alive())
            assert server.started, "the server did not start"
            yield Site(f"http://127.0.0.1:{port}", accounts)
        finally:
            server.should_exit = True
            thread.join()


def classify(visitor: "Visitor", text: str) -> None:
    """Write a text on the view Classify, and wait for the answer."""
    visitor.open("c")
    visitor.press("/", "ControlOrMeta+a")
    visitor.write(text)
    expect(visitor.page.locator(".painted")).to_have_text(text, use_inner_text=True)
    visitor.press("Escape")


def wait_until(is_true: Any, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.02)


def wait_for_quiet(page: Page, milliseconds: int = 300) -> None:
    """Wait until no request has ended for a while. The stream of news never ends, so it does not count."""
    page.evaluate(
        """wait => new Promise((resolve) => {
          let timer = setTimeout(resolve, wait);
          const begin = () => { clearTimeout(timer); timer = setTimeout(resolve, wait); };
          new PerformanceObserver(begin).observe({ type: "resource" });
        })""",
        milliseconds,
    )


class Visitor:
    """Somebody who visits the page with a browser of their own, and uses the keyboard."""

    def __init__(self, browser: Browser, site: Site, name: str, **options: Any) -> None:
        self.site = site
        chosen = {"reduced_motion": "reduce", "viewport": {"width": 1280, "height": 860}, "locale": "en-GB", **options}
        self.context = browser.new_context(**chosen)
        self.context.add_init_script(WATCH)
        self.page: Page = self.context.new_page()
        self.talk: list[str] = []  # errors and warnings of the console
        self.page.on(
            "console", lambda message: self.talk.append(message.text) if message.type in ("error", "warning") else None
        )
        self.page.on("pageerror", lambda error: self.talk.append(str(error)))
        self.choosers: list[FileChooser] = []  # dialogs that ask for a file; listening all the time, because it begins late
        self.page.on("filechooser", lambda chooser: self.choosers.append(chooser))
        self.page.goto(site.make_link(name) if name else site.url)
        self.page.wait_for_selector("main h1", state="attached")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def write(self, words: str) -> None:
        """Type into what has the focus."""
        self.page.keyboard.insert_text(words)

    def choose_file(self, name: str, content: bytes, kind: str = "") -> None:
        """Answer the dialog that asks for a file."""
        for _ in range(100):
            if self.choosers:
                self.choosers.pop().set_files({"name": name, "mimeType": kind, "buffer": content})
                return
            self.page.wait_for_timeout(50)
        raise AssertionError("nothing has asked for a file")

    def open(self, view: str) -> None:
        """Go to a view by its key, as in "g h"."""
        self.press("Escape", "g", view)
        titles = {
            "c": "Classify",
            "l": "Label",
            "k": "Check",
            "h": "History",
            "q": "Quality",
            "w": "Words",
            "a": "About",
        }
        expect(self.page.get_by_role("heading", level=1, name=titles[view])).to_have_count(1)

    def tab_to(self, wanted: Locator, most: int = 60) -> None:
        """Press Tab until this has the focus."""
        for _ in range(most):
            if wanted.evaluate("element => element === document.activeElement"):
                return
            self.press("Tab")
        raise AssertionError(f"{most} times Tab did not reach {wanted}")

    def see(self, words: str) -> None:
        """Wait until the page shows these words."""
        expect(self.page.get_by_text(words).first).to_be_visible()

    @property
    def main(self) -> Locator:
        return self.page.locator("main")

    @property
    def seen(self) -> dict[str, list[Any]]:
        found: dict[str, list[Any]] = self.page.evaluate("window.seen")
        return found

    def check(self) -> None:
        """Fail if a script of somebody else has run, or the browser had to block something, or the page has complained."""
        seen = self.seen
        bad = [*seen["scripts"], *seen["violations"], *self.talk]
        assert not bad, "\n".join(map(str, bad))

    def close(self) -> None:
        self.context.close()


@contextmanager
def visit(browser: Browser, site: Site, name: str = "ann", **options: Any) -> Iterator[Visitor]:
    """Visit the page. At the end it must have had no errors."""
    visitor = Visitor(browser, site, name, **options)
    try:
        yield visitor
        visitor.check()
    finally:
        visitor.close()


@cache
def read_axe() -> str:
    """The source of axe-core, from npm. It is fetched once, into build/."""
    folder = Path(__file__).parents[2] / "build" / "axe"
    source = folder / "package" / "axe.min.js"
    if not source.exists():
        folder.mkdir(parents=True, exist_ok=True)
        try:
            packed = subprocess.run(
                ["npm", "pack", AXE, "--silent"], cwd=folder, check=True, capture_output=True, text=True, timeout=120
            )
            subprocess.run(["tar", "xf", packed.stdout.strip().splitlines()[-1]], cwd=folder, check=True, timeout=60)
        except (OSError, subprocess.SubprocessError, IndexError):
            pytest.skip(f"npm can't fetch {AXE}, which judges how accessible a page is")
    return source.read_text("utf-8")


def find_barriers(page: Page) -> list[str]:
    """Serious barriers for people with disabilities, as axe-core finds them."""
    page.evaluate(read_axe())
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")["violations"]
    return [
        f"{each['id']}: {each['help']}: {node['html'][:200]} ({node['failureSummary']})"
        for each in found
        for node in each["nodes"]
        if each["impact"] in ("serious", "critical")
    ]
