"""Settings of hypothesis, the corpora that TERCET_DATA points to, and what tests of several files use."""

import gc
import gzip
import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from helpers.command_line import Shell, write_files
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from helpers.browsers import Browser

# 45 examples instead of 100 save most of a minute of the suite. `make fuzz-reference` searches thousands.
settings.register_profile(
    "tests", deadline=None, derandomize=True, max_examples=45, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("quick", settings.get_profile("tests"), max_examples=20)
settings.register_profile("search", deadline=None, max_examples=5000, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "tests"))

Rows = list[dict[str, str]]


def pytest_collection_finish() -> None:
    """Let the garbage collector leave thousands of collected tests alone: it would visit them again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def shell_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small invented files and models, written once."""
    folder = tmp_path_factory.mktemp("shell")
    write_files(folder)
    return folder


@pytest.fixture
def shell(shell_files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> "Shell":
    """The command line in a folder of its own with these files."""
    shutil.copytree(shell_files, tmp_path, dirs_exist_ok=True)
    return Shell(tmp_path, monkeypatch, capfd)


@pytest.fixture(scope="session")
def corpus() -> Callable[[str], Rows]:
    """Reads a corpus by its path without the ending: corpus("imdb/train")."""
    folder = os.environ.get("TERCET_DATA")
    if not folder:
        pytest.skip("TERCET_DATA is not set: it names the folder of the corpora")

    def read(name: str) -> Rows:
        path = Path(folder, name + ".jsonl")
        with path.open("rb") if path.exists() else gzip.open(f"{path}.gz") as lines:
            return [json.loads(line) for line in lines]

    return read


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    """Chromium, for the tests of the page."""
    from helpers.browsers import open_browser  # on first use: it needs the server and playwright

    with open_browser() as opened:
        yield opened
