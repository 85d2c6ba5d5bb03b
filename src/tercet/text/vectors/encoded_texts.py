"""Vectors of texts that stay in memory, so that a model that is trained again and again encodes each text once."""

from collections.abc import Sequence
from hashlib import blake2b
from threading import Lock

import numpy as np

from tercet.arrays import SmallIntegers
from tercet.text.vectors.text_encoder import TextEncoder, Watch

MAX_TEXTS = 50_000  # in memory: the oldest are dropped


class EncodedTexts:
    """The vectors of the texts that were encoded last, by a hash of each text. No file has them."""

    def __init__(self) -> None:
        self._rows: dict[bytes, SmallIntegers] = {}  # the oldest first
        self._n_drops = 0
        self._lock = Lock()

    def encode(self, encoder: TextEncoder, texts: Sequence[str], *, threads: int, watch: Watch | None) -> SmallIntegers:
        """The vectors of the texts, as texts × dimension."""
        keys = [blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest() for text in texts]
        with self._lock:
            known, n_drops = {key: self._rows[key] for key in keys if key in self._rows}, self._n_drops
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        rows = encoder.encode_texts(list(missing.values()), threads=threads, watch=watch)
        new = dict(zip(missing, rows.copy(), strict=True))
        with self._lock:
            if self._n_drops == n_drops:  # otherwise one of the texts may have been erased meanwhile
                self._rows |= new
            for key in list(self._rows)[: max(0, len(self._rows) - MAX_TEXTS)]:
                del self._rows[key]
        found = known | new
        return np.array([found[key] for key in keys], np.int8).reshape(len(texts), encoder.dimension)

    def drop(self) -> None:
        """Forget all texts."""
        with self._lock:
            self._rows = {}
            self._n_drops += 1
