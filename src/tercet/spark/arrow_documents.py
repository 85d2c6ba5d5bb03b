"""Batches of Arrow → documents. Rows without a text or a label are found first."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tercet.arrays import Flags
from tercet.arrow_columns import check_column
from tercet.data.documents import Documents
from tercet.errors import InvalidLabel, InvalidOption, InvalidText, MissingColumn, bad_option, suggest
from tercet.options import check_names

LABEL_TYPES = ("string", "varchar", "char", "tinyint", "smallint", "int", "bigint", "boolean", "float", "double", "binary")


@dataclass(frozen=True)
class Columns:
    """The columns of a data frame that have the parts of a document."""

    texts: tuple[str, ...]
    label: str | None = None
    weight: str | None = None
    others: tuple[str, ...] = ()  # numbers, categories and domains

    @classmethod
    def of(cls, text: Any, label: str | None = None, weight: str | None = None, others: Sequence[str] = ()) -> "Columns":
        """The columns for what the user names. `text` is one name or several."""
        texts = check_names("text", [text] if isinstance(text, str) else text)
        if not texts:
            raise bad_option("text", "the name of a column, or several", text, "terms are found in texts.")
        for option, name in (("label", label), ("weight", weight)):
            if name is not None and not isinstance(name, str):
                raise bad_option(option, "the name of a column", name, "it is looked up in the data frame.")
        if label is not None and label in (*texts, *others):
            raise InvalidOption(
                f"the column {label!r} is the label, and it is also named as something to learn from: the model would only "
                "repeat it. Leave it out, or name another label column."
            )
        return cls(texts, label, weight, tuple(others))

    @property
    def names(self) -> list[str]:
        """All names, each once."""
        named = [*self.texts, self.label, self.weight, *self.others]
        return list(dict.fromkeys(name for name in named if name is not None))

    def check(self, types: Sequence[tuple[str, str]]) -> None:
        """Raises an error if a column is missing, is there twice, or has a wrong type. Types are those of Spark, by name."""
        found = [name for name, _ in types]
        for name in self.names:
            if name not in found:
                known = ", ".join(map(repr, found)) or "none"
                fault = f"the data frame has no column {name!r}: there is {known}.{suggest(name, found)}"
                raise MissingColumn(fault, name, "Name another one.")
            if found.count(name) > 1:
                raise InvalidOption(f"the data frame has {found.count(name)} columns {name!r}: rename all but one.")
        kinds = dict(types)
        for name in self.texts:
            if parse_kind(kinds[name]) not in ("string", "varchar", "char"):
                raise InvalidText(f"the column {name!r} holds {kinds[name]}, not text: name another one, or cast it to string.")
        if self.label is not None and parse_kind(kinds[self.label]) not in LABEL_TYPES:
            raise InvalidLabel(
                f"the label column {self.label!r} holds {kinds[self.label]}: labels have one type, text, whole numbers or "
                "booleans. Cast it to string."
            )

    def make_empty(self) -> Documents:
        """No documents, with these columns."""
        return Documents([], [], columns={name: [] for name in self.others}, text_columns=self.texts)

    def read(self, batch: Any) -> Documents:
        """The documents of a batch in which no text, label or weight is missing."""
        columns = {name: batch.column(name) for name in self.others}
        labels = None if self.label is None else read_labels(batch.column(self.label))
        weights = None if self.weight is None else batch.column(self.weight).to_numpy(zero_copy_only=False)
        if len(self.texts) > 1:
            return Documents.join({name: batch.column(name) for name in self.texts}, labels, weights, columns)
        return Documents(batch.column(self.texts[0]), labels, weights, columns, text_columns=self.texts)

    def detect_missing(self, batch: Any) -> dict[str, Flags]:
        """Which rows can't be read, by reason. A text is missing if all its columns are. A damaged column is an error."""
        for name in self.names:
            check_column(batch.column(name), f"the cells of {name!r}", InvalidText)
        texts = np.logical_and.reduce([detect_nulls(batch.column(name)) for name in self.texts])
        missing = {f"have no text: {' and '.join(map(repr, self.texts))} is null": texts}
        if self.label is not None:
            missing[f"have no label: {self.label!r} is null"] = detect_nulls(batch.column(self.label))
        if self.weight is not None:
            missing[f"have no weight: {self.weight!r} is null"] = detect_nulls(batch.column(self.weight))
        return {reason: flags for reason, flags in missing.items() if flags.any()}


def parse_kind(name: str) -> str:
    """The kind of a type of Spark.

    >>> parse_kind("varchar(10)"), parse_kind("string collate UNICODE"), parse_kind("array<int>")
    ('varchar', 'string', 'array<int>')
    """
    return name.partition("(")[0].partition(" ")[0]


def detect_nulls(column: Any) -> Flags:
    return np.asarray(column.is_null(nan_is_null=True).to_numpy(zero_copy_only=False), np.bool_)


def read_labels(column: Any) -> Any:
    """Labels as `encode_labels` takes them: text stays in Arrow, numbers become an array, bytes a list."""
    import pyarrow as pa

    if pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type):
        return column.to_pylist()
    is_text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    return column if is_text else column.to_numpy(zero_copy_only=False)
