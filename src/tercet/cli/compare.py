"""tercet compare"""

from typing import TYPE_CHECKING, Any

import click

from tercet.cli.commands import define_command
from tercet.cli.evaluate import warn_of_learned, warn_of_unknown
from tercet.cli.label_choice import keep_labels, labels_option, restrict
from tercet.cli.output import printing_options, write_result
from tercet.cli.progress import show_progress
from tercet.cli.reading_options import open_stream, reading_options, report_bad_rows
from tercet.data.remembered_columns import Remembered
from tercet.errors import BadSource

if TYPE_CHECKING:
    from tercet.data.documents import Documents

TESTS = ("randomization", "paired_bootstrap", "textbook_bootstrap", "mcnemar", "mcnemar_exact")


@define_command(
    "compare",
    "tercet compare a.tercet b.tercet test.csv",
    "tercet compare a.tercet b.tercet reviews.tercet test.csv --baseline a.tercet --metric macro_f1",
    "tercet compare a.tercet b.tercet test.csv --json",
    "tercet compare a.tercet b.tercet test.csv --labels good,bad",
)
@click.argument("models", nargs=-1, required=True, type=click.Path())
@click.argument("data", type=click.Path())
@click.option(
    "--metric", default="accuracy", show_default=True, help="Metric to compare: accuracy, macro_f1, f1:LABEL and others."
)
@click.option("--test", type=click.Choice(TESTS), default=TESTS[0], show_default=True, help="Significance test to use.")
@labels_option("Compare only documents with these labels, and let the models decide only between these labels.")
@click.option("--baseline", type=click.Path(), metavar="MODEL", help="Compare each model with this one, instead of every pair.")
@click.option("--seed", type=click.INT, default=0, show_default=True, help="Random seed for the resamples.")
@printing_options
@reading_options
def command(
    models: tuple[str, ...],
    data: str,
    metric: str,
    test: str,
    labels: tuple[str, ...],
    baseline: str | None,
    seed: int,
    form: str | None,
    html: str | None,
    **reading: Any,
) -> None:
    """Test whether one model is better than another.

    All models predict the same labelled documents, which none of them should have learned. Each model reads the columns that it
    was trained on, so models of different text columns can be compared. The result says how large the
    difference is, with an interval, and whether it is significant.
    """
    from tercet import compare, load
    from tercet.cli.predictions import predict_labelled

    if len(set(models)) < 2:
        raise click.UsageError("a comparison takes at least two different models; `tercet evaluate` measures a single one.")
    loaded = {name: restrict(load(name), labels, name) for name in dict.fromkeys(models)}
    needed = {name: Remembered.of(model) for name, model in loaded.items()}
    if data == "-" and len(set(needed.values())) > 1:
        raise click.UsageError("standard input can be read only once, but the models need different columns: give a file.")
    first_of = {columns: name for name, columns in reversed(needed.items())}
    documents = {columns: _read_documents(loaded[name], data, labels, reading) for columns, name in first_of.items()}
    predictions = {name: predict_labelled(model, [documents[needed[name]]]) for name, model in loaded.items()}
    for name, found in predictions.items():
        warn_of_unknown(found, data, name)
        warn_of_learned(found.n_learned, len(found.gold), name)
    first = next(iter(predictions.values()))
    if any(found.gold != first.gold or found.weights != first.weights for found in predictions.values()):
        raise BadSource(
            f"the models were trained with other columns and take other documents, labels or weights from {data}: name the "
            "columns with --text, --label and --weight."
        )
    predicted = {name: found.predicted for name, found in predictions.items()}
    result = compare(first.gold, predicted, metric, test, baseline, seed, weights=first.weights)
    write_result(result, form, html, f"{' · '.join(loaded)} on {data}")


def _read_documents(model: Any, data: str, labels: tuple[str, ...], reading: dict[str, Any]) -> "Documents":
    """The documents for all models that need the same columns."""
    stream = keep_labels(open_stream(data, like=model, **reading), labels)
    with show_progress(stream, "reading"):
        documents = stream.collect()
    report_bad_rows(stream)
    return documents
