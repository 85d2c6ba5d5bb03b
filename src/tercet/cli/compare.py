"""tercet compare"""

from typing import Any

import click

from tercet.cli.command import define_command
from tercet.cli.evaluate import tell_learned
from tercet.cli.printing import printing_options, write_result
from tercet.cli.progress import show_progress
from tercet.cli.reading import open_stream, reading_options, tell_bad_rows

TESTS = ("randomization", "paired_bootstrap", "textbook_bootstrap", "mcnemar", "mcnemar_exact")


@define_command(
    "compare",
    "tercet compare a.tercet b.tercet test.csv",
    "tercet compare a.tercet b.tercet reviews.tercet test.csv --baseline a.tercet --metric macro_f1",
    "tercet compare a.tercet b.tercet test.csv --json",
)
@click.argument("models", nargs=-1, required=True, type=click.Path())
@click.argument("data", type=click.Path())
@click.option("--metric", default="accuracy", show_default=True, help="What is compared: accuracy, macro_f1, f1:LABEL …")
@click.option("--test", type=click.Choice(TESTS), default=TESTS[0], show_default=True, help="How.")
@click.option("--baseline", type=click.Path(), metavar="MODEL", help="Compare each with this model, not every pair.")
@click.option("--seed", type=click.INT, default=0, show_default=True, help="Of the resamples.")
@printing_options
@reading_options
def command(
    models: tuple[str, ...],
    data: str,
    metric: str,
    test: str,
    baseline: str | None,
    seed: int,
    form: str | None,
    html: str | None,
    **reading: Any,
) -> None:
    """Tell whether one model is better than another.

    All models answer the same labelled documents, which none of them has learned. Says by how much they differ, and whether
    that may be claimed.
    """
    from tercet import compare, load
    from tercet.cli.answers import judge

    if len(set(models)) < 2:
        raise click.UsageError("a comparison takes two different models at least; `tercet evaluate` judges one alone.")
    loaded = {name: load(name) for name in dict.fromkeys(models)}
    wanted = [column for model in loaded.values() for column in model.columns_]
    stream = open_stream(data, **reading | {"numbers": wanted})
    with show_progress(stream, "reading"):
        documents = stream.collect()
    tell_bad_rows(stream)
    judged = {name: judge(model, [documents]) for name, model in loaded.items()}
    for name, one in judged.items():
        tell_learned(one.n_learned, len(one.gold), name)
    first = next(iter(judged.values()))
    answers = {name: one.predicted for name, one in judged.items()}
    found = compare(first.gold, answers, metric, test, baseline, seed, weights=first.weights)
    write_result(found, form, html, f"{' · '.join(loaded)} on {data}")
