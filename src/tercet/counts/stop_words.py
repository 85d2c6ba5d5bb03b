"""The terms that are too frequent to say much."""

from dataclasses import dataclass

import numpy as np

from tercet.counts.selection import select_most
from tercet.counts.selector import Grounds, Integers, Selector
from tercet.errors import bad_option
from tercet.options import check_count
from tercet.text.analyzer import Analyzer
from tercet.text.negation import LANGUAGES, find_negation


@dataclass(frozen=True)
class WithoutMostFrequent(Selector):
    """All terms but the k that are counted most often: the stop words of these very documents; of equals the first go.

    Words of `keep` stay though they are among the k, and so does each n-gram that has one of them. None keeps the negation
    words of every language in `tercet.text.negation`: without "not", good and bad look alike. `keep=()` keeps nothing.

    >>> from tercet import Categorizer
    >>> texts, labels = ["it is so good", "it is not so bad", "it is so bad", "it is not good"], ["+", "+", "-", "-"]
    >>> fitted = Categorizer("words", select=WithoutMostFrequent(4)).fit(texts, labels)  # it, is, so, and one that occurs twice
    >>> fitted.explain("it is not so bad").unknown
    ('it', 'is', 'so', 'bad')
    """

    k: int
    keep: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        check_count("k", self.k)
        if self.keep is not None:
            is_list = not isinstance(self.keep, str) and hasattr(self.keep, "__iter__")
            if not is_list or not all(isinstance(word, str) for word in self.keep):
                raise bad_option("keep", "a list of words or None", self.keep, "it tells which words stay.")
            object.__setattr__(self, "keep", tuple(self.keep))

    def pick(self, grounds: Grounds, terms: Integers) -> Integers:
        frequent = select_most(grounds.count_terms(terms), int(self.k))
        kept = np.ones(len(terms), np.bool_)
        kept[frequent] = False
        words = find_words(self.keep, grounds.table.analyzer)
        if words:
            spelled = grounds.table.table.terms()
            kept[[place for place in frequent.tolist() if has_word(spelled[terms[place]], words)]] = True
        return terms[kept]


def find_words(keep: tuple[str, ...] | None, analyzer: Analyzer) -> frozenset[str]:
    """The words as the analyzer writes them; one that it takes apart is all of its tokens. Letters and bytes are no words.

    >>> sorted(find_words(("Not", "can't"), Analyzer()))
    ['can', 'not', 't']
    """
    if analyzer.options["tokens"] in ("characters", "bytes"):
        return frozenset()
    words = keep if keep is not None else find_negation(LANGUAGES) or ()
    return frozenset(token.text for word in words for token in analyzer.tokens(word))


def has_word(term: str, words: frozenset[str]) -> bool:
    """Whether one of the tokens of a term is among the words. A term may have its kind before it.

    >>> has_word("word:not so", frozenset({"not"})), has_word("nothing", frozenset({"not"}))
    (True, False)
    """
    return any(token in words for token in term.removeprefix("word:").split(" "))
