"""Vectors that a model file only names. They are opened when the model is trained again."""

from collections.abc import Sequence
from weakref import WeakValueDictionary

from tercet.arrays import Flags, Floats, SmallIntegers
from tercet.cached import cached_property
from tercet.errors import InvalidOption, MissingExtra
from tercet.text.vectors.encoded_words import EncodedWords, open_encoded_words
from tercet.text.vectors.text_encoder import Watch
from tercet.text.vectors.vector_table import VectorTable

TABLES: "WeakValueDictionary[str, VectorTable]" = WeakValueDictionary()  # by identity, while somebody has them


def remember_table(table: VectorTable) -> VectorTable:
    """The table, which models that name it find from now on."""
    TABLES[table.identity] = table
    return table


class NamedVectors:
    """The vectors with this identity: those of a table that this program has opened, or of the encoder that is installed."""

    def __init__(self, identity: str) -> None:
        self.identity = identity

    @cached_property
    def _opened(self) -> "EncodedWords | VectorTable":
        try:
            return TABLES.get(self.identity) or open_encoded_words(self.identity)
        except (MissingExtra, InvalidOption) as error:
            raise InvalidOption(
                f"the model was trained with the word vectors {self.identity!r}, and training it again needs them ({error}). "
                "If they are a table of yours, read it before: WordVectors.read(path). Predictions need no vectors."
            ) from error

    @property
    def dimension(self) -> int:
        return self._opened.dimension

    @property
    def words(self) -> tuple[str, ...]:
        return self._opened.words

    def known(self, words: Sequence[str]) -> Flags:
        return self._opened.known(words)

    def vectors(self, words: Sequence[str], *, threads: int, watch: Watch | None = None) -> SmallIntegers:
        return self._opened.vectors(words, threads=threads, watch=watch)

    def rarities(self, words: Sequence[str]) -> Floats:
        return self._opened.rarities(words)

    def encode_texts(self, texts: Sequence[str], *, threads: int, watch: Watch | None = None) -> SmallIntegers:
        return self._opened.encode_texts(texts, threads=threads, watch=watch)
