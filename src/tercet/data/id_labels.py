"""Ids that were taken for labels: nearly every document has its own, so there is nothing to learn."""

from collections.abc import Iterable, Iterator
from typing import Any

from tercet.errors import InvalidLabel

MIN_REPEATED = 20  # with fewer documents, labels that are all different may be meant
MAX_SHARE = 0.9  # labels of all documents: a few ids may be repeated
MANY_LABELS, MIN_OF_MANY = 1 << 14, 3  # so many labels need so many documents each


def looks_like_ids(n_documents: int, n_labels: int) -> bool:
    """Whether nearly every document has its own label, or very many labels have few documents each.

    >>> looks_like_ids(1000, 950), looks_like_ids(10, 10), looks_like_ids(12_000, 3000), looks_like_ids(200_000, 100_000)
    (True, False, False, True)
    """
    is_many = n_labels > MANY_LABELS and n_documents < MIN_OF_MANY * n_labels
    return n_documents >= MIN_REPEATED and (n_labels >= MAX_SHARE * n_documents or is_many)


def describe_ids(n_documents: int, n_labels: int, column: str | None = None) -> str:
    """What is wrong, and what to do.

    >>> describe_ids(100, 95, "id")[:57]
    "100 documents have 95 different labels in the column 'id'"
    """
    if n_labels == n_documents:
        return describe_unique(column)
    return _add_remedy(f"{n_documents} documents have {n_labels} different labels", column)


def describe_unique(column: str | None = None) -> str:
    """The same, if all labels are different."""
    return _add_remedy("every row has its own label", column)


def _add_remedy(what: str, column: str | None) -> str:
    where = f" in the column {column!r}" if column else ""
    return f"{what}{where}, so there is nothing to learn: name the label column with --label."


class LabelWatch:
    """Counts documents and their different labels."""

    def __init__(self) -> None:
        self.n_documents = 0
        self._labels: set[Any] = set()

    def add(self, labels: Iterable[Any]) -> None:
        listed = list(labels)
        self.n_documents += len(listed)
        self._labels.update(listed)

    @property
    def finds_ids(self) -> bool:
        return looks_like_ids(self.n_documents, len(self._labels))

    def describe(self, column: str | None = None) -> str:
        return describe_ids(self.n_documents, len(self._labels), column)


def refuse_ids(batches: Iterable[Any]) -> Iterator[Any]:
    """The same documents. After the last one, raises InvalidLabel if their labels look like ids."""
    watch = LabelWatch()
    for batch in batches:
        watch.add(batch.labels if batch.labels is not None else ())
        yield batch
    if watch.finds_ids:
        raise InvalidLabel(watch.describe())
