"""A model file that learns or forgets."""

from typing import Any

import click

from tercet.cli.outputs import OutputFile
from tercet.cli.progress import show_progress
from tercet.cli.reading import open_stream, tell_bad_rows
from tercet.cli.talk import count, say
from tercet.data.documents import Places
from tercet.errors import NeverLearned

output_option = click.option("-o", "--output", type=OutputFile(), help="Write the model here, and leave the old one alone.")


def change_model(verb: str, path: str, data: str, output: str | None, reading: dict[str, Any]) -> None:
    """The model learns or forgets the documents, and is written when that is done."""
    from tercet import load

    model = load(path)
    domain = getattr(model, "domain_", None)  # a compact model has none, and refuses to learn
    columns = [*reading["columns"], *([domain] if domain else [])]
    stream = open_stream(data, **reading | {"columns": columns, "numbers": model.columns_})
    places = Places()
    try:
        with show_progress(stream, f"{verb}ing"):
            getattr(model, verb)(places.follow(stream))
    except NeverLearned as error:
        raise name_place(error, places) from None
    tell_bad_rows(stream)
    model.save(output or path)
    n = stream.n_rows - stream.n_bad
    say(f"{count(n, 'document')} {'learned' if verb == 'learn' else 'forgotten'}; written: {output or path}")
    tell_stale(model)


def tell_stale(model: Any) -> None:
    """Margins that were trained on other documents still decide: whoever has changed the model should know."""
    if model.is_stale_:
        say("its margins were trained on other documents, and decide as before: train a new model on all that it should know.")


def name_place(error: NeverLearned, places: Places) -> NeverLearned:
    """The same error with the file and line of the document."""
    if error.position is None:
        return error
    reason = "this document was never learned with this label and weight, or is forgotten already: nothing is changed."
    return NeverLearned(f"{places.find(error.position)}: {reason}")
