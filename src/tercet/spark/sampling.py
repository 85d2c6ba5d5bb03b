"""A sample that is the same every time: the documents with the smallest fingerprints."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from tercet.data.documents import Documents
from tercet.errors import InvalidLabel, TercetError
from tercet.spark.jobs import explain_failures, limit_batches, quote
from tercet.spark.partitions import PartitionPlan, Problems, raise_problems

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
        flags = plan.columns.find_missing(batch).values()
        is_bad = np.logical_or.reduce([np.zeros(batch.num_rows, np.bool_), *flags])
        yield from attach(batch.filter(~is_bad), plan)
        yield put_first(batch.filter(is_bad), [b""] * int(is_bad.sum()))


def attach(batch: Any, plan: PartitionPlan) -> Iterator[Any]:
    if not batch.num_rows:
        return
    try:
        documents = plan.columns.read(batch)
        prints = plan.counting.fingerprint(documents).view("V16").tolist()
        weights = np.ones(len(prints)) if documents.weights is None else np.asarray(documents.weights, np.float64)
        yield put_first(batch, prints).filter(np.rint(weights * (1 << 20)) > 0)
    except TercetError:  # which row is bad will be found on the driver
        yield put_first(batch, [b""] * batch.num_rows)


def put_first(batch: Any, prints: list[bytes]) -> Any:
    import pyarrow as pa

    return pa.RecordBatch.from_arrays([pa.array(prints, pa.binary()), *batch.columns], [PRINT, *batch.schema.names])


def read_sample(table: Any, plan: PartitionPlan) -> Documents:
    """The documents of the rows. Raises the error of a row that can't be read."""
    if not table.num_rows:
        raise InvalidLabel("there are no documents with a weight above 0, so there is nothing to learn: give at least one.")
    (batch,) = table.combine_chunks().to_batches()
    problems = Problems()
    problems.find(batch, plan.columns)
    if problems:
        raise_problems(problems)
    documents = plan.columns.read(batch)
    plan.counting.fingerprint(documents)
    return documents
