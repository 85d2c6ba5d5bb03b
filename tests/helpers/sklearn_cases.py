"""Running scikit-learn's own tests on our classes: each case is called where scikit-learn installed it."""

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import product
from operator import attrgetter
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
import sklearn

VERSION = "1.9.1"  # of scikit-learn, whose cases the lists of both files name
FIXTURES = {"global_dtype": [np.float32, np.float64]}  # of scikit-learn: each value makes a case


class NotOffered(BaseException):
    """A case asks for what our class does not have. No Exception, so that no case takes it for the one it expects."""


class Case(NamedTuple):
    """A test of the suite with one choice of its arguments."""

    test: Callable[..., None]
    arguments: dict[str, Any]

    @property
    def id(self) -> str:
        return self._name(list(self.arguments.values()))

    @property
    def names(self) -> list[str]:
        """What a list may call it: the test, the test[first argument] or the test[all arguments]."""
        return [self.test.__name__, self._name(list(self.arguments.values())[:1]), self.id]

    def is_in(self, table: Collection[str]) -> bool:
        return any(name in table for name in self.names)

    def reason(self, table: Mapping[str, str]) -> str:
        return next(table[name] for name in self.names if name in table)

    def _name(self, arguments: list[Any]) -> str:
        labels = "-".join(map(_label, arguments))
        return f"{self.test.__name__}[{labels}]" if labels else self.test.__name__


def _label(value: Any) -> str:
    return str(value) if isinstance(value, str | bool | None) else getattr(value, "__name__", type(value).__name__)


def list_arguments(test: Callable[..., None]) -> Iterator[dict[str, Any]]:
    marks = [mark for mark in getattr(test, "pytestmark", []) if mark.name == "parametrize"]
    marks += [pytest.mark.parametrize(name, FIXTURES[name]) for name in inspect.signature(test).parameters if name in FIXTURES]
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


def make_run(suite: ModuleType, places: Mapping[str, Any], replace: Callable[[Any], Any], wording: dict[str, str]) -> Any:
    """The fixture that calls a case: with ours in these places of the suite and among its arguments, and its fixtures."""

    @pytest.fixture
    def run(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Callable[[Case], None]:
        def call(case: Case) -> None:
            for name, ours in places.items():
                monkeypatch.setattr(suite, name, ours, raising=False)  # an older suite has not all of them
            monkeypatch.setattr(suite, "pytest", pytest_in_our_words(wording))
            arguments = {name: replace(value) for name, value in case.arguments.items()}
            fixtures = inspect.signature(case.test).parameters.keys() - arguments
            case.test(**arguments, **{name: request.getfixturevalue(name) for name in fixtures})

        return call

    return run


def cases_in(cases: list[Case], table: Collection[str]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", [case for case in cases if case.is_in(table)], ids=attrgetter("id"))


def check_lists(cases: list[Case], *lists: Collection[str]) -> None:
    """Every case is in just one list, and every name in a list is that of a case."""
    skip_other_versions()
    assert [case.id for case in cases if sum(map(case.is_in, lists)) != 1] == []
    assert [name for names in lists for name in names if not any(case.is_in([name]) for case in cases)] == []


def share_left_out(cases: list[Case], run: Collection[str], left_out: Collection[str]) -> float:
    """Of the cases in scope."""
    skip_other_versions()
    n_run, n_left_out = (sum(case.is_in(table) for case in cases) for table in (run, left_out))
    return n_left_out / (n_run + n_left_out)


def skip_other_versions() -> None:
    if sklearn.__version__ != VERSION:
        pytest.skip(f"the lists are those of scikit-learn {VERSION}, this is {sklearn.__version__}")
