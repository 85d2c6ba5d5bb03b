"""tercet relabel"""

from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from itertools import chain, compress
from operator import eq
from typing import TYPE_CHECKING, Any

import click

from tercet.cli.commands import define_command
from tercet.cli.model_change import (
    ModelChange,
    change_arguments,
    change_model,
    change_options,
    describe_new_labels,
    later_option,
    new_labels_option,
)
from tercet.errors import is_missing
from tercet.kernel.text.columns import SEPARATOR
from tercet.report.tables import pluralize, restore_formula

if TYPE_CHECKING:
    from tercet.data.documents import Documents


@define_command(
    "relabel",
    "tercet relabel reviews.tercet suspects.csv --label better_label --old label -o better.tercet",
    "tercet relabel reviews.tercet corrected.csv --old before -o corrected.tercet",
    "tercet relabel reviews.tercet corrected.csv",
)
@change_arguments
@click.option(
    "--old",
    metavar="COLUMN",
    help="Column of the label that a document was learned with. By default it is found by the fingerprints of the model.",
)
@new_labels_option
@later_option
@change_options
def command(
    model: str,
    data: tuple[str, ...],
    old: str | None,
    new_labels: bool,
    later: bool,
    **options: Any,
) -> None:
    """Correct the labels of documents that a model has learned.

    DATA holds learned documents with their new labels. Each is forgotten with its old label and learned with the new one, so
    the result is the model that you would get by training with the new labels. The table of `tercet train --suspects` can be
    such a file: correct its column better_label, and delete the rows whose label is right. If one of the documents was never
    learned, that is an error, and nothing changes.

    A model that keeps its documents (all but naive Bayes, unless --no-documents was given) is trained again on all of them.
    Without its documents, the counts change at once, but margins, a chosen smoothing and the calibration stay, with a warning,
    until `tercet refit` works them out anew.

    Rows without a text or a label are left out, as in `train`. The file is replaced only when everything has succeeded.
    Commands that change the same file wait for each other.
    """
    options["columns"] = [*options["columns"], *([old] if old else [])]
    with change_model("relabelling", model, data, **options) as change:
        change.check_later(later)
        _check_old(change, old)
        known = change.list_labels()
        batches = [restore_formulas(change.model, batch, known) for batch in change.batches]
        counts = Counter(chain.from_iterable(batch.labels for batch in batches))
        old_labels = None if old is None else _list_old(change, batches, old)
        n_same = _count_same(change.model, batches, old_labels)
        change.relabel(batches, old_labels, later)
        change.notes += describe_new_labels(change.stream.name, counts, known, allowed=new_labels)
        change.done = f"{pluralize(counts.total() - n_same, 'document')} relabelled"
        change.done += f"; {n_same} had this label already" if n_same else ""


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


def restore_formulas(model: Any, batch: "Documents", known: list[str]) -> "Documents":
    """The documents without the apostrophes that a table of suspects has before what a spreadsheet takes for a formula.

    A text that was learned with its apostrophe, and a label that is known with it, stay as they are.
    """
    texts = [SEPARATOR.join(map(restore_formula, text.split(SEPARATOR))) for text in batch.texts]
    indices = [index for index, text in enumerate(texts) if text != batch.texts[index]]
    if indices and model.remembers_:
        found = batch.pick(indices)
        for label in model.table_.labels.tolist():
            for index in compress(indices, model.find_learned(replace(found, labels=[label] * len(indices)))):
                texts[index] = batch.texts[index]
    return replace(batch, texts=texts, labels=[_restore_label(label, known) for label in batch.labels])


def _restore_label(label: str, known: Collection[str]) -> str:
    return restore_formula(label) if label not in known and restore_formula(label) in known else label


def _count_same(model: Any, batches: "list[Documents]", old_labels: list[str] | None) -> int:
    """How many documents have their new label already."""
    if old_labels is None:
        return sum(model.count_learned(batch) for batch in batches)
    return sum(map(eq, old_labels, chain.from_iterable(batch.labels for batch in batches)))


def _list_old(change: ModelChange, batches: list[Any], old: str) -> list[str]:
    """The old labels, read by the rules for labels."""
    from tercet.data.raw_rows import spell_label

    cells = list(chain.from_iterable(batch.columns[old] for batch in batches))
    labels = change.stream.label_rules.apply_all("" if is_missing(cell) else spell_label(cell) for cell in cells)
    if "" in labels:
        place = change.places.find(labels.index(""))
        raise click.ClickException(f"{place}: it has no old label in {old!r}: add it. Nothing is changed.")
    known = change.list_labels()
    return [_restore_label(label, known) for label in labels]
