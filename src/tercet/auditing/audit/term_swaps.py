"""Sets of terms that replace each other, such as he/she, and the versions of a text that they make."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from tercet.cached import cached_property
from tercet.errors import InvalidOption, bad_option
from tercet.kernel.text.columns import SEPARATOR
from tercet.options import is_list
from tercet.text.analyzer import Analyzer
from tercet.text.word_lists import read_lines

WORDS = Analyzer()  # finds words in texts and terms, in any case
MAX_NAMED = 3  # terms in the name of a group
EXAMPLE = '[("he", "she"), ("him", "her")]'


class FoundTerm(NamedTuple):
    """An occurrence of a listed term in a text. `group` is its place in its set, and `row` the number of the set."""

    start: int
    end: int
    row: int
    group: int


@dataclass(frozen=True)
class TermSwaps:
    """Sets of terms of equal size. The place of a term in its set stands for a group: all first terms are one group.

    Terms are found by the words of a text, in any case. A term may have several words.

    >>> swaps = TermSwaps.read([("he", "she"), ("African American", "white")])
    >>> text = "HE likes it. He is African-American, isn't he?"
    >>> swaps.write(text, swaps.find(text), 1)
    "SHE likes it. She is White, isn't she?"
    """

    sets: tuple[tuple[str, ...], ...]

    @classmethod
    def read(cls, swaps: Any) -> "TermSwaps":
        """The sets that a user gives, checked."""
        if not is_list(swaps) or isinstance(swaps, dict):
            raise bad_option("swaps", f"a list of sets of terms, such as {EXAMPLE}", swaps, "each set is a tuple of terms.")
        found = cls(tuple(map(_check_set, swaps)))
        found._check_sets()
        return found

    def _check_sets(self) -> None:
        if not self.sets:
            raise InvalidOption(f"swaps is empty: give at least one set of terms that replace each other, such as {EXAMPLE}.")
        sizes = {len(terms): "/".join(terms) for terms in self.sets}
        if len(sizes) > 1:
            listed = " and ".join(f"{name} has {size}" for size, name in sorted(sizes.items()))
            raise InvalidOption(
                f"the sets of swaps must have equally many terms, because the place of a term stands for a group: {listed}. "
                "Audit them one after the other."
            )
        for words, positions in self._positions.items():
            if len({group for _, group in positions}) > 1:
                raise InvalidOption(
                    f"the term {' '.join(words)!r} has two places in swaps: its place stands for a group, so it must be the "
                    "same in every set."
                )

    @property
    def n_groups(self) -> int:
        return len(self.sets[0])

    def list_compared(self) -> list[int]:
        """The groups that are compared with the others: the second of two, or all of them."""
        return [1] if self.n_groups == 2 else list(range(self.n_groups))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The name of each group: its first terms."""
        return tuple(_name_group(list(dict.fromkeys(terms))) for terms in zip(*self.sets, strict=True))

    def list_terms(self) -> list[str]:
        """Every term once, in the order of the list."""
        return list(dict.fromkeys(term for terms in self.sets for term in terms))

    @cached_property
    def _positions(self) -> dict[tuple[str, ...], list[tuple[int, int]]]:
        """Row and group of each term, by its words; several rows if it is in several sets."""
        positions: dict[tuple[str, ...], list[tuple[int, int]]] = {}
        for row, terms in enumerate(self.sets):
            for group, term in enumerate(terms):
                positions.setdefault(_split_words(term), []).append((row, group))
        return positions

    @cached_property
    def _lengths(self) -> dict[str, list[int]]:
        """For each first word of a term: the numbers of words of such terms, the longest first."""
        lengths: dict[str, set[int]] = {}
        for words in self._positions:
            lengths.setdefault(words[0], set()).add(len(words))
        return {word: sorted(own, reverse=True) for word, own in lengths.items()}

    def list_ambiguous(self) -> Iterator[str]:
        """A sentence for each term that is in several sets."""
        for positions in self._positions.values():
            if len(positions) > 1:
                (row, group), *others = positions
                term, first, more = self.sets[row][group], "/".join(self.sets[row]), "/".join(self.sets[others[0][0]])
                yield f"'{term}' is in the sets {first} and {more}: where a text has it, the set {first} replaces it."

    def find(self, text: str) -> list[FoundTerm]:
        """The listed terms of a text, in order. Where two terms begin, the longer one is found."""
        tokens = WORDS.tokens(text)
        found: list[FoundTerm] = []
        for i, token in enumerate(tokens):
            if token.text not in self._lengths or (found and token.start < found[-1].end):
                continue
            for n in self._lengths[token.text]:
                positions = self._positions.get(tuple(each.text for each in tokens[i : i + n]))
                end = tokens[min(i + n, len(tokens)) - 1].end
                if positions and SEPARATOR not in text[token.start : end]:  # a term is in one text column
                    found.append(FoundTerm(token.start, end, *positions[0]))
                    break
        return found

    def write(self, text: str, found: Sequence[FoundTerm], group: int) -> str:
        """The text with each listed term replaced by the term of this group, in the case of the original."""
        parts, end = [], 0
        for each in found:
            terms = self.sets[each.row]
            original = text[each.start : each.end]
            written = original if each.group == group else copy_case(original, terms[each.group], terms[group])
            parts += [text[end : each.start], written]
            end = each.end
        return "".join([*parts, text[end:]])


def copy_case(original: str, listed: str, other: str) -> str:
    """The other term as the original is written, of which `listed` is the spelling in the list.

    >>> copy_case("HE", "he", "she"), copy_case("He", "he", "she"), copy_case("muslim", "Muslim", "Christian")
    ('SHE', 'She', 'christian')
    """
    if original == listed:
        return other
    if original.isupper() and len(original) > 1:
        return other.upper()
    if original.islower():
        return other.lower()
    return other[:1].upper() + other[1:] if original[:1].isupper() else other


def _check_set(terms: Any) -> tuple[str, ...]:
    """Two or more terms that have words."""
    if not is_list(terms) or isinstance(terms, dict | set | frozenset):
        raise bad_option(
            "swaps", f"a list of sets of terms, such as {EXAMPLE}", terms, "the place of a term stands for a group."
        )
    given = tuple(terms)
    for term in given:
        if not isinstance(term, str) or not _split_words(term):
            raise bad_option("swaps", "terms that have a word", term, "only words can be found in a text.")
    if len(given) < 2:
        got = repr(given[0]) if given else "none"
        raise InvalidOption(f"a set of swaps needs two or more terms, got {got}: a term is replaced by another, as in he/she.")
    return given


def _split_words(term: str) -> tuple[str, ...]:
    return tuple(token.text for token in WORDS.tokens(term))


def _name_group(terms: list[str]) -> str:
    """
    >>> _name_group(["he", "him", "man", "boy"])
    'he, him, man, …'
    """
    return ", ".join([*terms[:MAX_NAMED], *(["…"] if len(terms) > MAX_NAMED else [])])


def read_swaps(path: Path) -> list[tuple[str, ...]]:
    """The sets of a UTF-8 file: one set a line, such as `he/she`. Empty lines and lines that begin with `#` are skipped."""
    lines = [line.strip() for line in read_lines(path)]
    return [split_set(line) for line in lines if line and not line.startswith("#")]


def split_set(written: str) -> tuple[str, ...]:
    """
    >>> split_set("he / she")
    ('he', 'she')
    """
    return tuple(term.strip() for term in written.split("/"))
