"""The predictions of a model for a stream of documents, batch by batch, alone or beside the gold labels."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np

from tercet.arrays import Floats
from tercet.categorizer.learned_texts import count_learned, count_unlabelled
from tercet.data.document_batches import Places, read_ahead
from tercet.data.documents import Documents, name_row
from tercet.data.id_labels import LabelWatch
from tercet.errors import InvalidLabel

MAX_CELLS = 2**22  # documents × labels that are predicted at a time
MAX_KEPT = 2**25  # documents × labels whose probabilities are kept for a report
MAX_UNKNOWN = 1000  # documents with an unknown label that are never too many


def predict_in_parts(model: Any, batch: Documents) -> Iterator[tuple[Documents, Floats]]:
    """Documents and their probabilities, in parts that take bounded memory for any number of labels."""
    size = max(1, MAX_CELLS // max(1, len(model.classes_)))
    if len(batch.texts) <= size:
        yield batch, model.predict_proba(batch)
        return
    for start in range(0, len(batch.texts), size):
        part = slice_documents(batch, start, start + size)
        yield part, model.predict_proba(part)


def slice_documents(documents: Documents, start: int, end: int) -> Documents:
    """The documents from one position up to another.

    >>> slice_documents(Documents(["a", "b", "c"], labels=["x", "y", "x"]), 1, 3).labels
    ['y', 'x']
    """
    labels, weights = (None if column is None else column[start:end] for column in (documents.labels, documents.weights))
    columns = {name: column[start:end] for name, column in documents.columns.items()}
    return Documents(documents.texts[start:end], labels, weights, columns, text_columns=documents.text_columns)


def refuse_unknown_ids(batches: Iterable[Documents], labels: Iterable[str]) -> Iterator[Documents]:
    """The same documents. Raises InvalidLabel if the labels that the model does not know look like ids, before a prediction."""
    known, watch = set(labels), LabelWatch()
    for batch in batches:
        watch.add(label for label in map(str, batch.labels or ()) if label not in known)
        if watch.n_documents > MAX_UNKNOWN and watch.finds_ids:
            raise InvalidLabel(f"the model does not know the labels: {watch.describe()}")
        yield batch


def list_labels(model: Any) -> list[str]:
    """The labels of the model as strings; a model that was made in Python may have numbers."""
    return [str(label) for label in model.classes_.tolist()]


def spell_majority(model: Any) -> str | None:
    """The most frequent label of the training data as a string; None if the model does not know it."""
    return None if model.majority_label_ is None else str(model.majority_label_)


@dataclass(frozen=True, repr=False)
class PlacedDocuments(Documents):
    """Documents of several batches that know where they were read."""

    places: Places = field(default_factory=Places)

    def place(self, position: int) -> str:
        return name_row(self.places.find(position), self.places.find_row(position))


@dataclass(frozen=True)
class LabelledPredictions:
    """Gold labels, predicted labels and probabilities of documents, with their weights, columns and places."""

    labels: list[str]
    known: list[str]  # the labels that the model knows
    gold: list[str]
    predicted: list[str]
    confidence: Floats  # the probability of each prediction
    probabilities: Floats | None  # documents × labels; None if they are too many
    weights: list[float] | None
    columns: dict[str, list[Any]]
    n_learned: int  # how many of these documents the model has learned
    documents: PlacedDocuments  # without labels
    majority: str | None  # the most frequent label of the training data, if the model knows it
    n_unlabelled: int = 0  # texts that the model has learned from without a label


class KeptProbabilities:
    """The probabilities of all documents, unless they are too many."""

    def __init__(self, n_labels: int) -> None:
        self._parts: list[Floats] = [np.zeros((0, n_labels))]
        self._n = 0

    def add(self, found: Floats) -> None:
        self._n += len(found)
        if self._fits():
            self._parts.append(found)
        else:
            del self._parts[1:]

    def join(self, n_unknown: int) -> Floats | None:
        """Documents × labels, with columns of 0 for so many labels more; None if they are too many."""
        if not self._fits(n_unknown):
            return None
        joined = np.concatenate(self._parts)
        return np.pad(joined, ((0, 0), (0, n_unknown))) if n_unknown else joined

    def _fits(self, n_unknown: int = 0) -> bool:
        return bool(self._n * (self._parts[0].shape[1] + n_unknown) <= MAX_KEPT)


def predict_labelled(model: Any, batches: Iterable[Documents], whole: Any = None) -> LabelledPredictions:
    """The predictions for labelled documents, beside their gold labels.

    `whole` is the model that a compact model was made of: it knows which documents were learned.
    """
    places, labels = Places(), list_labels(model)
    watched = refuse_unknown_ids(places.follow(read_ahead(batches)), labels)
    kept, documents, best, confidence = KeptProbabilities(len(labels)), [], [], []
    for batch in watched:
        for part, found in predict_in_parts(model, batch):
            documents.append(part)
            best += found.argmax(axis=1).tolist()
            confidence.append(found.max(axis=1, initial=0))
            kept.add(found)
    gold = [str(label) for part in documents for label in part.labels]
    predicted = [labels[index] for index in best]
    # Gold labels that the model does not know get probability 0 and count as errors.
    unknown = sorted(set(gold) - set(labels))
    weighted = bool(documents) and documents[0].weights is not None
    names = list(documents[0].columns) if documents else []
    columns = {name: list(chain.from_iterable(part.columns[name] for part in documents)) for name in names}
    texts = list(chain.from_iterable(part.texts for part in documents))
    text_columns = documents[0].text_columns if documents else ()
    return LabelledPredictions(
        labels + unknown,
        labels,
        gold,
        predicted,
        np.concatenate([np.zeros(0), *confidence]),
        kept.join(len(unknown)),
        list(chain.from_iterable(part.weights for part in documents)) if weighted else None,
        columns,
        sum(count_learned(whole or model, part) for part in documents),
        PlacedDocuments(texts, columns=columns, text_columns=text_columns, places=places),
        spell_majority(whole or model),
        sum(count_unlabelled(whole or model, part) for part in documents),
    )
