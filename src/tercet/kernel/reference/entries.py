"""Word lists and lexicons say how words are written; these are the tokens that a recipe makes of them."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from tercet.kernel.reference.lexicon import Lexicon
from tercet.kernel.reference.token_rules import TokenRules
from tercet.kernel.reference.tokenize import SPLITTERS

if TYPE_CHECKING:
    from tercet.kernel.reference.analysis import Recipe

Span = tuple[int, int]


def make_rules(recipe: "Recipe") -> TokenRules:
    lexicon = Lexicon()
    for number, entries in enumerate(recipe.lexicon):
        for spelling in (spelling for entry in entries for spelling in list_spellings(entry)):
            lexicon.add([token for token, _ in split_entry(recipe, spelling)], number)
    negation = None if recipe.negation is None else [w for w in recipe.negation if len(split_entry(recipe, w)) == 1]
    return TokenRules(
        stop_words=all_tokens(recipe, recipe.stop_words) or frozenset(),
        kept_words=all_tokens(recipe, recipe.kept_words),
        negation=all_tokens(recipe, negation),
        nt_negates="n't" in (recipe.negation or ()),
        lexicon=lexicon,
        n_lists=len(recipe.lexicon),
        find_forms=recipe.find_forms,
    )


def list_spellings(entry: str) -> list[str]:
    """With either kind of apostrophe."""
    return [entry, entry.replace("'", "’")]


def split_entry(recipe: "Recipe", entry: str) -> list[tuple[str, Span]]:
    """The tokens of an entry, each with its place. An entry is no text: nothing in it is grouped.

    None, where they leave out its beginning or end: without its eyes, the face :3 would be any 3.
    """
    whole = replace(recipe, emoticons="keep", emoji="keep", hashtags="keep", numbers="keep", urls="keep", users="keep")
    characters = whole.token_characters(entry)
    text = "".join(c.value for c in characters)
    tokens = [
        (text[token.begin : token.end], (characters[token.begin].start, characters[token.end - 1].end))
        for token in SPLITTERS[recipe.tokens](text)
    ]
    return tokens if tokens and tokens[0][1][0] == 0 and tokens[-1][1][1] == len(entry) else []


def all_tokens(recipe: "Recipe", words: Sequence[str] | None) -> frozenset[str] | None:
    """A word that the tokenizer takes apart is all of its tokens; in a script without spaces it is itself, or none."""
    if words is None:
        return None
    found: set[str] = set()
    for spelling in (spelling for word in words for spelling in list_spellings(word)):
        tokens = split_entry(recipe, spelling)
        overlap = any(start < end for (_, (_, end)), (_, (start, _)) in pairwise(tokens))
        found |= {token for token, place in tokens if not overlap or place == (0, len(spelling))}
    return frozenset(found)
