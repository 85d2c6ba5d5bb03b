"""What word lists, lemmas and lexicons share: they never change, and are equal where their content is."""

from functools import cached_property
from typing import Any, NoReturn


class Value:
    """A frozen value, compared and hashed by `content`; the hash of thousands of words is worked out once."""

    content: tuple[Any, ...]

    def __eq__(self, other: object) -> bool:
        return self.content == other.content if type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((type(self).__name__, self.content))

    def __getstate__(self) -> dict[str, Any]:
        # The hash of a str is another in another process.
        return {name: value for name, value in vars(self).items() if name != "_hash"}

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} can't be changed: make a new one.")

    def __delattr__(self, name: str) -> NoReturn:
        self.__setattr__(name, None)

    def _keep(self, **attributes: object) -> None:
        vars(self).update(attributes)
