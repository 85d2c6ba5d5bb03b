"""Documents that go out together, because they have the same text."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tercet.arrays import Integers
from tercet.counts.fingerprints import HalfPrints
from tercet.models.leave_one_out import Taken

AT_A_TIME = 1 << 20


@dataclass(frozen=True)
class Copies:
    """The documents that are not alone, and the number of each one's group. Most are alone, and take no room here.

    >>> Copies.of(np.array([[1, 1], [2, 2], [1, 1]], np.uint64))
    Copies(members=array([0, 2]), groups=array([0, 0]))
    """

    members: Integers  # in order
    groups: Integers

    @classmethod
    def of(cls, texts: HalfPrints) -> "Copies":
        """From the fingerprints of the texts."""
        first = np.sort(texts[:, 0])
        repeated, _ = number_rows(first[1:][first[1:] == first[:-1], None])
        del first  # there may be much of it
        members = _find_members(texts[:, 0], repeated.ravel())
        _, groups = number_rows(texts[members])
        alone = np.bincount(groups)[groups] == 1  # half of its fingerprint is another's: as good as never
        return cls(members[~alone], number_rows(groups[~alone, None])[1])

    @classmethod
    def none(cls) -> "Copies":
        """Each document is alone."""
        return cls(np.zeros(0, np.int64), np.zeros(0, np.int64))

    def split(self) -> list[Integers]:
        """The documents of each group."""
        order = np.argsort(self.groups, kind="stable")
        return np.split(self.members[order], np.flatnonzero(np.diff(self.groups[order])) + 1) if len(order) else []

    def take(self, codes: Integers, weights: Integers, n_labels: int) -> Taken:
        """What goes out with each member; codes and weights are theirs.

        >>> Copies.of(np.array([[1, 1], [2, 2], [1, 1]], np.uint64)).take(np.array([0, 1]), np.array([5, 7]), n_labels=2)
        Taken(starts=array([0, 2, 4]), labels=array([0, 1, 0, 1]), weights=array([5, 7, 5, 7]))
        """
        if not len(self.groups):
            return Taken.own(codes, weights)
        rows, which = number_rows((self.groups * n_labels + codes)[:, None])
        pairs = rows.ravel()
        totals = np.zeros(len(pairs), np.int64)
        np.add.at(totals, which, weights)
        first = np.searchsorted(pairs, np.arange(self.groups.max() + 2) * n_labels)  # those of a group lie side by side
        sizes = np.diff(first)[self.groups]
        starts, places = spread(first[self.groups], sizes)
        return Taken(starts, pairs[places] % n_labels, totals[places])

    def join(self, places: Integers, alone: Taken, together: Taken) -> Taken:
        """For the documents in these places what goes out with them, from what would alone and what `take` gave."""
        member = np.searchsorted(self.members, places)
        is_member = np.append(self.members, -1)[member] == places
        if not is_member.any():
            return alone
        offset = len(alone.labels)  # behind them, in one list
        member[~is_member] = 0
        begins = np.where(is_member, offset + together.starts[member], alone.starts[:-1])
        sizes = np.where(is_member, np.diff(together.starts)[member], 1)
        starts, sources = spread(begins, sizes)
        labels, weights = (np.concatenate(both)[sources] for both in zip(alone[1:], together[1:], strict=True))
        return Taken(starts, labels, weights)


def _find_members(words: npt.NDArray[np.uint64], repeated: npt.NDArray[np.uint64]) -> Integers:
    """The places of the words that are among these, some at a time: few are."""
    found = [np.zeros(0, np.int64)]
    for begin in range(0, len(words) if len(repeated) else 0, AT_A_TIME):
        part = words[begin : begin + AT_A_TIME]
        place = np.minimum(np.searchsorted(repeated, part), len(repeated) - 1)
        found.append(begin + np.flatnonzero(repeated[place] == part))
    return np.concatenate(found)


def spread(begins: Integers, sizes: Integers) -> tuple[Integers, Integers]:
    """Where each of these stretches of numbers starts when they lie side by side, and all of their numbers.

    >>> spread(np.array([7, 0]), np.array([2, 1]))
    (array([0, 2, 3]), array([7, 8, 0]))
    """
    starts = np.concatenate([[0], np.cumsum(sizes)])
    return starts, np.repeat(begins - starts[:-1], sizes) + np.arange(starts[-1])


def number_rows(rows: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], Integers]:
    """The distinct rows in order, and the number of each row among them: `np.unique` without the 10 ms that it imports for.

    >>> number_rows(np.array([[2, 1], [1, 5], [2, 1]]))
    (array([[1, 5], [2, 1]]), array([1, 0, 1]))
    """
    order = np.lexsort(rows.T[::-1])
    ordered = rows[order]
    is_new = np.ones(len(rows), np.bool_)
    is_new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    numbers = np.empty(len(rows), np.int64)
    numbers[order] = np.cumsum(is_new) - 1
    return ordered[is_new], numbers
