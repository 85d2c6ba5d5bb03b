"""The pictures of the page in the docs are those of the page of now, and are small."""

import re
from pathlib import Path

import pytest
from helpers.project_scripts import load_script

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "pictures"


def test_pictures_are_those_of_the_page_of_now(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("playwright", reason="the pictures need the extra [test]")
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    script = load_script("make_screenshots")
    assert script.CHECKSUM.read_text().strip() == script.hash_sources(), "take them again with: make pictures"


def test_pictures_are_small_and_shown() -> None:
    shown = set()
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        shown |= set(re.findall(r"pictures/([\w-]+\.png)", page.read_text("utf-8")))
    files = {file.name: file.stat().st_size for file in PICTURES.glob("*.png")}
    assert set(files) == shown
    assert {name: size for name, size in files.items() if size > 150_000} == {}
