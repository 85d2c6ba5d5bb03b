"""A data frame → a fitted categorizer, the same that `fit` makes of the same documents."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tercet.categorizer.categorizer import Categorizer
from tercet.categorizer.counting_plan import CountingPlan
from tercet.categorizer.partial_counts import PartialCounts
from tercet.errors import bad_option
from tercet.options import check_flag
from tercet.spark.arrow_documents import Columns
from tercet.spark.jobs import check_frame, sum_on_cluster
from tercet.spark.partitions import PartitionPlan

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def train(
    df: "DataFrame",
    categorizer: Categorizer | None = None,
    *,
    text: Any = "text",
    label: str = "label",
    weight: str | None = None,
    prune: bool = False,
) -> Categorizer:
    """The categorizer, fitted to the rows of a data frame. Its file has the same bytes as that of `categorizer.fit`.

    - `categorizer`: a naive Bayes, by default `Categorizer()`. Columns that it names are taken from the data frame.
    - `text`: the name of the text column, or a list of names. `label`, `weight`: names of columns.
    - `prune`: the result of `categorizer.prune()`. Terms that fewer than `min_documents` documents have are dropped before they
      are brought to the driver.

    Documents are counted where they are. Counts are cut into `spark.sql.shuffle.partitions` shards, and each shard is summed by
    one worker. The driver has the sum only. Every row needs a text and a label.
    """
    categorizer = check_categorizer(categorizer)
    check_flag("prune", prune)
    plan = make_plan(check_frame(df), categorizer, Columns.of(text, label, weight, list_columns(categorizer)))
    drops = prune and plan.counting.drops_early
    counts = PartialCounts(plan.counting.analyzer)
    for row in sum_on_cluster(df, plan, categorizer.min_documents if drops else 1):
        counts.add(row.part)
    fitted = plan.counting.finish(categorizer, counts)
    return fitted.prune() if prune else fitted


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


def make_plan(df: "DataFrame", categorizer: Categorizer, columns: Columns, folds: int = 1, seed: int = 0) -> PartitionPlan:
    """The plan for the workers. Columns that are no columns but measures of the text are left out."""
    from tercet.text.measures import MEASURES

    own = tuple(name for name in columns.others if name in df.columns or name not in MEASURES)
    columns = replace(columns, others=own)
    columns.check(df.dtypes)
    counting = CountingPlan.of(categorizer, columns.make_empty())
    n_shards = int(df.sparkSession.conf.get("spark.sql.shuffle.partitions"))
    return PartitionPlan(counting, columns, n_shards, folds, seed)
