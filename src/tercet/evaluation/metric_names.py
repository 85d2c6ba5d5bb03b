"""What may stand where a metric is named, and what to say if something else does."""

from difflib import get_close_matches
from typing import Any

from tercet.counts.labels import Labels
from tercet.errors import InvalidOption

PROBABILITY_NAMES = ("log_loss", "brier", "roc_auc", "average_precision", "calibration_error")


def find_place(name: str, label: str, labels: Labels) -> int:
    """Where among the labels the one is that a metric names by its text: `recall:3` is that of the label 3.

    >>> import numpy as np
    >>> find_place("recall:3", "3", np.array([1, 3]))
    1
    """
    spelled = [str(known) for known in labels.tolist()]
    if label not in spelled:
        nearest = get_close_matches(label, spelled, n=1, cutoff=0)[0]
        raise InvalidOption(f"{name!r} asks for the label {label!r}, which neither side has. Did you mean {nearest!r}?")
    return spelled.index(label)


def unknown_metric(name: Any, known: list[str]) -> InvalidOption:
    """
    >>> print(unknown_metric("makro_f1", ["accuracy", "macro_f1"]))
    there is no metric 'makro_f1'. Did you mean 'macro_f1'? There are accuracy, macro_f1.
    """
    if str(name).partition(":")[0] in PROBABILITY_NAMES and not set(PROBABILITY_NAMES) & set(known):
        return InvalidOption(f"the metric {name!r} needs probabilities, documents × labels: labels alone don't give it.")
    nearest = get_close_matches(str(name), known, n=1, cutoff=0)[0]
    return InvalidOption(f"there is no metric {name!r}. Did you mean {nearest!r}? There are {', '.join(known)}.")
