"""The documents of one batch, checked."""

from itertools import pairwise
from typing import Any

import numpy as np

from tercet.arrays import Array, Integers
from tercet.errors import bad_text
from tercet.kernel.base.arguments import expect_below


class Texts:
    """Documents in memory. `first` is the position of the first document in the user's input, for error messages."""

    def __init__(self, texts: list[Any], first: int = 0) -> None:
        self.texts = [check_text(text, first + i) for i, text in enumerate(texts)]

    @classmethod
    def from_arrow(cls, offsets: Any, data: Any, owner: object, first: int = 0, surrogates: bool = False) -> "Texts":
        """The texts of an Arrow array. Lone surrogates are errors there, but not in texts of `join`."""
        parts = [data[begin:end].tobytes() for begin, end in pairwise(offsets.tolist())]
        return cls([part.decode("utf-8", "surrogatepass") for part in parts] if surrogates else parts, first)

    def join(self) -> tuple[Integers, Array]:
        """The offsets n + 1 and the bytes of all texts."""
        encoded = [text.encode("utf-8", "surrogatepass") for text in self.texts]
        return np.cumsum([0, *map(len, encoded)], dtype=np.int64), np.frombuffer(b"".join(encoded), np.uint8)

    def pick(self, places: Integers) -> "Texts":
        return Texts([self.texts[i] for i in expect_below(places, len(self), "no such text")])

    def n_characters(self) -> int:
        return sum(map(len, self.texts))

    def __len__(self) -> int:
        return len(self.texts)


def check_text(text: object, position: int) -> str:
    try:
        if isinstance(text, str | bytes):
            return text if isinstance(text, str) else text.decode()
    except UnicodeDecodeError:
        pass
    raise bad_text(position, text)
