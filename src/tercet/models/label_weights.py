"""What a document of each label weighs: scikit-learn's `class_weight`."""

from typing import Any

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats
from tercet.counts.labels import Labels
from tercet.counts.matrices import check_weights
from tercet.errors import bad_option


def label_weights(class_weight: Any, labels: Labels, codes: npt.NDArray[np.int64], weights: Floats | None = None) -> Floats:
    """The weight of a document of each label; balanced, all labels weigh the same, with the weights that documents have.

    >>> label_weights("balanced", np.array(["ham", "spam"]), np.array([0, 1, 0, 0]))
    array([0.66666667, 2.        ])
    """
    if class_weight is None:
        return np.ones(len(labels))
    if isinstance(class_weight, str) and class_weight == "balanced":
        totals = np.bincount(codes, weights, len(labels))
        # Where no document of a label weighs anything, its weight does not matter.
        return np.asarray(totals.sum() / (len(labels) * np.where(totals > 0, totals, 1.0)), np.float64)
    if not hasattr(class_weight, "get"):
        raise bad_option("class_weight", "None, balanced or a mapping", class_weight, "each label has one weight.")
    return check_weights([class_weight.get(label, 1.0) for label in labels.tolist()], len(labels))
