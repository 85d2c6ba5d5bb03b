"""The terms that are too frequent to say much."""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from tercet.arrays import Integers
from tercet.counts.selection import select_most
from tercet.counts.selector import Grounds, Selector
from tercet.errors import bad_option
from tercet.options import check_count
from tercet.text.analyzer import Analyzer
from tercet.text.negation import LANGUAGES, find_negation
from tercet.text.recipe import list_options

_FIELD = re.compile("^[a-z][a-z0-9_-]*:")  # of an e-mail, before each word of its header


@dataclass(frozen=True)
class WithoutMostFrequent(Selector):
    """All terms but the k words that are counted most often: the stop words of these documents; of equals the first go.

    Words of `keep` stay though they are among the k, and so does each n-gram that has one of them. None keeps the negation
    words of every language in `tercet.text.negation`: without "not", good and bad look alike. `keep=()` keeps nothing.
    N-grams of words are among the k; character n-grams and hits of lexicons, patterns and tags are no stop words: they are not
    counted among them and stay. So nothing goes where a recipe has no words, but letters or bytes for example.

    >>> from tercet import Categorizer
    >>> texts, labels = ["it is so good", "it is not so bad", "it is so bad", "it is not good"], ["+", "+", "-", "-"]
    >>> fitted = Categorizer("words", select=WithoutMostFrequent(4)).fit(texts, labels)  # it, is, so, and one that occurs twice
    >>> fitted.explain("it is not so bad").unknown
    ('it', 'is', 'so', 'bad')
    """

    k: int
    keep: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", check_count("k", self.k))  # one of NumPy's becomes one that a file can hold
        if self.keep is not None:
            is_list = not isinstance(self.keep, str) and hasattr(self.keep, "__iter__")
            words: tuple[Any, ...] = tuple(self.keep) if is_list else (None,)
            if not all(isinstance(word, str) for word in words):
                raise bad_option("keep", "a list of words or None", self.keep, "it tells which words stay.")
            object.__setattr__(self, "keep", words)

    def pick(self, grounds: Grounds, terms: Integers) -> Integers:
        analyzer, spelled = grounds.table.analyzer, grounds.table.table.terms()
        words = find_word_terms([spelled[term] for term in terms.tolist()], analyzer)
        frequent = words[select_most(grounds.count_terms(terms[words]), self.k)]
        stay = find_words(self.keep, analyzer)
        gone = [place for place in frequent.tolist() if stay.isdisjoint(split_words(spelled[terms[place]], analyzer))]
        kept = np.ones(len(terms), np.bool_)
        kept[gone] = False
        return terms[kept]


def find_words(keep: tuple[str, ...] | None, analyzer: Analyzer) -> frozenset[str]:
    """The words as the analyzer writes them; one that it takes apart is all of its tokens.

    >>> sorted(find_words(("Not", "can't"), Analyzer()))
    ['can', 'not', 't']
    """
    words = keep if keep is not None else find_negation(LANGUAGES) or ()
    return frozenset(token.text for word in words for token in analyzer.tokens(word))


def find_word_terms(terms: list[str], analyzer: Analyzer) -> Integers:
    """The places of those terms that are words or n-grams of words.

    >>> find_word_terms(["word:not", "char:not"], Analyzer(char_ngrams=(3, 3))).tolist()
    [0]
    """
    options, features = analyzer.options, frozenset(list_options(analyzer)["features"])
    if not (options["word_ngrams"] or options["skip_grams"]) or options["tokens"] in ("characters", "bytes"):
        return np.zeros(0, np.int64)
    if not features and not options["char_ngrams"]:
        return np.arange(len(terms))
    kind = "word:" if options["char_ngrams"] else ""
    return np.flatnonzero([term not in features and term.startswith(kind) for term in terms])


def split_words(term: str, analyzer: Analyzer) -> list[str]:
    """The words of such a term, without its kind or the field of a header before them.

    >>> split_words("subject:not subject:so", Analyzer(header_fields=True, word_ngrams=(1, 2)))
    ['not', 'so']
    """
    words = term.removeprefix("word:").split(" ")
    return [_FIELD.sub("", word) for word in words] if analyzer.options["header_fields"] else words
