"""What the program says of itself: its help, its examples, its reference."""

from pathlib import Path

import click
import pytest
from helpers.command_line import Shell
from helpers.project_scripts import load_script

from tercet.cli.commands import COMMANDS, CommandGroup
from tercet.cli.main import complete, program
from tercet.cli.options import analyzer_options
from tercet.text.analyzer import DEFAULTS

ROOT = Path(__file__).parents[2]


def find_command(name: str) -> click.Command:
    command = program.get_command(click.Context(program), name)
    assert command is not None
    return command


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in ("demo", "languages")])
def test_examples_run_as_printed(name: str, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    if name == "serve":  # tests/server/test_start.py runs servers
        monkeypatch.setattr("tercet.server.start.serve", lambda *_, **__: True)
    examples = find_command(name).examples  # type: ignore[attr-defined]
    assert examples
    for line in examples:
        assert line in shell.do(f"tercet {name} --help").out
        shell.do(line)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_short_help_of_a_command_begins_its_help(name: str) -> None:
    assert (find_command(name).help or "").split("\n")[0] == COMMANDS[name]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_explained(name: str) -> None:
    options = [option for option in find_command(name).params if isinstance(option, click.Option)]
    assert [option.name for option in options if not option.help] == []


def test_every_step_of_an_analyzer_has_an_option() -> None:
    options = {option.name for option in find_command("train").params}
    steps = set(DEFAULTS) - {"layout"}  # the documents decide the layout
    assert steps <= options
    assert set(analyzer_options.HELP) == steps


def test_help_imports_no_command(monkeypatch: pytest.MonkeyPatch, shell: Shell) -> None:
    monkeypatch.setattr(CommandGroup, "get_command", None)
    assert all(name in shell.do("tercet --help").out for name in COMMANDS)


def test_the_program_alone_shows_its_help(shell: Shell) -> None:
    assert shell.do("tercet").out == shell.do("tercet --help").out


def test_the_reference_is_what_the_commands_say() -> None:
    script = load_script("make_cli_reference")
    assert (ROOT / "docs" / "cli.md").read_text() == script.write_reference(), "write it anew with: make reference"


@pytest.mark.parametrize("page", ["docs/tutorial.md", "docs/evaluation.md", "README.md"])
def test_a_page_shows_what_the_commands_print(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    text = (ROOT / page).read_text(encoding="utf-8")
    assert load_script("make_tutorial").refresh(text) == text, "write it anew with: make reference"


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("tercet ex", "plain,explain"),
        ("tercet train --word-n", "plain,--word-ngrams"),
        ("tercet train --kind m", "plain,multinomial"),
        ("tercet predict rev", "file,rev"),
        ("tercet train x -o rev", "file,rev"),
    ],
)
def test_completion_knows_commands_options_and_where_files_go(
    words: str, completed: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("_TERCET_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
    assert complete() == 0
    assert capsys.readouterr().out == completed + "\n"
