"""The limit for rows with nothing in them. A small compressed file can hold hundreds of millions of blank lines."""

from collections.abc import Sequence

from tercet.errors import BadSource

MAX_BLANK_ROWS = 2_000_000
MIN_CONTENT = 0.1  # the share of rows that must have something in them, if more than MAX_BLANK_ROWS have nothing
SHORT_BYTES = 4  # lines with fewer bytes on average may have nothing in them
NOTHING = b' \t\r\n,;|"'


class BlankRows:
    """Counts rows with nothing in them, and raises BadSource if a source has many of them and little else."""

    def __init__(self, name: str) -> None:
        self._name, self._n_blank, self._n_rows = name, 0, 0

    def count(self, n_blank: int, n_rows: int) -> None:
        self._n_blank, self._n_rows = self._n_blank + n_blank, self._n_rows + n_rows
        if self._n_blank > MAX_BLANK_ROWS and self._n_rows - self._n_blank < MIN_CONTENT * self._n_rows:
            raise BadSource(
                f"{self._name}: {self._n_blank} of its first {self._n_rows} rows have nothing in them, so it is not read any "
                "further. Is it the right file? If it is, remove its blank rows first."
            )


def count_blank_lines(lines: Sequence[bytes], n_bytes: int) -> int:
    """How many of these lines of so many bytes have only blanks and separators; 0 if the lines are not very short.

    >>> count_blank_lines([b"\\n", b",,\\r\\n", b"so\\n"], 8), count_blank_lines([b"\\n", b"so la mi\\n"], 10)
    (2, 0)
    """
    if n_bytes >= SHORT_BYTES * len(lines):
        return 0
    return sum(not line.strip(NOTHING) for line in lines)
