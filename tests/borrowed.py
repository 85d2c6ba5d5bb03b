"""Running scikit-learn's own tests on our classes: each case is called where scikit-learn installed it."""

from collections.abc import Callable, Collection, Iterator
from itertools import product
from operator import attrgetter
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
import sklearn

VERSION = "1.9.1"  # of scikit-learn, whose cases the lists of both files name


class Case(NamedTuple):
    """A test of the suite with one choice of its arguments."""

    test: Callable[..., None]
    arguments: dict[str, Any]

    @property
    def id(self) -> str:
        labels = [getattr(value, "__name__", type(value).__name__) for value in self.arguments.values()]
        return f"{self.test.__name__}[{'-'.join(labels)}]" if labels else self.test.__name__

    def is_in(self, table: Collection[str]) -> bool:
        return self.test.__name__ in table or self.id in table


def list_arguments(test: Callable[..., None]) -> Iterator[dict[str, Any]]:
    marks = [mark for mark in getattr(test, "pytestmark", []) if mark.name == "parametrize"]
    for choice in product(*(mark.args[1] for mark in marks)):
        arguments: dict[str, Any] = {}
        for mark, chosen in zip(marks, choice, strict=True):
            names = [name.strip() for name in mark.args[0].split(",")]
            values = getattr(chosen, "values", chosen if len(names) > 1 else [chosen])  # pytest.param has values
            arguments |= zip(names, values, strict=True)
        yield arguments


def pytest_in_our_words(wording: dict[str, str]) -> SimpleNamespace:
    """pytest's checks of errors and warnings: for a message with a piece of the table, ours must have its words."""

    def translate(check: Callable[..., Any]) -> Callable[..., Any]:
        def translated(kind: Any, match: str = "") -> Any:
            ours = [words for piece, words in wording.items() if piece in match]
            return check(kind, match=ours[0] if ours else match or None)

        return translated

    return SimpleNamespace(raises=translate(pytest.raises), warns=translate(pytest.warns))


def cases_in(cases: list[Case], table: Collection[str]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", [case for case in cases if case.is_in(table)], ids=attrgetter("id"))


def check_lists(cases: list[Case], *lists: Collection[str]) -> None:
    """Every case is in just one list, and every name in a list is that of a case."""
    if sklearn.__version__ != VERSION:
        pytest.skip(f"the lists are those of scikit-learn {VERSION}, this is {sklearn.__version__}")
    assert [case.id for case in cases if sum(map(case.is_in, lists)) != 1] == []
    assert [name for names in lists for name in names if not any(case.is_in([name]) for case in cases)] == []
