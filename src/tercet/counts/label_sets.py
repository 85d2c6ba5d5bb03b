"""Sets of labels: each document has any number of labels, also none.

A list of lists, tuples or sets holds labels. A matrix (an array, a sparse matrix of scipy, a data frame) is a binary indicator:
1 where a document (row) has a label (column). Cells of a table, such as "sport; politics", are split at a separator.
"""

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from tercet.arrays import Array, Integers
from tercet.arrow_columns import is_arrow, list_cells, open_column
from tercet.cached import cached_property
from tercet.counts.labels import Labels, encode_labels, make_labels, merge_labels
from tercet.errors import InvalidLabel, bad_option, is_missing, shorten

CONTAINERS = (list, tuple, set, frozenset, np.ndarray)  # of the labels of one document


@dataclass(frozen=True, eq=False)
class DocumentLabels:
    """The labels of each document as codes: those of document i are codes[starts[i]:starts[i + 1]], ascending.

    >>> sets = DocumentLabels.of([["b", "a"], [], ["b"]])
    >>> sets.labels, sets.starts, sets.codes
    (array(['a', 'b'], dtype='<U1'), array([0, 2, 2, 3]), array([0, 1, 1]))
    """

    labels: Labels
    starts: Integers
    codes: Integers

    @classmethod
    def of(cls, values: Any, labels: Any = None, *, separator: str | None = None) -> "DocumentLabels":
        """From the labels of each document. `labels` gives the order of all labels, and may name more."""
        return encode_label_sets({"the labels": values}, labels, separator=separator)["the labels"]

    @classmethod
    def from_cells(cls, labels: Labels, n_documents: int, cells: Integers) -> "DocumentLabels":
        """From ascending cells of the indicator matrix, row by row: document · labels + code."""
        documents, codes = np.divmod(cells, max(len(labels), 1))
        starts = np.searchsorted(documents, np.arange(n_documents + 1))
        return cls(labels, starts.astype(np.int64), codes.astype(np.int64))

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def sizes(self) -> Integers:
        """The number of labels of each document."""
        return np.diff(self.starts)

    @cached_property
    def documents(self) -> Integers:
        """The document of each code."""
        return np.repeat(np.arange(len(self)), self.sizes)

    @cached_property
    def cells(self) -> Integers:
        """The cells of the indicator matrix that are 1, ascending: document · labels + code."""
        return self.documents * len(self.labels) + self.codes

    @cached_property
    def support(self) -> Integers:
        """The number of documents of each label."""
        return np.bincount(self.codes, minlength=len(self.labels))

    def take(self, documents: Integers) -> "DocumentLabels":
        """These documents, in this order, with all labels.

        >>> DocumentLabels.of([["a"], ["b", "c"], []]).take(np.array([1, 0])).to_lists()
        [['b', 'c'], ['a']]
        """
        sizes = self.sizes[documents]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        offsets = np.repeat(self.starts[documents] - starts[:-1], sizes)
        return DocumentLabels(self.labels, starts, self.codes[offsets + np.arange(starts[-1])])

    def to_lists(self) -> list[list[Any]]:
        """The labels of each document."""
        names, starts = self.labels[self.codes].tolist(), self.starts.tolist()
        return [names[start:end] for start, end in itertools.pairwise(starts)]

    def to_indicator(self) -> Any:
        """A sparse matrix of scipy, documents × labels, as scikit-learn has it."""
        from scipy.sparse import csr_array

        shape = len(self), len(self.labels)
        return csr_array((np.ones(len(self.codes)), self.codes.copy(), self.starts.copy()), shape=shape)

    def number_kinds(self) -> Integers:
        """A number for each document, equal for equal sets. It does not depend on the order of the documents.

        >>> DocumentLabels.of([["b"], ["a", "b"], ["b"], []]).number_kinds()
        array([2, 1, 2, 0])
        """
        codes, starts = self.codes.tolist(), self.starts.tolist()
        sets = [tuple(codes[start:end]) for start, end in itertools.pairwise(starts)]
        numbers = {each: number for number, each in enumerate(sorted(set(sets)))}
        return np.fromiter((numbers[each] for each in sets), np.int64, len(sets))


def encode_label_sets(
    columns: Mapping[str, Any], labels: Any = None, *, separator: str | None = None
) -> dict[str, DocumentLabels]:
    """The sets of each column over the same labels: `labels`, the columns of the first indicator matrix, or all, sorted.

    A column has one set for each document. Its name is the one that error messages use. With a separator a cell may be a str
    that joins labels, such as "a; b". Blanks around a label are removed, and a blank cell has no label.

    >>> sets = encode_label_sets({"gold": ["b; a", ""], "predicted": [["a"], ["c"]]}, separator=";")
    >>> sets["gold"].labels.tolist(), sets["gold"].to_lists(), sets["predicted"].codes
    (['a', 'b', 'c'], [['a', 'b'], []], array([0, 2]))
    """
    if separator is not None:
        check_separator(separator)
    names = name_labels(labels, next(iter(columns.values())))
    found = {name: _read_sets(name, values, names, separator) for name, values in columns.items()}
    _check_lengths({name: len(sets) for name, sets in found.items()})
    known = _merge_all(found) if names is None else names
    if not len(known):
        raise InvalidLabel(f"no document of {' or '.join(found)} has a label: there is nothing to measure. Name labels.")
    return {name: _recode(name, sets, known) for name, sets in found.items()}


def are_sets(values: Any) -> bool:
    """Whether these are sets of labels: a list of lists, tuples or sets, or an indicator matrix of several columns.

    A list of strings or numbers is not: it has one label for each document.

    >>> are_sets([["a"], []]), are_sets(["a", "b"]), are_sets(np.eye(2)), are_sets(np.array([[1], [0]]))
    (True, False, True, False)
    """
    if isinstance(values, DocumentLabels) or is_matrix(values):
        return isinstance(values, DocumentLabels) or values.shape[1] > 1
    return isinstance(values, list | tuple) and bool(values) and isinstance(values[0], CONTAINERS)


def check_separator(separator: Any) -> str:
    if not isinstance(separator, str) or not separator.strip():
        raise bad_option("label_separator", "a str that is not blank", separator, 'it stands between labels, as in "a; b".')
    return separator


def split_cell(cell: str, separator: str) -> list[str]:
    """The labels that a cell joins. Blanks around them are removed; a blank cell has none.

    >>> split_cell(" sport; politics", ";"), split_cell("", ";")
    (['sport', 'politics'], [])
    """
    parts = [part.strip() for part in cell.split(separator)] if cell.strip() else []
    if "" in parts:
        raise InvalidLabel(
            f"{shorten(repr(cell), 60)} has an empty label beside a {separator!r}: is a name missing? Remove the separator."
        )
    return parts


def order_labels(labels: Any) -> Labels:
    """The names of labels, in the given order. None may be blank, or be there twice."""
    if isinstance(labels, str | bytes) or not isinstance(labels, Iterable):
        raise InvalidLabel(f"labels must be a list of names, got {shorten(repr(labels), 60)}.")
    given = list(labels.tolist() if hasattr(labels, "tolist") else labels)
    check_label_names("labels", given)
    distinct, codes = encode_labels(given)
    if len(distinct) < len(codes):
        twice = distinct.tolist()[int(np.argmax(np.bincount(codes)))]
        raise InvalidLabel(f"labels names {twice!r} more than once: which column would it be? Name each label once.")
    return distinct[codes] if len(codes) else distinct


# One column


def _read_sets(name: str, values: Any, labels: Labels | None, separator: str | None) -> DocumentLabels:
    if isinstance(values, DocumentLabels):
        return values
    if is_matrix(values):
        return _read_indicator(name, values, labels)
    if isinstance(values, str | bytes) or not hasattr(values, "__iter__"):
        raise InvalidLabel(f"{name} must hold the labels of each document, got only {shorten(repr(values), 60)}.")
    if is_arrow(values):
        values = open_column(values, name, InvalidLabel)
    return _encode_lists(name, _list_sets(name, list_cells(values, name, InvalidLabel), separator))


def is_matrix(values: Any) -> bool:
    """Whether the values have rows and columns."""
    return len(getattr(values, "shape", ())) == 2


def _list_sets(name: str, cells: list[Any], separator: str | None) -> list[list[Any]]:
    """The labels of each document in a list."""
    sets: list[list[Any]] = []
    for position, cell in enumerate(cells):
        where = f"{name}: document {position} (counted from 0)"
        if isinstance(cell, str) and separator is not None:
            try:
                sets.append(split_cell(cell, separator))
            except InvalidLabel as error:
                raise InvalidLabel(f"{where}: {error}") from None
            continue
        own = list(_open_container(where, cell))
        check_label_names(where, own, separator)
        sets.append(own)
    return sets


def _open_container(where: str, cell: Any) -> Iterable[Any]:
    """The labels of one document."""
    if isinstance(cell, CONTAINERS) and getattr(cell, "ndim", 1) == 1:
        return cell.tolist() if isinstance(cell, np.ndarray) else cell
    if hasattr(cell, "to_list"):  # a list in a column of polars
        listed: list[Any] = cell.to_list()
        return listed
    shown = shorten(repr(cell), 60)
    if isinstance(cell, str):
        raise InvalidLabel(f"{where} is the str {shown}, not a set of labels: pass [{shown}], or a separator to split it at.")
    raise InvalidLabel(f"{where} is {shown}, not a set of labels: pass a list of its labels, [] if it has none.")


def check_label_names(where: str, labels: list[Any], separator: str | None = None) -> None:
    """Raise InvalidLabel if a label is missing or blank, or contains the separator."""
    for label in labels:
        if is_missing(label) or (isinstance(label, str) and not label.strip()):
            raise InvalidLabel(f"{where} has the label {label!r}, which names nothing: leave it out, or give it a name.")
        if separator is not None and isinstance(label, str) and separator in label:
            raise InvalidLabel(
                f"{where} has the label {shorten(repr(label), 60)}, which contains the separator {separator!r}: is it one "
                "label or two? Choose another separator."
            )


def _encode_lists(name: str, sets: list[list[Any]]) -> DocumentLabels:
    sizes = np.fromiter(map(len, sets), np.int64, len(sets))
    listed = [label for own in sets for label in own]
    try:
        labels, codes = encode_labels(listed) if listed else (make_labels([]), np.zeros(0, np.int64))
    except TypeError as error:
        raise InvalidLabel(f"{name}: its labels can't be put in an order ({error}). Convert them to str.") from None
    except InvalidLabel as error:
        raise InvalidLabel(f"{name}: {error}") from None
    cells = np.repeat(np.arange(len(sets)), sizes) * max(len(labels), 1) + codes
    distinct = np.unique(cells)
    if len(distinct) < len(cells) and labels.dtype.kind in "iubf":
        raise InvalidLabel(
            f"{name}: a document has the label {_find_repeated(cells, labels)!r} twice. A list of lists holds labels: if it is "
            "an indicator matrix, pass an array, such as np.array(rows)."
        )
    return DocumentLabels.from_cells(labels, len(sets), distinct)


def _find_repeated(cells: Integers, labels: Labels) -> Any:
    ordered = np.sort(cells)
    return labels.tolist()[int(ordered[:-1][np.diff(ordered) == 0][0]) % len(labels)]


def _read_indicator(name: str, values: Any, labels: Labels | None) -> DocumentLabels:
    """From a matrix of 0 and 1. Its columns are named by a data frame, or by `labels`; otherwise they are 0, 1, 2 …"""
    columns = _name_columns(values)
    if columns is None:  # only lists came before it, so that its columns have no other names than their numbers
        columns = np.arange(values.shape[1]) if labels is None else labels
    if len(columns) != values.shape[1]:
        raise InvalidLabel(
            f"{name} has {values.shape[1]} columns and {len(columns)} labels are named: which column is which label? Name one "
            "for each column."
        )
    rows, codes, cells = _list_nonzero(values)
    try:
        is_one = np.asarray(cells == 1, np.bool_)
    except (TypeError, ValueError):
        is_one = np.zeros(len(cells), np.bool_)
    if not is_one.all():
        bad = int(np.argmin(is_one))
        raise InvalidLabel(
            f"{name} has {cells[bad]!s} in row {rows[bad]}, column {codes[bad]} (counted from 0): an indicator matrix has 1 "
            "where a document has the label, and 0 elsewhere. Scores are another argument."
        )
    return DocumentLabels.from_cells(columns, values.shape[0], np.sort(rows * max(len(columns), 1) + codes))


def _name_columns(matrix: Any) -> Labels | None:
    names = getattr(matrix, "columns", None)
    return None if names is None else order_labels(list(names))


def _list_nonzero(matrix: Any) -> tuple[Integers, Integers, Array]:
    """The row, the column and the value of each cell that is not 0."""
    if hasattr(matrix, "tocsr"):  # of scipy; duplicates add up
        held = matrix.tocsr().tocoo()
        is_set = held.data != 0
        return held.row[is_set].astype(np.int64), held.col[is_set].astype(np.int64), held.data[is_set]
    dense = np.asarray(matrix)
    rows, columns = np.nonzero(dense)  # NaN is not 0
    return rows, columns, dense[rows, columns]


# Several columns


def _check_lengths(lengths: dict[str, int]) -> None:
    (first, n), *others = lengths.items()
    for name, length in others:
        if length != n:
            raise InvalidLabel(
                f"{first} has {n} documents and {name} has {length}: which answer belongs to which document? Pass one set for "
                "each document, in the same order."
            )
    if not n:
        raise InvalidLabel(f"{first} is empty: there is nothing to judge. Pass one set of labels for each document.")


def name_labels(labels: Any, first: Any) -> Labels | None:
    """The labels in the order that is given, or that the columns of an indicator matrix have; None for lists."""
    if labels is not None:
        return order_labels(labels)
    if not is_matrix(first):
        return None
    names = _name_columns(first)
    return np.arange(first.shape[1]) if names is None else names


def _merge_all(found: Mapping[str, DocumentLabels]) -> Labels:
    try:
        merged = reduce(merge_labels, (sets.labels for sets in found.values()))
    except InvalidLabel as error:
        raise InvalidLabel(f"{' and '.join(found)}: {error}") from None
    return make_labels(sorted(merged.tolist()))


def _recode(name: str, sets: DocumentLabels, labels: Labels) -> DocumentLabels:
    """The same sets over these labels. A label that is not among them is an error."""
    indices = {label: index for index, label in enumerate(labels.tolist())}
    own = sets.labels.tolist()
    table = np.array([indices.get(label, -1) for label in own], np.int64)
    codes = table[sets.codes] if len(own) else sets.codes
    if len(unknown := np.flatnonzero(codes < 0)):
        label, position = own[sets.codes[unknown[0]]], sets.documents[unknown[0]]
        raise InvalidLabel(
            f"{name} has the label {label!r} (document {position}, counted from 0), which labels does not name: leaving it out "
            "would change every number. Add it to labels."
        )
    return DocumentLabels.from_cells(labels, len(sets), np.sort(sets.documents * len(labels) + codes))
