"""Labels that come batch by batch: numbered as they come, and put in order when all are there."""

from typing import Any

import numpy as np

from tercet.arrays import Integers
from tercet.counts.growing_array import GrowingArray
from tercet.counts.labels import Labels, merge_labels


class ArrivingLabels:
    """
    >>> arriving = ArrivingLabels()
    >>> arriving.number(np.array(["spam"]), np.array([0, 0])), arriving.number(np.array(["ham", "spam"]), np.array([0, 1]))
    (array([0, 0]), array([1, 0]))
    >>> arriving.finish()
    (array(['ham', 'spam'], dtype='<U4'), array([1, 1, 0, 1]))
    """

    def __init__(self) -> None:
        self.known: Labels = np.zeros(0, "U1")  # in order
        self._numbers: dict[Any, int] = {}
        self._codes = GrowingArray(np.zeros(0, np.int64))
        self.last: Integers = np.zeros(0, np.int64)  # the numbers that were given last

    def __len__(self) -> int:
        return len(self._numbers)

    def number(self, labels: Labels, codes: Integers) -> Integers:
        """The number of each document's label, from the labels of a batch and the places of the documents' among them."""
        listed = labels.tolist()
        if labels.dtype.kind != self.known.dtype.kind or not self._numbers.keys() >= set(listed):
            self.known = merge_labels(self.known, labels)  # an error where they are of two types
        for label in listed:
            self._numbers.setdefault(label, len(self._numbers))
        self.last = np.array([self._numbers[label] for label in listed], np.int64)[codes]
        self._codes.append(self.last)
        return self.last

    def places(self, labels: Labels) -> Integers:
        """For each number the place of its label among these, or -1."""
        places = {label: place for place, label in enumerate(labels.tolist())}
        return np.array([places.get(label, -1) for label in self._numbers], np.int64)

    def finish(self) -> tuple[Labels, Integers]:
        """All labels in order, and the place of each document's among them, which are gone from here."""
        places, codes = self.places(self.known), self._codes.take()
        return self.known, codes if (places == np.arange(len(places))).all() else places[codes]
