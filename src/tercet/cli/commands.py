"""The commands by name. Each is imported when it is called, so that `tercet --help` stays quick."""

from difflib import get_close_matches
from importlib import import_module

import click

# In the order in which they are needed.
COMMANDS = {
    "train": "Learn labelled documents, say how good the model is, and write it.",
    "predict": "Tell the labels of texts.",
    "evaluate": "Tell how good a model is, with an interval on every number.",
    "compare": "Tell whether one model is better than another.",
    "explain": "Tell why a text gets its label, word by word.",
    "figure": "Draw a picture of a model or of the course.",
    "learn": "Teach a model more documents.",
    "forget": "Take documents out of a model, exactly.",
    "merge": "Add models up to one that has learned what each has.",
    "inspect": "Show what is in a model file.",
    "generate": "Write a text as a label would put it.",
    "demo": "Show all of it on several hundred languages.",
}


class Commands(click.Group):
    """A group that knows names and short help of its commands before it has them."""

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
