"""Vectors of words by a sentence encoder. Each word is encoded as a text of its own."""

from collections.abc import Sequence
from functools import cache

import numpy as np

from tercet.arrays import Flags, Floats, SmallIntegers
from tercet.cached import cached_property
from tercet.errors import InvalidOption
from tercet.text.vectors.encoder_package import open_installed_encoder
from tercet.text.vectors.rarity import weigh_rarities
from tercet.text.vectors.text_encoder import TextEncoder, Watch
from tercet.text.vectors.vector_cache import read_vectors, write_vectors

MANY_WORDS = 4096  # if so many of the encoder's own words are asked for, all of them are encoded and kept in the cache folder


class EncodedWords:
    """All words that an encoder knows: those whose pieces it knows. The others have rows of zeros."""

    def __init__(self, encoder: TextEncoder) -> None:
        self._encoder = encoder
        self._own: SmallIntegers | None = None  # vectors of the encoder's own words

    @property
    def identity(self) -> str:
        return self._encoder.identity

    @property
    def dimension(self) -> int:
        return self._encoder.dimension

    @property
    def words(self) -> tuple[str, ...]:
        return self._encoder.words

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {word: row for row, word in enumerate(self.words)}

    def known(self, words: Sequence[str]) -> Flags:
        return np.array([word in self._rows or self._encoder.knows(word) for word in words], bool)

    def vectors(self, words: Sequence[str], *, threads: int, watch: Watch | None = None) -> SmallIntegers:
        """The own words come from the cache folder if they are there. Other words are encoded each time."""
        own_places = [place for place, word in enumerate(words) if word in self._rows]
        own = self._find_own(len(own_places), threads, watch)
        if own is None:
            return self._encoder.encode_words(words, threads=threads, watch=watch)
        vectors = np.empty((len(words), self.dimension), np.int8)
        vectors[own_places] = own[[self._rows[words[place]] for place in own_places]]
        places = [place for place, word in enumerate(words) if word not in self._rows]
        vectors[places] = self._encoder.encode_words([words[place] for place in places], threads=threads, watch=watch)
        return vectors

    def _find_own(self, n_wanted: int, threads: int, watch: Watch | None) -> SmallIntegers | None:
        """The vectors of the own words, or None if they are not in the cache and too few of them are wanted."""
        if self._own is None and n_wanted > 0:
            self._own = read_vectors(self.identity, self.words, self.dimension)
        if self._own is None and n_wanted >= MANY_WORDS:
            what = "words of the encoder's own vocabulary"
            self._own = self._encoder.encode_words(self.words, threads=threads, what=what, watch=watch)
            write_vectors(self.identity, self.words, self._own)
        return self._own

    def rarities(self, words: Sequence[str]) -> Floats:
        return weigh_rarities([self._encoder.frequencies.get(word, 0.0) for word in words])

    def encode_texts(self, texts: Sequence[str], *, threads: int, watch: Watch | None = None) -> SmallIntegers:
        return self._encoder.encode_texts(texts, threads=threads, watch=watch)

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return open_encoded_words, (self.identity,)


@cache
def open_encoded_words(identity: str | None = None) -> EncodedWords:
    """The words of the encoder that is installed. Raises InvalidOption if it is not the one of this identity."""
    encoder = open_installed_encoder()
    if identity not in (None, encoder.identity):
        raise InvalidOption(
            f"the vectors are those of {identity!r}, but {encoder.identity!r} is installed: install that version."
        )
    return EncodedWords(encoder)
