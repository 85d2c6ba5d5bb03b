"""How texts begin, kept in little memory, so that one can be shown when it is long gone."""

from bisect import bisect_right
from typing import Any

from tercet.categorizer.columns import list_texts
from tercet.categorizer.spool import Spool
from tercet.data.documents import Documents

LONGEST = 80  # characters
IN_MEMORY = 1 << 23  # bytes
END = "\0"


class Beginnings:
    """
    >>> beginnings = Beginnings()
    >>> _ = beginnings.note(Documents(["to be", "or not"])), beginnings.note(Documents(["to be"]))
    >>> len(beginnings), beginnings.read([2, 1])
    (3, {2: 'to be', 1: 'or not'})
    """

    def __init__(self) -> None:
        self._spool = Spool(IN_MEMORY)
        self._starts = [0]

    def __len__(self) -> int:
        return self._starts[-1]

    def note(self, documents: Documents) -> Documents:
        """The same documents, their texts in a list, as these may be read once only."""
        if not isinstance(documents.texts, list):
            texts = list_texts(documents.texts)
            documents = Documents(texts, documents.labels, documents.weights, documents.columns)
        parts = [_begin(text) for text in documents.texts]
        joined = END.join(parts)
        if joined.count(END) != len(parts) - 1:
            joined = END.join(part.replace(END, " ") for part in parts)
        self._spool.append(joined.encode("utf-8", "surrogatepass"))
        self._starts.append(self._starts[-1] + len(parts))
        return documents

    def read(self, places: list[int]) -> dict[int, str]:
        """How the texts in these places begin."""
        result = {}
        for place in places:
            block = bisect_right(self._starts, place) - 1
            parts = self._spool[block].decode("utf-8", "surrogatepass").split(END)
            result[place] = parts[place - self._starts[block]]
        return result


def _begin(text: Any) -> str:
    if isinstance(text, str):
        return text[:LONGEST]
    # What is no text at all is an error elsewhere.
    return text[: 4 * LONGEST].decode(errors="ignore")[:LONGEST] if isinstance(text, bytes) else ""
