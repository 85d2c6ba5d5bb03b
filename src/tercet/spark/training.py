"""A data frame → a fitted categorizer, the same that `fit` makes of the same documents."""

import json
import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any, overload

from tercet.categorizer.categorizer import Categorizer
from tercet.categorizer.partial_counts import PartialCounts
from tercet.categorizer.sharded_folder import ShardedModel, ShardFile, clear_folder, finish_folder, start_folder
from tercet.data.documents import Documents
from tercet.errors import InvalidOption, bad_option
from tercet.options import check_count, check_flag
from tercet.spark.arrow_documents import Columns
from tercet.spark.jobs import check_frame, check_workers, run_rows, sum_on_cluster, write_shards
from tercet.spark.partitions import PROBLEM, TOTALS, PartitionPlan, Problems, raise_problems
from tercet.spark.sampling import sample_on_cluster
from tercet.text.measures import MEASURES

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@overload
def train(
    df: "DataFrame",
    categorizer: Categorizer | None = None,
    *,
    text: Any = ...,
    label: str = ...,
    weight: str | None = ...,
    prune: bool = ...,
    sample: int | None = ...,
    to: None = None,
) -> Categorizer: ...
@overload
def train(
    df: "DataFrame",
    categorizer: Categorizer | None = None,
    *,
    text: Any = ...,
    label: str = ...,
    weight: str | None = ...,
    prune: bool = ...,
    sample: int | None = ...,
    to: str | os.PathLike[str],
) -> ShardedModel: ...
def train(
    df: "DataFrame",
    categorizer: Categorizer | None = None,
    *,
    text: Any = "text",
    label: str = "label",
    weight: str | None = None,
    prune: bool = False,
    sample: int | None = None,
    to: str | os.PathLike[str] | None = None,
) -> Categorizer | ShardedModel:
    """The categorizer, fitted to the rows of a data frame. Its file has the same bytes as that of `categorizer.fit`.

    - `categorizer`: a naive Bayes, by default `Categorizer()`. Columns that it names are taken from the data frame.
    - `text`: the name of the text column, or a list of names. `label`, `weight`: names of columns.
    - `prune`: the result of `categorizer.prune()`. Terms that fewer than `min_documents` documents have are dropped before they
      are brought to the driver.
    - `sample`: bring so many documents to the driver, and train there. This is for models that are more than counts: margins,
      `model="auto"`, `calibrate`, `keep_documents`. The documents with the smallest fingerprints are taken, which is the same
      choice every time, and `decisions_` says so.
    - `to`: a new folder that all machines have mounted. Workers write the shards there, and nothing is brought to the driver
      but totals. `tercet.load(folder)` opens the folder as one model; the result says how large it is.

    Documents are counted where they are. Counts are cut into `spark.sql.shuffle.partitions` shards, and each shard is summed by
    one worker. The driver has the sum only. Every row needs a text and a label.
    """
    categorizer = check_categorizer(categorizer)
    check_flag("prune", prune)
    columns = Columns.of(text, label, weight, list_columns(categorizer))
    if to is not None:
        return train_to_folder(check_frame(df), categorizer, columns, prune, sample, to)
    if sample is not None:
        fitted = train_on_sample(check_frame(df), categorizer, columns, check_count("sample", sample))
        return fitted.prune() if prune else fitted
    plan = make_plan(check_frame(df), categorizer, columns)
    drops = prune and plan.counting.drops_early
    counts = plan.add(sum_on_cluster(df, plan, categorizer.min_documents if drops else 1))
    fitted = plan.counting.finish(categorizer, counts, take_sample(df, plan))
    return fitted.prune() if prune else fitted


def train_to_folder(
    df: "DataFrame", categorizer: Categorizer, columns: Columns, prune: bool, sample: Any, to: str | os.PathLike[str]
) -> ShardedModel:
    """The model in a folder. The categorizer itself is not fitted."""
    plan = make_plan(df, categorizer, columns)
    settings = plan.counting.settings
    if sample is not None or settings.model.needs_rows:
        raise InvalidOption(
            "to=folder is for counts that no machine holds, and a sample or smoothing='auto' needs all counts in one place: "
            "leave out `sample`, and give a smoothing."
        )
    if prune and settings.selects:
        raise InvalidOption(
            "prune=True with `select` or `max_terms` compares all terms, which no machine holds: use min_documents only, or "
            "load the folder and prune it there."
        )
    if prune and not plan.counting.drops_early:
        raise InvalidOption("there is nothing to prune: this model keeps every term. Give it min_documents=2 or more.")
    folder = start_folder(to)
    try:
        counts, shards = write_on_cluster(df, plan, folder, settings.min_documents if prune else 1)
        totals = plan.counting.finish(clone(categorizer), counts)
        totals._settings = replace(totals._settings, pruned=prune)
        return finish_folder(folder, totals, shards)
    except BaseException:
        clear_folder(folder)
        raise


def write_on_cluster(
    df: "DataFrame", plan: PartitionPlan, folder: str, min_documents: int
) -> tuple[PartialCounts, list[ShardFile]]:
    """The totals, and the files that the workers have written."""
    counts, shards, bad = PartialCounts(plan.counting.analyzer), [], []
    for row in run_rows(write_shards(df, plan, folder, min_documents)):
        if row.shard == PROBLEM:
            bad.append(row.part)
        elif row.shard == TOTALS:
            counts.add(row.part)
        else:
            shards.append(ShardFile(**json.loads(row.part)))
    if bad:
        raise_problems(Problems.join(bad))
    return counts, shards


def clone(categorizer: Categorizer) -> Categorizer:
    """A categorizer with the same options that has learned nothing."""
    return Categorizer(**categorizer.get_params(deep=False))


def train_on_sample(df: "DataFrame", categorizer: Categorizer, columns: Columns, most: int) -> Categorizer:
    """The categorizer, fitted on the driver to the documents with the smallest fingerprints."""
    plan = make_plan(df, categorizer, columns, sums=False)
    documents = sample_on_cluster(df, plan, most)
    categorizer.fit(documents)
    n = len(documents.texts)
    reason = f"trained on {n} documents" + ("" if n < most else f", those with the smallest fingerprints (sample={most})")
    categorizer._settings = replace(categorizer._settings, said=(reason, *categorizer._settings.said))
    return categorizer


def take_sample(df: "DataFrame", plan: PartitionPlan) -> Documents | None:
    """The documents that choose a smoothing; None if it is given. This is another pass."""
    return sample_on_cluster(df, plan, plan.counting.n_sampled) if plan.counting.n_sampled else None


def check_categorizer(categorizer: Any) -> Categorizer:
    chosen = Categorizer() if categorizer is None else categorizer
    if not isinstance(chosen, Categorizer):
        raise bad_option("categorizer", "a Categorizer or None", categorizer, "it learns. Try Categorizer().")
    return chosen


def list_columns(categorizer: Categorizer) -> list[str]:
    """The columns that the categorizer names: numbers, categories, and the domain of a selector."""
    settings = categorizer._check_options()
    named = [*settings.numeric, *settings.categorical, *([] if settings.domain is None else [settings.domain])]
    return list(dict.fromkeys(named))


def make_plan(
    df: "DataFrame", categorizer: Categorizer, columns: Columns, folds: int = 1, seed: int = 0, *, sums: bool = True
) -> PartitionPlan:
    """The plan for the workers. Names that are no columns but measures of the text are left out."""
    own = tuple(name for name in columns.others if name in df.columns or name not in MEASURES)
    columns = replace(columns, others=own)
    columns.check(df.dtypes)
    n_shards = int(df.sparkSession.conf.get("spark.sql.shuffle.partitions", "200"))
    plan = PartitionPlan.of(categorizer, columns, n_shards, folds=folds, seed=seed, sums=sums)
    check_workers(df, plan.counting.analyzer)
    return plan
