"""Common words of languages: word → the labels that list it."""

from collections.abc import Iterable, Sequence

from tercet.kernel.languages.letters import LetterTable, Word, read_words


class CommonWords:
    def __init__(self, listed: Iterable[tuple[int, str]], letters: LetterTable, n_labels: int) -> None:
        """`listed` has labels, and the words of each as a text."""
        self._labels: dict[tuple[int, tuple[int, ...]], set[int]] = {}
        for label, text in listed:
            if not 0 <= label < n_labels:
                raise ValueError("there is no such label")
            for word in read_words(text, letters)[0]:
                self._labels.setdefault((word.system, word.symbols), set()).add(label)

    def find(self, words: Sequence[Word]) -> set[int]:
        """The labels that list all these words."""
        found = [self._labels.get((word.system, word.symbols), set()) for word in words]
        return set.intersection(*found) if found else set()
