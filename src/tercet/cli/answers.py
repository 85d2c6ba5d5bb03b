"""What a model says of the documents of a stream, batch by batch."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from tercet.arrays import Floats
from tercet.categorizer.read_ahead import read_ahead
from tercet.data.documents import Documents

MOST_CELLS = 2**22  # documents × labels that are worked out at a time


def answer(model: Any, batch: Documents) -> Iterator[tuple[Documents, Floats]]:
    """Documents and their probabilities, in parts that leave memory for others, however many labels there are."""
    size = max(1, MOST_CELLS // max(1, len(model.classes_)))
    if len(batch.texts) <= size:
        yield batch, model.predict_proba(batch)
        return
    for start in range(0, len(batch.texts), size):
        part = take_documents(batch, start, start + size)
        yield part, model.predict_proba(part)


def take_documents(documents: Documents, start: int, end: int) -> Documents:
    """Those from one place up to another.

    >>> take_documents(Documents(["a", "b", "c"], labels=["x", "y", "x"]), 1, 3).labels
    ['y', 'x']
    """
    labels, weights = (None if column is None else column[start:end] for column in (documents.labels, documents.weights))
    columns = {name: column[start:end] for name, column in documents.columns.items()}
    return Documents(documents.texts[start:end], labels, weights, columns)


def list_labels(model: Any) -> list[str]:
    """The model's labels as a file has them: a model made in Python may have numbers."""
    return [str(label) for label in model.classes_.tolist()]


@dataclass(frozen=True)
class Judged:
    """Gold and predicted labels of all documents, with what belongs to them."""

    labels: list[str]
    gold: list[str]
    predicted: list[str]
    probabilities: Floats
    weights: list[float] | None
    columns: dict[str, list[Any]]
    n_learned: int  # of these documents, by the model itself


def count_learned(model: Any, documents: Documents) -> int:
    """What has no fingerprints, or documents without the domain that is part of them, can't tell, and counts none."""
    weighs = documents.weights is None or any(documents.weights)
    if not weighs or not getattr(model, "remembers_", False) or model.domain_ is not None:
        return 0
    n: int = model.count_learned(documents)
    return n


def judge(model: Any, batches: Iterable[Documents]) -> Judged:
    """What the model says of labelled documents, beside what is right."""
    parts = [part for batch in read_ahead(batches) for part in answer(model, batch)]
    labels = list_labels(model)
    probabilities = np.concatenate([np.zeros((0, len(labels))), *(found for _, found in parts)])
    documents = [part for part, _ in parts]
    gold = [str(label) for part in documents for label in part.labels]
    predicted = [labels[place] for place in probabilities.argmax(axis=1).tolist()]
    # Labels that the model does not know have no chance, and count as wrong.
    unknown = sorted(set(gold) - set(labels))
    weighted = bool(documents) and documents[0].weights is not None
    names = list(documents[0].columns) if documents else []
    return Judged(
        labels + unknown,
        gold,
        predicted,
        np.pad(probabilities, ((0, 0), (0, len(unknown)))),
        list(chain.from_iterable(part.weights for part in documents)) if weighted else None,
        {name: list(chain.from_iterable(part.columns[name] for part in documents)) for name in names},
        sum(count_learned(model, part) for part in documents),
    )
