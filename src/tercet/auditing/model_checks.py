"""Checks of documents against a trained model: what it has learned, which labels it does not know or finds improbable."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from tercet.arrays import Flags
from tercet.auditing.examined import Examined, ExaminedPart, is_blank
from tercet.auditing.kinds import LEARNED_TEST, NEW_LABEL, UNLIKELY_LABEL
from tercet.categorizer.categorizer import Categorizer
from tercet.errors import InvalidOption, bad_option
from tercet.report.diagnosis import Finding
from tercet.report.tables import pluralize

UNLIKELY = 0.05  # a label with a smaller probability is a finding


def check_categorizer(categorizer: Categorizer) -> None:
    """Raise InvalidOption if it can't judge texts."""
    if not isinstance(categorizer, Categorizer):
        why = (
            "documents are judged by models like it that have not learned them, and a compact model can't be trained again. "
            "Use the model from before it was made compact."
        )
        raise bad_option("categorizer", "a Categorizer or None", categorizer, why)
    settings = categorizer._settings if is_fitted(categorizer) else categorizer._check_options()
    numeric = [name for name in settings.numeric if name not in settings.measured]
    columns = [*numeric, *settings.categorical, *filter(None, [settings.domain])]
    if columns or settings.layout is not None:
        found = f"uses the column {columns[0]!r}" if columns else "uses several columns of text"
        raise InvalidOption(f"the model {found}, and documents are judged by one text alone: examine them without the model.")


def is_fitted(categorizer: Categorizer | None) -> bool:
    """Whether there is a categorizer that has learned something."""
    return categorizer is not None and categorizer.__sklearn_is_fitted__()


def find_new_labels(examined: Examined) -> Iterator[Finding]:
    """Labels of the data that the model does not know."""
    data, known = examined.data, set(_get_model(examined).classes_.tolist())
    for label, n in data.label_counts.items():
        if label not in known:
            sentence = f"{pluralize(n, 'document')} with the label {label!r}, which the model does not know."
            yield data.find(NEW_LABEL, data.find_first(label), sentence)


def find_unlikely_labels(examined: Examined) -> Iterator[Finding]:
    """Documents of the data that the model has not learned, and whose label it finds improbable."""
    data, model = examined.data, _get_model(examined)
    assert data.labels is not None
    known: list[Any] = model.classes_.tolist()
    is_new = ~find_learned(examined, data) & np.array([label in known for label in data.labels])
    chosen = [place for place in np.flatnonzero(is_new).tolist() if not is_blank(data.texts[place])]
    for position, probabilities in zip(chosen, model.predict_proba([data.texts[place] for place in chosen]), strict=True):
        label, better = data.labels[position], known[probabilities.argmax()]
        own = float(probabilities[known.index(label)])
        if own < UNLIKELY:
            sentence = f"The model has not learned it, and answers {better!r}: {label!r} has probability {own:.2g}."
            yield data.find(UNLIKELY_LABEL, position, sentence, strength=1 - own)


def find_learned_tests(examined: Examined) -> Iterator[Finding]:
    """Test documents that the model has learned."""
    assert examined.test is not None
    for position in np.flatnonzero(find_learned(examined, examined.test)).tolist():
        yield examined.test.find(LEARNED_TEST, position, "The model has learned this text with this label.")


def find_learned(examined: Examined, part: ExaminedPart) -> Flags:
    """Which documents the model has learned, with their label and weight 1."""
    return _get_model(examined).find_learned(part.texts, part.labels)


def name_missing_memory(examined: Examined) -> str:
    """Why it is not known what the model has learned; empty if it is known."""
    return "" if _get_model(examined).remembers_ else "the model does not remember what it has learned"


def name_missing_new(examined: Examined) -> str:
    """Why the model can't judge documents that it has not learned; empty if there are some."""
    missing = name_missing_memory(examined)
    return missing or ("the model has learned all documents" if find_learned(examined, examined.data).all() else "")


def describe_learned(examined: Examined) -> str:
    """How many documents of the data the model has learned."""
    n, data = int(find_learned(examined, examined.data).sum()), examined.data
    return f"The model has learned {n} of the {pluralize(len(data), 'document')} of {data.source or 'the data'}."


def _get_model(examined: Examined) -> Categorizer:
    assert examined.categorizer is not None
    return examined.categorizer
