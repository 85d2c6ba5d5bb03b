"""Cells: the sentences that differ only in a group, such as a person's gender. Everything else is held fixed in a cell.

The words in which the sentences of a cell differ between groups are listed, and whether an analyzer makes them neutral.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.auditing.audit.group_differences import MISSING
from tercet.auditing.audit.model_answers import Column, list_keys
from tercet.errors import InvalidOption, shorten
from tercet.kernel.text.neutral import PLACEHOLDER
from tercet.text.analyzer import Analyzer
from tercet.text.recipe import make_recipe

# The share of the sentences for which a column must be balanced to be a filler. Some sentences may have lost their partner.
BALANCED = 0.95
ALL_OTHERS = "all others"  # what a group is compared with, if there are more than two


def _repeats(cells: Sequence[Any]) -> bool:
    """Whether its values occur twice on average, as the values of a filler do. Texts and ids do not."""
    return 2 * len(set(list_keys(cells))) <= len(cells)


class Sides(NamedTuple):
    """A comparison: the rows with a value of a column against the rows with its other values, in cells that have both."""

    column: str
    value: Any
    against: Any
    cells: tuple[tuple[Integers, Integers], ...]  # the rows of each cell: with the value, and with others

    def weigh(self, n: int) -> Floats:
        """The weight of each of n rows in the mean difference. The weights add up to 0."""
        weights = np.zeros(n)
        for own, others in self.cells:
            weights[own] = 1 / (len(own) * len(self.cells))
            weights[others] = -1 / (len(others) * len(self.cells))
        return weights

    def subtract(self, values: Sequence[float]) -> list[float]:
        """For each cell the mean of the rows with the value minus that of the others.

        It is exactly 0 if both sides have the same values, in any order. Sums have no rounding errors, and they are of what the
        values exceed the smallest value of their cell by, so that equal values differ by 0, however many there are.

        >>> sides = Sides("x", "a", "b", ((np.array([0, 1, 2]), np.array([3])),))
        >>> sides.subtract([0.1, 0.1, 0.1, 0.1]), sides.subtract([3.0, 5.0, 4.0, 1.0])
        ([0.0], [3.0])
        """
        return [_subtract([values[i] for i in own], [values[i] for i in others]) for own, others in self._listed]

    def average(self, values: Floats) -> float:
        """The mean over the cells of what `subtract` gives."""
        return math.fsum(self.subtract(values.tolist())) / len(self.cells)

    @property
    def _listed(self) -> Iterator[tuple[list[int], list[int]]]:
        return ((own.tolist(), others.tolist()) for own, others in self.cells)

    def count_flips(self, decisions: Integers, n_labels: int) -> tuple[int, Integers, Integers]:
        """The number of pairs; and for each label, in how many pairs only the first side gets it, and only the other side."""
        n_pairs, gained, lost = 0, np.zeros(n_labels, np.int64), np.zeros(n_labels, np.int64)
        for own, others in self.cells:
            ours, theirs = (np.bincount(decisions[side], minlength=n_labels) for side in (own, others))
            n_pairs += len(own) * len(others)
            gained += ours * (len(others) - theirs)
            lost += (len(own) - ours) * theirs
        return n_pairs, gained, lost


def _subtract(own: list[float], others: list[float]) -> float:
    least = min(*own, *others)
    return math.fsum(each - least for each in own) / len(own) - math.fsum(each - least for each in others) / len(others)


@dataclass(frozen=True, eq=False)
class Cells:
    """The cell of each row, and the columns that are equal in a cell."""

    columns: Mapping[str, Column]
    held_fixed: tuple[str, ...]
    codes: Integers

    @classmethod
    def of(cls, columns: Mapping[str, Sequence[Any]], pair: Sequence[str], by: Sequence[str]) -> "Cells":
        """The cells of rows that agree in the pair columns and in the fillers.

        A filler is a column that is balanced: within a cell, each of its values occurs with the same groups as the whole cell.

        >>> rows = {"template": "11112", "mood": "sstts", "who": "abcde", "sex": "fmfmf"}
        >>> cells = Cells.of(rows, ["template"], ["sex"])
        >>> cells.held_fixed, cells.codes.tolist()
        (('template', 'mood'), [0, 0, 1, 1, 2])
        """
        encoded = {name: Column.encode(cells) for name, cells in columns.items() if name in (*pair, *by) or _repeats(cells)}
        groups, codes = (_join_codes([encoded[name].codes for name in names]) for names in (by, pair))
        held_fixed = list(pair)
        others = [name for name in encoded if name not in (*pair, *by)]
        for name in sorted(others, key=lambda name: (-len(encoded[name].values), name)):
            finer = _join_codes([codes, encoded[name].codes])
            if codes.max() < finer.max() and _is_balanced(codes, finer, groups):
                codes = finer
                held_fixed.append(name)
        return cls(encoded, tuple(held_fixed), codes)

    def compare(self, by: str) -> list[Sides]:
        """For two values, the first against the second; for more, each value against all others."""
        values, groups = self.columns[by]
        self.columns[by].check_groups(by)
        if len(values) == 2:
            return [self._split(by, groups == 0, groups == 1, values[0], values[1])]
        is_known = groups != MISSING
        return [
            self._split(by, groups == number, is_known & (groups != number), value, ALL_OTHERS)
            for number, value in enumerate(values)
        ]

    def _split(self, by: str, is_own: Any, is_other: Any, value: Any, against: Any) -> Sides:
        order = np.argsort(self.codes, kind="stable")
        edges = np.searchsorted(self.codes[order], np.arange(self.codes.max() + 2))
        rows = [order[begin:end] for begin, end in pairwise(edges.tolist())]
        sides = [(own[is_own[own]], own[is_other[own]]) for own in rows]
        cells = [(own, others) for own, others in sides if len(own) and len(others)]
        if not cells:
            raise InvalidOption(
                f"no sentence with {by}={value!r} has a partner: no other sentence with equal "
                f"{', '.join(map(repr, self.held_fixed))} has another value of {by!r}, so nothing can be compared. Name the "
                "columns that are equal in the sentences of a pair."
            )
        return Sides(by, value, against, tuple(cells))

    def list_groups(self, by: str) -> list[dict[int, list[int]]]:
        """For each cell the rows of each group of the column, in the order of rows. Rows without a value are left out."""
        found: dict[int, dict[int, list[int]]] = {}
        for row, (cell, group) in enumerate(zip(self.codes.tolist(), self.columns[by].codes.tolist(), strict=True)):
            if group != MISSING:
                found.setdefault(cell, {}).setdefault(group, []).append(row)
        return list(found.values())

    def name(self, row: int) -> str:
        """The cell of a row, by the values that are held fixed."""
        return shorten(" + ".join(repr(self._show(name, row)) for name in self.held_fixed), 120)

    def _show(self, name: str, row: int) -> Any:
        values, codes = self.columns[name]
        return "" if codes[row] == MISSING else values[codes[row]]


def _join_codes(columns: Sequence[Integers]) -> Integers:
    """One number for each combination of values; equal rows have equal numbers."""
    codes = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        _, codes = np.unique(codes * (column.max(initial=0) + 2) + column + 1, return_inverse=True)
    return codes.astype(np.int64).ravel()


def _is_balanced(cells: Integers, finer: Integers, groups: Integers) -> bool:
    """Whether nearly all finer cells have all groups of the cell that they are a part of. Cells of one group do not count."""
    n_groups, n_finer = (_count_groups(each, groups) for each in (cells, finer))
    is_counted = n_groups[cells] > 1
    return bool(is_counted.any()) and float((n_finer[finer] == n_groups[cells])[is_counted].mean()) >= BALANCED


def _count_groups(cells: Integers, groups: Integers) -> Integers:
    """The number of different groups in each cell."""
    n = int(groups.max(initial=0)) + 1
    return np.bincount(np.unique(cells * n + groups) // n, minlength=int(cells.max(initial=-1)) + 1)


Groups = Mapping[int, Sequence[int]]  # the rows of each group of a cell
SPELLING = ("html", "unicode_form", "strip_marks", "max_repeats")  # options that say how a neutral word is written


@dataclass(frozen=True)
class DifferingToken:
    """A token that occurs in the sentences of some groups, and not in those of the others, within a cell."""

    column: str
    token: str
    groups: tuple[Any, ...]  # groups that have the token, where it differs
    n_cells: int  # cells in which the token differs
    is_neutral: bool


class TokenDifferences(NamedTuple):
    """The differing tokens of a column, and how many cells would still differ if those of all columns were neutral."""

    tokens: list[DifferingToken]
    n_unequal: int


def list_differing_tokens(
    analyzer: Analyzer, texts: Sequence[str], cells: Cells, by: Sequence[str]
) -> dict[str, TokenDifferences]:
    """For each column the words that some groups of a cell have and others do not, those in most cells first.

    They are the words that `neutral` can replace, in lower case, whatever the tokens of the analyzer are.

    >>> cells = Cells.of({"template": [1, 1], "gender": ["m", "f"]}, ["template"], ["gender"])
    >>> found = list_differing_tokens(Analyzer(neutral=["he"]), ["He's glad", "She's glad"], cells, ["gender"])
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
