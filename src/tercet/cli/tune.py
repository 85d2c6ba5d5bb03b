"""tercet tune"""

from typing import Any

import click

from tercet.cli.commands import define_command
from tercet.cli.options.config import list_recipe, write_toml
from tercet.cli.options.label_options import label_options, make_rules
from tercet.cli.options.model_options import CONTAINS_TEXTS, choose_keeping, documents_option
from tercet.cli.options.reading_options import open_stream, reading_options, report_bad_rows
from tercet.cli.output import ModelOutput, OutputFile, lock_output, printing_options, wait_option, write_result
from tercet.cli.talk import say, show_steps


@define_command(
    "tune",
    "tercet tune reviews.csv -o tuned.tercet --folds 5",
    "tercet tune reviews.csv -o tuned.tercet --folds 5 --metric macro_f1 --save-config tuned.toml --simplest",
)
@click.argument("data", nargs=-1, required=True, type=click.Path())
@click.option("-o", "--output", required=True, type=ModelOutput(), help="File to write the model of the winner to.")
@click.option(
    "--save-config",
    type=OutputFile(),
    help="Also write the options of the winner to this TOML file, for `tercet train --config`.",
)
@click.option(
    "--metric",
    default="accuracy",
    show_default=True,
    help="Metric to choose by: accuracy, macro_f1, balanced_accuracy, mcc, f1:LABEL and others.",
)
@click.option(
    "--simplest",
    is_flag=True,
    help="Take the simplest candidate that is not shown to be worse than the best, instead of the best. It may be less "
    "accurate: few documents show little.",
)
@click.option(
    "--folds",
    type=click.IntRange(min=3),
    default=10,
    show_default=True,
    help="Number of folds. With fewer folds it takes less time, and the estimate is a little too low, because candidates are "
    "trained on fewer documents.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Random seed for folds and tests.")
@documents_option
@click.option(
    "--threads",
    type=click.IntRange(min=1),
    help="Number of threads; by default one for each processor. The result does not depend on it.",
)
@wait_option
@printing_options
@reading_options
@label_options
def command(
    data: tuple[str, ...],
    output: str,
    save_config: str | None,
    metric: str,
    simplest: bool,
    folds: int,
    seed: int,
    documents: bool | None,
    threads: int | None,
    wait_seconds: float | None,
    form: str | None,
    html: str | None,
    map_labels: str | None,
    fold_labels: bool,
    **reading: Any,
) -> None:
    """Find the best of many models for labelled documents, and train it.

    DATA is given as for `tercet train`, which trains one good model without a search. This command compares a fixed list of
    candidates: recipes for the text, models, with and without calibration. It may find the last half point, and takes much
    longer.

    All candidates predict the same held-out folds. A candidate is dropped early if it is shown to be worse than another. The
    winner has the best metric, and is trained on all documents. The estimate says how good it is on new documents: it
    allows for the choice among many candidates. The same data and the same seed give the same winner.
    """
    from tercet.categorizer.tune import list_candidates, tune

    stream = open_stream(data, training=True, label_rules=make_rules(map_labels, fold=fold_labels), **reading)
    candidates = {
        name: candidate.set_params(keep_documents=choose_keeping(candidate.model, documents))
        for name, candidate in list_candidates(threads).items()
    }
    with show_steps() as show:
        result = tune(
            stream,
            metric=metric,
            candidates=candidates,
            folds=folds,
            seed=seed,
            simplest=simplest,
            watch=lambda progress: show(*progress),
        )
    report_bad_rows(stream)
    with lock_output(output, wait_seconds):
        result.categorizer.save(output)
    if save_config:
        write_config(save_config, write_toml(list_recipe(result.categorizer)))
    write_result(result, form, html, f"tune on {stream.name}")
    say(f"written: {output}")
    if result.categorizer.keeps_documents_:
        say(CONTAINS_TEXTS)


def write_config(path: str, recipe: str) -> None:
    """Write the recipe file, and say where it is."""
    from tercet.store.atomic_file import write_whole

    write_whole(path, [f"{recipe}\n".encode()])
    say(f"written: {path}")
