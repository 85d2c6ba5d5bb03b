"""The table of counts: documents per label, and term counts per label. All models and selections are made from it.

A table can also be made from counts of terms that somebody else has published.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from operator import add
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from tercet.arrays import Array, Floats, Integers
from tercet.counts.labels import (
    Labels,
    encode_labels,
    encode_training,
    find_labels,
    index_labels,
    keep_labels,
    merge_labels,
    pick_labels,
    refuse_unknown,
)
from tercet.counts.term_names import TableTerms
from tercet.counts.units import MAX_UNITS, ONE, explain_overflow, no_room, to_numbers
from tercet.errors import BadModelFile, InvalidOption, NeverLearned, bad_option, shorten
from tercet.kernel import engine
from tercet.kernel.batches import batches
from tercet.options import is_int, n_threads
from tercet.text.analyzer import Analyzer, resolve_analyzer
from tercet.text.recipe import make_recipe

if TYPE_CHECKING:
    from tercet.row_table import RowTable

MAX_LENGTH = 2**32 - 1  # a longer document has this length
MAX_COUNT = 2**63 // ONE - 1  # the largest count that a table holds

GivenCounts = Mapping[Any, Mapping[str, int]]  # by label, then by term


def check_given(counts: Any) -> GivenCounts:
    """Counts that are whole numbers above 0. Raises InvalidOption for others."""
    if not isinstance(counts, Mapping) or not counts or not all(isinstance(own, Mapping) and own for own in counts.values()):
        raise bad_option(
            "counts",
            "a mapping from labels to mappings from terms to counts",
            counts,
            'write {"de": {"ei": 3}, "en": {"th": 4}}.',
        )
    for label, own in counts.items():
        for term, count in own.items():
            if not isinstance(term, str) or not is_int(count) or not 0 < count <= MAX_COUNT:
                raise bad_option(
                    f"the count of {shorten(repr(term))} under {shorten(repr(label))}",
                    f"an int from 1 to {MAX_COUNT}",
                    count,
                    "a term that never occurs is left out.",
                )
    return counts


def fill_counts(vocabulary: "CountTable", labels: Labels, counts: GivenCounts) -> dict[str, Array]:
    """The arrays of a table with the terms of the vocabulary and these counts. Each label has one document."""
    terms = vocabulary.terms()
    listed = labels.tolist()
    if missing := {term for own in counts.values() for term in own}.difference(terms):
        term = min(missing)
        found = vocabulary.analyzer.terms(term)
        read_as = f"reads it as {', '.join(map(repr, found[:5]))}" if found else "leaves it out"
        raise InvalidOption(
            f"the term {shorten(repr(term))} would never be found in a text: the analyzer {read_as}. Write each term as the "
            "analyzer does, or choose another analyzer."
        )
    term_indices: list[int] = []
    columns: list[int] = []
    occurrences: list[int] = []
    numbers = {term: number for number, term in enumerate(terms)}
    for column, label in enumerate(listed):
        term_indices += [numbers[term] for term in counts[label]]
        columns += [column] * len(counts[label])
        occurrences += counts[label].values()
    order = np.lexsort((columns, term_indices))
    cells = np.array(term_indices)[order], np.array(columns)[order], np.array(occurrences, np.int64)[order]
    return describe_cells(*cells, n_terms=len(terms), n_labels=len(listed))


def describe_cells(
    term_indices: Integers, columns: Integers, occurrences: Integers, n_terms: int, n_labels: int
) -> dict[str, Array]:
    """The cells in the order of terms, and one document for each label."""
    ones = np.ones(n_labels, np.int64)
    lengths = np.zeros(n_labels, np.int64)
    np.add.at(lengths, columns, occurrences)
    return {
        "label_documents": ones,
        "sizes": np.bincount(term_indices, minlength=n_terms),
        "labels": columns,
        "occurrences": occurrences,
        "documents": np.ones(len(columns), np.int64),
        "length_labels": np.arange(n_labels),
        "lengths": np.minimum(lengths, MAX_LENGTH),
        "length_documents": ones,
        "label_squares": np.stack([np.zeros(n_labels, np.uint64), np.full(n_labels, ONE * ONE, np.uint64)], axis=1),
    }


TableArrays = Mapping[str, Array]
Mask = npt.NDArray[np.uint8]  # 1 for each term that is kept

MIN_FORGOTTEN = 1 << 12  # terms that are dropped together, at least
N_SHOWN = 20  # labels that a notebook shows
NEVER_LEARNED = (
    "these documents were never learned: a count would fall below zero, or no documents have the counts that are left. "
    "Nothing is changed."
)
OPENING = Lock()  # held while a table from a file is opened


def _renew_lock() -> None:
    """A forked child needs a new lock: the thread that may have held it does not exist there."""
    global OPENING
    OPENING = Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)


class CountTable:
    """How often each term occurs under each label, and in how many documents, as whole numbers.

    Tables can be added and subtracted.

    >>> a = CountTable.of(["to be", "or not"], ["x", "y"])
    >>> b = CountTable.of(["to be"], ["z"])
    >>> a + b == b + a, a + b - b == a, (a + b).labels.tolist(), len(a + b)
    (True, True, ['x', 'y', 'z'], 4)

    It is read like a table of terms × labels. A term that no document has occurs 0 times; an unknown label is an error.

    >>> (a + b)["be", "x"], (a + b)["be"], (a + b)["fox", "x"], "fox" in a
    (1, {'x': 1, 'y': 0, 'z': 1}, 0, False)
    """

    _arrays: TableArrays  # the arrays of a table that is not open yet
    _table: engine.Table | None = None
    _n_subtracted = 0  # terms, since it was last known how many are forgotten
    _n_occurrences: int | None = None  # all occurrences, in units, if somebody has asked

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
        return cls.of_batches(parts, known, codes, weights, analyzer=resolve_analyzer(analyzer), threads=n_threads(threads))

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
        """Count batches of texts; `codes` are the positions of their labels among `labels`."""
        counter, begin = engine.TableCounter(make_recipe(analyzer), len(labels), threads), 0
        with explain_overflow():
            for part in parts:
                end = begin + len(part)
                counter.add(part, codes[begin:end], None if weights is None else weights[begin:end])
                begin = end
            counted = cls(analyzer, labels, counter.take())
        counted.align_labels(keep_labels(labels, counted.counts.n_documents() > 0))  # a document of weight 0 does not count
        return counted

    @classmethod
    def from_ngrams(cls, counts: Mapping[Any, Mapping[str, int]], *, analyzer: Analyzer | str | None = None) -> Self:
        """The table of counts that are given: how often each term occurs under each label.

        So published statistics of n-grams become a table, without their texts. Each label counts as one document. Terms are
        written as the analyzer finds them. The default finds n-grams of up to five characters in words, in which a blank is
        the end of a word.

        >>> table = CountTable.from_ngrams({"de": {"ei": 3, " ei": 2}, "en": {"ei": 1, "th": 4}})
        >>> table["ei"], table["th", "de"], table == table + table - table
        ({'de': 3, 'en': 1}, 0, True)
        """
        given = check_given(counts)
        recipe = resolve_analyzer(analyzer or Analyzer(word_ngrams=None, char_ngrams=(1, 5), char_ngrams_over="words"))
        labels, _ = encode_labels(list(given))
        terms = sorted({term for own in given.values() for term in own})
        read = cls.of(terms, [""] * len(terms), analyzer=recipe)
        wanted = set(terms)  # without the parts of n-grams
        vocabulary = read.keep_terms(np.array([term in wanted for term in read.table.terms()], np.uint8))
        filled = fill_counts(vocabulary, labels, given)
        squares = filled.pop("label_squares")
        frozen = {name: array for name, array in vocabulary.arrays().items() if "." in name}
        numbers = {name: np.asarray(array, np.int64) * (ONE if name in IN_UNITS else 1) for name, array in filled.items()}
        return cls.from_arrays(recipe, labels, frozen | pack_numbers(numbers) | {"label_squares": squares})

    @property
    def counts(self) -> engine.Counts:
        return self.table.counts

    @property
    def n_documents(self) -> Floats:
        """The number of documents of each label."""
        return to_numbers(self.counts.n_documents())

    def __len__(self) -> int:
        """The number of terms that some document has."""
        return self.counts.n_met()

    def __getitem__(self, key: Any) -> Any:
        """`table[term, label]`: how often the term occurs under the label. `table[term]`: the same by label, in a dict.

        It is an int, or a float if documents have weights.
        """
        term, *labels = key if isinstance(key, tuple) and key else (key,)
        if not isinstance(term, str) or len(labels) > 1:
            raise bad_option("the key of a table", "a term, or a term and a label", key, 'write table["good", "pos"].')
        indices = find_labels(labels, self.labels).tolist() if labels else range(len(self.labels))
        counts = dict.fromkeys(indices, 0) | self._count_term(term)
        return counts[indices[0]] if labels else {label: counts[index] for index, label in enumerate(self.labels.tolist())}

    def _count_term(self, term: str) -> dict[int, int | float]:
        """The occurrences of a term by the index of the label, without zeros."""
        found = TableTerms(self.table, self.analyzer).look_up([term])
        _, labels, occurrences, _ = self.counts.cells(found[found >= 0])
        counts = (units // ONE if units % ONE == 0 else units / ONE for units in occurrences.tolist())
        return dict(zip(labels.tolist(), counts, strict=True))

    def __contains__(self, term: object) -> bool:
        """Whether some document has this term."""
        return isinstance(term, str) and bool(self._count_term(term))

    def __iter__(self) -> Iterator[str]:
        """The terms in canonical order."""
        return iter(self.terms())

    def to_rows(self) -> "RowTable":
        """A row for each term and label that has it: `term`, `label`, `count` and `documents`, in canonical order."""
        from tercet.row_table import Coded, ColumnRows, Listed, PackedTexts, RowTable  # on first use: few need it

        terms, sizes, labels, occurrences, documents = list_counted_terms(self.table)
        is_whole = not (occurrences % ONE).any() and not (documents % ONE).any()
        read = {
            "term": Coded(PackedTexts(*self.table.spell(terms)), np.repeat(np.arange(len(terms)), sizes)),
            "label": Coded(Listed(self.labels.tolist()), labels),
            "count": occurrences // ONE if is_whole else occurrences / ONE,
            "documents": documents // ONE if is_whole else documents / ONE,
        }
        return RowTable(repr(self), tuple(read), ColumnRows(read, len(labels)))

    def to_frame(self) -> Any:
        """The rows of `to_rows` as a data frame of pandas or polars.

        `frame.pivot(index="term", columns="label", values="count")` has a column for each label.
        """
        return self.to_rows().to_frame()

    def check_sum(self, other: "CountTable") -> None:
        """Raise the error that `+=` would raise, and change nothing."""
        self._check_alike(other)
        merge_labels(self.labels, other.labels)
        if max(map(add, self.sum_units(), other.sum_units())) > MAX_UNITS:
            raise no_room()

    def sum_units(self) -> tuple[int, int]:
        """All occurrences and all documents, in units."""
        return self.sum_occurrences(), int(self.counts.n_documents().sum())

    def sum_occurrences(self) -> int:
        """The occurrences of all terms, in units. They are summed at the first call, and then follow each change."""
        if self._n_occurrences is None:
            _, _, occurrences, _ = self.counts.cells(np.arange(self.counts.n_terms))
            self._n_occurrences = int(occurrences.sum())
        return self._n_occurrences

    def __iadd__(self, other: "CountTable") -> Self:
        self._check_alike(other)
        labels = merge_labels(self.labels, other.labels)
        is_other = other is not self and labels.tolist() == other.labels.tolist()
        added = other if is_other else other.copy()
        added.align_labels(labels)
        before, total = self.labels, None if self._n_occurrences is None else self._n_occurrences + other.sum_occurrences()
        self.align_labels(labels)
        try:
            with explain_overflow():
                self.table.add(added.table)
        except Exception:
            self.align_labels(before)
            raise
        self._n_occurrences = total
        return self

    def __isub__(self, other: "CountTable") -> Self:
        """Subtract the other table, and remove labels without documents.

        Raises NeverLearned, and changes nothing, if a count would fall below zero.
        """
        self.subtract(other)
        self.drop_forgotten()
        return self

    def subtract(self, other: "CountTable", *, possible: bool = False) -> None:
        """The same, but forgotten terms stay in the kernel's table.

        With `possible`, an error is also raised if no documents could have the counts that would be left: a term would be in
        more documents than it has occurrences, or than there are.
        """
        self._check_alike(other)
        refuse_unknown(other.labels, self.labels)
        taken = other.copy()
        taken.align_labels(self.labels)
        if not self.table.subtract(taken.table, possible):
            raise NeverLearned(NEVER_LEARNED)
        self.align_labels(keep_labels(self.labels, self.counts.n_documents() > 0))
        self._n_subtracted += len(other.table)
        if self._n_occurrences is not None:
            self._n_occurrences -= other.sum_occurrences()

    def drop_forgotten(self) -> None:
        """Make a new table of the other terms, in canonical order, if at least half of all terms are forgotten.

        All terms are looked at only after half as many were subtracted, so each subtracted term costs the same on average.
        Forgotten terms are at most three times as many as the others. The old table is not changed, because a Scorer that
        other threads use may hold it.
        """
        if self._n_subtracted < max(MIN_FORGOTTEN, len(self.table) // 2):
            return
        self._n_subtracted = 0
        if len(self) <= len(self.table) // 2:
            self._table = open_table(make_recipe(self.analyzer), self.arrays())

    def __add__(self, other: "CountTable") -> "CountTable":
        total = self.copy()
        total += other
        return total

    def __radd__(self, other: int) -> "CountTable":
        """Makes `sum(tables)` work, which begins with 0."""
        return self.copy() if other == 0 else NotImplemented

    def __sub__(self, other: "CountTable") -> "CountTable":
        left = self.copy()
        left -= other
        return left

    def restrict(self, labels: Any) -> "CountTable":
        """The table of these labels only."""
        wanted = pick_labels(labels, self.labels)
        kept = self.copy()
        kept.align_labels(wanted)
        return kept

    def copy(self) -> "CountTable":
        table = engine.Table(make_recipe(self.analyzer), len(self.labels))
        table.add(self.table)
        copy = CountTable(self.analyzer, self.labels, table)
        copy._n_subtracted = self._n_subtracted
        return copy

    def keep_terms(self, kept: Mask) -> "CountTable":
        """A table of the terms with a 1 in `kept`, numbered in canonical order. The documents of the labels stay."""
        return CountTable(self.analyzer, self.labels, open_table(make_recipe(self.analyzer), pack_table(self.table, kept)))

    def terms(self) -> list[str]:
        """The terms that some document has, in canonical order."""
        spelled = self.table.terms()
        return [spelled[number] for number in list_counted_terms(self.table)[0].tolist()]

    def arrays(self) -> dict[str, Array]:
        """The content of the table in canonical order: equal tables have equal arrays."""
        return pack_table(self.table)

    @classmethod
    def from_arrays(cls, analyzer: Analyzer, labels: Labels, arrays: TableArrays) -> Self:
        """The table of these arrays. They are read on first use. The vocabulary is used in place, without a copy."""
        table = cls.__new__(cls)
        table.analyzer, table.labels, table._arrays = analyzer, labels, arrays
        return table

    @property
    def table(self) -> engine.Table:
        """The terms and their counts, in the kernel."""
        if self._table is None:
            with OPENING:  # one thread: documents learned into a second table would be lost
                if self._table is None:
                    self._table = self._open()
        return self._table

    def _open(self) -> engine.Table:
        try:
            return open_table(make_recipe(self.analyzer), self._arrays)
        except (ValueError, TypeError, LookupError, OverflowError) as error:
            # The kernel says of a wrong array only which functions it has.
            what = "an array has the wrong type or shape" if isinstance(error, TypeError) else str(error)
            raise BadModelFile(f"the table is damaged: {what}. Use a good copy of the file, or train again.") from error

    def check(self) -> None:
        """An error if the table is from a file and damaged. It is opened for that."""
        self.table.check()

    def is_possible(self) -> bool:
        """Whether documents can have these counts: no term is in more documents than it has occurrences, or than there are.

        Only after documents were subtracted that were never added it may be False.
        """
        n_documents = self.counts.n_documents()
        return all(
            bool((cells.documents <= np.minimum(cells.occurrences, n_documents[cells.labels])).all())
            for cells in read_cells(self.counts, np.arange(len(self.table)))
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CountTable) or self.analyzer != other.analyzer:
            return False
        if repr(self.labels.tolist()) != repr(other.labels.tolist()):  # 1 and 1.0 are two labels
            return False
        ours, theirs = self.arrays(), other.arrays()
        return ours.keys() == theirs.keys() and all(np.array_equal(ours[name], theirs[name]) for name in ours)

    __hash__ = None  # type: ignore[assignment]

    def fingerprint(self) -> str:
        """32 hexadecimal digits that identify the content. They are the same for equal tables, on every machine.

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

    def __repr__(self) -> str:
        return f"CountTable({len(self.labels)} labels, {len(self)} terms, {self.n_documents.sum():g} documents)"

    def _repr_html_(self) -> str:
        """The documents, terms and occurrences of each label."""
        from tercet.characters import show_line  # on first use: only a notebook needs them
        from tercet.html_fragments import write_facts, write_frame, write_heading, write_note, write_table

        n_terms, occurrences = np.zeros(len(self.labels), np.int64), np.zeros(len(self.labels), np.int64)
        for cells in read_cells(self.counts, np.arange(len(self.table))):
            n_terms += np.bincount(cells.labels, minlength=len(n_terms))
            np.add.at(occurrences, cells.labels, cells.occurrences)
        numbers = zip(self.n_documents.tolist(), n_terms.tolist(), to_numbers(occurrences).tolist(), strict=True)
        rows = [
            (show_line(label), f"{documents:g}", str(terms), f"{total:g}")
            for label, (documents, terms, total) in zip(self.labels.tolist(), numbers, strict=True)
        ]
        more = f"… {len(rows) - N_SHOWN} more labels" if len(rows) > N_SHOWN else ""
        return write_frame(
            write_heading(repr(self)),
            write_facts([("analyzer", self.analyzer.signature)]),
            write_table(("label", "documents", "terms", "occurrences"), rows[:N_SHOWN]),
            write_note(more),
        )

    def __getstate__(self) -> Any:
        return self.analyzer, self.labels, self.arrays()

    def __setstate__(self, state: Any) -> None:
        self.__dict__.update(self.from_arrays(*state).__dict__)

    def align_labels(self, labels: Labels) -> None:
        if len(labels) != len(self.labels) or labels.tolist() != self.labels.tolist():
            self.table.place_labels(index_labels(self.labels, labels), len(labels))
        self.labels = labels

    def _check_alike(self, other: "CountTable") -> None:
        if self.analyzer != other.analyzer:
            raise InvalidOption(
                f"one table was counted by {self.analyzer}, the other by {other.analyzer}: their terms are not the same. "
                "Count both alike."
            )


# The table as arrays for a file: whole numbers, no wider than necessary. Equal tables have equal arrays.

IN_UNITS = ("label_documents", "occurrences", "documents", "length_documents")


def pack_numbers(arrays: dict[str, Integers]) -> dict[str, Array]:
    """The arrays in the narrowest integer types. Counts in units of 2⁻²⁰ become whole documents if all of them are whole.
    `unit` is the number of units in a count of 1.

    >>> packed = pack_numbers({"occurrences": np.array([1, 300]) * ONE, "labels": np.array([0, 1])})
    >>> packed["occurrences"], packed["labels"], packed["unit"] == ONE
    (array([  1, 300], dtype=uint16), array([0, 1], dtype=uint8), array([ True]))
    """
    counts = [arrays[name] for name in IN_UNITS if name in arrays]
    unit = ONE if all((count % ONE == 0).all() for count in counts) else 1
    whole = {name: array // unit if name in IN_UNITS else array for name, array in arrays.items()}
    return {name: array.astype(np.min_scalar_type(array.max(initial=0))) for name, array in whole.items()} | {
        "unit": np.array([unit], np.uint32)
    }


def unpack_numbers(arrays: TableArrays) -> dict[str, Integers]:
    """The arrays of `pack_numbers` in 64 bits again, with counts in units of 2⁻²⁰."""
    unit = int(arrays["unit"][0])
    wide = {name: array.astype(np.int64) for name, array in arrays.items() if "." not in name}
    return {name: array * unit if name in IN_UNITS else array for name, array in wide.items()}


def pack_table(table: engine.Table, kept: Mask | None = None) -> dict[str, Array]:
    """The terms that some document has, or those of `kept` among them, in canonical order, and their counts.

    The vocabulary is written with its hash tables, to be used in place. Then follow the number of cells of each term, the cells
    of all terms, the documents of each label with the sum of their squared weights, and the number of documents of each label
    and length.
    """
    counted, sizes, labels, occurrences, documents = list_counted_terms(table, kept)
    length_labels, lengths, length_documents = table.lengths()
    numbers = pack_numbers(
        {
            "label_documents": table.counts.n_documents(),
            "sizes": sizes,
            "labels": labels,
            "occurrences": occurrences,
            "documents": documents,
            "length_labels": length_labels,
            "lengths": lengths,
            "length_documents": length_documents,
        }
    )
    return table.freeze(counted) | numbers | {"label_squares": table.counts.squares()}


def list_counted_terms(
    table: engine.Table, kept: Mask | None = None
) -> tuple[Integers, Integers, Integers, Integers, Integers]:
    """The numbers of the terms that some document has, in canonical order, and how many cells each has; then the labels,
    occurrences and documents of these cells. With `kept`, only the terms that have a 1 there."""
    order = table.order()
    order = order if kept is None else order[kept[order] > 0]
    starts, labels, occurrences, documents = table.counts.cells(order)
    sizes = np.diff(starts)
    is_counted = sizes > 0  # a forgotten term has no cells
    return order[is_counted], sizes[is_counted], labels, occurrences, documents


def open_table(recipe: engine.Recipe, arrays: TableArrays) -> engine.Table:
    """The table of these arrays. Its vocabulary is used in place, without a copy."""
    check_counts(arrays)
    counts = engine.Counts.from_cells(
        arrays["label_documents"],
        arrays["label_squares"],
        arrays["sizes"],
        arrays["labels"],
        arrays["occurrences"],
        arrays["documents"],
        unit=int(arrays["unit"][0]),
    )
    vocabulary = {name: array for name, array in arrays.items() if "." in name}
    lengths = unpack_numbers({name: arrays[name] for name in ("unit", "length_labels", "lengths", "length_documents")})
    return engine.Table.open(
        recipe, vocabulary, counts, lengths["length_labels"], lengths["lengths"], lengths["length_documents"]
    )


def check_counts(arrays: TableArrays) -> None:
    """An error if no documents can have these counts: weights made of them would not be finite."""
    n_documents, labels, occurrences, documents = (
        arrays[name] for name in ("label_documents", "labels", "occurrences", "documents")
    )
    if labels.size and labels.max() >= len(n_documents):
        raise ValueError("no such label")
    if not n_documents.all() or not arrays["sizes"].all() or not documents.all():
        raise ValueError("a label or a term has no documents")
    if (documents > occurrences).any() or (documents > n_documents[labels]).any():
        raise ValueError("a term is in more documents than there are")


# The filled cells of a table, term by term. Empty cells take no memory and no time.

MAX_BLOCK_CELLS = 1 << 22  # if all cells were filled; limits the memory
MIN_BLOCK_TERMS = 1 << 10  # for any number of labels: with 10,000 labels, a term has only a few cells


class TermCells(NamedTuple):
    """The filled cells of some terms. The cells of term t are starts[t] … starts[t + 1]; counts are in units of 2⁻²⁰."""

    starts: Integers
    labels: Integers
    occurrences: Integers
    documents: Integers

    def sum_occurrences(self) -> Integers:
        """The occurrences of each term under all labels."""
        return sum_integers(self.starts, self.occurrences)

    def sum_documents(self) -> Integers:
        """The documents of each term under all labels."""
        return sum_integers(self.starts, self.documents)


def read_cells(counts: engine.Counts, terms: Integers) -> Iterator[TermCells]:
    """The cells of these terms, in this order, block by block."""
    size = max(MIN_BLOCK_TERMS, MAX_BLOCK_CELLS // max(1, len(counts.n_documents())))
    for begin in range(0, len(terms), size):
        yield TermCells(*counts.cells(terms[begin : begin + size]))


def sum_integers(starts: Integers, values: Integers) -> Integers:
    """The sum of each term's values; 0 for a term without cells.

    >>> sum_integers(np.array([0, 2, 2, 3]), np.array([1, 2, 5]))
    array([3, 0, 5])
    """
    sums = np.concatenate([[0], np.cumsum(values)])
    return np.asarray(sums[starts[1:]] - sums[starts[:-1]], np.int64)


def sum_floats(starts: Integers, values: Floats) -> Floats:
    """The sum of each term's values, for floats. It does not depend on the terms before it.

    >>> sum_floats(np.array([0, 2, 2, 3]), np.array([1.0, 2.0, 5.0]))
    array([3., 0., 5.])
    """
    sums, (filled,) = np.zeros(len(starts) - 1), np.nonzero(np.diff(starts))
    if len(filled):
        sums[filled] = np.add.reduceat(values, starts[filled])
    return sums
