"""A seed is an int, and the same seed gives the same numbers."""

from typing import Any

import numpy as np

from tercet.errors import bad_option
from tercet.options import is_int


def check_seed(seed: Any) -> int:
    if not is_int(seed) or seed < 0:
        raise bad_option("seed", "an int >= 0", seed, "the same seed gives the same numbers.")
    return int(seed)


def derive_seed(seed: int, place: int) -> int:
    """A seed for one of several repetitions: other seeds give other ones, so no two runs share a repetition.

    >>> derive_seed(0, 1) == derive_seed(1, 0)
    False
    """
    return int(np.random.SeedSequence([check_seed(seed), place]).generate_state(1)[0])
