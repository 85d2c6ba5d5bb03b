"""A data frame → a fitted categorizer, the same that `fit` makes of the same documents.

A sample is the same every time: the documents with the smallest fingerprints.
"""

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from tercet.categorizer.categorizer import Categorizer
from tercet.categorizer.files.partial_counts import PartialCounts
from tercet.categorizer.files.sharded_folder import ShardedModel, ShardFile, clear_folder, finish_folder, start_folder
from tercet.data.documents import Documents
from tercet.errors import InvalidLabel, InvalidOption, TercetError, bad_option
from tercet.options import check_count, check_flag
from tercet.spark.arrow_documents import Columns
from tercet.spark.jobs import (
    check_frame,
    check_workers,
    explain_failures,
    limit_batches,
    quote,
    run_rows,
    sum_on_cluster,
    write_shards,
)
from tercet.spark.partitions import PROBLEM, TOTALS, PartitionPlan, Problems, raise_problems
from tercet.text.measures import MEASURES

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

PRINT = "tercet fingerprint"  # no usual name of a column


def sample_on_cluster(df: "DataFrame", plan: PartitionPlan, most: int) -> Documents:
    """At most this number of documents, in the order of their fingerprints. Those of weight 0 are left out."""
    chosen = df.select(*map(quote, plan.columns.names))

    def add(batches: Iterable[Any]) -> Iterator[Any]:
        return add_prints(batches, plan)

    schema = ", ".join(f"{quote(name)} {kind}" for name, kind in [(PRINT, "binary"), *chosen.dtypes])
    with explain_failures(), limit_batches(df):
        table = chosen.mapInArrow(add, schema).orderBy(quote(PRINT)).limit(most).toArrow()
    return read_sample(table, plan)


def add_prints(batches: Iterable[Any], plan: PartitionPlan) -> Iterator[Any]:
    """The rows with a weight above 0, and their fingerprints. A row that can't be read has an empty one, and comes first."""
    for batch in batches:
        if not batch.num_rows:
            continue
        flags = plan.columns.detect_missing(batch).values()
        is_bad = np.logical_or.reduce([np.zeros(batch.num_rows, np.bool_), *flags])
        yield from attach_prints(batch.filter(~is_bad), plan)
        yield prepend_prints(batch.filter(is_bad), [b""] * int(is_bad.sum()))


def attach_prints(batch: Any, plan: PartitionPlan) -> Iterator[Any]:
    if not batch.num_rows:
        return
    try:
        documents = plan.columns.read(batch)
        prints = plan.counting.fingerprint(documents).view("V16").tolist()
        weights = np.ones(len(prints)) if documents.weights is None else np.asarray(documents.weights, np.float64)
        yield prepend_prints(batch, prints).filter(np.rint(weights * (1 << 20)) > 0)
    except TercetError:  # which row is bad will be found on the driver
        yield prepend_prints(batch, [b""] * batch.num_rows)


def prepend_prints(batch: Any, prints: list[bytes]) -> Any:
    import pyarrow as pa

    return pa.RecordBatch.from_arrays([pa.array(prints, pa.binary()), *batch.columns], [PRINT, *batch.schema.names])


def read_sample(table: Any, plan: PartitionPlan) -> Documents:
    """The documents of the rows. Raises the error of a row that can't be read."""
    if not table.num_rows:
        raise InvalidLabel("there are no documents with a weight above 0, so there is nothing to learn: give at least one.")
    (batch,) = table.combine_chunks().to_batches()
    problems = Problems()
    problems.count_missing(batch, plan.columns)
    if problems:
        raise_problems(problems)
    documents = plan.columns.read(batch)
    plan.counting.fingerprint(documents)
    return documents


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
        fitted = totals.fitted_
        totals.publish(replace(fitted, settings=replace(fitted.settings, pruned=prune)))
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
    fitted = categorizer.fitted_
    categorizer.publish(replace(fitted, settings=replace(fitted.settings, said=(reason, *fitted.settings.said))))
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
    settings = categorizer.check_options().settings
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
