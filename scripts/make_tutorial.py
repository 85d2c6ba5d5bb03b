"""Runs the commands of docs/tutorial.md and other pages and writes their output after them:  python scripts/make_tutorial.py

Blocks of csv are files, which the line before them names, and docs/reviews.csv is there, too. Lines that begin with $ are
commands.
"""

import io
import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, chdir, nullcontext, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TextIO

from tercet.cli.main import run

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "docs" / "tutorial.md", ROOT / "docs" / "evaluation.md", ROOT / "README.md"]  # the README has a shorter tour
BLOCK = re.compile(r"(?P<before>[^\n]*\n)\n?```(?P<kind>csv|console)\n(?P<lines>.*?)```\n", re.DOTALL)
FILE = re.compile(r"`([\w.]+\.csv)`")
SECONDS = re.compile(r"\d+\.(\d|\d\d) s\b")


def refresh(text: str) -> str:
    """The tutorial with the current output of its commands. Times are always written as 0.1 s, or 0.11 s."""
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        Path("docs").mkdir()
        shutil.copy(ROOT / "docs" / "reviews.csv", "docs")
        return BLOCK.sub(_refresh_block, text)


def _refresh_block(block: re.Match[str]) -> str:
    if block["kind"] == "csv":
        Path(FILE.findall(block["before"])[-1]).write_text(block["lines"])
        return block[0]
    commands = [line for line in block["lines"].splitlines() if line.startswith("$ ")]
    return block[0].replace(block["lines"], "\n".join(_run_all(commands)))


def _run_all(commands: list[str]) -> Iterator[str]:
    for command in commands:
        _, program, *words = shlex.split(command)
        assert program == "tercet", command
        printed = io.StringIO()  # results and talk, in the order in which a terminal shows them
        with _open_target(words, printed) as out, redirect_stdout(out), redirect_stderr(printed):
            run(words[: words.index(">")] if ">" in words else words)
        yield SECONDS.sub(lambda found: f"0.{'1' * len(found[1])} s", f"{command}\n{printed.getvalue()}")


def _open_target(words: list[str], printed: TextIO) -> AbstractContextManager[TextIO]:
    """Where the results of a command go: into the file after ">", or to the terminal."""
    return open(words[-1], "w", encoding="utf-8") if ">" in words else nullcontext(printed)


def main() -> None:
    os.environ["NO_COLOR"] = "1"
    for page in PAGES:
        page.write_text(refresh(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
