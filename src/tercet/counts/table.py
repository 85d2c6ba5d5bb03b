"""Documents per label and term counts per label, from texts: the one table that everything is made of."""

from collections.abc import Iterable
from hashlib import blake2b
from threading import Lock
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats, Integers
from tercet.counts.label_counts import place_labels
from tercet.counts.labels import Labels, encode_training, merge_labels, pick_labels, refuse_unknown
from tercet.counts.table_arrays import TableArrays, find_met, open_table, pack_table
from tercet.counts.units import to_numbers, too_large
from tercet.errors import BadModelFile, InvalidOption, NeverLearned
from tercet.kernel import engine
from tercet.kernel.batches import batches
from tercet.kernel.threads import n_threads
from tercet.text.analyzer import Analyzer, find_analyzer
from tercet.text.recipe import make_recipe

OPENING = Lock()


class CountTable:
    """How often each term occurs under each label and in how many documents, in whole numbers. Tables form a group.

    >>> a = CountTable.of(["to be", "or not"], ["x", "y"])
    >>> b = CountTable.of(["to be"], ["z"])
    >>> a + b == b + a, a + b - b == a, (a + b).labels.tolist(), len(a + b)
    (True, True, ['x', 'y', 'z'], 4)
    """

    _arrays: TableArrays  # where the table is still to be opened
    _table: engine.Table | None = None

    def __init__(self, analyzer: Analyzer, labels: Labels, table: engine.Table) -> None:
        self.analyzer = analyzer
        self.labels = labels
        self._table = table

    @classmethod
    def of(
        cls,
        texts: Any,
        labels: Any,
        weights: Integers | None = None,
        *,
        analyzer: Analyzer | str = "words",
        threads: int | None = None,
    ) -> Self:
        """Count labelled texts; weights are in units of 2⁻²⁰."""
        parts = list(batches(texts))
        known, codes = encode_training(labels, sum(map(len, parts)))
        return cls.of_batches(parts, known, codes, weights, analyzer=find_analyzer(analyzer), threads=n_threads(threads))

    @classmethod
    def of_batches(
        cls,
        parts: Iterable[engine.Texts],
        labels: Labels,
        codes: Integers,
        weights: Integers | None,
        *,
        analyzer: Analyzer,
        threads: int,
    ) -> Self:
        """The same for batches of texts, and the places of their labels."""
        counter, begin = engine.TableCounter(make_recipe(analyzer), len(labels), threads), 0
        with too_large():
            for part in parts:
                end = begin + len(part)
                counter.add(part, codes[begin:end], None if weights is None else weights[begin:end])
                begin = end
            counted = cls(analyzer, labels, counter.take())
        counted._place(labels[counted.counts.n_documents() > 0])  # a document without weight is none
        return counted

    @property
    def counts(self) -> engine.Counts:
        return self.table.counts

    @property
    def n_documents(self) -> Floats:
        """Of each label."""
        return to_numbers(self.counts.n_documents())

    def __len__(self) -> int:
        """The number of terms that some document has."""
        return self.counts.n_met()

    def __iadd__(self, other: "CountTable") -> Self:
        self._check_alike(other)
        labels = merge_labels(self.labels, other.labels)
        is_other = other is not self and labels.tolist() == other.labels.tolist()
        added = other if is_other else other.copy()
        added._place(labels)
        before = self.labels
        self._place(labels)
        try:
            with too_large():
                self.table.add(added.table)
        except Exception:
            self._place(before)
            raise
        return self

    def __isub__(self, other: "CountTable") -> Self:
        """Refused as a whole where a count would fall below zero. Labels without documents go."""
        self._check_alike(other)
        refuse_unknown(other.labels, self.labels)
        taken = other.copy()
        taken._place(self.labels)
        if not self.table.subtract(taken.table):
            raise NeverLearned("these documents were never learned: a count would fall below zero. Nothing is changed.")
        self._place(self.labels[self.counts.n_documents() > 0])
        return self

    def __add__(self, other: "CountTable") -> "CountTable":
        total = self.copy()
        total += other
        return total

    def __radd__(self, other: int) -> "CountTable":
        """So that `sum(tables)` works, which begins with 0."""
        return self.copy() if other == 0 else NotImplemented

    def __sub__(self, other: "CountTable") -> "CountTable":
        left = self.copy()
        left -= other
        return left

    def restrict(self, labels: Any) -> "CountTable":
        """The rows of these labels alone: the counts of their documents."""
        wanted = pick_labels(labels, self.labels)
        kept = self.copy()
        kept._place(wanted)
        return kept

    def copy(self) -> "CountTable":
        table = engine.Table(make_recipe(self.analyzer), len(self.labels))
        table.add(self.table)
        return CountTable(self.analyzer, self.labels, table)

    def terms(self) -> list[str]:
        """Those that some document has, in canonical order."""
        spelled = self.table.terms()
        return [spelled[number] for number in find_met(self.table)[0].tolist()]

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """All that the table holds, in canonical order: equal tables have equal arrays."""
        return pack_table(self.table)

    @classmethod
    def from_arrays(cls, analyzer: Analyzer, labels: Labels, arrays: TableArrays) -> Self:
        """Nothing is read before it is needed. The vocabulary stays where it lies."""
        table = cls.__new__(cls)
        table.analyzer, table.labels, table._arrays = analyzer, labels, arrays
        return table

    @property
    def table(self) -> engine.Table:
        """The terms and their counts, in the kernel."""
        if self._table is None:
            with OPENING:  # one thread alone: what is learned by a table that is not kept would be lost
                if self._table is None:
                    self._table = self._open()
        return self._table

    def _open(self) -> engine.Table:
        try:
            return open_table(make_recipe(self.analyzer), self._arrays)
        except (ValueError, TypeError, LookupError, OverflowError) as error:
            raise BadModelFile(f"the table is damaged: {error}. Take a good copy of the file, or train it anew.") from error

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CountTable) or self.analyzer != other.analyzer:
            return False
        if repr(self.labels.tolist()) != repr(other.labels.tolist()):  # 1 and 1.0 are two labels
            return False
        ours, theirs = self.arrays(), other.arrays()
        return ours.keys() == theirs.keys() and all(np.array_equal(ours[name], theirs[name]) for name in ours)

    __hash__ = None  # type: ignore[assignment]

    def fingerprint(self) -> str:
        """32 hexadecimal digits that stand for the content: equal tables have the same, on every machine.

        >>> CountTable.of(["to be"], ["x"]).fingerprint() == CountTable.of(["be to"], ["x"]).fingerprint()
        True
        """
        digest = blake2b(digest_size=16)
        parts = [self.analyzer.identity, repr(self.labels.tolist())]
        arrays = {name: array for name, array in sorted(self.arrays().items()) if not name.endswith((".slots", ".seed"))}
        contents = [part.encode("utf-8", "surrogatepass") for part in parts]
        contents += [array.astype(array.dtype.newbyteorder("<")).tobytes() for array in arrays.values()]
        for content in contents:
            digest.update(len(content).to_bytes(8, "little") + content)
        return digest.hexdigest()

    def __getstate__(self) -> Any:
        return self.analyzer, self.labels, self.arrays()

    def __setstate__(self, state: Any) -> None:
        self.__dict__.update(self.from_arrays(*state).__dict__)

    def _place(self, labels: Labels) -> None:
        if len(labels) != len(self.labels) or labels.tolist() != self.labels.tolist():
            self.table.place_labels(place_labels(self.labels, labels), len(labels))
        self.labels = labels

    def _check_alike(self, other: "CountTable") -> None:
        if self.analyzer != other.analyzer:
            raise InvalidOption(
                f"one table was counted by {self.analyzer}, the other by {other.analyzer}: their terms are not the same. "
                "Count both alike."
            )
