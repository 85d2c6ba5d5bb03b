"""Gold and predicted labels of any container → the labels of all of them, and small integers."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.counts.labels import Labels, encode_labels
from tercet.errors import InvalidLabel, InvalidMatrix


def encode_sides(sides: Mapping[str, Any], labels: Any = None) -> tuple[Labels, list[Integers]]:
    """The labels that any side has, sorted (or those given, in their order), and the places of each side's among them.

    A side is gold or one system's answers, under the name by which an error calls it. Each has one label for each
    document, in the same order.

    >>> encode_sides({"gold": ["b", "a"], "predicted": ["c", "a"]})
    (array(['a', 'b', 'c'], dtype='<U1'), [array([1, 0]), array([2, 0])])
    """
    encoded = {side: encode_side(side, y) for side, y in sides.items()}
    _check_lengths({side: len(codes) for side, (_, codes) in encoded.items()})
    own = {side: found for side, (found, _) in encoded.items()}
    if labels is None:
        merged = _merge_types(own)
    else:
        merged = order_labels(labels)
        _merge_types({"labels": merged, **own})  # "1" among labels that are numbers is an error of its own
    return merged, [place_codes(side, found, codes, merged) for side, (found, codes) in encoded.items()]


def encode_side(side: str, y: Any) -> tuple[Labels, Integers]:
    """The distinct labels of one side and the place of each document's; an error says which side it is about."""
    if isinstance(y, str | bytes) or not (hasattr(y, "__iter__") or hasattr(y, "__array__")):
        raise InvalidLabel(f"{side} must hold one label for each document, got only {y!r}. Pass a list, such as [{y!r}].")
    try:
        labels, codes = encode_labels(y)
    except InvalidLabel as error:
        raise InvalidLabel(f"{side}: {error}") from None
    except TypeError as error:
        raise InvalidLabel(f"{side}: its labels can't be put in an order ({error}). Convert them to str.") from None
    if not len(codes):
        raise InvalidLabel(f"{side} is empty: there is nothing to judge. Pass one label for each document.")
    return labels, codes


def order_labels(labels: Any) -> Labels:
    """Labels in the order in which they are given, each once."""
    distinct, codes = encode_side("labels", labels)
    if len(distinct) < len(codes):
        twice = distinct.tolist()[np.argmax(np.bincount(codes))]
        raise InvalidLabel(f"labels names {twice!r} more than once: it would have two rows. Name each label once.")
    return distinct[codes]


def place_codes(side: str, own: Labels, codes: Integers, labels: Labels) -> Integers:
    """Codes among a side's own labels → codes among all; a label that is not there is an error."""
    places = {label: place for place, label in enumerate(labels.tolist())}
    unknown = [label for label in own.tolist() if label not in places]
    if unknown:
        position = int(np.argmax(codes == own.tolist().index(unknown[0])))
        raise InvalidLabel(
            f"{side} has the label {unknown[0]!r} (at {position}, counted from 0), which labels does not name: "
            "leaving documents out would change every number. Add it to labels."
        )
    return np.array([places[label] for label in own.tolist()], np.int64)[codes]


def check_weights(weights: Any, n_documents: int) -> Floats:
    """One weight >= 0 for each document; ones if there are none.

    >>> check_weights(None, 2)
    array([1., 1.])
    """
    if weights is None:
        return np.ones(n_documents)
    try:
        values = np.asarray(weights, np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidMatrix(f"weights must be numbers: {error}.") from None
    if values.shape != (n_documents,):
        raise InvalidMatrix(f"weights must have one number for each of {n_documents} documents, got shape {values.shape}.")
    bad = np.flatnonzero(~np.isfinite(values) | (values < 0))
    if len(bad):
        where = f"weight {bad[0]} (counted from 0) is {values[bad[0]]}"
        raise InvalidMatrix(f"{where}: a document counts so many times, so it must be a finite number >= 0.")
    if not values.any():
        raise InvalidMatrix("weights are zero for every document: there is nothing to judge. Leave them out.")
    return values


def _check_lengths(lengths: dict[str, int]) -> None:
    (first, n), *others = lengths.items()
    for side, length in others:
        if length != n:
            raise InvalidLabel(
                f"{first} has {n} labels and {side} has {length}: which answer belongs to which document? "
                "Pass one label for each document, in the same order."
            )


def _merge_types(own: dict[str, Labels]) -> Labels:
    """All labels, sorted; sides with labels of two types are an error, because 1 and "1" would never be equal."""
    (first, labels), *others = own.items()
    for side, found in others:
        if _name_type(found) != _name_type(labels):
            a, b = labels.tolist()[0], found.tolist()[0]
            raise InvalidLabel(
                f"{first} has {_name_type(labels)} ({a!r}) and {side} has {_name_type(found)} ({b!r}) for labels: "
                "no answer could be right. Convert one side to the type of the other."
            )
        labels = _merge_labels(labels, found)
    return labels


def _merge_labels(a: Labels, b: Labels) -> Labels:
    if a.dtype != b.dtype and _name_type(a) == "numbers":  # whole ones, all of them: 1.0 is the 1 that lost its type
        is_whole = any(labels.dtype.kind != "f" for labels in (a, b))
        numbers = {int(label) if is_whole else label for label in a.tolist() + b.tolist()}
        return np.array(sorted(numbers))
    return np.unique(np.concatenate([a, b]))


def _name_type(labels: Labels) -> str:
    kind = {"U": "text", "S": "bytes", "b": "True or False", "i": "numbers", "u": "numbers", "f": "numbers"}
    if labels.dtype.kind == "O":  # what NumPy would have changed
        return {str: "text", int: "numbers"}.get(type(labels[0]), type(labels[0]).__name__)
    return kind[labels.dtype.kind]
