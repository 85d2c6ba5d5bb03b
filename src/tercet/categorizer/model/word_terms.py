"""The single words of a text as they are written: the recipe for them, and those of a table."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.categorizer.model.packed_terms import NONE
from tercet.counts.table import CountTable, Mask
from tercet.counts.units import to_numbers
from tercet.text.analyzer import Analyzer

CHANGED = ("stems", "lemmas", "negation", "keep_tags", "header_fields", "strip_marks", "max_repeats")  # they change words


def find_word_recipe(analyzer: Analyzer, *, has_ngrams: bool = False) -> Analyzer | None:
    """The recipe for the single words of a text; None if the recipe does not count words as they are written.

    With `has_ngrams` it has the word n-grams of the recipe, too.

    >>> find_word_recipe(Analyzer(word_ngrams=(1, 2), char_ngrams=(2, 5))).terms("To be")
    ['to', 'be']
    >>> find_word_recipe(Analyzer(word_ngrams=(1, 2), char_ngrams=(2, 5)), has_ngrams=True).terms("To be")
    ['to', 'be', 'to be']
    >>> find_word_recipe(Analyzer(negation="en"))
    """
    options = analyzer.options
    words, has_fields = options["word_ngrams"], options["layout"] is not None and options["layout"].fields
    ranges = words if words and isinstance(words[0], tuple) else (words,)
    has_words = bool(words) and any(low <= 1 for low, _ in ranges) and options["tokens"] not in ("characters", "bytes")
    if not has_words or has_fields or not options["lowercase"] or any(options[name] for name in CHANGED):
        return None
    nothing = dict.fromkeys(("skip_grams", "char_ngrams", "lexicon", "patterns", "tag_terms"))
    ngrams = words if has_ngrams else (1, 1)
    return analyzer.replace(word_ngrams=ngrams, char_ngrams_over=Analyzer().char_ngrams_over, **nothing)


class WordTerms(NamedTuple):
    """The single words of a table, sorted: their spelling in UTF-8, and their terms."""

    words: list[bytes]
    terms: Integers

    @classmethod
    def of(cls, table: CountTable) -> "WordTerms":
        order = table.table.order()
        frozen = table.table.freeze(order)
        if "words.terms" not in frozen:
            return cls([], np.zeros(0, np.int64))
        numbers, ends = frozen["words.terms"].astype(np.int64), frozen["words.ends"].astype(np.int64)
        spelled, used = frozen["words.bytes"].tobytes(), np.flatnonzero(numbers != NONE)
        words = [spelled[ends[i] : ends[i + 1]] for i in used.tolist()]
        sorted_ = sorted(range(len(words)), key=words.__getitem__)
        return cls([words[i] for i in sorted_], order[numbers[used]][sorted_])

    def pick(self, terms: Mask) -> "WordTerms":
        """Those of the words whose terms have a 1."""
        kept = np.flatnonzero(terms[self.terms])
        return WordTerms([self.words[i] for i in kept.tolist()], self.terms[kept])

    def take_most_frequent(self, n_texts: Floats, most: int) -> "WordTerms":
        """The words that most texts have, at most so many. `n_texts` says for each term how many texts have it."""
        if len(self.words) <= most:
            return self
        kept = np.sort(np.argsort(-n_texts[self.terms], kind="stable")[:most])  # ties: those that sort first
        return WordTerms([self.words[i] for i in kept.tolist()], self.terms[kept])

    def count_occurrences(self, table: CountTable) -> Floats:
        """How often the documents of the table have each of the words, with the weights of the documents."""
        starts, _, occurrences, _ = table.counts.cells(self.terms)
        return to_numbers(np.add.reduceat(np.append(occurrences, 0), starts[:-1]) * (np.diff(starts) > 0))


def read_words(words: Sequence[bytes]) -> list[str]:
    return [word.decode("utf-8", "surrogatepass") for word in words]
