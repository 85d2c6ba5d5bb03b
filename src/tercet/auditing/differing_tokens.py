"""The words in which the sentences of a cell differ between groups, and whether an analyzer makes them neutral."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tercet.auditing.cells import Cells
from tercet.kernel.text.neutral import PLACEHOLDER
from tercet.report.pair_audit import DifferingToken
from tercet.text.analyzer import Analyzer
from tercet.text.recipe import make_recipe

Groups = Mapping[int, Sequence[int]]  # the rows of each group of a cell
SPELLING = ("html", "unicode_form", "strip_marks", "max_repeats")  # options that say how a neutral word is written


class TokenDifferences(NamedTuple):
    """The differing tokens of a column, and how many cells would still differ if those of all columns were neutral."""

    tokens: list[DifferingToken]
    n_unequal: int


def find_differing_tokens(
    analyzer: Analyzer, texts: Sequence[str], cells: Cells, by: Sequence[str]
) -> dict[str, TokenDifferences]:
    """For each column the words that some groups of a cell have and others do not, those in most cells first.

    They are the words that `neutral` can replace, in lower case, whatever the tokens of the analyzer are.

    >>> cells = Cells.find({"template": [1, 1], "gender": ["m", "f"]}, ["template"], ["gender"])
    >>> found = find_differing_tokens(Analyzer(neutral=["he"]), ["He's glad", "She's glad"], cells, ["gender"])
    >>> [(each.token, each.groups, each.is_neutral) for each in found["gender"].tokens], found["gender"].n_unequal
    ([('he', ('m',), True), ('she', ('f',), False)], 0)
    """
    plain = Analyzer(**{name: analyzer.options[name] for name in SPELLING})
    recipe = make_recipe(plain)
    words = [{word for word, *_ in recipe.list_tokens(text)} for text in texts]
    complete = {name: [own for own in cells.list_groups(name) if len(own) > 1] for name in by}
    found = {name: list(_compare(analyzer, words, complete[name], name, cells.columns[name].values)) for name in by}
    neutral = plain.replace(neutral=[token.token for own in found.values() for token in own] or None)
    shown = [text.lower() if analyzer.lowercase else text for text in map(neutral.neutralize, texts)]
    return {name: TokenDifferences(found[name], sum(not _are_equal(own, shown) for own in complete[name])) for name in by}


def _compare(
    analyzer: Analyzer, words: Sequence[set[str]], complete: Sequence[Groups], by: str, values: Sequence[Any]
) -> Iterator[DifferingToken]:
    n_cells, seen_in = Counter[str](), dict[str, set[int]]()
    for own in complete:
        for word, has_it in _list_differing(own, words):
            n_cells[word] += 1
            seen_in.setdefault(word, set()).update(has_it)
    for word, n in sorted(n_cells.items(), key=lambda item: (-item[1], item[0])):
        groups = tuple(values[group] for group in sorted(seen_in[word]))
        yield DifferingToken(by, word, groups, n, analyzer.neutralize(word) == PLACEHOLDER)


def _list_differing(own: Groups, words: Sequence[set[str]]) -> Iterator[tuple[str, list[int]]]:
    """The words that not all groups of a cell have, and the groups that have them."""
    of_group = {group: {word for row in rows for word in words[row]} for group, rows in own.items()}
    first, *others = of_group.values()
    for word in first.union(*others) - first.intersection(*others):
        yield word, [group for group, known in of_group.items() if word in known]


def _are_equal(own: Groups, texts: Sequence[str]) -> bool:
    """Whether all groups of a cell have the same texts, in the same shares."""
    counts = [(Counter(texts[row] for row in rows), len(rows)) for rows in own.values()]
    first, n_first = counts[0]
    return all(
        first.keys() == other.keys() and all(m * n_first == first[text] * n for text, m in other.items()) for other, n in counts
    )
