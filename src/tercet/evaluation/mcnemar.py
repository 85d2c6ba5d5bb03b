"""Two systems on the same documents, by accuracy: only the documents count that one has right and the other has not."""

import math

import numpy as np

from tercet.errors import InvalidMatrix, InvalidOption
from tercet.evaluation.pool import Pool
from tercet.options import is_int


def count_discordant(pool: Pool) -> tuple[int, int]:
    """How many documents the first of two systems alone has right, and how many the second alone.

    >>> count_discordant(Pool.of_documents([0, 0, 1], [[0, 0, 1], [1, 1, 1]], n_labels=2))
    (2, 0)
    """
    if not has_single_documents(pool):
        raise InvalidMatrix("McNemar's test takes two systems on single documents: without groups, without weights.")
    n_labels = pool.shape[1]
    diagonal = np.arange(n_labels) * (n_labels + 1)
    a, b = (np.asarray(pool.parts[:, diagonal + system * n_labels**2].sum(axis=1)) for system in (0, 1))
    return int(pool.sizes[a > b].sum()), int(pool.sizes[a < b].sum())


def has_single_documents(pool: Pool) -> bool:
    """Whether each unit of two systems is one document that counts once."""
    return len(pool.shape) == 3 and pool.shape[0] == 2 and bool(np.all(pool.parts.sum(axis=1) == 2))


def mcnemar(a_only: int, b_only: int, *, mid_p: bool = True) -> float:
    """The two-sided p that counts as unequal as these, or more so, come from tossing a fair coin.

    The exact test (the sign test) is cautious, because counts are whole: mid-p counts only half of what is as likely as they.

    >>> round(mcnemar(4, 2, mid_p=False), 6), round(mcnemar(4, 2), 6)
    (0.6875, 0.453125)
    """
    from scipy.special import bdtr, gammaln

    if not (is_int(a_only) and is_int(b_only) and a_only >= 0 and b_only >= 0):
        raise InvalidOption(f"discordant documents are counted, 0 or more, got {a_only!r} and {b_only!r}.")
    n, fewer = a_only + b_only, min(a_only, b_only)
    exact = 2 * float(bdtr(fewer, n, 0.5))
    as_likely = math.exp(gammaln(n + 1) - gammaln(fewer + 1) - gammaln(n - fewer + 1) - n * math.log(2))
    return min(1.0, exact - as_likely if mid_p else exact)
