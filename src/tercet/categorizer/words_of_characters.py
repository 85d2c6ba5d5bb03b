"""The words that the character n-grams of many texts stand in, found once for each distinct piece of text between blanks."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tercet.arrays import Flags, Floats, Integers
from tercet.categorizer.scorer import Scorer
from tercet.categorizer.word_lines import Line, find_kinds, locate_lines

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

    from tercet.categorizer.term_scores import Entries

MOST_PIECES = 20_000  # distinct pieces: with more, finding their words would take longer than is worth it


@dataclass(frozen=True, eq=False)
class WordsOfCharacters:
    """How often each piece is in each text, and which character n-grams it has, each in which line of an explanation.

    An n-gram occurrence has an equal share of what all occurrences of its term add to the text, as in an explanation.
    """

    lines: list[Line]
    in_text: "csr_matrix"  # texts × pieces: how often
    pieces: Integers  # the piece, the line, the term and the number of occurrences of …
    of_line: Integers
    terms: Integers  # … places in `numbers`
    n: Floats
    numbers: Integers  # the distinct terms, sorted

    @classmethod
    def find(cls, scorer: Scorer, texts: Sequence[str]) -> "WordsOfCharacters | None":
        """None if the recipe does not take character n-grams from single words, or if there are too many different pieces."""
        if not find_kinds(scorer.analyzer).has_characters or scorer.analyzer.char_ngrams_over != "words":
            return None
        numbers: dict[str, int] = {}
        split = [[numbers.setdefault(piece, len(numbers)) for piece in text.split()] for text in texts]
        if len(numbers) > MOST_PIECES:
            return None
        found = Counter(_list_characters(scorer, list(numbers)))
        lines = {line: place for place, line in enumerate(dict.fromkeys(line for _, line, _ in found))}
        keys = np.array([(piece, lines[line], term) for piece, line, term in found], np.int64).reshape(-1, 3)
        distinct, terms = np.unique(keys[:, 2], return_inverse=True)
        texts_of_pieces = np.repeat(np.arange(len(split)), [len(own) for own in split])
        all_pieces = np.array([piece for own in split for piece in own], np.int64)
        in_text = _make_matrix(np.ones(len(all_pieces)), (texts_of_pieces, all_pieces), (len(texts), len(numbers)))
        return cls(list(lines), in_text, keys[:, 0], keys[:, 1], terms, np.array(list(found.values()), np.float64), distinct)

    def find_folded(self, texts: Integers, entries: "Entries") -> Flags:
        """The entries that are character n-grams of pieces; none if the pieces have other n-grams than the texts."""
        places = np.searchsorted(self.numbers, entries.terms)
        places[places == len(self.numbers)] = 0
        is_ours = self.numbers[places] == entries.terms if len(self.numbers) else np.zeros(len(places), np.bool_)
        counted = self._place(entries, is_ours, entries.counts[is_ours])
        in_pieces = _make_matrix(self.n, (self.pieces, self.terms), (self.in_text.shape[1], len(self.numbers)))
        is_same = (abs(self.in_text[texts] @ in_pieces - counted) > 0).nnz == 0
        return np.asarray(is_ours if is_same else np.zeros_like(is_ours), np.bool_)

    def sum(self, texts: Integers, entries: "Entries", folded: Flags, values: Floats, weights: Floats) -> Floats:
        """Σ weight · score for each piece, line and term, × sums × scores."""
        shares = values[folded] / entries.counts[folded][:, None]
        parts = np.zeros((len(self.n), weights.shape[1], values.shape[1]))
        for score in range(values.shape[1]):
            of_term = self._place(entries, folded, shares[:, score])
            for k, own in enumerate(weights[texts].T):
                together = self.in_text[texts].multiply(own[:, None]).T.tocsr() @ of_term
                parts[:, k, score] = self.n * np.asarray(together[self.pieces, self.terms]).ravel()
        return parts

    def _place(self, entries: "Entries", chosen: Flags, values: Floats) -> "csr_matrix":
        """The values of the chosen entries as a matrix, texts × terms."""
        places = np.searchsorted(self.numbers, entries.terms[chosen])
        return _make_matrix(values, (entries.texts[chosen], places), (len(entries.ends) - 1, len(self.numbers)))


def _list_characters(scorer: Scorer, pieces: Sequence[str]) -> Iterator[tuple[int, Line, int]]:
    """The piece, the line and the number of each occurrence of a known character n-gram, of all pieces in one text."""
    analyzer, joined = scorer.analyzer, " ".join(pieces)
    starts = np.cumsum([0, *(len(piece) + 1 for piece in pieces)])
    located, numbers = analyzer.located_terms(joined), scorer.find(joined)
    is_ours = scorer.weights.known(numbers)
    is_ours[is_ours] = scorer.table.character_flags()[numbers[is_ours]] == 1
    of_piece = np.searchsorted(starts, [spans[0][0] if spans else 0 for _, spans in located], "right") - 1
    lines = locate_lines(analyzer, joined, located)
    for piece, (line, _), number, own in zip(of_piece.tolist(), lines, numbers.tolist(), is_ours.tolist(), strict=True):
        if own:
            yield piece, line, number


def _make_matrix(values: Floats, places: tuple[Integers, Integers], shape: tuple[int, int]) -> "csr_matrix":
    """A sparse matrix with these values at these rows and columns. Values at the same place are added."""
    from scipy.sparse import csr_matrix

    return csr_matrix((values, places), shape=shape)
