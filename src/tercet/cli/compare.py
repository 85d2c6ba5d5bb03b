"""tercet compare"""

from typing import TYPE_CHECKING, Any, NamedTuple

import click

from tercet.cli.commands import define_command
from tercet.cli.evaluate import warn_of_learned, warn_of_unknown
from tercet.cli.options.label_options import keep_labels, labels_option, restrict, separator_option
from tercet.cli.options.measuring_options import measuring_options
from tercet.cli.options.reading_options import open_stream, reading_options, report_bad_rows
from tercet.cli.output import printing_options, write_result
from tercet.cli.system_answers import (
    answer_options,
    are_answers_in_files,
    read_answers,
    refuse_one_label_options,
    split_system,
)
from tercet.cli.talk import show_progress
from tercet.data.remembered_columns import Remembered
from tercet.errors import BadSource

if TYPE_CHECKING:
    from tercet.data.documents import Documents

TESTS = ("randomization", "paired_bootstrap", "textbook_bootstrap", "mcnemar", "mcnemar_exact")


@define_command(
    "compare",
    "tercet compare a.tercet b.tercet test.csv",
    "tercet compare a.tercet b.tercet reviews.tercet test.csv --baseline a.tercet --metric macro_f1",
    "tercet compare a.tercet b.tercet test.csv --metric f2:good --metric accuracy --level 0.99 --json",
    "tercet compare a.tercet b.tercet test.csv --labels good,bad",
    "tercet compare --gold test.csv a=answers_a.csv b=answers_b.csv",
    "tercet compare --gold tags.csv a=tags_a.csv b=tags_b.csv --label-separator ';' --metric macro_f1",
)
@click.argument("models", nargs=-1, type=click.Path())
@click.argument("data", required=False, type=click.Path())
@answer_options
@separator_option
@measuring_options("Metric that decides, accuracy (or micro_f1 with --label-separator) by default; others are shown, too")
@click.option("--test", type=click.Choice(TESTS), default=TESTS[0], show_default=True, help="Significance test to use.")
@labels_option("Compare only documents with these labels, and let the models decide only between these labels.")
@click.option("--baseline", type=click.Path(), metavar="MODEL", help="Compare each model with this one, instead of every pair.")
@printing_options
@reading_options
def command(
    models: tuple[str, ...],
    data: str | None,
    gold: str | None,
    predicted_label: str | None,
    id_column: str | None,
    label_separator: str | None,
    metrics: tuple[str, ...],
    confidence: float,
    resamples: int,
    seed: int,
    test: str,
    labels: tuple[str, ...],
    baseline: str | None,
    form: str | None,
    html: str | None,
    **reading: Any,
) -> None:
    """Test whether one model is better than another.

    All models predict the same labelled documents, which none of them should have learned. Each model reads the columns that it
    was trained on, so models of different text columns can be compared. The result says how large the
    difference is, with an interval, and whether it is significant.

    With --gold there are no models: give the answers of any systems, each as NAME=FILE, for example files that `predict -o` has
    written. --label and --weight are columns of the gold file; --format, --encoding, --sheet and --prefix hold for all files.
    With --label-separator documents have any number of labels.
    """
    from tercet import compare, compare_sets

    choice: dict[str, Any] = {"test": test, "baseline": baseline, "seed": seed}
    choice |= {"confidence": confidence, "resamples": resamples}
    if are_answers_in_files() and gold is not None:
        refuse_one_label_options()
        files = name_systems([*models, *filter(None, [data])])
        truth, found = read_answers(gold, files, predicted_label, id_column, reading, label_separator)
        answers = ComparedAnswers(truth.labels, {name: own.labels for name, own in found.items()}, truth.weights)
    else:
        answers = predict_all(models, data, labels, reading)
    if label_separator is not None:
        result = compare_sets(answers.gold, answers.predicted, metrics or "micro_f1", **choice)
    else:
        result = compare(answers.gold, answers.predicted, metrics or "accuracy", weights=answers.weights, **choice)
    write_result(result, form, html, f"{' · '.join(answers.predicted)} on {gold or data}")


class ComparedAnswers(NamedTuple):
    """The gold labels, the answers of each system in the same order, and the weights of the documents."""

    gold: list[Any]
    predicted: dict[str, list[Any]]
    weights: list[float] | None


def name_systems(written: list[str]) -> dict[str, str]:
    """The file of each system by its name."""
    files = dict(map(split_system, written))
    if len(files) < max(len(written), 2):
        raise click.UsageError("a comparison takes the answers of at least two systems with different names: a=FILE b=FILE.")
    return files


def predict_all(models: tuple[str, ...], data: str | None, labels: tuple[str, ...], reading: dict[str, Any]) -> ComparedAnswers:
    """The predictions of all models for the same documents. Models of the same columns read the data once."""
    from tercet import load
    from tercet.cli.predictions import predict_labelled

    if data is None or len(set(models)) < 2:
        raise click.UsageError(
            "a comparison takes at least two different models; `tercet evaluate` measures a single one. To compare answers "
            "from files, give --gold."
        )
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
    return ComparedAnswers(first.gold, {name: found.predicted for name, found in predictions.items()}, first.weights)


def _read_documents(model: Any, data: str, labels: tuple[str, ...], reading: dict[str, Any]) -> "Documents":
    """The documents for all models that need the same columns."""
    stream = keep_labels(open_stream(data, like=model, **reading), labels)
    with show_progress(stream, "reading"):
        documents = stream.collect()
    report_bad_rows(stream)
    return documents
