"""An array that grows as parts are appended. Its rows are contiguous, so nothing has to be joined at the end."""

from tercet.arrays import Array


class GrowingArray:
    """
    >>> import numpy as np
    >>> growing = GrowingArray(np.zeros(0, np.int64))
    >>> growing.append(np.array([3, 1])), growing.append(np.array([2])), growing.take()
    (None, None, array([3, 1, 2]))
    """

    def __init__(self, nothing: Array) -> None:
        self._nothing = nothing
        self._rows, self._n = nothing.copy(), 0

    def append(self, part: Array) -> None:
        end = self._n + len(part)
        if end > len(self._rows):
            # Only an eighth more: resizing moves pages and not bytes, and two copies may not fit in memory.
            self._resize(end + end // 8)
        self._rows[self._n : end] = part
        self._n = end

    def take(self) -> Array:
        """All rows. This array is empty afterwards."""
        self._resize(self._n)
        rows, self._rows, self._n = self._rows, self._nothing.copy(), 0
        return rows

    def _resize(self, n: int) -> None:
        self._rows.resize((n, *self._rows.shape[1:]), refcheck=False)  # nobody else has a reference to it
