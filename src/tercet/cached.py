"""Properties that are computed once."""

import functools
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, TypeVar

T = TypeVar("T")


class cached_property(functools.cached_property[T]):  # noqa: N801 (named like the one of functools)
    """`functools.cached_property` as it is since Python 3.12, without a lock.

    In Python 3.11 it has one lock for all objects of a class. If another thread holds this lock while the process forks, the
    lock stays locked in the child. Without a lock two threads may compute the value at the same time, and both get the same.

    >>> class Circle:
    ...     @cached_property
    ...     def area(self) -> str:
    ...         print("computed")
    ...         return "large"
    >>> circle = Circle()
    >>> circle.area + circle.area
    computed
    'largelarge'
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        super().__init__(compute)
        self.lock = nullcontext()
