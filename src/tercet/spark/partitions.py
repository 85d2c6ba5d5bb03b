"""The two functions that a cluster runs, without the cluster: count a partition, and add the parts of a shard.

Both are pure. Partitions may have any size and order, and a function that fails may run again: the sum is the same.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, NamedTuple, NoReturn

import numpy as np

import tercet.errors
from tercet.categorizer.categorizer import Categorizer
from tercet.categorizer.files.partial_counts import PartialCounts
from tercet.categorizer.files.sharded_folder import write_shard
from tercet.categorizer.held_out.counting_plan import CountingPlan
from tercet.counts.fingerprints import assign_by_print
from tercet.counts.training_data import EncodedBatch, LabelledTexts
from tercet.data.documents import Documents
from tercet.errors import InvalidLabel, InvalidOption, InvalidText, TercetError
from tercet.kernel import engine
from tercet.spark.arrow_documents import Columns

CHUNK_BYTES = 1 << 24  # bytes of texts that are counted together: with pairs of words, their table takes about 300 MB
PROBLEM, TOTALS = -1, -2  # instead of a shard: what went wrong; what belongs to labels


class PartRow(NamedTuple):
    """A part of the sum, with the fold of its documents and the shard of its terms."""

    fold: int
    shard: int
    part: bytes


@dataclass(frozen=True)
class PartitionPlan:
    """What is counted, from which columns, and into how many shards and folds.

    >>> import pyarrow as pa
    >>> from tercet import Categorizer
    >>> batches = [pa.RecordBatch.from_pydict({"text": [text], "label": [len(text)]}) for text in ("to be", "or")]
    >>> plan = PartitionPlan.of(Categorizer(), Columns.of("text", "label"), n_shards=2)
    >>> rows = sorted(row for batch in batches for row in count_partition([batch], plan))
    >>> plan.finish(Categorizer(), add_rows(rows, plan)).table_
    CountTable(2 labels, 4 terms, 2 documents)
    """

    counting: CountingPlan
    columns: Columns
    n_shards: int
    folds: int = 1
    seed: int = 0

    @classmethod
    def of(
        cls,
        categorizer: Categorizer,
        columns: Columns,
        n_shards: int,
        *,
        folds: int = 1,
        seed: int = 0,
        sums: bool = True,
    ) -> "PartitionPlan":
        """The plan for a categorizer. Without `sums` it can only read documents, and the categorizer may be any."""
        counting = CountingPlan.of(categorizer, columns.make_empty(), sums=sums)
        counting = replace(counting, settings=counting.settings.with_threads(1))  # a cluster has a worker for each core
        return cls(counting, columns, n_shards, folds, seed)

    def add(self, rows: Iterable[PartRow]) -> PartialCounts:
        """The sum of all rows. Raises the error of a document that could not be counted."""
        counts, bad = PartialCounts(self.counting.analyzer), []
        for row in rows:
            if row.shard == PROBLEM:
                bad.append(row.part)
            elif not bad:
                counts.add(row.part)
        if bad:
            raise_problems(Problems.join(bad))
        return counts

    def finish(self, categorizer: Categorizer, rows: Iterable[PartRow]) -> Categorizer:
        """The categorizer, fitted to the documents of all these rows."""
        return self.counting.finish(categorizer, self.add(rows))


def count_partition(batches: Iterable[Any], plan: PartitionPlan) -> Iterator[PartRow]:
    """The parts of the documents in these batches of Arrow.

    If a document can't be counted, the last row says so, and the other rows mean nothing. Nothing is raised: an error in a
    worker would be a stack trace of the cluster.
    """
    problems = Problems()
    source = iter(batches)
    try:
        for chunk in read_chunks(source, plan.columns, problems):
            for fold, documents in deal(plan.counting.read(chunk), plan):
                parts = plan.counting.count_read(documents).split(plan.n_shards)
                yield from (PartRow(fold, shard, part) for shard, part in parts)
    except TercetError as error:
        problems.note(error)
    for batch in source:  # a cluster may wait until all of them are taken
        problems.count_missing(batch, plan.columns)
    if problems:
        yield PartRow(0, PROBLEM, problems.encode())


def add_rows(rows: Iterable[PartRow], plan: PartitionPlan, min_documents: int = 1) -> Iterator[PartRow]:
    """The sums of rows that are sorted by fold and shard, as rows again. Problems are passed on.

    All rows of a shard must be here. Terms that fewer documents have are dropped.
    """

    def split(fold: int, shard: int, counts: PartialCounts) -> Iterator[PartRow]:
        drop_rare(counts, min_documents)
        return (PartRow(fold, shard, part) for _, part in counts.split(1, plan.n_shards))

    return map_sums(rows, plan, split)


def write_rows_to(folder: str, rows: Iterable[PartRow], plan: PartitionPlan, min_documents: int = 1) -> Iterator[PartRow]:
    """As `add_rows`, but the sum of each shard is written into a folder. The rows then have the totals, and what was written.

    A shard that is written twice has the same name and the same bytes.
    """

    def write(fold: int, shard: int, counts: PartialCounts) -> Iterator[PartRow]:
        if len(counts.labels):
            yield PartRow(fold, TOTALS, counts.take_totals().encode())
            counts.drop_totals()
        drop_rare(counts, min_documents)
        yield PartRow(fold, shard, json.dumps(vars(write_shard(folder, shard, plan.n_shards, counts))).encode())

    return map_sums(rows, plan, write)


def map_sums(
    rows: Iterable[PartRow], plan: PartitionPlan, use: Callable[[int, int, PartialCounts], Iterator[PartRow]]
) -> Iterator[PartRow]:
    """What `use` gives for the sum of each shard. An error is a row."""
    for (fold, shard), own in groupby(rows, lambda row: row[:2]):
        if shard == PROBLEM:
            yield from own
            continue
        try:
            yield from use(fold, shard, add_shard((row.part for row in own), plan))
        except TercetError as error:
            problems = Problems()
            problems.note(error)
            yield PartRow(fold, PROBLEM, problems.encode())


def drop_rare(counts: PartialCounts, min_documents: int) -> None:
    if min_documents > 1:
        counts.drop_rare(min_documents)


def add_shard(parts: Iterable[bytes], plan: PartitionPlan) -> PartialCounts:
    """The sum of parts."""
    counts = PartialCounts(plan.counting.analyzer)
    for part in parts:
        counts.add(part)
    return counts


def deal(documents: Iterable[LabelledTexts], plan: PartitionPlan) -> Iterator[tuple[int, list[LabelledTexts]]]:
    """The documents of each fold."""
    if plan.folds == 1:
        yield 0, list(documents)
        return
    folds: dict[int, list[LabelledTexts]] = {}
    for batch in map(EncodedBatch.of, documents):
        for texts, span in batch.parts():
            of_text = assign_by_print(engine.fingerprint(texts), plan.folds, plan.seed)
            for fold in np.unique(of_text).tolist():
                folds.setdefault(fold, []).append(pick(batch, texts, span, np.flatnonzero(of_text == fold)))
    yield from sorted(folds.items())


def pick(batch: EncodedBatch, texts: engine.Texts, span: slice, documents: Any) -> LabelledTexts:
    """Some documents of a batch; `span` says where the texts are in it."""
    at = span.start + documents
    weights = None if batch.weights is None else batch.weights[at] / (1 << 20)
    domains = None if batch.domains is None else batch.domains[0][batch.domains[1][at]]
    return LabelledTexts(texts.pick(documents), batch.labels[batch.codes[at]], weights, batch.numbers[at], domains)


def read_chunks(batches: Iterable[Any], columns: Columns, problems: "Problems") -> Iterator[list[Documents]]:
    """Documents of about `CHUNK_BYTES` together. After the first problem there are no more."""
    chunk: list[Documents] = []
    n_bytes = 0
    for batch in batches:
        if not batch.num_rows:
            continue
        problems.count_missing(batch, columns)
        if problems:
            return
        step = max(1, batch.num_rows * CHUNK_BYTES // max(batch.nbytes, 1))
        for begin in range(0, batch.num_rows, step):
            part = batch.slice(begin, step)
            chunk.append(columns.read(part))
            n_bytes += part.nbytes
            if n_bytes >= CHUNK_BYTES:
                yield chunk
                chunk, n_bytes = [], 0
    if chunk:
        yield chunk


class Problems:
    """What is wrong with the rows of a partition.

    >>> problems = Problems()
    >>> problems.note(TercetError("a row is bad")), Problems.join([problems.encode(), problems.encode()]).errors[0]
    (None, ('TercetError', 'a row is bad'))
    """

    def __init__(self) -> None:
        self.n_rows = 0
        self.missing: Counter[str] = Counter()
        self.errors: list[tuple[str, str]] = []

    def __bool__(self) -> bool:
        return bool(self.missing or self.errors)

    def count_missing(self, batch: Any, columns: Columns) -> None:
        """Count the rows of a batch that can't be read."""
        self.n_rows += batch.num_rows
        try:
            self.missing.update({reason: int(flags.sum()) for reason, flags in columns.detect_missing(batch).items()})
        except TercetError as error:  # the batch is damaged
            if not self.errors:
                self.note(error)

    def note(self, error: TercetError) -> None:
        self.errors.append((type(error).__name__, str(error)))

    def encode(self) -> bytes:
        return json.dumps([self.n_rows, self.missing, self.errors]).encode()

    @classmethod
    def join(cls, encoded: Iterable[bytes]) -> "Problems":
        """The problems of several partitions."""
        problems = cls()
        for n_rows, missing, errors in map(json.loads, encoded):
            problems.n_rows += n_rows
            problems.missing.update(missing)
            problems.errors += map(tuple, errors)
        return problems


def raise_problems(problems: Problems) -> NoReturn:
    """Raise what is wrong with the documents, as one error of tercet."""
    if problems.errors:
        (name, message), *others = problems.errors
        more = f" ({len(others)} more partitions have an error)" if others else ""
        raise make_error(name, f"a partition can't be counted: {message}{more}")
    reasons = "; ".join(f"{n} {reason}" for reason, n in sorted(problems.missing.items()))
    kind = InvalidText if any(reason.startswith("have no text") for reason in problems.missing) else InvalidLabel
    raise kind(
        f"some rows can't be learned: {reasons}. Nothing is learned. Drop them with df.dropna(subset=[...]), or fill them with "
        "df.fillna({...})."
    )


def make_error(name: str, message: str) -> TercetError:
    """The error of tercet with this name.

    >>> make_error("InvalidText", "no text"), make_error("BadRow", "a row"), make_error("suggest", "no error")
    (InvalidText('no text'), InvalidOption('a row'), InvalidOption('no error'))
    """
    kind = getattr(tercet.errors, name, None)
    if not isinstance(kind, type) or not issubclass(kind, TercetError):
        return InvalidOption(message)
    try:
        return kind(message)
    except TypeError:  # the error takes other arguments
        return InvalidOption(message)
