"""The documents of one batch, checked."""

from itertools import pairwise
from typing import Any

from tercet.arrays import Integers
from tercet.errors import bad_text
from tercet.kernel.base.arguments import expect_below


class Texts:
    """Documents in memory. `first` is the position of the first document in the user's input, for error messages."""

    def __init__(self, texts: list[Any], first: int = 0) -> None:
        self.texts = [check_text(text, first + i) for i, text in enumerate(texts)]

    @classmethod
    def from_arrow(cls, offsets: Any, data: Any, owner: object, first: int = 0) -> "Texts":
        return cls([data[begin:end].tobytes() for begin, end in pairwise(offsets.tolist())], first)

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
