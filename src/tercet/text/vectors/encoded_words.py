"""Vectors of words by a sentence encoder. Each word is encoded as a text of its own."""

from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from functools import cache
from weakref import WeakSet

import numpy as np

from tercet.arrays import Flags, Floats, SmallIntegers
from tercet.cached import cached_property
from tercet.errors import InvalidOption
from tercet.text.vectors.encoded_texts import EncodedTexts
from tercet.text.vectors.encoder_package import open_installed_encoder
from tercet.text.vectors.rarity import weigh_rarities
from tercet.text.vectors.text_encoder import TextEncoder, Watch
from tercet.text.vectors.vector_cache import read_vectors, write_vectors

MANY_WORDS = 4096  # if so many words of a list are asked for, all of them are encoded and kept in the cache folder
MIN_SHARE = 0.5  # of the words of texts that the list of their language has
_announce: ContextVar[Callable[[str], None] | None] = ContextVar("announce", default=None)


def announce_encoding(say: Callable[[str], None]) -> None:
    """Let this thread call `say` with a sentence before all words of a list are encoded, which takes seconds, once."""
    _announce.set(say)


class CachedWords:
    """A list of words whose vectors are kept in the cache folder."""

    def __init__(self, encoder: TextEncoder, identity: str, words: tuple[str, ...], what: str) -> None:
        self._encoder, self._identity, self._words, self._what = encoder, identity, words, what
        self._vectors: SmallIntegers | None = None

    @cached_property
    def rows(self) -> dict[str, int]:
        return {word: row for row, word in enumerate(self._words)}

    def find(self, words: Sequence[str], threads: int, watch: Watch | None) -> SmallIntegers | None:
        """The vectors of words of the list, or None if they are not in the cache and too few of them are wanted."""
        if self._vectors is None and words:
            self._vectors = read_vectors(self._identity, self._words, self._encoder.dimension)
        if self._vectors is None and len(words) >= MANY_WORDS:
            if (say := _announce.get()) is not None:
                say(f"encoding {len(self._words):,} {self._what}; they are kept in the cache folder")
            self._vectors = self._encoder.encode_words(self._words, threads=threads, what=self._what, watch=watch)
            write_vectors(self._identity, self._words, self._vectors)
        return None if self._vectors is None else self._vectors[[self.rows[word] for word in words]]


OPENED: "WeakSet[EncodedWords]" = WeakSet()


class EncodedWords:
    """All words that an encoder knows: those whose pieces it knows. The others have rows of zeros."""

    def __init__(self, encoder: TextEncoder) -> None:
        self._encoder = encoder
        self._own = CachedWords(encoder, encoder.identity, encoder.words, "words of the encoder's own vocabulary")
        self._frequent: dict[str, CachedWords] = {}  # by language, of the languages that were met
        self._texts = EncodedTexts()
        OPENED.add(self)

    @property
    def identity(self) -> str:
        return self._encoder.identity

    @property
    def dimension(self) -> int:
        return self._encoder.dimension

    @property
    def words(self) -> tuple[str, ...]:
        return self._encoder.words

    def words_for(self, words: Sequence[str], counts: Floats, most: int) -> tuple[str, ...]:
        """The own words, and the frequent words of the language of the texts, if there are at most so many."""
        language = find_language(words, counts, self._encoder.open_lists())
        if language is None:
            return self.words
        frequent = self._encoder.open_lists()[language]
        together = {*self.words, *frequent}
        if len(together) > most:
            return self.words
        self._open_frequent(language, frequent)
        return tuple(sorted(together))

    def _open_frequent(self, language: str, words: Sequence[str]) -> None:
        """From now on, the frequent words of this language come from the cache."""
        if language not in self._frequent:
            others = tuple(word for word in words if word not in self._own.rows)
            what = f"frequent words (language {language})"
            self._frequent[language] = CachedWords(self._encoder, f"{self.identity}-{language}", others, what)

    def known(self, words: Sequence[str]) -> Flags:
        return np.array([word in self._own.rows or self._encoder.knows(word) for word in words], bool)

    def vectors(self, words: Sequence[str], *, threads: int, watch: Watch | None = None) -> SmallIntegers:
        """Words of lists come from the cache folder if they are there. Other words are encoded each time."""
        vectors = np.empty((len(words), self.dimension), np.int8)
        others = np.arange(len(words))
        for source in (self._own, *self._frequent.values()):
            is_listed = np.array([words[place] in source.rows for place in others.tolist()], np.bool_)
            places = others[is_listed]
            found = source.find([words[place] for place in places.tolist()], threads, watch)
            if found is not None:
                vectors[places], others = found, others[~is_listed]
        vectors[others] = self._encoder.encode_words([words[place] for place in others.tolist()], threads=threads, watch=watch)
        return vectors

    def rarities(self, words: Sequence[str]) -> Floats:
        return weigh_rarities([self._encoder.frequencies.get(word, 0.0) for word in words])

    def encode_texts(self, texts: Sequence[str], *, threads: int, watch: Watch | None = None) -> SmallIntegers:
        """Texts that were encoded before, and are still in memory, are not encoded again."""
        return self._texts.encode(self._encoder, texts, threads=threads, watch=watch)

    def drop_texts(self) -> None:
        """Keep no vector of a text in memory."""
        self._texts.drop()

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return open_encoded_words, (self.identity,)


def drop_encoded_texts() -> None:
    """Keep no vector of a text in the memory of this process: one of the texts was erased."""
    for words in list(OPENED):
        words.drop_texts()


def find_language(words: Sequence[str], counts: Floats, lists: Mapping[str, Sequence[str]]) -> str | None:
    """The language whose list has most of the words of the texts, if that is at least half of them.

    >>> lists = {"de": ["die", "und"], "en": ["and", "die", "the"]}
    >>> find_language(["and", "die", "hare"], np.array([2.0, 1.0, 3.0]), lists)
    'en'
    >>> find_language(["and", "die", "hare"], np.array([2.0, 1.0, 4.0]), lists)
    """
    is_word = [word.isalpha() for word in words]
    known = {}
    for language, frequent in lists.items():
        own = set(frequent)
        known[language] = sum(count for word, count in zip(words, counts.tolist(), strict=True) if word in own)
    best = max(known, key=known.__getitem__, default=None)
    return None if best is None or not 0 < MIN_SHARE * counts[is_word].sum() <= known[best] else best


@cache
def open_encoded_words(identity: str | None = None) -> EncodedWords:
    """The words of the encoder that is installed. Raises InvalidOption if it is not the one of this identity."""
    encoder = open_installed_encoder()
    if identity not in (None, encoder.identity):
        raise InvalidOption(
            f"the vectors are those of {identity!r}, but {encoder.identity!r} is installed: install that version."
        )
    return EncodedWords(encoder)
