"""Labels: from any container to small integers and back, batch by batch, and in files.

Labels keep their kind: text, int, float, bool or bytes. Each kind has one type, whatever the width of the numbers that came in:
str, int64, float64, bool, bytes. So the same labels make the same model.
"""

import sys
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any

import numpy as np

from tercet.arrays import Array, Integers
from tercet.arrow_columns import is_arrow, open_column, to_array
from tercet.errors import InvalidLabel, NeverLearned, is_missing, shorten, suggest

Labels = Array  # distinct and sorted
ONE_EACH = "Keep one label for each document, give a document once for each of its labels, or train one model for each label."
DTYPES: dict[type, type] = {str: np.str_, int: np.int64, float: np.float64, bool: np.bool_, bytes: np.bytes_}
FILE_TYPES: dict[str, type] = {"text": str, "int": int, "float": float, "bool": bool, "bytes": bytes}  # by their names in files


def encode_labels(y: Any) -> tuple[Labels, Integers]:
    """The distinct labels in sorted order, and the position of each document's label among them.

    >>> encode_labels(["spam", "ham", "spam"])
    (array(['ham', 'spam'], dtype='<U4'), array([1, 0, 1]))
    """
    if (categories := read_categories(y)) is not None:
        return _sort_categories(*categories)
    values = to_array(y, "the labels", InvalidLabel) if hasattr(y, "__array__") else y
    is_text_array = isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "UO"
    listed = values.tolist() if is_text_array else values
    # Hashing is much faster than the sorting of np.unique, most of all for text.
    if isinstance(listed, list | tuple) and _are_plain(set(map(type, listed))):
        return _encode_plain(listed)
    array = _widen(_as_array(values))
    if array.dtype.kind == "u":  # above 63 bits
        return _encode_plain(array.tolist())
    if array.dtype.kind == "i" and len(array):
        return _encode_integers(array)
    labels, codes = np.unique(array, return_inverse=True)
    return make_labels(labels.tolist()), codes.astype(np.int64, copy=False)


def encode_training(y: Any, n_documents: int) -> tuple[Labels, Integers]:
    """The encoded labels of so many documents. It is an error if there are none, or another number of them."""
    if y is None:
        raise InvalidLabel("requires y to be passed, but the target y is None: a model learns from labels.")
    labels, codes = encode_labels(y)
    if len(codes) != n_documents:
        raise InvalidLabel(f"X has {n_documents} documents and y has {len(codes)} labels: inconsistent numbers of samples.")
    return labels, codes


def find_labels(y: Any, labels: Labels) -> Integers:
    """The position of each document's label among known labels. An unknown label is an error."""
    own, codes = encode_labels(y)
    indices = {label: index for index, label in enumerate(labels.tolist())}
    for label in own.tolist():
        if label not in indices:
            near = suggest(label, indices)
            raise InvalidLabel(
                f"the label {label!r} is unknown here: known are {_shorten(labels)}.{near} It would have no counts."
            )
    return np.array([indices[label] for label in own.tolist()], np.int64)[codes]


def merge_labels(a: Labels, b: Labels) -> Labels:
    """All labels of both, sorted."""
    if not len(a) or not len(b):
        return a if len(a) else b
    if set(map(type, a.tolist())) != set(map(type, b.tolist())):
        raise InvalidLabel(f"labels of two types can't be put in one order: {_shorten(a)} and {_shorten(b)}. Use one type.")
    return make_labels(sorted({*a.tolist(), *b.tolist()}))


def pick_labels(labels: Any, known: Labels) -> Labels:
    """Some of the known labels, sorted. It is an error if there are none, or if one is unknown."""
    wanted, _ = encode_labels(list(labels) if isinstance(labels, set | frozenset) else labels)
    if not len(wanted):
        raise InvalidLabel("no label is left: name at least one to keep.")
    return keep_labels(known, find_labels(wanted, known))


def refuse_unknown(labels: Labels, known: Labels) -> None:
    """Raise NeverLearned if a label is unknown: its documents were never learned."""
    unknown = set(labels.tolist()) - set(known.tolist())
    if unknown:
        raise NeverLearned(f"no document of the label {min(unknown)!r} was learned: it can't be forgotten. Nothing is changed.")


def index_labels(labels: Labels, new: Labels) -> Integers:
    """The position of each label among the new ones; -1 if it is not among them.

    >>> index_labels(np.array(["a", "b"]), np.array(["b", "c"]))
    array([-1,  0])
    """
    indices = {label: index for index, label in enumerate(new.tolist())}
    return np.array([indices.get(label, -1) for label in labels.tolist()], np.int64)


def _are_plain(kinds: set[type]) -> bool:
    """Whether values of these types can be hashed and sorted together: all text, all int or all bool."""
    return bool(kinds) and (kinds <= {str, np.str_} or kinds in ({int}, {bool}))


def make_labels(distinct: Sequence[Any]) -> Labels:
    """An array of labels in the one type of their kind. It depends on the labels alone.

    It holds objects if NumPy would change them: NumPy removes "\\0" at the end and rounds above 64 bits.

    >>> make_labels(["a", "b"]), make_labels(["a", "b\\0"]), make_labels([1, 2**63])
    (array(['a', 'b'], dtype='<U1'), array(['a', 'b\\x00'], dtype=object), array([1, 9223372036854775808], dtype=object))
    """
    objects = np.fromiter(distinct, object, len(distinct))
    kinds = set(map(type, distinct))
    dtype = DTYPES.get(kinds.pop()) if len(kinds) == 1 else None
    if dtype is None or (dtype is np.int64 and not -(1 << 63) <= min(distinct) <= max(distinct) < 1 << 63):
        return objects
    labels: Labels = objects.astype(dtype)
    return labels if labels.tolist() == objects.tolist() else objects


def keep_labels(labels: Labels, kept: Any) -> Labels:
    """Some of the labels, in the type that they have without the others."""
    return make_labels(labels[kept].tolist()) if labels.dtype.kind in "USO" else labels[kept]


def _widen(values: Array) -> Array:
    """Numbers of any width in the type of their kind. Integers stay unsigned if one of them needs 64 bits."""
    if values.dtype.kind == "i" or (values.dtype.kind == "u" and int(values.max(initial=0)) < 1 << 63):
        return values.astype(np.int64, copy=False)
    return values.astype(np.float64) + 0.0 if values.dtype.kind == "f" else values  # -0.0 is 0.0


def _encode_plain(listed: Sequence[Any]) -> tuple[Labels, Integers]:
    """The labels and codes of values that can be hashed and sorted together."""
    distinct = sorted(set(listed))
    indices = {label: index for index, label in enumerate(distinct)}
    labels = list(map(str, distinct)) if isinstance(distinct[0], str) else distinct  # an np.str_ is a str
    return make_labels(labels), np.fromiter(map(indices.__getitem__, listed), np.int64, len(listed))


def _sort_categories(names: list[str], codes: Array) -> tuple[Labels, Integers]:
    """The labels and codes of categories. Names that no document has are left out. A name that is there twice is one label."""
    distinct = sorted({names[code] for code in np.flatnonzero(np.bincount(codes, minlength=len(names)))})
    indices = {label: index for index, label in enumerate(distinct)}
    return make_labels(distinct), np.array([indices.get(name, -1) for name in names], np.int64)[codes]


def _encode_integers(values: Array) -> tuple[Labels, Integers]:
    """The labels and codes of integers. If they lie close together, a table of all numbers is many times faster."""
    low, high = int(values.min()), int(values.max())
    if high - low > 4 * len(values) + 1000:
        labels, codes = np.unique(values, return_inverse=True)
        return labels, codes.astype(np.int64, copy=False)
    offsets = values - low
    is_present = np.zeros(high - low + 1, bool)
    is_present[offsets] = True
    return low + np.flatnonzero(is_present), (np.cumsum(is_present) - 1)[offsets]


def _as_array(y: Any) -> Array:
    if isinstance(y, str | bytes) or y is None:
        raise InvalidLabel(f"labels must be a list with one label for each document, got {y!r}.")
    if not hasattr(y, "__iter__"):
        raise InvalidLabel(f"labels must be a list with one label for each document, got {y!r}.")
    # A list becomes an array of objects first: otherwise NumPy would turn the 3 in ["a", 3] into a str.
    values = to_array(y, "the labels", InvalidLabel) if hasattr(y, "__array__") else _hold_objects(list(y))
    if values.ndim == 2 and values.shape[1] == 1:
        _warn_of_column()
        values = values.ravel()
    if values.ndim != 1:
        raise InvalidLabel(f"labels must have one dimension, got shape {values.shape}: a document has one label. {ONE_EACH}")
    if values.dtype.kind == "O":
        values = _check_objects(values)
    if values.dtype.kind == "f":
        _check_floats(values)
    if values.dtype.kind not in "USOiubf":
        raise InvalidLabel(f"labels must be text or whole numbers, got {values.dtype}. Convert them to str.")
    return values


def _hold_objects(labels: list[Any]) -> Array:
    """An array of objects. NumPy makes two dimensions of lists with equally many labels, and fails for others."""
    with suppress(ValueError):
        return np.array(labels, dtype=object)
    return np.fromiter(labels, object, len(labels))


def _warn_of_column() -> None:
    theirs: Any = sys.modules.get("sklearn.exceptions")
    message = "A column-vector y was passed when a 1d array was expected: its only column is used. Use y.ravel()."
    warnings.warn(message, theirs.DataConversionWarning if theirs else UserWarning, stacklevel=6)


def _check_objects(values: Array) -> Array:
    """Objects of one type, as an array of this type if NumPy has one."""
    kinds: dict[type, tuple[int, Any]] = {}
    for position, value in enumerate(values):
        if is_missing(value):
            raise InvalidLabel(f"label {position} (counted from 0) is {value}: nothing can be learned from it. Drop the row.")
        kinds.setdefault(type(value), (position, value))
    for kind, (position, value) in kinds.items():
        if kind.__hash__ is None or issubclass(kind, tuple | frozenset):
            raise InvalidLabel(
                f"label {position} (counted from 0) is {shorten(repr(value), 100)}: a label is text or a number, one for each "
                f"document. {ONE_EACH}"
            )
    if len(kinds) > 1 and not all(issubclass(kind, str) for kind in kinds):
        (_, a), (position, b) = list(kinds.values())[:2]
        raise InvalidLabel(f"labels must have one type: the first is {a!r}, label {position} is {b!r}. Convert them to str.")
    if any(issubclass(kind, str) for kind in kinds) and any(value.endswith("\0") for value in values):
        return np.array(list(map(str.__str__, values)), dtype=object)  # a str may be of a class of its own
    typed = np.array(values.tolist())
    return typed if typed.ndim == 1 and typed.dtype.kind in "Uiubf" else values


def _check_floats(values: Array) -> None:
    odd = np.flatnonzero(~np.isfinite(values) | (values != np.floor(values)))
    if len(odd):
        # "Unknown label type: continuous" is what scikit-learn's users look for.
        raise InvalidLabel(
            f"Unknown label type: continuous. Label {odd[0]} (counted from 0) is {values[odd[0]]}, and labels are names, not "
            "quantities. Cut them into classes first, or drop rows without a label (NaN)."
        )


def _shorten(labels: Labels) -> str:
    shown = ", ".join(map(repr, labels[:8].tolist()))
    return shown if len(labels) <= 8 else f"{shown} … ({len(labels)} in all)"


# Columns of Arrow, polars and pandas.


def read_categories(y: Any) -> tuple[list[str], Array] | None:
    """The names in a column of Arrow, polars or pandas, and the position of each document's name among them.

    The column holds text or categories without missing values; None for anything else. No Python object is made for each
    document.

    >>> import pyarrow as pa
    >>> read_categories(pa.array(["spam", "ham", "spam"]))
    (['spam', 'ham'], array([0, 1, 0], dtype=int32))
    """
    if not is_arrow(y) or len(getattr(y, "shape", (0,))) != 1:
        return None
    import pyarrow as pa

    column = open_column(y, "the labels", InvalidLabel)
    try:
        encoded = _encode_column(column)
    except pa.ArrowException:  # this version of Arrow can't hash the type; the caller reads it as an array
        return None
    return None if encoded is None else (encoded.dictionary.to_pylist(), np.asarray(encoded.indices))


def _encode_column(column: Any) -> Any:
    """A dictionary array; None if the column is empty, has missing values or does not hold text."""
    import pyarrow as pa

    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    if not len(column) or column.null_count or not is_text:
        return None
    encoded = column.dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.unify_dictionaries().combine_chunks()
    # A category may be missing, too.
    return None if encoded.dictionary.null_count else encoded


# Labels in files.


def write_labels(labels: Labels) -> dict[str, Any]:
    """The labels as values that JSON can hold, with their type.

    >>> write_labels(np.array(["ham", "spam"])), read_labels(write_labels(np.array([2, 10])))
    ({'type': 'text', 'values': ['ham', 'spam']}, array([ 2, 10]))
    """
    values = labels.tolist()
    name = next((name for name, kind in FILE_TYPES.items() if all(type(value) is kind for value in values)), None)
    if name is None:
        raise InvalidLabel(f"labels such as {values[0]!r} can't be stored in a file: they are not text or numbers. Use str.")
    return {"type": name, "values": [value.decode("latin-1") for value in values] if name == "bytes" else values}


def read_labels(written: Mapping[str, Any]) -> Labels:
    """The labels that `write_labels` has written; an error if they do not have their type, or are not distinct and sorted."""
    name, values = written["type"], written["values"]
    if name not in FILE_TYPES or not isinstance(values, list):
        raise ValueError("the labels have no type that is known, or are not a list")
    wanted = str if name == "bytes" else FILE_TYPES[name]
    if not all(type(value) is wanted for value in values):
        raise ValueError(f"the labels are not all of the type {name}")
    if any(a >= b for a, b in pairwise(values)):
        raise ValueError("the labels are not in order")
    return make_labels([value.encode("latin-1") for value in values] if name == "bytes" else values)
