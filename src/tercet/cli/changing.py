"""A model file that learns or forgets."""

from typing import Any

import click

from tercet.cli.outputs import OutputFile
from tercet.cli.progress import show_progress
from tercet.cli.reading import open_stream, tell_bad_rows
from tercet.cli.talk import say

output_option = click.option("-o", "--output", type=OutputFile(), help="Write the model here, and leave the old one alone.")


def change_model(verb: str, path: str, data: str, output: str | None, reading: dict[str, Any]) -> None:
    """The model learns or forgets the documents, and is written when that is done."""
    from tercet import load

    model = load(path)
    domain = getattr(model, "domain_", None)  # a compact model has none, and refuses to learn
    columns = [*reading["columns"], *model.columns_, *([domain] if domain else [])]
    stream = open_stream(data, **reading | {"columns": columns})
    with show_progress(stream, f"{verb}ing"):
        getattr(model, verb)(stream)
    tell_bad_rows(stream)
    model.save(output or path)
    n = stream.n_rows - len(stream.bad_rows)
    say(f"{n} documents {'learned' if verb == 'learn' else 'forgotten'}; written: {output or path}")
