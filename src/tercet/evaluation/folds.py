"""Which documents are held out together."""

import numpy as np
import numpy.typing as npt

from tercet.errors import InvalidOption, bad_option
from tercet.options import check_count, is_int

Integers = npt.NDArray[np.int64]


def assign_folds(codes: Integers, folds: int, seed: int = 0) -> Integers:
    """The fold of each document, 0 … folds - 1: as many of each label in each as can be, and the sizes alike, too.

    >>> assign_folds(np.array([0, 0, 0, 0, 1, 1]), folds=2)
    array([0, 1, 1, 0, 1, 0])
    """
    if check_count("folds", folds) < 2:
        raise bad_option("folds", "an int >= 2", folds, "what is held out must be scored by the rest.")
    if not is_int(seed) or seed < 0:
        raise bad_option("seed", "an int >= 0", seed, "the same seed gives the same folds.")
    if folds > len(codes):
        raise InvalidOption(f"folds={folds} with {len(codes)} documents: some folds would be empty. Use fewer.")
    shuffled = np.random.default_rng(seed).permutation(len(codes))
    dealt = shuffled[np.argsort(codes[shuffled], kind="stable")]  # label by label, at random within each
    result = np.empty(len(codes), np.int64)
    result[dealt] = np.arange(len(codes)) % folds
    return result
