"""Labels of any container → small integers and back. Labels keep the type they came with."""

import sys
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from tercet.arrays import Integers
from tercet.counts.arrow_labels import read_categories
from tercet.errors import InvalidLabel, NeverLearned, is_missing

Labels = npt.NDArray[Any]


def encode_labels(y: Any) -> tuple[Labels, Integers]:
    """The distinct labels in sorted order, and the position of each document's label among them.

    >>> encode_labels(["spam", "ham", "spam"])
    (array(['ham', 'spam'], dtype='<U4'), array([1, 0, 1]))
    """
    if (categories := read_categories(y)) is not None:
        return _sort_categories(*categories)
    values = np.asarray(y) if hasattr(y, "__array__") else y
    is_text_array = isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "UO"
    listed = values.tolist() if is_text_array else values
    # Hashing is much quicker than the sorting of np.unique, for text above all.
    if isinstance(listed, list | tuple) and _are_plain(set(map(type, listed))):
        distinct = sorted(set(listed))
        places = {label: place for place, label in enumerate(distinct)}
        return _make_labels(distinct), np.fromiter(map(places.__getitem__, listed), np.int64, len(listed))
    array = _as_array(values)
    if array.dtype.kind in "iu" and len(array):
        return _encode_integers(array)
    labels, codes = np.unique(array, return_inverse=True)
    return labels, codes.astype(np.int64, copy=False)


def encode_training(y: Any, n_documents: int) -> tuple[Labels, Integers]:
    """The labels of so many documents, encoded; none or too few are an error."""
    if y is None:
        raise InvalidLabel("requires y to be passed, but the target y is None: a model learns from labels.")
    labels, codes = encode_labels(y)
    if len(codes) != n_documents:
        raise InvalidLabel(f"X has {n_documents} documents and y has {len(codes)} labels: inconsistent numbers of samples.")
    return labels, codes


def find_labels(y: Any, labels: Labels) -> Integers:
    """The position of each document's label among known labels; one that is not there is an error."""
    own, codes = encode_labels(y)
    places = {label: place for place, label in enumerate(labels.tolist())}
    for label in own.tolist():
        if label not in places:
            raise InvalidLabel(f"the label {label!r} is unknown here: known are {_shorten(labels)}. It would have no counts.")
    return np.array([places[label] for label in own.tolist()], np.int64)[codes]


def merge_labels(a: Labels, b: Labels) -> Labels:
    """All labels of both, sorted."""
    if not len(a) or not len(b):
        return a if len(a) else b
    if set(map(type, a.tolist())) != set(map(type, b.tolist())):
        raise InvalidLabel(f"labels of two types can't be put in one order: {_shorten(a)} and {_shorten(b)}. Use one type.")
    return _make_labels(sorted({*a.tolist(), *b.tolist()}))


def pick_labels(labels: Any, known: Labels) -> Labels:
    """Some of the known labels, sorted; none, or one that is not known, is an error."""
    wanted, _ = encode_labels(list(labels) if isinstance(labels, set | frozenset) else labels)
    if not len(wanted):
        raise InvalidLabel("no label is left: name at least one to keep.")
    find_labels(wanted, known)
    return wanted.astype(known.dtype)


def refuse_unknown(labels: Labels, known: Labels) -> None:
    """What has a label that nobody learned was never learned."""
    unknown = set(labels.tolist()) - set(known.tolist())
    if unknown:
        raise NeverLearned(f"no document of the label {min(unknown)!r} was learned: it can't be forgotten. Nothing is changed.")


def _are_plain(kinds: set[type]) -> bool:
    """Whether values of these types can be hashed and sorted together: all text, all int or all bool."""
    return bool(kinds) and (kinds <= {str, np.str_} or kinds in ({int}, {bool}))


def _make_labels(distinct: list[Any]) -> Labels:
    """An array of labels; of objects, if NumPy would change them: it cuts "\\0" off the end, and rounds above 64 bits."""
    labels = np.array(distinct)
    is_kept = labels.dtype.kind in "Uiub" and labels.tolist() == distinct
    return labels if is_kept else np.array(distinct, dtype=object)


def _sort_categories(names: list[str], codes: npt.NDArray[Any]) -> tuple[Labels, Integers]:
    """Names that no document has are left out; one that is there twice is one label."""
    distinct = sorted({names[code] for code in np.flatnonzero(np.bincount(codes, minlength=len(names)))})
    places = {label: place for place, label in enumerate(distinct)}
    return _make_labels(distinct), np.array([places.get(name, -1) for name in names], np.int64)[codes]


def _encode_integers(values: npt.NDArray[Any]) -> tuple[Labels, Integers]:
    """The same by a table of the numbers from the smallest to the largest, if that is not long: many times as quick."""
    low, high = int(values.min()), int(values.max())
    if high - low > 4 * len(values) + 1000:
        labels, codes = np.unique(values, return_inverse=True)
        return labels, codes.astype(np.int64, copy=False)
    wide = values if values.dtype.kind == "u" else values.astype(np.int64, copy=False)  # -128 … 127 must not overflow
    offsets = (wide - wide.dtype.type(low)).astype(np.int64, copy=False)
    is_present = np.zeros(high - low + 1, bool)
    is_present[offsets] = True
    labels = np.array([low + offset for offset in np.flatnonzero(is_present).tolist()], values.dtype)
    return labels, (np.cumsum(is_present) - 1)[offsets]


def _as_array(y: Any) -> npt.NDArray[Any]:
    if isinstance(y, str | bytes) or y is None:
        raise InvalidLabel(f"labels must be a list with one label for each document, got {y!r}.")
    if not hasattr(y, "__iter__"):
        raise InvalidLabel(f"labels must be a list with one label for each document, got {y!r}.")
    # A list goes through objects, or NumPy would make a str of the 3 in ["a", 3].
    values = np.asarray(y) if hasattr(y, "__array__") else np.array(list(y), dtype=object)
    if values.ndim == 2 and values.shape[1] == 1:
        _warn_of_column()
        values = values.ravel()
    if values.ndim != 1:
        raise InvalidLabel(f"labels must have one dimension, got shape {values.shape}: a document has one label.")
    if values.dtype.kind == "O":
        values = _check_objects(values)
    if values.dtype.kind == "f":
        _check_floats(values)
    if values.dtype.kind not in "USOiubf":
        raise InvalidLabel(f"labels must be text or whole numbers, got {values.dtype}. Convert them to str.")
    return values


def _warn_of_column() -> None:
    theirs: Any = sys.modules.get("sklearn.exceptions")
    message = "A column-vector y was passed when a 1d array was expected: its one column is taken. Use y.ravel()."
    warnings.warn(message, theirs.DataConversionWarning if theirs else UserWarning, stacklevel=6)


def _check_objects(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Objects of one type, as an array of that type where NumPy has one."""
    kinds: dict[type, tuple[int, Any]] = {}
    for position, value in enumerate(values):
        if is_missing(value):
            raise InvalidLabel(f"label {position} (counted from 0) is {value}: such a document says nothing. Drop the row.")
        kinds.setdefault(type(value), (position, value))
    if len(kinds) > 1 and not all(issubclass(kind, str) for kind in kinds):
        (_, a), (position, b) = list(kinds.values())[:2]
        raise InvalidLabel(f"labels must have one type: the first is {a!r}, label {position} is {b!r}. Convert them to str.")
    if any(issubclass(kind, str) for kind in kinds) and any(str(value).endswith("\0") for value in values):
        return values
    typed = np.array(values.tolist())
    return typed if typed.ndim == 1 and typed.dtype.kind in "Uiubf" else values


def _check_floats(values: npt.NDArray[Any]) -> None:
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
