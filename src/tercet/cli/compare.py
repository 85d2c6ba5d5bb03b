"""tercet compare"""

from typing import Any

import click

from tercet.cli.commands import define_command
from tercet.cli.evaluate import warn_of_learned
from tercet.cli.output import printing_options, write_result
from tercet.cli.progress import show_progress
from tercet.cli.reading_options import find_rules, open_stream, reading_options, report_bad_rows

TESTS = ("randomization", "paired_bootstrap", "textbook_bootstrap", "mcnemar", "mcnemar_exact")


@define_command(
    "compare",
    "tercet compare a.tercet b.tercet test.csv",
    "tercet compare a.tercet b.tercet reviews.tercet test.csv --baseline a.tercet --metric macro_f1",
    "tercet compare a.tercet b.tercet test.csv --json",
)
@click.argument("models", nargs=-1, required=True, type=click.Path())
@click.argument("data", type=click.Path())
@click.option(
    "--metric", default="accuracy", show_default=True, help="Metric to compare: accuracy, macro_f1, f1:LABEL and others."
)
@click.option("--test", type=click.Choice(TESTS), default=TESTS[0], show_default=True, help="Significance test to use.")
@click.option("--baseline", type=click.Path(), metavar="MODEL", help="Compare each model with this one, instead of every pair.")
@click.option("--seed", type=click.INT, default=0, show_default=True, help="Random seed for the resamples.")
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
    """Test whether one model is better than another.

    All models predict the same labelled documents, which none of them should have learned. The result says how large the
    difference is, with an interval, and whether it is significant.
    """
    from tercet import compare, load
    from tercet.cli.predictions import predict_labelled
    from tercet.data.label_rules import LabelRules

    if len(set(models)) < 2:
        raise click.UsageError("a comparison takes at least two different models; `tercet evaluate` measures a single one.")
    loaded = {name: load(name) for name in dict.fromkeys(models)}
    needed = [column for model in loaded.values() for column in model.columns_]
    rules = [find_rules(model) for model in loaded.values() if model.record_ is not None] or [LabelRules(strip=False)]
    stream = open_stream(data, **reading | {"numbers": needed, "label_rules": rules[0]})
    with show_progress(stream, "reading"):
        documents = stream.collect()
    report_bad_rows(stream)
    predictions = {name: predict_labelled(model, [documents]) for name, model in loaded.items()}
    for name, found in predictions.items():
        warn_of_learned(found.n_learned, len(found.gold), name)
    first = next(iter(predictions.values()))
    predicted = {name: found.predicted for name, found in predictions.items()}
    result = compare(first.gold, predicted, metric, test, baseline, seed, weights=first.weights)
    write_result(result, form, html, f"{' · '.join(loaded)} on {data}")
