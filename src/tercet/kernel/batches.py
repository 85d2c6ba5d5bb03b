"""Texts in any container → batches for the kernel, without a copy if possible."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from tercet.arrow_columns import is_arrow, list_cells, open_column
from tercet.errors import InvalidText
from tercet.kernel import engine

BATCH = 8192  # texts of an iterable, which must be read into memory
LIST_BATCH = 32768  # texts of a list, which is in memory anyway


def batches(texts: Any, *, whole: bool = False) -> Iterator[engine.Texts]:
    """The texts of a list, tuple, NumPy array, pandas or polars Series, Arrow array, or any other iterable, in order.

    A long list is split, so that Ctrl-C works between the parts. With `whole` it is not split. A batch stays as it is.

    >>> [len(batch) for batch in batches(word for word in ["to", "be"])]
    [2]
    """
    if isinstance(texts, list):
        if whole or len(texts) <= LIST_BATCH:
            yield engine.Texts(texts)
        else:
            for first in range(0, len(texts), LIST_BATCH):
                yield engine.Texts(texts[first : first + LIST_BATCH], first)
    elif isinstance(texts, engine.Texts):
        yield texts
    elif isinstance(texts, str | bytes):
        raise InvalidText(
            f"texts must be a list of str or another iterable, got a single {type(texts).__name__}: each of its letters "
            "would be taken for a document. Write [text]."
        )
    elif getattr(texts, "ndim", 1) != 1:
        raise InvalidText(
            f"texts must have one dimension, got {type(texts).__name__} of shape {getattr(texts, 'shape', '?')}: "
            "it is not clear which are the texts. Choose one column."
        )
    elif str(getattr(texts, "dtype", "")).lower() == "object":  # it may contain anything, so each value is checked
        yield engine.Texts(list(texts))
    elif is_arrow(texts):
        yield from _arrow_batches(texts)
    elif hasattr(texts, "tolist"):  # NumPy
        yield engine.Texts(texts.tolist())
    else:
        yield from _iterable_batches(texts)


def _iterable_batches(texts: Any) -> Iterator[engine.Texts]:
    if not isinstance(texts, Iterable):
        raise InvalidText(
            f"texts must be a list of str or another iterable, got {type(texts).__name__}: there are no documents in it."
        )
    iterator, first = iter(texts), 0
    while batch := list(islice(iterator, BATCH)):
        yield engine.Texts(batch, first)
        first += len(batch)


def _arrow_batches(texts: Any) -> Iterator[engine.Texts]:
    import numpy as np
    import pyarrow as pa

    column, first = open_column(texts, "the texts", InvalidText), 0
    for chunk in column.chunks if isinstance(column, pa.ChunkedArray) else [column]:
        if pa.types.is_string_view(chunk.type):
            chunk = chunk.cast(pa.large_string())
        if chunk.null_count or not (pa.types.is_string(chunk.type) or pa.types.is_large_string(chunk.type)):
            # The values are another kind of string, or not text. In the second case this reports the first bad value.
            yield engine.Texts(list_cells(chunk, "the texts", InvalidText), first)
        elif len(chunk):
            _, offsets, data = chunk.buffers()
            width: Any = np.int32 if pa.types.is_string(chunk.type) else np.int64
            # The buffer may be longer than its offsets, by any number of bytes.
            spans = np.frombuffer(offsets, width, chunk.offset + len(chunk) + 1)[chunk.offset :]
            yield engine.Texts.from_arrow(spans, np.frombuffer(data or b"", np.uint8), chunk, first)
        first += len(chunk)
