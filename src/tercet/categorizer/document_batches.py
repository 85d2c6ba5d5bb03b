"""Whatever `fit` and the like are given → batches of documents."""

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any

from tercet.categorizer.read_ahead import read_ahead
from tercet.data.documents import Documents
from tercet.errors import InvalidLabel, InvalidOption


class PlainTexts(Documents):
    """Texts and labels that somebody gave without columns, and may have forgotten them."""


def open_batches(texts: Any, labels: Any = None, sample_weight: Any = None) -> Iterator[Documents]:
    """One batch for texts with labels, and for Documents; as many as there are for a stream of Documents.

    >>> [batch.labels for batch in open_batches([Documents(["a"], ["x"]), Documents(["b"], ["y"])])]
    [['x'], ['y']]
    """
    is_stream, texts = _look_at(texts)
    if labels is not None and (is_stream or isinstance(texts, Documents)):
        raise InvalidLabel("the Documents have labels of their own, and others are given beside them: which? Give one.")
    if is_stream:
        if sample_weight is not None:
            raise InvalidOption("a stream of Documents has weights of its own: put sample_weight into their weights.")
        return read_ahead(texts)
    if not isinstance(texts, Documents):
        return iter([PlainTexts(texts, labels, sample_weight)])
    weights = texts.weights if sample_weight is None else sample_weight
    return iter([Documents(texts.texts, texts.labels, weights, texts.columns)])


def look_ahead(batches: Iterator[Documents]) -> tuple[Documents, Iterator[Documents]]:
    """The first batch, and all of them."""
    first = next(batches, None)
    if first is None:
        raise InvalidLabel("there are no documents, so there is nothing to learn: give at least one.")
    return first, chain([first], batches)


def _look_at(texts: Any) -> tuple[bool, Any]:
    """Whether these are Documents in batches, and the same again: what can be read once only must be looked into."""
    if isinstance(texts, list | tuple):
        return bool(texts) and isinstance(texts[0], Documents), texts
    is_array = any(hasattr(texts, name) for name in ("ndim", "dtype", "__arrow_c_stream__", "__arrow_c_array__"))
    if is_array or isinstance(texts, Documents | str | bytes) or not isinstance(texts, Iterable):
        return False, texts
    iterator = iter(texts)
    first = list(islice(iterator, 1))
    return bool(first) and isinstance(first[0], Documents), chain(first, iterator)
