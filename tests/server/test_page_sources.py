"""The files of the page: nothing from outside, no markup made of data, nothing inline, nothing that nobody loads."""

import re
from pathlib import Path

import pytest

import tercet

PAGES = Path(tercet.__file__).parent / "server" / "pages"
FILES = sorted(PAGES.iterdir())
FORBIDDEN = {
    "markup made of data": r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|srcdoc",
    "code made of data": r"\beval\(|new Function\(|setTimeout\(\s*[\"'`]|javascript:",
    "a style attribute": r"\.style\b|\bstyle=|[\"']style[\"']",
    "an address outside": r"(?:https?:)?//(?!www\.w3\.org/2000/svg)[\w-]+\.\w|@import",
}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_nothing_is_inline_or_from_outside(file: Path) -> None:
    text = file.read_text("utf-8")
    for what, pattern in FORBIDDEN.items():
        assert not re.search(pattern, text), f"{file.name} has {what}"
    if file.suffix == ".html":
        assert not re.search(r"<style|\son\w+=|<script(?![^>]*\ssrc=)", text)


def test_every_file_is_loaded_by_another_one() -> None:
    texts = {file.name: file.read_text("utf-8") for file in FILES}
    loaded = {"index.html", "docs.html"}
    for text in texts.values():
        loaded |= {name for name in texts if re.search(rf"[\"'/]{re.escape(name)}[\"']", text)}
    assert loaded == set(texts)


def test_every_file_that_is_loaded_exists() -> None:
    for file in FILES:
        text = file.read_text("utf-8")
        for name in re.findall(r"(?:from |import\()\"\./([\w.]+)\"", text) + re.findall(
            r"(?:href|src)=\"pages/([\w.]+)\"", text
        ):
            assert (PAGES / name).exists(), f"{file.name} loads {name}"


def test_every_import_is_used() -> None:
    for file in PAGES.glob("*.js"):
        text = file.read_text("utf-8")
        for names in re.findall(r"^import \{([^}]+)\} from", text, re.MULTILINE):
            for name in (each.split(" as ")[-1].strip() for each in names.split(",") if each.strip()):
                assert len(re.findall(rf"\b{name}\b", text)) > 1, f"{file.name} does not use {name}"
        # Each exported name is used by another file.
        others = "".join(other.read_text("utf-8") for other in PAGES.glob("*.js") if other != file)
        for name in re.findall(r"^export (?:async )?(?:function|class|const) (\w+)", text, re.MULTILINE):
            assert re.search(rf"\b{name}\b", others), f"nobody uses {name} of {file.name}"


def test_lines_are_short() -> None:
    for file in PAGES.glob("*.js"):
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
            assert len(line) <= 128, f"{file.name}, line {number}"
