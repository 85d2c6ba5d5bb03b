"""Labels in columns of Arrow, polars or pandas → small integers, without a Python object for each document."""

from typing import Any

import numpy as np
import numpy.typing as npt


def read_categories(y: Any) -> tuple[list[str], npt.NDArray[Any]] | None:
    """Names, and the place of each document's among them, for text without gaps, plain or in categories; None for all else.

    >>> import pyarrow as pa
    >>> read_categories(pa.array(["spam", "ham", "spam"]))
    (['spam', 'ham'], array([0, 1, 0], dtype=int32))
    """
    if not (hasattr(y, "__arrow_c_stream__") or hasattr(y, "__arrow_c_array__")) or not _is_column(y):
        return None
    import pyarrow as pa

    try:
        encoded = _encode_column(y if isinstance(y, pa.Array | pa.ChunkedArray) else pa.chunked_array(y))
    except pa.ArrowException:  # a type that this version of Arrow can't hash: there is another way
        return None
    return None if encoded is None else (encoded.dictionary.to_pylist(), np.asarray(encoded.indices))


def _is_column(y: Any) -> bool:
    """Whether it has one dimension and one type: in a pandas column of objects there may be anything."""
    return len(getattr(y, "shape", (0,))) == 1 and str(getattr(y, "dtype", "")).lower() != "object"


def _encode_column(column: Any) -> Any:
    """A dictionary array; None if it is empty, has gaps or holds no text."""
    import pyarrow as pa

    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    if not len(column) or column.null_count or not is_text:
        return None
    encoded = column.dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.unify_dictionaries().combine_chunks()
    # A gap may hide among the categories, too.
    return None if encoded.dictionary.null_count else encoded
