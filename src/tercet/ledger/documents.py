"""Documents as the content of events, and back.

A document is written in the form in which the model reads it: text columns joined, categories as text, weights in whole units
of 2⁻²⁰. So the same document has the same content, wherever it came from.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from typing import Any

from tercet.categorizer.joined_texts import arrange_texts, join_texts
from tercet.counts.labels import encode_training
from tercet.counts.matrices import check_weights
from tercet.counts.units import to_numbers, to_units
from tercet.data.document_batches import PlainTexts, list_texts
from tercet.data.documents import Documents
from tercet.errors import InvalidLabel, InvalidOption, is_missing
from tercet.kernel.text.columns import SEPARATOR
from tercet.ledger.events import write_canonical
from tercet.text.layout import Layout

AT_A_TIME = 1 << 12  # documents of a batch

Content = dict[str, Any]


@dataclass(frozen=True)
class DocumentShape:
    """Which columns the documents of a ledger have."""

    text_columns: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    numeric: tuple[str, ...] = ()  # without those that are measured in the text
    domain: str | None = None

    def write(self, documents: Documents) -> list[Content]:
        """The content of an event for each document. Raises an error if a document could not be learned.

        >>> DocumentShape().write(Documents(["so good", "so bad"], ["+", "-"], weights=[1, 0.5]))
        [{'label': '+', 'text': 'so good'}, {'label': '-', 'text': 'so bad', 'weight': 0.5}]
        """
        placed = arrange_texts(documents, Layout(self.text_columns) if len(self.text_columns) > 1 else None)
        texts = list_texts(placed.texts)
        labels = list_labels(documents.labels, len(texts))
        weights = to_numbers(to_units(check_weights(documents.weights, len(texts)))).tolist()
        if 0 in weights:
            raise InvalidOption(
                f"document {weights.index(0)} (counted from 0) has the weight 0: it teaches nothing, so a ledger does not hold "
                "it. Leave it out."
            )
        columns = self._list_columns(documents, len(texts))
        contents: list[Content] = [{"label": label, "text": text} for label, text in zip(labels, texts, strict=True)]
        for index, content in enumerate(contents):
            if weights[index] != 1:
                content["weight"] = weights[index]
            if columns:
                content["columns"] = {name: values[index] for name, values in columns.items()}
        return contents

    def _list_columns(self, documents: Documents, n: int) -> dict[str, list[Any]]:
        columns: dict[str, list[Any]] = {}
        for name in self.categorical:
            joined = join_texts(Documents([""] * n, columns=documents.columns), Layout(categorical=(name,)))
            columns[name] = [text.removeprefix(SEPARATOR) for text in joined]
        if self.numeric:
            numbers = documents.numbers(list(self.numeric))
            columns |= {name: numbers[:, index].tolist() for index, name in enumerate(self.numeric)}
        if self.domain is not None:
            if self.domain not in documents.columns:
                raise InvalidOption(f"the documents have no column {self.domain!r}, which the selection of terms needs.")
            columns[self.domain] = list_labels(documents.columns[self.domain], n)
        return columns

    def read(self, contents: Iterable[tuple[Mapping[str, Any], Any]]) -> Iterator[Documents]:
        """Documents in batches, from contents and the labels that they have by now."""
        contents = iter(contents)
        while some := list(islice(contents, AT_A_TIME)):
            yield self._read_batch([content for content, _ in some], [label for _, label in some])

    def _read_batch(self, contents: Sequence[Mapping[str, Any]], labels: list[Any]) -> Documents:
        texts, weights = [content["text"] for content in contents], [content.get("weight", 1.0) for content in contents]
        names = [*self.categorical, *self.numeric, *([] if self.domain is None else [self.domain])]
        columns = {name: [content["columns"][name] for content in contents] for name in names}
        if not columns and not self.text_columns:
            return PlainTexts(texts, labels, weights)
        return Documents(texts, labels, weights, columns, text_columns=self.text_columns)


def list_labels(labels: Any, n: int) -> list[Any]:
    """The labels as JSON writes them: text, whole numbers, or true and false."""
    distinct, codes = encode_training(labels, n)
    for label in distinct.tolist():
        if not isinstance(label, str | int | float):
            raise InvalidLabel(f"a ledger holds labels that are text or numbers, got {label!r}. Convert them to str.")
    listed: list[Any] = distinct[codes].tolist()
    return listed


def list_subjects(batch: Documents, column: str | None) -> list[str | None] | None:
    """The person whom each document is about, from a column; None for a cell without one, and for all without a column.

    >>> list_subjects(Documents(["a", "b"], columns={"customer": [" 7 ", None]}), "customer")
    ['7', None]
    """
    if column is None:
        return None
    cells = list(batch.columns[column])
    return [None if is_missing(cell) or not str(cell).strip() else str(cell).strip() for cell in cells]


def derive_key(content: Mapping[str, Any]) -> bytes:
    """16 bytes that equal documents share, whatever their labels are. They stay in memory, and are never written."""
    # Most documents have nothing but a text and a label, and JSON takes long. It has no byte 0.
    others = b"" if len(content) == 2 else write_canonical({**content, "label": None, "text": None})
    return blake2b(others + b"\0" + content["text"].encode("utf-8", "surrogatepass"), digest_size=16).digest()
