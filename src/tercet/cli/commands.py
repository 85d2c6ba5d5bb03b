"""The list of commands, and how each is defined: options in sections, and examples below them."""

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click

from tercet.cli.talk import make_quiet_option

# In the order in which a user needs them.
COMMANDS = {
    "begin": "Make a first model from texts without labels.",
    "train": "Train a model on labelled documents and report how good it is.",
    "doctor": "Find what is wrong with documents before a model learns them.",
    "split": "Split documents into files for training and for testing.",
    "tune": "Find the best of many models for labelled documents, and train it.",
    "predict": "Predict the labels of texts.",
    "evaluate": "Measure how good a model is, with an interval for every number.",
    "compare": "Test whether one model is better than another.",
    "audit": "Measure whom a model treats differently, and which words cause it.",
    "explain": "Show why a text gets its label, word by word.",
    "nearest": "Find the documents that are most similar to a text.",
    "figure": "Draw a figure of a model, or one for teaching.",
    "learn": "Add more documents to a model.",
    "forget": "Remove documents from a model, exactly.",
    "relabel": "Correct the labels of documents that a model has learned.",
    "refit": "Work out anew everything that was fitted to the documents of a model.",
    "merge": "Add several models up to one.",
    "ledger": "Keep a ledger of what a model has learned and forgotten, and ask it.",
    "backup": "Write a verified copy of a ledger.",
    "suggest": "Suggest which texts to label next.",
    "label": "Label texts in the terminal, one key for each.",
    "check": "Check some answers of a model by hand, to know how good it is on all texts.",
    "serve": "Serve models over HTTP: they answer, explain, learn and forget.",
    "user": "Say who may use a server that other computers can reach.",
    "inspect": "Show what is in a model file.",
    "card": "Write a model card: what a model is for, how good it is, and for whom it is worse.",
    "languages": "Find the languages of texts.",
    "generate": "Generate a text from the words of a label.",
    "demo": "Run a demo that identifies languages, from training to forgetting.",
}


class CommandGroup(click.Group):
    """All commands. Each is imported only when it is called, so `tercet --help` is quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"tercet.cli.{cmd_name}").command
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        name = click.utils.make_str(args[0])
        if name not in COMMANDS and not name.startswith("-"):
            near = get_close_matches(name, COMMANDS, n=1)
            hint = f" Did you mean '{near[0]}'?" if near else ""
            raise click.UsageError(f"No such command '{name}'.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


class Option(click.Option):
    """An option that is listed in a section of the help."""

    def __init__(self, *declarations: Any, section: str = "Options", **settings: Any) -> None:
        super().__init__(*declarations, **settings)
        self.section = section


class Command(click.Command):
    """A command with `examples`: lines for the shell, each of which runs as it is printed."""

    def __init__(self, *arguments: Any, examples: Sequence[str] = (), **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.examples = tuple(examples)

    def invoke(self, ctx: click.Context) -> Any:
        from tercet.cli.output import check_order, check_outputs  # imported when a command runs: `tercet --help` is quick

        check_order(ctx)
        check_outputs(ctx)
        return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {"Options": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record and isinstance(parameter, click.Option):  # the text above explains the arguments
                sections.setdefault(getattr(parameter, "section", "Options"), []).append(record)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        write_examples(formatter, self.examples)


class SubcommandGroup(click.Group):
    """A command that has commands of its own, with `examples`."""

    def __init__(self, *arguments: Any, examples: Sequence[str] = (), **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.examples = tuple(examples)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)  # in the order in which they were defined

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        write_examples(formatter, self.examples)


def write_examples(formatter: click.HelpFormatter, examples: Sequence[str]) -> None:
    with formatter.section("Examples"):
        for line in examples:
            formatter.write(f"{'':>{formatter.current_indent}}{line}\n")


def define_command(name: str, *examples: str) -> Callable[[Callable[..., None]], Command]:
    """A decorator that makes a function a command. Its docstring is the help, and `--quiet` is added."""

    def define(function: Callable[..., None]) -> Command:
        command = click.command(name, cls=Command, examples=examples)(function)
        command.params.append(make_quiet_option())
        return command

    return define


json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
