"""How often each gold label was answered by each predicted one: all that most metrics need to know."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.counts.labels import Labels
from tercet.errors import InvalidLabel
from tercet.evaluation.sides import check_weights, encode_sides

MOST_LABELS = 2**14  # a table of 2 GiB


@dataclass(frozen=True, eq=False)
class Confusion:
    """A row for each gold label, a column for each predicted one; the weights of the documents, summed.

    Labels are sorted and keep their type; one that only gold or only predicted has is there, too.

    >>> confusion = Confusion.of(gold=["ham", "ham", "spam"], predicted=["ham", "spam", "spam"])
    >>> confusion.labels, confusion.counts, confusion.n
    (array(['ham', 'spam'], dtype='<U4'), array([[1., 1.], [0., 1.]]), 3)
    """

    labels: Labels
    counts: Floats  # [gold, predicted]
    n: int  # documents, whatever their weight

    @classmethod
    def of(cls, gold: Any, predicted: Any, weights: Any = None, labels: Any = None) -> Self:
        """From one label for each document on both sides; `labels` gives their order, and may name more."""
        labels, (gold, predicted) = encode_sides({"gold": gold, "predicted": predicted}, labels)
        return cls.from_codes(labels, gold, predicted, None if weights is None else check_weights(weights, len(gold)))

    @classmethod
    def from_codes(cls, labels: Labels, gold: Integers, predicted: Integers, weights: Floats | None = None) -> Self:
        """From the place of each document's labels among all, as `encode_sides` gives them."""
        n_labels = len(labels)
        if n_labels > MOST_LABELS:
            raise InvalidLabel(
                f"{n_labels} different labels in {len(gold)} documents: a table of all pairs would fill the memory. "
                "Are these labels, or texts or numbers of documents?"
            )
        cells = np.bincount(gold * n_labels + predicted, weights, minlength=n_labels**2)
        return cls(labels, cells.reshape(n_labels, n_labels).astype(np.float64, copy=False), len(gold))

    @property
    def support(self) -> Floats:
        """The weight of the gold documents of each label."""
        return np.asarray(self.counts.sum(axis=1), np.float64)

    @property
    def majority_place(self) -> int:
        """Where among the labels the one with most gold documents is; the first of several."""
        return int(np.argmax(self.support))

    @property
    def majority_label(self) -> Any:
        """The label with most gold documents; the first of several."""
        return self.labels.tolist()[self.majority_place]

    def place_of(self, label: Any) -> int:
        """Where among the labels this one is; one that is not there is an error."""
        places = {name: place for place, name in enumerate(self.labels.tolist())}
        if label not in places:
            shown = ", ".join(map(repr, list(places)[:8])) + (" …" if len(places) > 8 else "")
            raise InvalidLabel(f"the label {label!r} is in neither gold nor predicted: there are {shown}.")
        return places[label]

    def table_of(self, label: Any) -> Floats:
        """One label against the rest: [[true positives, false negatives], [false positives, true negatives]].

        It is a confusion matrix like any other: a row for each gold answer (the label, the rest), a column for each
        predicted one.

        >>> Confusion.of(["a", "b", "c"], ["a", "a", "b"]).table_of("a")
        array([[1., 0.], [1., 1.]])
        """
        place = self.place_of(label)
        true = self.counts[place, place]
        missed, wrong = self.counts[place].sum() - true, self.counts[:, place].sum() - true
        return np.array([[true, missed], [wrong, self.counts.sum() - true - missed - wrong]])

    def pool_tables(self) -> Floats:
        """The tables of all labels, added up; micro averages are its metrics.

        >>> Confusion.of(["a", "b", "c"], ["a", "a", "b"]).pool_tables()
        array([[1., 2.], [2., 4.]])
        """
        total, true = self.counts.sum(), np.trace(self.counts)
        wrong = total - true  # each is a false negative of one label and a false positive of another
        return np.array([[true, wrong], [wrong, len(self.labels) * total - true - 2 * wrong]])
