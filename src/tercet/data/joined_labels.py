"""Labels that join several labels of the same data, such as "sport; politics". To a model they are labels of their own."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from tercet.errors import shorten

SEPARATORS = (";", "|", ",", "/", "+", "&")


class JoinedLabels(NamedTuple):
    """The labels that join others with a separator, and how many documents have them."""

    separator: str
    labels: tuple[str, ...]  # the most frequent first
    n_documents: int

    def describe(self) -> str:
        """
        >>> print(JoinedLabels(";", ("sport; art",), 7).describe())
        7 documents have a label that joins other labels with ';', such as 'sport; art' (1 such label). A document has one
        label, so each of these is a label of its own.
        """
        have, n = ("document has", 1) if self.n_documents == 1 else ("documents have", self.n_documents)
        labels = "1 such label" if len(self.labels) == 1 else f"{len(self.labels)} such labels"
        return (
            f"{n} {have} a label that joins other labels with {self.separator!r}, such as {shorten(repr(self.labels[0]))} "
            f"({labels}). A document has one label, so each of these is a label of its own."
        )


def find_joined(counts: Mapping[Any, float]) -> JoinedLabels | None:
    """The labels that join others, given how many documents have each label. Only parts that are labels alone, too, count.

    >>> find_joined({"art": 90, "sport": 80, "sport; art": 7, "rock; pop": 5, "AC/DC": 3})
    JoinedLabels(separator=';', labels=('sport; art',), n_documents=7)
    """
    if not all(isinstance(label, str) for label in counts):
        return None
    found = [_find_joined_by(separator, counts) for separator in SEPARATORS]
    best = max(found, key=lambda joined: joined.n_documents)
    return best if best.labels else None


def _find_joined_by(separator: str, counts: Mapping[str, float]) -> JoinedLabels:
    alone = {label.strip() for label in counts if separator not in label}
    several = {label: n for label, n in counts.items() if separator in label and _list_parts(label, separator) <= alone}
    labels = sorted(several, key=lambda label: (-several[label], label))
    return JoinedLabels(separator, tuple(labels), int(sum(several.values())))


def _list_parts(label: str, separator: str) -> set[str]:
    return {part.strip() for part in label.split(separator)}
