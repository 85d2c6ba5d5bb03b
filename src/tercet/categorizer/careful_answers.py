"""Answers that say so when they do not know: no label, or several."""

from typing import Any

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats
from tercet.counts.labels import Labels
from tercet.errors import InvalidOption, bad_option
from tercet.options import is_number


def choose_labels(labels: Labels, probabilities: Floats, abstain_below: Any) -> npt.NDArray[np.object_]:
    """The most probable label of each row; None where its probability is lower than that.

    >>> choose_labels(np.array(["ham", "spam"]), np.array([[0.95, 0.05], [0.4, 0.6]]), 0.9)
    array(['ham', None], dtype=object)
    """
    check_probability(abstain_below)
    chosen = labels[probabilities.argmax(axis=1)].astype(object)
    chosen[probabilities.max(axis=1) < abstain_below] = None
    return np.asarray(chosen, object)


def check_probability(abstain_below: Any) -> float:
    if not is_number(abstain_below) or not 0 <= abstain_below <= 1:
        raise bad_option("abstain_below", "a number from 0 to 1", abstain_below, "it is a probability.")
    return float(abstain_below)


def list_sets(labels: Labels, probabilities: Floats, threshold: float) -> list[tuple[Any, ...]]:
    """The labels of each row that are so probable, the most probable first; of equals the first in sorted order.

    >>> list_sets(np.array(["a", "b", "c"]), np.array([[0.2, 0.5, 0.3]]), 0.3)
    [('b', 'c')]
    """
    sizes = (probabilities >= threshold).sum(axis=1).tolist()
    order = np.argsort(-probabilities, axis=1, kind="stable").tolist()
    names = labels.tolist()
    return [tuple(names[place] for place in row[:size]) for row, size in zip(order, sizes, strict=True)]


def no_sets(*, is_calibrated: bool) -> InvalidOption:
    """The error where no coverage can be promised."""
    if is_calibrated:
        return InvalidOption(
            "the labels are not those that it was calibrated on, so no coverage can be promised. "
            "Call calibrate_on with documents of these labels."
        )
    return InvalidOption(
        "it is not calibrated, so no coverage can be promised: fit it with calibrate='auto' (`tercet train --calibrate auto`), "
        "or call calibrate_on with documents that it has not learned."
    )
