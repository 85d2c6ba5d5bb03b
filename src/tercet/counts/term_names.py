"""The terms of a table or of a matrix by their numbers: how they are written, their order, and the number of a written term."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from tercet.arrays import Integers
from tercet.cached import cached_property
from tercet.errors import InvalidOption, bad_option, shorten
from tercet.kernel import engine
from tercet.options import is_int, is_list
from tercet.row_table import Listed, PackedTexts, Values
from tercet.text.analyzer import Analyzer

MAX_SORTED_ALONE = 1 << 12  # terms: to sort so few, the canonical order of all terms is not needed


class TermNames(Protocol):
    """Terms have the numbers 0 … n - 1."""

    def spell(self, numbers: Integers) -> Values:
        """These terms as they are written."""

    def sort(self, numbers: Integers) -> Integers:
        """These distinct terms in canonical order."""

    def pick_first(self, numbers: Integers, n: int) -> Integers:
        """The first n of these distinct terms in canonical order."""

    def find(self, terms: Sequence[Any]) -> Integers:
        """The numbers of these distinct terms. A term that is not there is an InvalidOption."""


@dataclass(frozen=True, eq=False)
class TermColumn:
    """A column of terms. They are spelled when they are read."""

    names: TermNames
    numbers: Integers

    def __getitem__(self, rows: slice) -> "TermColumn":
        return TermColumn(self.names, self.numbers[rows])

    def tolist(self) -> list[Any]:
        return self.names.spell(self.numbers).tolist()

    def to_arrow(self) -> Any:
        return self.names.spell(self.numbers).to_arrow()


@dataclass(frozen=True, eq=False)
class TableTerms:
    """The terms of texts.

    >>> from tercet.text.recipe import make_recipe
    >>> table = engine.Table(make_recipe(Analyzer()), 1)
    >>> TableTerms(table, Analyzer()).find(["good"])
    Traceback (most recent call last):
    tercet.errors.InvalidOption: the term 'good' is unknown here: no learned document has it, so it has no counts.
    """

    table: engine.Table
    analyzer: Analyzer

    def spell(self, numbers: Integers) -> PackedTexts:
        return PackedTexts(*self.table.spell(numbers))

    def sort(self, numbers: Integers) -> Integers:
        return self.pick_first(numbers, len(numbers))

    def pick_first(self, numbers: Integers, n: int) -> Integers:
        if len(numbers) <= MAX_SORTED_ALONE:
            return self.table.sort(numbers)[:n]
        wanted = np.zeros(max(len(self._order), int(numbers.max()) + 1), np.bool_)
        wanted[numbers] = True
        found, size, begin = [np.zeros(0, np.int64)], max(n, MAX_SORTED_ALONE), 0
        while n > 0 and begin < len(self._order):  # a small n needs only the beginning of the order
            part = self._order[begin : begin + size]
            found.append(part[wanted[part]][:n])
            n, begin = n - len(found[-1]), begin + size
        return np.concatenate(found)

    def find(self, terms: Sequence[Any]) -> Integers:
        for term in terms:
            if not isinstance(term, str):
                raise bad_option("a term", "a str", term, "terms are written as `Analyzer.terms` gives them.")
        numbers = self.look_up(terms)
        if (missing := np.flatnonzero(numbers < 0)).size:
            raise self._refuse(terms[missing[0]])
        return numbers

    def look_up(self, terms: Sequence[str]) -> Integers:
        """The numbers of these distinct terms; -1 for unknown terms. The kind of a word may be left out: good for `word:good`.

        Only a recipe with words and character n-grams writes the kind.
        """
        numbers = self.table.look_up(list(terms))
        options = self.analyzer.options
        if (numbers >= 0).all() or not options["char_ngrams"] or not (options["word_ngrams"] or options["skip_grams"]):
            return numbers
        return np.where(numbers < 0, self.table.look_up([f"word:{term}" for term in terms]), numbers)

    def _refuse(self, term: str) -> InvalidOption:
        """The error for an unknown term. It names the term that the analyzer makes of it, if that one is known."""
        made = list(dict.fromkeys(self.analyzer.terms(term)))
        known = [other for other, number in zip(made, self.table.look_up(made).tolist(), strict=True) if number >= 0]
        hint = f" The analyzer writes {shorten(', '.join(map(repr, known)), 100)}." if known else ""
        hint = " It is a stop word." if term in (self.analyzer.stop_words or ()) else hint
        return InvalidOption(
            f"the term {shorten(repr(term), 100)} is unknown here: no learned document has it, so it has no counts.{hint}"
        )

    @cached_property
    def _order(self) -> Integers:
        return self.table.order()


@dataclass(frozen=True, eq=False)
class ColumnTerms:
    """The columns of a matrix: terms are their names, or their numbers if they have no names.

    >>> ColumnTerms(2, ("to", "be")).find(["be"]), ColumnTerms(2).spell(np.array([1])).tolist()
    (array([1]), [1])
    """

    n_columns: int
    names: tuple[Any, ...] | None = None

    @classmethod
    def check(cls, n_columns: int, names: Any) -> "ColumnTerms":
        """The columns with these names. Raises InvalidOption unless there is a distinct name for each column."""
        if names is None:
            return cls(n_columns)
        listed = tuple(names.tolist() if hasattr(names, "tolist") else names) if is_list(names) else ()
        if len(listed) != n_columns or not all(isinstance(n, Hashable) for n in listed) or len(set(listed)) != n_columns:
            raise bad_option("names", f"{n_columns} different names", names, "each column of the matrix needs its own name.")
        return cls(n_columns, listed)

    def spell(self, numbers: Integers) -> Listed:
        return Listed(numbers.tolist() if self.names is None else [self.names[number] for number in numbers.tolist()])

    def sort(self, numbers: Integers) -> Integers:
        return np.sort(numbers)

    def pick_first(self, numbers: Integers, n: int) -> Integers:
        return np.sort(numbers)[:n]

    def find(self, terms: Sequence[Any]) -> Integers:
        indices = None if self.names is None else {name: index for index, name in enumerate(self.names)}
        found = [self._find_column(term) if indices is None else indices.get(term, -1) for term in terms]
        if -1 in found:
            known = f"the columns are 0 to {self.n_columns - 1}" if indices is None else "no column has this name"
            raise InvalidOption(f"the term {shorten(repr(terms[found.index(-1)]), 100)} is unknown here: {known}.")
        return np.array(found, np.int64)

    def _find_column(self, term: Any) -> int:
        return int(term) if is_int(term) and 0 <= term < self.n_columns else -1
