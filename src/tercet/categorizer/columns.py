"""What stands beside the texts: columns of the documents, and numbers that a text has of itself."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from tercet.counts.labels import Integers, Labels, encode_training
from tercet.data.documents import Documents
from tercet.errors import InvalidOption
from tercet.kernel.batches import batches
from tercet.text.measures import MEASURES


def add_measures(texts: Any, numeric: list[str]) -> Documents:
    """Documents with all of these columns: where a measure of the text has the name and no column has, it is computed.

    >>> add_measures(["BUY now", "See you"], ["capital_share"]).columns
    {'capital_share': [0.5, 0.16666666666666666]}
    """
    documents = texts if isinstance(texts, Documents) else Documents(texts)
    missing = [name for name in numeric if name not in documents.columns]
    if not isinstance(texts, Documents) and not MEASURES.keys() >= set(missing):
        raise no_columns(numeric)
    measured = [name for name in missing if name in MEASURES]
    if not measured:
        return documents
    held = list_texts(documents.texts)
    columns = {name: [float(MEASURES[name](text)) for text in held] for name in measured}
    return replace(documents, texts=held, columns={**documents.columns, **columns})


def read_domains(documents: Documents, name: str, n: int) -> tuple[Labels, Integers]:
    """The values of a column, sorted, and the place of each document's among them."""
    if name not in documents.columns:
        raise InvalidOption(
            f"the documents have no column {name!r}, by which the selection of terms counts them: "
            f"pass Documents(texts, labels, columns={{{name!r}: ...}})."
        )
    return encode_training(documents.columns[name], n)


def list_texts(texts: Any) -> list[str]:
    """The texts in a list, to be read more than once. What are no texts is an error; bytes are UTF-8."""
    if isinstance(texts, str | bytes) or not isinstance(texts, Iterable) or getattr(texts, "ndim", 1) != 1:
        list(batches(texts))  # says what is wrong
    held = texts.to_pylist() if hasattr(texts, "to_pylist") else list(texts)
    list(batches(held))
    return [text.decode() if isinstance(text, bytes) else text for text in held]


def no_columns(numeric: list[str]) -> InvalidOption:
    return InvalidOption(
        f"numeric={numeric} names columns, and texts alone have none: pass Documents(texts, labels, columns={{...}}) with "
        f"them, or name measures of the text: {', '.join(MEASURES)}."
    )
