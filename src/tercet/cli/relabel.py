"""tercet relabel"""

from collections import Counter
from itertools import chain
from typing import Any

import click

from tercet.cli.commands import define_command
from tercet.cli.model_change import ModelChange, change_model, describe_new_labels, new_labels_option, output_option
from tercet.cli.output import lock_output, wait_option
from tercet.cli.reading_options import reading_options
from tercet.errors import BadRow, is_missing
from tercet.report.tables import pluralize


@define_command(
    "relabel",
    "tercet relabel reviews.tercet corrected.csv --old before -o corrected.tercet",
    "tercet relabel reviews.tercet corrected.csv",
)
@click.argument("model", type=click.Path())
@click.argument("data", nargs=-1, required=True, type=click.Path())
@click.option(
    "--old",
    metavar="COLUMN",
    help="Column of the label that a document was learned with. By default it is found by the fingerprints of the model.",
)
@new_labels_option
@output_option
@wait_option
@reading_options
def command(
    model: str,
    data: tuple[str, ...],
    old: str | None,
    new_labels: bool,
    output: str | None,
    wait_seconds: float | None,
    **reading: Any,
) -> None:
    """Correct the labels of documents that a model has learned.

    DATA holds learned documents with their new labels. Each is forgotten with its old label and learned with the new one, so
    the result has the counts that you would get by training with the new labels. The smoothing that `train` chose stays. If
    one of the documents was never learned, that is an error, and nothing changes. Margin models (--model nbsvm, svm or
    logistic) keep predicting as before until `tercet refit` trains them again. The file is replaced only when everything has
    succeeded. Commands that change the same file wait for each other.
    """
    reading["columns"] = [*reading["columns"], *([old] if old else [])]
    with lock_output(output or model, wait_seconds), change_model("relabelling", model, data, output, reading) as change:
        _check_old(change, old)
        known, batches = change.list_labels(), list(change.batches)
        counts = Counter(chain.from_iterable(batch.labels for batch in batches))
        old_labels = None if old is None else _list_old(change, batches, old)
        change.model.relabel(batches, old_labels)
        change.notes += describe_new_labels(change.stream.name, counts, known, allowed=new_labels)
        change.done = f"{pluralize(counts.total(), 'document')} relabelled"


def _check_old(change: ModelChange, old: str | None) -> None:
    """An error if the old labels can't be found, or are the new ones."""
    if old is not None and change.stream.fields is not None and change.stream.fields.label == old:
        raise click.ClickException(
            f"the column {old!r} has the new labels: name another one with --old, or the new labels with --label."
        )
    if old is None and not change.model.remembers_:
        raise click.ClickException(
            "the model has no fingerprints, so it can't find the old labels: name their column with --old COLUMN."
        )


def _list_old(change: ModelChange, batches: list[Any], old: str) -> list[str]:
    """The old labels, read by the rules for labels."""
    from tercet.cli.reading_options import find_rules
    from tercet.data.raw_rows import spell_label

    cells = list(chain.from_iterable(batch.columns[old] for batch in batches))
    labels = find_rules(change.model).apply_all("" if is_missing(cell) else spell_label(cell) for cell in cells)
    if "" in labels:
        raise BadRow(change.places.find(labels.index("")), f"it has no old label in {old!r}. Nothing is changed.")
    return labels
