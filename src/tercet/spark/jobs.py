"""Jobs on Spark: functions over batches of Arrow, and errors that say what to do. Only this file imports pyspark."""

import pickle
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tercet.errors import ClusterFailed, InvalidOption, bad_option, shorten
from tercet.extras import import_extra
from tercet.spark.partitions import (
    PartitionPlan,
    PartRow,
    add_rows,
    count_partition,
    make_error,
    write_rows_to,
)
from tercet.text.analyzer import Analyzer

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

ROWS = "fold int, shard int, part binary"
SAME = "Install the same tercet with the same Python on every worker, and set PYSPARK_PYTHON to that Python."
BATCH_BYTES = 1 << 24  # bytes that go to Python together: a row with a part may have a megabyte
LAST_LINE = re.compile(r"^(?:\w+\.)*(\w+(?:Error|Exception|Warning|Exit|Interrupt)|[A-Z]\w+): (.*)$", re.MULTILINE)


def check_frame(frame: Any) -> "DataFrame":
    """The data frame. Raises InvalidOption if it is not one of Spark."""
    sql = import_extra("pyspark.sql", package="pyspark", extra="spark", purpose="tercet.spark needs")
    if not isinstance(frame, sql.DataFrame):
        raise bad_option("df", "a data frame of Spark", type(frame).__name__, "use tercet.train for data in memory.")
    if "connect" in type(frame).__module__:
        raise InvalidOption("df is a data frame of Spark Connect, which can't broadcast a model: use a session on the cluster.")
    return frame


def quote(name: str) -> str:
    """The name of a column as Spark reads it, whatever is in it.

    >>> quote("a.b")
    '`a.b`'
    """
    return "`" + name.replace("`", "``") + "`"


# Run by a worker that may have no tercet, so it is sent as text and imports nothing before `try`.
PROBE = """
def probe(_):
    try:
        import pickle
        import pyarrow
        import tercet
        from tercet.errors import TercetError
        found = "" if tercet.__version__ == version else f"{kind}|tercet {tercet.__version__}, and the driver has {version}"
        try:
            pickle.loads(analyzer).terms("a text")
        except TercetError as error:
            found = f"{type(error).__name__}|{error}"
    except Exception as error:
        found = f"{kind}|{type(error).__name__}: {error}"
    return found
"""


def check_workers(frame: "DataFrame", analyzer: Analyzer) -> None:
    """Raises an error if a worker has another tercet, or lacks a package that the analyzer needs. One worker is asked."""
    names: dict[str, Any] = {"__name__": "__main__"}  # then Spark sends the function itself, not its name
    names |= {"version": sys.modules["tercet"].__version__, "analyzer": pickle.dumps(analyzer), "kind": ClusterFailed.__name__}
    exec(PROBE, names)
    with explain_failures():
        (found,) = frame.sparkSession.sparkContext.parallelize([0], 1).map(names["probe"]).collect()
    name, _, message = found.partition("|")
    if name == ClusterFailed.__name__:
        raise ClusterFailed(f"a worker has not the tercet of the driver ({shorten(message)}): {SAME}")
    if name:
        raise make_error(name, f"a worker can't read texts as the driver does: {message}")


def start_counting(frame: "DataFrame", plan: PartitionPlan) -> "DataFrame":
    """The rows of all partitions, sorted by fold and shard. All rows of a shard are in one partition."""

    def count(batches: Iterable[Any]) -> Iterator[Any]:
        return write_rows(count_partition(batches, plan))

    parts = frame.select(*map(quote, plan.columns.names)).mapInArrow(count, ROWS)
    return parts.repartition("fold", "shard").sortWithinPartitions("fold", "shard")


def sum_on_cluster(frame: "DataFrame", plan: PartitionPlan, min_documents: int = 1) -> Iterator[PartRow]:
    """The sums of all shards, and problems, one partition after the other."""

    def add(batches: Iterable[Any]) -> Iterator[Any]:
        return write_rows(add_rows(read_rows(batches), plan, min_documents))

    # The last shuffle writes all sums to disks before the first one is fetched. So they are added at the same time on all
    # workers, and the driver has one partition at a time.
    sums = start_counting(frame, plan).mapInArrow(add, ROWS).repartition("fold", "shard")
    with explain_failures(), limit_batches(frame):
        for fold, shard, part in sums.toLocalIterator():
            yield PartRow(fold, shard, bytes(part))


def write_shards(frame: "DataFrame", plan: PartitionPlan, folder: str, min_documents: int) -> "DataFrame":
    """The same, but each worker writes the sums of its shards into a folder."""

    def write(batches: Iterable[Any]) -> Iterator[Any]:
        return write_rows(write_rows_to(folder, read_rows(batches), plan, min_documents))

    return start_counting(frame, plan).mapInArrow(write, ROWS)


def run_rows(frame: "DataFrame") -> list[PartRow]:
    """All rows of a small result."""
    with explain_failures(), limit_batches(frame):
        return [PartRow(fold, shard, bytes(part)) for fold, shard, part in frame.collect()]


def read_rows(batches: Iterable[Any]) -> Iterator[PartRow]:
    for batch in batches:
        yield from map(PartRow, *(column.to_pylist() for column in batch.columns))


def write_rows(rows: Iterable[PartRow]) -> Iterator[Any]:
    """The rows in batches of Arrow of about `BATCH_BYTES`."""
    held: list[PartRow] = []
    n_bytes = 0
    for row in rows:
        held.append(row)
        n_bytes += len(row.part)
        if n_bytes >= BATCH_BYTES:
            yield make_batch(held)
            held, n_bytes = [], 0
    if held:
        yield make_batch(held)


def make_batch(rows: list[PartRow]) -> Any:
    import pyarrow as pa

    folds, shards, parts = zip(*rows, strict=True)
    return pa.RecordBatch.from_arrays(
        [pa.array(folds, pa.int32()), pa.array(shards, pa.int32()), pa.array(parts, pa.binary())], ["fold", "shard", "part"]
    )


@contextmanager
def limit_batches(frame: "DataFrame") -> Iterator[None]:
    """A block in which Spark gives Python at most `BATCH_BYTES` together. The setting of the session comes back afterwards."""
    name = "spark.sql.execution.arrow.maxBytesPerBatch"
    conf = frame.sparkSession.conf
    before = conf.get(name, None)
    conf.set(name, BATCH_BYTES)
    try:
        yield
    finally:
        conf.unset(name) if before is None else conf.set(name, before)


@contextmanager
def explain_failures() -> Iterator[None]:
    """Turn an error of Spark into one of tercet, without the stack trace of Java."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise describe_failure(str(error)) from None


def describe_failure(text: str) -> ClusterFailed:
    """The error for what Spark says.

    >>> print(describe_failure("x\\nModuleNotFoundError: No module named 'tercet'\\n\\tat org.apache.spark"))
    a worker lacks a package (No module named 'tercet'): ...
    """
    found = LAST_LINE.findall(text)
    kind, message = found[-1] if found else ("", "")
    for pattern, explain in REMEDIES.items():
        if match := re.search(pattern, text):
            return ClusterFailed(explain.format(match[0].strip()))
    if message:
        return ClusterFailed(f"a worker failed: {kind}: {shorten(message)}")
    return ClusterFailed(f"Spark failed: {shorten(text.strip())}")


REMEDIES: Mapping[str, str] = {
    r"No module named '[\w.]+'": "a worker lacks a package ({}): " + SAME,
    r"PYTHON_VERSION_MISMATCH": "workers have another Python than the driver ({}): " + SAME,
    r"MemoryError|std::bad_alloc|Cannot allocate memory": (
        "a worker has too little memory ({}): raise spark.executor.pyspark.memory or spark.executor.memoryOverhead, or use "
        "fewer cores for each executor."
    ),
    r"Python worker exited unexpectedly|EOFException": (
        "a Python worker was ended ({}), mostly because it had too little memory: raise spark.executor.memoryOverhead, or use "
        "fewer cores for each executor."
    ),
    r"spark\.driver\.maxResultSize": "the result is too large for the driver ({}): raise spark.driver.maxResultSize.",
    r"Cannot run program \"[^\"]+\"": "a worker can't start Python ({}): " + SAME,
}
