"""tercet demo"""

import csv
import shlex
import shutil
import sys
from collections.abc import Iterable
from contextlib import redirect_stdout
from itertools import islice
from pathlib import Path

import click

from tercet.cli.command import define_command
from tercet.cli.talk import is_quiet, say

CROATIAN = "Svatko ima pravo na slobodu mišljenja"
TEXTS = (CROATIAN, "Alle Menschen sind frei geboren", "Ogni persona è libera", "जन्म से सब स्वतंत्र हैं")


@define_command("demo", "tercet demo", "tercet demo --folder languages --quiet")
@click.option(
    "--folder", type=click.Path(), default="tercet-demo", show_default=True, metavar="FOLDER", help="Where to write all files."
)
def command(folder: str) -> None:
    """Show all of it on several hundred languages.

    Learns which language a phrase is in from the Universal Declaration of Human Rights, says how good it is and which
    languages it takes for each other, explains a decision, and writes data, model and report into a folder. It needs no
    network, and nothing is kept elsewhere.
    """
    data, test, model = (str(Path(folder, name)) for name in ("train.csv", "test.csv", "languages.tercet"))
    page, table = (str(Path(folder, name)) for name in ("report.html", "report.txt"))
    _write_data(data, test)
    _run("train", data, "-o", model, "--preset", "languages")
    _run("evaluate", model, test, "--html", page, to=table)
    _show_beginning(table, 14)
    _run("predict", model, *TEXTS, "--top", "2")
    _run("explain", model, CROATIAN, "--terms", "8")
    say(f"\nOpen {page} in a browser. What to try next:\n")
    for line in list_next(data, test, model):
        say(f"  {line}")


def list_next(data: str, test: str, model: str) -> list[str]:
    """Commands that run once the demo has."""
    return [
        write_line("predict", model, "Tous les êtres humains naissent libres", "--json"),
        write_line("explain", model, CROATIAN, "--label", "Croatian", "--against", "Bosnian"),
        write_line("inspect", model, "--terms", "3"),
        write_line("generate", model, "Italian", "--words", "40"),
        write_line("forget", model, data, "-o", str(Path(model).with_name("empty.tercet"))),
        write_line("train", data, "-o", str(Path(model).with_name("words.tercet")), "--preset", "words", "--test", test),
        write_line("compare", model, str(Path(model).with_name("words.tercet")), test),
    ]


def write_line(*arguments: str) -> str:
    return shlex.join([find_program(), *arguments])


def find_program() -> str:
    """As it was called, where the shell would not find it by its name alone."""
    called = Path(sys.argv[0])
    return str(called) if called.name == "tercet" and shutil.which("tercet") is None else "tercet"


def _write_data(data: str, test: str) -> None:
    """Every fourth phrase is held out."""
    from tercet.cli.declaration import FEWEST, read_declaration

    rows = [(phrase, name, i % FEWEST) for name, phrases in read_declaration().items() for i, phrase in enumerate(phrases)]
    Path(data).parent.mkdir(parents=True, exist_ok=True)
    for path, held_out in ((data, False), (test, True)):
        chosen = [(phrase, name) for phrase, name, turn in rows if (turn == FEWEST - 1) == held_out]
        _write_csv(path, chosen)
        n_languages = len({name for _, name in chosen})
        say(f"{len(chosen)} phrases of the Universal Declaration of Human Rights in {n_languages} languages: {path}")


def _write_csv(path: str, rows: Iterable[tuple[str, str]]) -> None:
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("text", "label"), *rows])


def _show_beginning(path: str, n_lines: int) -> None:
    say(f"\n$ {shlex.join(['head', '-n', str(n_lines), path])}\n")
    with Path(path).open(encoding="utf-8") as file:
        for line in islice(file, n_lines):
            click.echo(line, nl=False)


def _run(*arguments: str, to: str | None = None) -> None:
    """A command as a user would give it, shown before what it says."""
    from tercet.cli.main import run

    say(f"\n$ {write_line(*arguments)}" + (f" > {to}" if to else "") + "\n")
    arguments = (*arguments, "--quiet") if is_quiet() else arguments
    if to is None:
        code = run(list(arguments))
    else:
        with Path(to).open("w", encoding="utf-8") as file, redirect_stdout(file):
            code = run(list(arguments))
    if code:
        raise click.exceptions.Exit(code)
