"""Words with a meaning: lists such as positive and negative, of which a text has so many."""

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, Self

from tercet.errors import InvalidOption, bad_option
from tercet.options import is_number
from tercet.text.values import Value
from tercet.text.word_lists import WordList, check_words


class Lexicon(Value):
    """Lists of words by name; a word can stand in several. Empty lists are left out.

    >>> lexicon = Lexicon({"positive": ["good", "fine"], "negative": ["bad"]})
    >>> lexicon
    Lexicon(negative: 1, positive: 2)
    >>> lexicon.lists_of("good")
    ('positive',)
    >>> lexicon | Lexicon({"negative": ["awful"]})
    Lexicon(negative: 2, positive: 2)
    """

    content: tuple[tuple[str, WordList], ...]

    def __init__(self, lists: Mapping[str, Iterable[str] | WordList]) -> None:
        if not isinstance(lists, Mapping):
            raise bad_option("a lexicon", "a mapping from list name to words", lists, "each list has a name.")
        named = {check_list_name(name): _make_list(name, words) for name, words in lists.items()}
        self._keep(content=tuple(sorted((name, words) for name, words in named.items() if words)))

    @classmethod
    def from_weights(cls, weights: Mapping[str, float], *, strong: float | None = None) -> Self:
        """The lists positive and negative by the sign of each word's weight; weight 0 is neither.

        With `strong`, words whose weight has at least that size are strong_positive and strong_negative, others weak_….

        >>> Lexicon.from_weights({"superb": 4, "fine": 1, "awful": -3}, strong=3)
        Lexicon(strong_negative: 1, strong_positive: 1, weak_positive: 1)
        """
        if not isinstance(weights, Mapping):
            raise bad_option("weights", "a mapping from word to weight", weights, "each word has one.")
        if strong is not None and not (is_number(strong) and 0 < strong < float("inf")):
            raise bad_option("strong", "None or a number > 0", strong, "it is the least size of a strong weight.")
        lists: dict[str, list[str]] = {}
        for word, weight in weights.items():
            if not is_number(weight) or weight != weight:
                raise bad_option(f"the weight of {word!r}", "a number", weight, "its sign tells the list.")
            if weight:
                lists.setdefault(_name_weight(weight, strong), []).append(word)
        return cls(lists)

    @property
    def lists(self) -> dict[str, WordList]:
        return dict(self.content)

    @cached_property
    def by_word(self) -> dict[str, tuple[str, ...]]:
        """From a word to the names of its lists, sorted."""
        found: dict[str, tuple[str, ...]] = {}
        for name, words in self.content:
            for word in words:
                found[word] = (*found.get(word, ()), name)
        return found

    def lists_of(self, word: str) -> tuple[str, ...]:
        """The names of the lists in which the word stands; none for a word that is unknown."""
        return self.by_word.get(word, ())

    def __or__(self, other: object) -> Self:
        if not isinstance(other, Lexicon):
            return NotImplemented
        names = [name for name, _ in (*self.content, *other.content)]
        return type(self)({name: [*self.lists.get(name, ()), *other.lists.get(name, ())] for name in names})

    def __repr__(self) -> str:
        return f"Lexicon({', '.join(f'{name}: {len(words)}' for name, words in self.content)})"

    def to_dict(self) -> dict[str, Any]:
        """The words by the name of their list, for JSON: `from_dict` reads them back."""
        return {"lists": {name: list(words) for name, words in self.content}}

    @classmethod
    def from_dict(cls, options: Mapping[str, Any]) -> Self:
        """
        >>> Lexicon.from_dict({"lists": {"joy": ["glad"]}})
        Lexicon(joy: 1)
        """
        if not isinstance(options, Mapping) or set(options) != {"lists"}:
            raise bad_option("a lexicon", "a mapping with lists", options, "to_dict writes it so.")
        return cls(options["lists"])


def check_list_name(name: object) -> str:
    if not isinstance(name, str) or not name or re.search(r"\s", name):
        raise InvalidOption(f"a list of a lexicon is named {name!r}: its terms are written with the name. Use no blanks.")
    return name


def _make_list(name: str, words: Iterable[str]) -> WordList:
    return WordList(check_words(words, f"the list {name!r} of a lexicon"), name)


def _name_weight(weight: float, strong: float | None) -> str:
    sign = "positive" if weight > 0 else "negative"
    return sign if strong is None else f"{'strong' if abs(weight) >= strong else 'weak'}_{sign}"
