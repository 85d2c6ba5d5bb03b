"""tercet train"""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tercet.cli.analyzer_options import analyzer_options
from tercet.cli.commands import define_command, json_option
from tercet.cli.config import list_given, make_categorizer, use_recipe_file
from tercet.cli.evaluate import evaluate_stream
from tercet.cli.label_options import label_options, make_rules, report_similar
from tercet.cli.messages import say
from tercet.cli.model_options import model_options, name_method
from tercet.cli.option_values import write_smoothing
from tercet.cli.output import OutputFile, lock_output, print_json, wait_option
from tercet.cli.progress import show_progress
from tercet.cli.reading_options import open_stream, reading_options, report_bad_rows
from tercet.text.measures import MEASURES
from tercet.text.presets import PRESETS

if TYPE_CHECKING:
    from tercet.categorizer.train import TrainResult
    from tercet.report.report import Report
    from tercet.report.training import TrainingSummary


@define_command(
    "train",
    "tercet train reviews.csv -o reviews.tercet",
    "tercet train reviews.csv -o a.tercet --word-ngrams 1 --smoothing 0.5",
    "tercet train reviews.csv -o b.tercet --preset sentiment --smoothing dirichlet:100 --test test.csv",
    "tercet train reviews.csv -o reviews.tercet --text text --label label --folds 5",
    "tercet train tickets.csv -o tickets.tercet --text subject --text body --fields --categorical mailer --label queue",
    "tercet train reviews.csv -o c.tercet --model nbsvm --word-ngrams 1-3",
    "tercet train reviews.csv -o careful.tercet --calibrate auto",
    "tercet train reviews.csv -o reviews.tercet --config recipe.toml --json",
    "tercet train reviews.csv new.csv -o more.tercet",
    "tercet train - --format csv -o small.tercet --compact --quiet < reviews.csv",
)
@click.argument("data", nargs=-1, required=True, type=click.Path())
@click.option("-o", "--output", required=True, type=OutputFile(), help="File to write the model to.")
@click.option("--test", type=click.Path(), metavar="FILE", help="Also report how good the model is on these documents.")
@click.option(
    "--folds", type=click.IntRange(min=2), help="Estimate how good the model is by this many folds instead of leave-one-out."
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Random seed for the folds.")
@click.option(
    "--compact",
    is_flag=True,
    help="Write a small file with the weights only. It can predict and explain, but not learn or forget.",
)
@click.option(
    "--fingerprints/--no-fingerprints",
    default=True,
    help="Keep a fingerprint of 128 bits for each document (the default). With fingerprints, `forget` refuses documents "
    "that were never learned.",
)
@click.option(
    "--threads",
    type=click.IntRange(min=1),
    help="Number of threads; by default one for each processor. The model does not depend on it.",
)
@click.option("--preset", type=click.Choice(list(PRESETS)), help="Start from a recipe for a task; other options change it.")
@click.option(
    "--config",
    type=click.Path(),
    metavar="FILE",
    is_eager=True,
    expose_value=False,
    callback=use_recipe_file,
    help="Read options from a TOML file, for example word_ngrams = [1, 2]. Options on the command line override it.",
)
@wait_option
@json_option
@model_options
@analyzer_options
@reading_options
@label_options
@click.pass_context
def command(
    context: click.Context,
    /,
    data: tuple[str, ...],
    output: str,
    test: str | None,
    folds: int | None,
    seed: int,
    wait_seconds: float | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Train a model on labelled documents and report how good it is.

    DATA is a file, a folder, or `-` for standard input; several files with the same columns, or a pattern such as
    'data/*.csv', are read as one. Formats: CSV, TSV, JSON, Parquet, Arrow, workbooks (.xlsx, .ods), fastText lines, e-mails, a
    folder, a Maildir or a file for each label. Files may be compressed (.gz, .bz2, .xz, .zst). The columns of text and label
    are guessed by their names and their cells, and the guess is printed; --text and --label override it. If two columns are too
    close to choose, that is an error which names both. The model remembers the names of its columns for other commands.

    Rows without a text or a label are left out. If they are more than 10 % of the rows, that is an error, unless --on-error is
    skip or report.

    The report estimates how good the model is on new texts. Each document in turn is left out, with all copies of its text,
    and predicted by the rest. For naive Bayes this is exact and fast, because counts can be subtracted. Margin models have
    to be trained again, so they are estimated by 5 folds, in which copies of a text stay together.
    """
    from tercet.categorizer.train import train

    started = time.perf_counter()
    given = list_given(context)
    categorizer = make_categorizer(given, options["threads"])
    reading = {name: options[name] for name in ("text", "label", "weight", "format", "sheet", "encoding", "on_error", "prefix")}
    reading["label_rules"] = make_rules(options["map_labels"], fold=options["fold_labels"])
    if "-" in data and test == "-":
        raise click.UsageError("standard input can be read only once: give a file to learn from, or one to test with.")
    numbers, others = _list_needed(given)
    stream = open_stream(data, columns=[*options["columns"], *others], numbers=numbers, training=True, **reading)
    test_stream = open_stream(test, columns=others, numbers=numbers, like=stream.fields, **reading) if test else None
    with show_progress(stream, "learning"):
        trained = train(stream, categorizer=categorizer, folds=folds, seed=seed)
    report_bad_rows(stream)
    report_similar(trained.similar_labels, options["map_labels"])
    with lock_output(output, wait_seconds):
        if options["compact"]:
            trained.categorizer.compact().save(output)
        else:
            trained.categorizer.save(output, fingerprints=options["fingerprints"])
    seconds, facts = time.perf_counter() - started, trained.categorizer.describe()
    if test_stream is not None:
        test_stream.label_rules = stream.label_rules  # with --fold-labels they are definite now
    tested = None if test_stream is None else evaluate_stream(trained.categorizer, test_stream)
    summary = summarize_training(trained, facts, tested, output, seconds)
    if as_json:
        print_json(summary.to_dict())
    else:
        say(summary.to_text())


def summarize_training(
    trained: "TrainResult", facts: dict[str, Any], tested: "Report | None", path: str, seconds: float
) -> "TrainingSummary":
    """What is said about the trained model, which is written to this path; `describe` gave the facts."""
    from tercet.report.training import TrainingSummary

    return TrainingSummary(
        model=path,
        n_bytes=Path(path).stat().st_size,
        seconds=seconds,
        n_documents=trained.n_documents,
        labels=trained.categorizer.classes_.tolist(),
        n_terms=facts["terms"],
        method=name_method(facts),
        smoothing=write_smoothing(facts["smoothing"]),
        calibration=None if trained.calibrator is None else trained.calibrator.summarize(),
        folds=trained.folds,
        estimate=trained.estimate,
        confusions=trained.confusions,
        suspects=trained.suspects,
        similar_labels=trained.similar_labels,
        test=tested,
    )


def _list_needed(given: dict[str, Any]) -> tuple[list[str], list[str]]:
    """The columns that the recipe needs beside the text: columns of numbers, and columns of domains and categories."""
    domains = [selector.domain for selector in given.get("select", ()) if selector.domain]
    return [name for name in given.get("numeric", ()) if name not in MEASURES], [*domains, *given.get("categorical", ())]
