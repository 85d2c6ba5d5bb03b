"""tercet refit"""

from contextlib import nullcontext
from typing import Any

import click

from tercet.cli.commands import define_command
from tercet.cli.ledger_writer import load_whole, open_writer
from tercet.cli.model_change import change_model, change_options, report_training
from tercet.cli.options.config import read_seeds
from tercet.cli.options.option_values import NONE
from tercet.cli.talk import say
from tercet.report.tables import pluralize


@define_command(
    "refit",
    "tercet refit later.tercet",
    "tercet refit margins.tercet reviews.csv",
    "tercet refit reviews.tercet --seeds labels.toml -o told.tercet",
)
@click.argument("model", type=click.Path())
@click.argument("data", nargs=-1, type=click.Path())
@click.option(
    "--seeds",
    metavar="FILE|none",
    help="Use other seeds from now on, or none: see `tercet train --seeds`. For models that keep their documents.",
)
@change_options
def command(model: str, data: tuple[str, ...], seeds: str | None, **options: Any) -> None:
    """Work out anew everything that was fitted to the documents of a model.

    Margins, a smoothing that `train` chose, the calibration, and the estimate stay as they are when documents are learned,
    forgotten or relabelled with --later, or in a model that does not keep its documents. The result is the model that you
    would get by training on all documents that it has learned by now.

    Without DATA, the documents that the model keeps are used. Otherwise DATA holds all documents that the model has learned by
    now, and no others. Rows without a text or a label are left out, as in `train`. The file is replaced only when everything
    has succeeded. Commands that change the same file wait for each other.
    """
    if options["ledger"] and data:
        raise click.UsageError("the ledger has all documents: leave the files out, or leave --ledger out.")
    if seeds and data:
        raise click.UsageError("--seeds needs the documents that the model keeps: leave the files out, or train a new model.")
    if not data:
        names = options["output"] or model, options["ledger"], options["actor"], options["wait_seconds"]
        _train_on_known(model, *names, seeds)
        return
    with change_model("training", model, data, **options) as change:
        change.model.refit(change.batches)
        change.done = f"trained on {pluralize(len(change.places), 'document')}"


def _train_on_known(
    path: str, output: str, ledger: str | None, actor: str | None, wait_seconds: float | None, seeds: str | None
) -> None:
    """Train on the documents of the ledger, or on those that the model keeps."""
    changed = None if seeds in (None, NONE) else read_seeds(seeds)
    with open_writer(ledger, path, output, actor, None, wait_seconds) as writer:
        with nullcontext() if writer is None else writer.write():
            if writer is not None and seeds is not None:
                writer.change_seeds(changed)
            model = _train_on_kept(path, seeds is not None, changed) if writer is None else writer.finish()
        model.save(output)
    say(f"trained on {pluralize(len(model.fitted_.state.prints or ()), 'document')}; written: {output}")
    report_training(model)


def _train_on_kept(path: str, has_seeds: bool, seeds: Any) -> Any:
    model = load_whole(path)
    if not model.keeps_documents_:
        raise click.UsageError(
            f"{path} does not keep its documents, so it can't be trained again without them: name the files that hold all "
            "documents that it has learned."
        )
    return model.change_seeds(seeds) if has_seeds else model.refit()
