"""Properties that are computed once."""

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T")


class cached_property(Generic[T]):  # noqa: N801 - named like the one of functools
    """`functools.cached_property` as it is since Python 3.12, without a lock.

    In Python 3.11 it has one lock for all objects of a class. A fork while another thread has that lock leaves it locked in the
    child for ever. Without a lock two threads may compute the value at the same time, and both get the same.

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
        self.compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object | None, owner: type) -> Self | T:
        if instance is None:
            return self
        value = vars(instance)[self.name] = self.compute(instance)  # from now on found before this property
        return value
