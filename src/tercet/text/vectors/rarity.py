"""How much a word counts by how frequent it is in general: rarity = a / (a + frequency), as Arora et al. (2017) weigh words."""

from collections.abc import Sequence

import numpy as np

from tercet.arrays import Floats

HALF = 0.0005  # a word of this frequency counts half
STEPS = 4096  # coarse, because the logarithm and the exponential may differ in their last bits between machines


def weigh_rarities(frequencies: Sequence[float]) -> Floats:
    """
    >>> weigh_rarities([0.0, 0.0005, 0.05]).tolist()
    [1.0, 0.5, 0.010009765625]
    """
    return np.rint(HALF / (HALF + np.array(frequencies, np.float64)) * STEPS) / STEPS
