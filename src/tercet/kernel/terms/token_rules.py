"""Rules that depend only on the token: stop words, forms (stems, lemmas), negation words, lexicons.

A recipe has lists of words as people write them. `make_rules` turns them into the tokens that the recipe makes of them.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from tercet.kernel.text.tokenize import SPLITTERS, is_mark, is_word

Entry = tuple[str, ...]


class Lexicon:
    """Lists of words and phrases. The last token of an entry may be a prefix."""

    def __init__(self) -> None:
        self._lists: defaultdict[Entry, set[int]] = defaultdict(set)
        self._prefixes: defaultdict[Entry, set[int]] = defaultdict(set)

    def add(self, tokens: list[str], ends_in_prefix: bool, number: int) -> None:
        """Add an entry of one or more tokens to a list. A prefix stands for every token that begins with it."""
        if tokens:
            (self._prefixes if ends_in_prefix else self._lists)[tuple(tokens)].add(number)

    def find(self, tokens: list[str]) -> list[int]:
        """The lists with an entry that fits exactly these tokens, in rising order."""
        *before, last = tokens
        fitting = [self._prefixes.get((*before, last[:n]), set()) for n in range(1, len(last) + 1)]
        return sorted(set().union(self._lists.get(tuple(tokens), ()), *fitting))

    def hits(self, tokens: list[str], clauses: list[int]) -> Iterator[tuple[int, int, int]]:
        """(list, first token, last token) of each entry found inside one clause, sorted by its end, then by its start."""
        longest = max(map(len, [*self._lists, *self._prefixes]), default=0)
        for last in range(len(tokens)):
            for first in range(max(0, last - longest + 1), last + 1):
                if clauses[first] == clauses[last]:
                    yield from ((number, first, last) for number in self.find(tokens[first : last + 1]))


FindForms = Callable[[list[str]], list[str | None]]
Span = tuple[int, int]


@dataclass
class TokenRules:
    """All lists hold tokens after normalisation."""

    stop_words: frozenset[str] = frozenset()
    stops_forms: bool = False  # stop words are compared with the form of a token, not with the token
    kept_words: frozenset[str] | None = None  # all other tokens are left out
    negation: frozenset[str] | None = None
    nt_negates: bool = False  # tokens that end in n't are negation words: didn't
    lexicon: Lexicon = field(default_factory=Lexicon)
    n_lists: int = 0
    find_forms: FindForms | None = None  # stems or lemmas. A token with an empty form is left out

    def is_left_out(self, token: str) -> bool:
        is_stopped = (self.find_form(token) if self.stops_forms else token) in self.stop_words
        return is_stopped or (self.kept_words is not None and token not in self.kept_words)

    def find_form(self, token: str) -> str:
        return token if self.find_forms is None else self.find_forms([token])[0] or ""


def lies_in(place: int, spans: Iterable[Span]) -> bool:
    """Whether a place is inside one of the spans, which are sorted.

    >>> lies_in(3, [(0, 2), (3, 5)]), lies_in(2, [(0, 2), (3, 5)])
    (True, False)
    """
    return next((start <= place for start, end in spans if end > place), False)


if TYPE_CHECKING:
    from tercet.kernel.terms.analysis import Recipe


def make_rules(recipe: "Recipe") -> TokenRules:
    """The rules of a recipe. Negation words that are more than one token are ignored."""
    lexicon = Lexicon()
    for number, entries in enumerate(recipe.lexicon):
        for spelling in (spelling for entry in entries for spelling in list_spellings(entry)):
            is_prefix = ends_in_star(spelling)
            lexicon.add([token for token, _ in split_entry(recipe, spelling[: -1 if is_prefix else None])], is_prefix, number)
    negation = None if recipe.negation is None else [w for w in recipe.negation if len(split_entry(recipe, w)) == 1]
    return TokenRules(
        stop_words=all_tokens(recipe, recipe.stop_words) or frozenset(),
        stops_forms=recipe.stops_forms,
        kept_words=all_tokens(recipe, recipe.kept_words),
        negation=all_tokens(recipe, negation),
        nt_negates="n't" in (recipe.negation or ()),
        lexicon=lexicon,
        n_lists=len(recipe.lexicon),
        find_forms=recipe.find_forms,
    )


def ends_in_star(entry: str) -> bool:
    """Whether an entry is a prefix. The star of an emoticon is part of it.

    >>> [ends_in_star(entry) for entry in ("happi*", ":*", "*")]
    [True, False, False]
    """
    return entry.endswith("*") and len(entry) > 1 and (is_word(entry[-2]) or is_mark(entry[-2]))


def list_spellings(entry: str) -> list[str]:
    """The entry with each kind of apostrophe."""
    return [entry, entry.replace("'", "’")]


def split_entry(recipe: "Recipe", entry: str) -> list[tuple[str, Span]]:
    """The tokens of an entry, each with its place. Nothing in an entry is replaced by a placeholder.

    If the tokens do not cover the start and the end of the entry, the result is empty. Otherwise :3 would match any 3.
    """
    characters = recipe.keep_groups().token_characters(entry)
    text = "".join(c.value for c in characters)
    tokens = [
        (text[token.begin : token.end], (characters[token.begin].start, characters[token.end - 1].end))
        for token in SPLITTERS[recipe.tokens](text)
    ]
    return tokens if tokens and tokens[0][1][0] == 0 and tokens[-1][1][1] == len(entry) else []


def all_tokens(recipe: "Recipe", words: Sequence[str] | None) -> frozenset[str] | None:
    """The tokens of all words. A word that the tokenizer splits gives all its tokens.

    In a script without spaces tokens overlap. Then only a token that is the whole word counts.
    """
    if words is None:
        return None
    found: set[str] = set()
    for spelling in (spelling for word in words for spelling in list_spellings(word)):
        tokens = split_entry(recipe, spelling)
        overlap = any(start < end for (_, (_, end)), (_, (start, _)) in pairwise(tokens))
        found |= {token for token, place in tokens if not overlap or place == (0, len(spelling))}
    return frozenset(found)
