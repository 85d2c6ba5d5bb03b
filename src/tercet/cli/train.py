"""tercet train"""

import time
from typing import Any

import click

from tercet.cli.analyzer_options import analyzer_options
from tercet.cli.command import define_command, json_option
from tercet.cli.evaluate import evaluate_stream
from tercet.cli.model_options import model_options
from tercet.cli.outputs import OutputFile
from tercet.cli.printing import print_json
from tercet.cli.progress import show_progress
from tercet.cli.reading import open_stream, reading_options, tell_bad_rows
from tercet.cli.recipe import list_given, make_categorizer
from tercet.cli.recipe_file import use_recipe_file
from tercet.cli.talk import say
from tercet.cli.training_summary import list_training, write_training
from tercet.text.measures import MEASURES
from tercet.text.presets import PRESETS


@define_command(
    "train",
    "tercet train reviews.csv -o reviews.tercet",
    "tercet train reviews.csv -o a.tercet --word-ngrams 1 --smoothing 0.5",
    "tercet train reviews.csv -o b.tercet --preset sentiment --smoothing dirichlet:100 --test test.csv",
    "tercet train reviews.csv -o reviews.tercet --text text --label label --folds 5",
    "tercet train reviews.csv -o c.tercet --model nbsvm --word-ngrams 1-3",
    "tercet train reviews.csv -o careful.tercet --calibrate auto",
    "tercet train reviews.csv -o reviews.tercet --config recipe.toml --json",
    "tercet train - --format csv -o small.tercet --compact --quiet < reviews.csv",
)
@click.argument("data", type=click.Path())
@click.option("-o", "--output", required=True, type=OutputFile(), help="Where to write the model.")
@click.option("--test", type=click.Path(), metavar="FILE", help="Also tell how good the model is on these documents.")
@click.option("--folds", type=click.IntRange(min=2), help="Estimate by so many folds, not by leaving out each document.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the folds.")
@click.option("--compact", is_flag=True, help="Write weights alone: small, for deployment; it can't learn or forget.")
@click.option(
    "--fingerprints/--no-fingerprints",
    default=True,
    help="Keep 128 bits of each document (the default), so that forgetting what was never learned is refused.",
)
@click.option("--threads", type=click.IntRange(min=1), help="How many to use; all by default. The model is the same.")
@click.option("--preset", type=click.Choice(list(PRESETS)), help="A recipe and the model that goes with it.")
@click.option(
    "--config",
    type=click.Path(),
    metavar="FILE",
    is_eager=True,
    expose_value=False,
    callback=use_recipe_file,
    help="TOML with options by these names (word_ngrams = [1, 2]). The command line wins.",
)
@json_option
@model_options
@analyzer_options
@reading_options
@click.pass_context
def command(
    context: click.Context,
    /,
    data: str,
    output: str,
    test: str | None,
    folds: int | None,
    seed: int,
    as_json: bool,
    **options: Any,
) -> None:
    """Learn labelled documents, say how good the model is, and write it.

    DATA is a file, a folder or `-`: CSV, TSV, JSON lines, Parquet, Arrow, fastText's lines, a folder or a file for each
    label, e-mails; .gz, .bz2, .xz and .zst of these. Columns are guessed, and the guess is said; --text and --label decide.

    How good the model is on texts that it has not seen is estimated by leaving out each document in turn, with all copies
    of its text. That is exact and costs little more than learning, because counts can be subtracted. Margins have to be
    trained again instead, for each of 5 folds, in which copies stay together.
    """
    from tercet.categorizer.train import train

    started = time.perf_counter()
    given = list_given(context)
    categorizer = make_categorizer(given, options["threads"])
    reading = {name: options[name] for name in ("text", "label", "weight", "format", "encoding", "on_error", "prefix")}
    if data == test == "-":
        raise click.UsageError("standard input can be read only once: give a file to learn from, or one to test with.")
    numbers, domains = _list_needed(given)
    stream = open_stream(data, columns=[*options["columns"], *domains], numbers=numbers, **reading)
    test_stream = open_stream(test, columns=domains, numbers=numbers, **reading) if test else None
    with show_progress(stream, "learning"):
        trained = train(categorizer, stream, folds=folds, seed=seed)
    tell_bad_rows(stream)
    if options["compact"]:
        trained.categorizer.compact().save(output)
    else:
        trained.categorizer.save(output, fingerprints=options["fingerprints"])
    seconds = time.perf_counter() - started
    tested = None if test_stream is None else evaluate_stream(trained.categorizer, test_stream)
    if as_json:
        print_json(list_training(trained, tested, output, seconds))
    else:
        say(write_training(trained, tested, output, seconds))


def _list_needed(given: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Columns that the recipe wants beside the text: those of numbers, and those of names."""
    domains = [selector.domain for selector in given.get("select", ()) if selector.domain]
    return [name for name in given.get("numeric", ()) if name not in MEASURES], domains
