"""Labels, groups and weights as users pass them → checked arrays with one entry for each document."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.arrow_columns import to_array
from tercet.counts.labels import Labels, encode_labels
from tercet.errors import InvalidLabel, InvalidMatrix

MAX_WEIGHT = 1e50  # weight: the fourth power of a sum of weights is still a number, and so is that of 1 / MAX_WEIGHT


def encode_label_columns(columns: Mapping[str, Any], labels: Any = None) -> tuple[Labels, list[Integers]]:
    """The labels of all columns, sorted (or `labels`, in the given order), and the codes of each column among them.

    A column holds the gold labels, or the answers of one system. It has one label for each document, in the same order as
    the other columns. Its name is the one that error messages use.

    >>> encode_label_columns({"gold": ["b", "a"], "predicted": ["c", "a"]})
    (array(['a', 'b', 'c'], dtype='<U1'), [array([1, 0]), array([2, 0])])
    """
    encoded = {name: encode_label_column(name, values) for name, values in columns.items()}
    _check_lengths({name: len(codes) for name, (_, codes) in encoded.items()})
    distinct = {name: found for name, (found, _) in encoded.items()}
    if labels is None:
        merged = _merge_columns(distinct)
    else:
        merged = _order_labels(labels)
        _merge_columns({"labels": merged, **distinct})  # raises for "1" among labels that are numbers
    return merged, [_recode(name, found, codes, merged) for name, (found, codes) in encoded.items()]


def encode_label_column(name: str, values: Any) -> tuple[Labels, Integers]:
    """The distinct labels of one column, sorted, and the code of each document's label. Errors begin with the column's name."""
    if isinstance(values, str | bytes) or not (hasattr(values, "__iter__") or hasattr(values, "__array__")):
        raise InvalidLabel(
            f"{name} must hold one label for each document, got only {values!r}. Pass a list, such as [{values!r}]."
        )
    try:
        labels, codes = encode_labels(values)
    except InvalidLabel as error:
        raise InvalidLabel(f"{name}: {error}") from None
    except TypeError as error:
        raise InvalidLabel(f"{name}: its labels can't be put in an order ({error}). Convert them to str.") from None
    if not len(codes):
        raise InvalidLabel(f"{name} is empty: there is nothing to judge. Pass one label for each document.")
    return labels, codes


def encode_group_column(name: str, values: Any, n_documents: int) -> tuple[Labels, Integers]:
    """The distinct values of a column that puts documents into groups or slices, and the code of each document's value."""
    found, codes = encode_label_column(name, values)
    if len(codes) != n_documents:
        raise InvalidLabel(f"{name} has {len(codes)} values for {n_documents} documents: each needs one, in the same order.")
    return found, codes


def check_weights(weights: Any, n_documents: int) -> Floats:
    """One weight >= 0 for each document; ones if `weights` is None.

    >>> check_weights(None, 2)
    array([1., 1.])
    """
    if weights is None:
        return np.ones(n_documents)
    try:
        values = to_array(weights, "the weights", InvalidMatrix, np.float64)
    except InvalidMatrix:
        raise
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidMatrix(f"weights must be numbers: {error}.") from None
    if values.shape != (n_documents,):
        raise InvalidMatrix(f"weights must have one number for each of {n_documents} documents, got shape {values.shape}.")
    bad = np.flatnonzero(~np.isfinite(values) | (values < 0))
    if len(bad):
        where = f"weight {bad[0]} (counted from 0) is {values[bad[0]]}"
        raise InvalidMatrix(f"{where}: a document counts so many times, so it must be a finite number >= 0.")
    bad = np.flatnonzero((values > MAX_WEIGHT) | ((values > 0) & (values < 1 / MAX_WEIGHT)))
    if len(bad):
        raise InvalidMatrix(
            f"weight {bad[0]} (counted from 0) is {values[bad[0]]}: products of weights outside "
            f"{1 / MAX_WEIGHT:g} … {MAX_WEIGHT:g} "
            "have no exact value. Divide all weights by the same number, which changes no metric; make tiny weights 0."
        )
    if not values.any():
        raise InvalidMatrix("weights are zero for every document: there is nothing to judge. Leave them out.")
    return values


def _order_labels(labels: Any) -> Labels:
    """The labels in the order in which they are given; a label that is given twice is an error."""
    distinct, codes = encode_label_column("labels", labels)
    if len(distinct) < len(codes):
        twice = distinct.tolist()[np.argmax(np.bincount(codes))]
        raise InvalidLabel(f"labels names {twice!r} more than once: it would have two rows. Name each label once.")
    return distinct[codes]


def _recode(name: str, distinct: Labels, codes: Integers, labels: Labels) -> Integers:
    """Codes among the column's own labels → codes among all labels. A label that is not among them is an error."""
    indices = {label: index for index, label in enumerate(labels.tolist())}
    unknown = [label for label in distinct.tolist() if label not in indices]
    if unknown:
        position = int(np.argmax(codes == distinct.tolist().index(unknown[0])))
        raise InvalidLabel(
            f"{name} has the label {unknown[0]!r} (at {position}, counted from 0), which labels does not name: "
            "leaving documents out would change every number. Add it to labels."
        )
    return np.array([indices[label] for label in distinct.tolist()], np.int64)[codes]


def _check_lengths(lengths: dict[str, int]) -> None:
    (first, n), *others = lengths.items()
    for name, length in others:
        if length != n:
            raise InvalidLabel(
                f"{first} has {n} labels and {name} has {length}: which answer belongs to which document? "
                "Pass one label for each document, in the same order."
            )


def _merge_columns(distinct: dict[str, Labels]) -> Labels:
    """All labels, sorted. Columns whose labels have different types are an error: 1 and "1" would never be equal."""
    (first, labels), *others = distinct.items()
    for name, found in others:
        if _name_type(found) != _name_type(labels):
            a, b = labels.tolist()[0], found.tolist()[0]
            raise InvalidLabel(
                f"{first} has {_name_type(labels)} ({a!r}) and {name} has {_name_type(found)} ({b!r}) for labels: "
                "no answer could be right. Convert one side to the type of the other."
            )
        labels = _merge_labels(labels, found)
    return labels


def _merge_labels(a: Labels, b: Labels) -> Labels:
    if a.dtype != b.dtype and _name_type(a) == "numbers":  # all of them are whole: 1.0 is a 1 that lost its type
        is_whole = any(labels.dtype.kind != "f" for labels in (a, b))
        numbers = {int(label) if is_whole else label for label in a.tolist() + b.tolist()}
        return np.array(sorted(numbers))
    return np.unique(np.concatenate([a, b]))


def _name_type(labels: Labels) -> str:
    kind = {"U": "text", "S": "bytes", "b": "True or False", "i": "numbers", "u": "numbers", "f": "numbers"}
    if labels.dtype.kind == "O":  # labels that NumPy's own types would have changed
        return {str: "text", int: "numbers"}.get(type(labels[0]), type(labels[0]).__name__)
    return kind[labels.dtype.kind]
