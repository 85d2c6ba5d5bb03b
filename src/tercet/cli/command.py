"""A command with its options in sections, and examples below them."""

from collections.abc import Callable, Sequence
from typing import Any

import click

from tercet.cli.talk import make_quiet_option


class Option(click.Option):
    """An option that stands in a section of the help."""

    def __init__(self, *declarations: Any, section: str = "Options", **settings: Any) -> None:
        super().__init__(*declarations, **settings)
        self.section = section


class Command(click.Command):
    """Its `examples` are lines for the shell; each of them runs as it is printed."""

    def __init__(self, *arguments: Any, examples: Sequence[str] = (), **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.examples = tuple(examples)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {"Options": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record and isinstance(parameter, click.Option):  # what the arguments are is told by the text above
                sections.setdefault(getattr(parameter, "section", "Options"), []).append(record)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Examples"):
            for line in self.examples:
                formatter.write(f"{'':>{formatter.current_indent}}{line}\n")


def define_command(name: str, *examples: str) -> Callable[[Callable[..., None]], Command]:
    """A decorator: the function's docstring is the help, and `--quiet` is there for all."""

    def define(function: Callable[..., None]) -> Command:
        command = click.command(name, cls=Command, examples=examples)(function)
        command.params.append(make_quiet_option())
        return command

    return define


json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON, for machines.")
