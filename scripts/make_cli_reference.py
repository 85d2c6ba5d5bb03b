"""Writes docs/cli.md: the help of every command, as it is printed.  python scripts/make_cli_reference.py"""

from pathlib import Path

import click

from tercet.cli.commands import COMMANDS
from tercet.cli.main import program

HEAD = """# The command line

Written by `scripts/make_cli_reference.py` from what the commands say themselves.
"""
WIDTH = 100


def write_reference() -> str:
    """The whole page."""
    context = click.Context(program, info_name="tercet", terminal_width=WIDTH, **program.context_settings)
    parts = [HEAD, _write_section("tercet", program, context)]
    for name in COMMANDS:
        command = program.get_command(context, name)
        assert command is not None
        parts.append(_write_section(f"tercet {name}", command, click.Context(command, parent=context, info_name=name)))
    return "\n".join(parts)


def _write_section(title: str, command: click.Command, context: click.Context) -> str:
    return f"## {title}\n\n```\n{command.get_help(context)}\n```\n"


if __name__ == "__main__":
    Path(__file__).parents[1].joinpath("docs", "cli.md").write_text(write_reference(), encoding="utf-8")
