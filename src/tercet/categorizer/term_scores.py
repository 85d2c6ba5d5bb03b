"""What each term adds to weighted sums of the scores of many texts: evidence in bulk, without an explanation of each text."""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.categorizer.evidence import UNKNOWN
from tercet.categorizer.scorer import Scorer
from tercet.categorizer.word_lines import Line, find_kinds
from tercet.categorizer.words_of_characters import WordsOfCharacters
from tercet.data.document_batches import list_texts
from tercet.data.documents import Documents
from tercet.kernel import engine

AT_A_TIME = 1 << 21  # values of terms at a time: limits the memory
ROUNDING = 1e-12  # a sum that is smaller, compared with its parts, is a rounding error


class TermSums(NamedTuple):
    """The names of terms and of numeric columns, and for each of them sums of scores, terms × sums × scores.

    Terms are the lines of an explanation: character n-grams are folded into the words that they stand in, if these are known.
    """

    names: list[str]
    values: Floats


class Entries(NamedTuple):
    """The distinct terms of some texts: text i has the entries ends[i] … ends[i + 1]. -1 stands for all unknown terms."""

    ends: Integers
    terms: Integers
    counts: Floats

    @property
    def texts(self) -> Integers:
        """The text of each entry."""
        return np.repeat(np.arange(len(self.ends) - 1), np.diff(self.ends))

    def cut(self, most: int) -> Iterator[tuple[int, int, "Entries"]]:
        """Blocks of texts with about `most` entries each: the first text, the first text after it, and their entries.

        >>> entries = Entries(np.array([0, 3, 5, 6, 8]), np.arange(8), np.ones(8))
        >>> [(first, last) for first, last, _ in entries.cut(4)]
        [(0, 2), (2, 4)]
        """
        blocks = self.ends[:-1] // max(most, 1)
        for first, last in pairwise([0, *(np.flatnonzero(np.diff(blocks)) + 1).tolist(), len(blocks)]):
            part = slice(self.ends[first], self.ends[last])
            yield first, last, Entries(self.ends[first : last + 1] - self.ends[first], self.terms[part], self.counts[part])


def sum_term_scores(scorer: Scorer, documents: Documents, weights: Floats, labels: Floats) -> TermSums:
    """For each term Σ weight · (the score that the term adds to the text).

    `weights` has a column for each sum, documents × sums. `labels` says which scores are summed: a column has a weight for each
    label, such as 1 for a label and -1 for another. Over all terms, the sums add up to the sum of the scores, without prior,
    bias and the score of absent terms: these are the same for all texts, so they cancel if the weights add up to 0.
    """
    documents = scorer.add_measures(documents)
    words = WordsOfCharacters.find(scorer, list_texts(scorer.join(documents)))
    sums, begin = LineSums(scorer, weights.shape[1], labels.shape[1]), 0
    n_values = max(len(scorer.labels), sums.size.size)  # of an entry
    for rows in scorer.read_rows(documents):
        for first, last, entries in list_entries(scorer, rows).cut(AT_A_TIME // n_values):
            texts = np.arange(begin + first, begin + last)
            values = scorer.weights.row_values(*entries) @ labels
            own = np.repeat(weights[texts], np.diff(entries.ends), axis=0)
            folded = np.zeros(len(values), np.bool_) if words is None else words.find_folded(texts, entries)
            if words is not None and folded.any():
                sums.add_lines(words.lines, words.of_line, words.sum(texts, entries, folded, values, weights))
            sums.add_terms(entries.terms[~folded], values[~folded][:, None, :] * own[~folded][:, :, None])
            sums.size += np.abs(own).T @ np.abs(values)
        begin += len(rows)
    sums.add_numeric(documents, weights, labels)
    return sums.finish()


def list_entries(scorer: Scorer, rows: engine.Rows) -> Entries:
    """The distinct terms of each text with their counts. All unknown terms of a text are one entry, if they add anything."""
    ends, columns, counts = rows.arrays()
    terms = columns.astype(np.int64)
    known = scorer.weights.known(terms)
    if not scorer.weights.row_values(np.array([0, 1]), np.array([-1]), np.ones(1)).any():
        return Entries(np.concatenate([[0], np.cumsum(known)])[ends], terms[known], counts[known])
    of_text = np.repeat(np.arange(len(rows)), np.diff(ends))
    n_unknown = rows.n_unknown() + np.bincount(of_text[~known], counts[~known], len(rows))
    (with_unknown,) = np.nonzero(n_unknown)
    of_text = np.concatenate([of_text[known], with_unknown])
    order = np.argsort(of_text, kind="stable")
    terms = np.concatenate([terms[known], np.full(len(with_unknown), -1)])[order]
    counts = np.concatenate([counts[known], n_unknown[with_unknown]])[order]
    return Entries(np.searchsorted(of_text[order], np.arange(len(rows) + 1)), terms, counts)


class LineSums:
    """Sums of the parts of each line. `size` is the sum of the sizes of all parts."""

    def __init__(self, scorer: Scorer, n_sums: int, n_scores: int) -> None:
        self.size = np.zeros((n_sums, n_scores))
        self._scorer = scorer
        self._lines: dict[Line, int] = {}
        self._places: list[Integers] = []
        self._parts: list[Floats] = []

    def add_terms(self, terms: Integers, parts: Floats) -> None:
        """Parts of these terms, entries × sums × scores."""
        distinct, places = np.unique(terms, return_inverse=True)
        self.add_lines(self._name(distinct), np.arange(len(distinct)), _add_up(parts, places, len(distinct)))

    def add_lines(self, lines: Sequence[Line], places: Integers, parts: Floats) -> None:
        """Parts of the lines at these places."""
        numbers = np.array([self._lines.setdefault(line, len(self._lines)) for line in lines], np.int64)
        self._places.append(numbers[places])
        self._parts.append(parts)

    def add_numeric(self, documents: Documents, weights: Floats, labels: Floats) -> None:
        """Parts of the numeric columns."""
        if self._scorer.numeric:
            scores = self._scorer.numeric_scores(documents, len(weights))  # texts × labels × columns
            parts = np.einsum("tlc,ls,tw->tcws", scores, labels, weights)
            lines = [Line(name, is_word=False) for name in self._scorer.numeric]
            self.add_lines(lines, np.arange(len(lines)), parts.sum(axis=0))
            self.size += np.abs(parts).sum(axis=(0, 1))

    def finish(self) -> TermSums:
        """The sums; 0 if the parts of a line cancel but for rounding errors."""
        parts = np.concatenate([np.zeros((0, *self.size.shape)), *self._parts])
        sums = _add_up(parts, np.concatenate([np.zeros(0, np.int64), *self._places]), len(self._lines))
        return TermSums([line.name for line in self._lines], np.where(np.abs(sums) <= ROUNDING * self.size, 0.0, sums))

    def _name(self, terms: Integers) -> list[Line]:
        """The line of each of these terms, as explanations name it."""
        kinds, spelled = find_kinds(self._scorer.analyzer), self._scorer.names.spell(terms[terms >= 0]).tolist()
        lines = [Line(UNKNOWN, is_word=False)] * (len(terms) - len(spelled))  # -1 is the first
        if not kinds.has_characters:
            return lines + [Line(term, is_word=False) for term in spelled]
        is_word = self._scorer.table.character_flags()[terms[terms >= 0]] == 0
        named = (kinds.name_term(term) if own else term for term, own in zip(spelled, is_word.tolist(), strict=True))
        return lines + [Line(name, own and " " not in name) for name, own in zip(named, is_word.tolist(), strict=True)]


def _add_up(parts: Floats, places: Integers, n: int) -> Floats:
    """The sum of the parts at each place."""
    flat = parts.reshape(len(parts), math.prod(parts.shape[1:]))
    columns = [np.bincount(places, column, n).astype(np.float64) for column in flat.T]
    return np.stack(columns, axis=1).reshape(n, *parts.shape[1:])
