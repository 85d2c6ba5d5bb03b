"""The counts of some documents, as parts of a sum: rows of bytes that can be sent anywhere and added in any order.

    documents ─► PartialCounts ─► parts, one or more for each shard ─► PartialCounts of each shard ─► State

The term decides in which shard a count is, and the fingerprint in which shard a document is. Totals of labels are in shard 0.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from tercet.arrays import Array
from tercet.categorizer.state import State
from tercet.counts.exact_sums import ExactSums
from tercet.counts.fingerprints import Fingerprints, Prints
from tercet.counts.label_moments import LabelMoments
from tercet.counts.labels import Labels, merge_labels, read_labels, write_labels
from tercet.counts.selection import TermStatistics, keep_terms
from tercet.counts.shards import NO_LABELS, TablePart, make_empty, split_table, take_totals
from tercet.counts.table import CountTable, pack_table
from tercet.store.model_file import encode_model, read_bytes
from tercet.text.analyzer import Analyzer

PART_BYTES = 1 << 20  # of a part, about: no system has trouble with rows of this size
TERM_BYTES = 40  # of a term in a part, about


class CountedPart(NamedTuple):
    """What one row of bytes holds: counts of terms, fingerprints, or totals."""

    table: TablePart | None = None
    domains: TablePart | None = None
    prints: Prints | None = None
    moments: LabelMoments | None = None
    labels: Labels | None = None  # all labels that were met, also those whose documents have weight 0

    def encode(self) -> bytes:
        content = {
            "table": None if self.table is None else write_labels(self.table.labels),
            "domains": None if self.domains is None else write_labels(self.domains.labels),
            "moments": None if self.moments is None else write_moments(self.moments),
            "labels": None if self.labels is None else write_labels(self.labels),
        }
        arrays: dict[str, Array | Mapping[str, Array]] = {
            name: part.arrays for name, part in (("table", self.table), ("domains", self.domains)) if part is not None
        }
        if self.prints is not None:
            arrays["prints"] = self.prints.view(np.uint8).reshape(-1, 16)
        return b"".join(encode_model(content, arrays)[1])

    @classmethod
    def decode(cls, data: bytes) -> "CountedPart":
        """The part of these bytes, which must come from `encode`."""
        content, arrays, *_ = read_bytes("a part", memoryview(data), verify=False)
        tables = {name: _read_table(name, content[name], arrays) for name in ("table", "domains")}
        prints, labels = arrays.get("prints"), content["labels"]
        return cls(
            **tables,
            prints=None if prints is None else prints.view("S16").ravel(),
            moments=None if content["moments"] is None else read_moments(content["moments"]),
            labels=None if labels is None else read_labels(labels),
        )


def _read_table(name: str, labels: Mapping[str, Any] | None, arrays: Mapping[str, Array]) -> TablePart | None:
    if labels is None:
        return None
    own = {own.removeprefix(f"{name}/"): array for own, array in arrays.items() if own.startswith(f"{name}/")}
    return TablePart(read_labels(labels), own)


def write_moments(moments: LabelMoments) -> dict[str, Any]:
    sums = {name: getattr(moments, name).to_dict() for name in ("n", "sums", "products")}
    return {"labels": write_labels(moments.labels), **sums}


def read_moments(written: Mapping[str, Any]) -> LabelMoments:
    sums = (ExactSums.from_dict(written[name], written[name]["shape"]) for name in ("n", "sums", "products"))
    return LabelMoments(read_labels(written["labels"]), *sums)


class PartialCounts:
    """The sum of parts.

    >>> from tercet.counts.table import CountTable
    >>> counts = PartialCounts.of(State(CountTable.of(["to be", "or"], ["x", "y"]), None, None, None, None))
    >>> again = PartialCounts(counts.table.analyzer)
    >>> for shard, part in counts.split(3):
    ...     again.add(part)
    >>> again.table == counts.table
    True
    """

    def __init__(self, analyzer: Analyzer) -> None:
        self.table = make_empty(analyzer)
        self.domains: CountTable | None = None
        self.prints = Fingerprints()
        self.moments: LabelMoments | None = None
        self.labels: Labels = NO_LABELS

    @classmethod
    def of(cls, state: State, labels: Labels | None = None) -> "PartialCounts":
        """The counts of documents with these labels, all of which need not be in the table: a weight may be 0."""
        partial = cls(state.table.analyzer)
        partial.table, partial.domains, partial.moments = state.table, state.domains, state.moments
        partial.prints = Fingerprints() if state.prints is None else state.prints
        partial.labels = state.table.labels if labels is None else labels
        return partial

    def add(self, encoded: bytes) -> None:
        """Add a part."""
        part = CountedPart.decode(encoded)
        if part.table is not None:
            add_part(self.table, part.table)
        if part.domains is not None:
            self.domains = make_empty(self.table.analyzer) if self.domains is None else self.domains
            add_part(self.domains, part.domains)
        if part.prints is not None:
            self.prints.add(part.prints)
        if part.moments is not None:
            self.moments = part.moments if self.moments is None else self.moments + part.moments
        if part.labels is not None:
            self.labels = merge_labels(self.labels, part.labels)

    def split(self, n: int, stride: int = 1) -> Iterator[tuple[int, bytes]]:
        """The shard of each part, and its bytes. Shard (hash / stride) mod n has a term.

        A shard has several parts if one would be large. Empty shards have none.
        """
        tables, domains, prints = dict(cut_table(self.table, n, stride)), {}, dict(cut_prints(self.prints, n))
        if self.domains is not None:
            domains = dict(cut_table(self.domains, n, stride))
        for cut in sorted({*tables, *domains, *prints}):
            yield cut[0], CountedPart(tables.get(cut), domains.get(cut), prints.get(cut)).encode()
        if len(self.labels):
            yield 0, self.take_totals().encode()

    def take_totals(self) -> CountedPart:
        """What belongs to labels, not to terms or documents."""
        of_domains = None if self.domains is None else take_totals(self.domains)
        return CountedPart(take_totals(self.table), of_domains, None, self.moments, self.labels)

    def drop_totals(self) -> None:
        """Keep terms and fingerprints only."""
        self.table = drop_documents(self.table)
        self.domains = None if self.domains is None else drop_documents(self.domains)
        self.moments, self.labels = None, NO_LABELS

    def drop_rare(self, min_documents: int) -> None:
        """Drop the terms that fewer documents have. All counts of these terms must be here."""
        kept = keep_terms(TermStatistics(self.table), min_documents, (), None)
        part = TablePart(self.table.labels, pack_table(self.table.table, kept))
        self.table = part.open(self.table.analyzer)

    def to_state(self, *, remember: bool) -> State:
        """The state of a categorizer that has counted all these documents."""
        moments = None if self.moments is None else self.moments.pick(self.table.labels)
        return State(self.table, self.prints if remember else None, moments, self.domains, None)


def drop_documents(table: CountTable) -> CountTable:
    """A table of the same terms, without the documents of labels."""
    rest = make_empty(table.analyzer)
    for _, part in split_table(table, 1):
        add_part(rest, part)
    return rest


def add_part(table: CountTable, part: TablePart) -> None:
    """Add a part to a table. If their labels have two types, that is an error."""
    added = part.open(table.analyzer)
    added.align_labels(merge_labels(table.labels, added.labels))  # changes the table itself, because nobody else has it
    table += added


def cut_table(table: CountTable, n: int, stride: int) -> Iterator[tuple[tuple[int, int], TablePart]]:
    """The shard and the number of each part of a table. A large shard has several parts."""
    n_parts = 1 + len(table.table) * TERM_BYTES // (n * PART_BYTES)
    for number, part in split_table(table, n * n_parts, stride):
        yield (number % n, number // n), part


def cut_prints(prints: Fingerprints, n: int) -> Iterator[tuple[tuple[int, int], Prints]]:
    """The same of fingerprints. Those of shard k are smaller than those of shard k + 1."""
    ordered = prints.sorted()
    shards = assign_print_shards(ordered, n)
    for shard in np.unique(shards).tolist():
        own, size = ordered[slice(*np.searchsorted(shards, [shard, shard + 1]))], PART_BYTES // 16
        for number, begin in enumerate(range(0, len(own), size)):
            yield (shard, number), own[begin : begin + size]


def assign_print_shards(prints: Prints, n: int) -> Any:
    """The shard of each fingerprint: n equal ranges of their first 32 bits."""
    first = np.ascontiguousarray(prints).view(">u4")[::4].astype(np.uint64)
    return (first * np.uint64(n) >> np.uint64(32)).astype(np.int64)
