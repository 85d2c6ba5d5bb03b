"""The registry of all classes that can be written into a file. Each class is registered with a kind and a name.

A registered class has `to_dict`, which gives values for JSON, and a class method `from_dict`, which checks and reads them. A
file contains names, never code: `read` finds the classes of tercet, and classes that your program has registered.

>>> from dataclasses import asdict, dataclass
>>> @register("example", "half")
... @dataclass(frozen=True)
... class Example:
...     value: float
...     def to_dict(self): return asdict(self)
...     @classmethod
...     def from_dict(cls, options): return cls(**options)
>>> write(Example(0.5)), read("example", {"type": "half", "value": 0.5})
({'type': 'half', 'value': 0.5}, Example(value=0.5))
"""

import pkgutil
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Protocol, Self, TypeVar

from tercet.errors import InvalidOption, bad_option


class Writable(Protocol):
    """The methods that a registered class must have."""

    def to_dict(self) -> dict[str, Any]: ...

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> Self: ...


T = TypeVar("T", bound=type[Any])

# Each kind, and the module or package of tercet that defines its classes. They are imported when a name is not known yet.
KINDS = {
    "word_list": "tercet.text.word_lists",
    "lemma_list": "tercet.text.wordforms",
    "lexicon": "tercet.text.lexicons",
    "pattern": "tercet.text.patterns",
    "layout": "tercet.text.layout",
    "selector": "tercet.counts.selection",
    "weighting": "tercet.counts.weighting",
    "smoothing": "tercet.models.smoothing",
    "model": "tercet.models",
    "calibration": "tercet.models.calibration",
    "weights": "tercet.categorizer.model",
    "rule": "tercet.categorizer.rules",
}

_classes: dict[tuple[str, str], type] = {}
_names: dict[type, str] = {}


def register(kind: str, name: str) -> Callable[[T], T]:
    """A decorator that registers a class with its kind and its name in files. `registered_name` is set to the name."""

    def add(cls: T) -> T:
        _classes[kind, name] = cls
        _names[cls] = cls.registered_name = name
        return cls

    return add


def name_of(value: object) -> str:
    """The name with which the class of the value is registered."""
    if type(value) not in _names:
        raise InvalidOption(
            f"{type(value).__name__} is not registered, so a file that names it could not be read. "
            'Decorate the class with @register(kind, "name") from tercet.registry.'
        )
    return _names[type(value)]


def write(value: Writable) -> dict[str, Any]:
    """The value as a mapping for JSON. `type` is the registered name of its class."""
    return {"type": name_of(value), **value.to_dict()}


def read(kind: str, written: Mapping[str, Any]) -> Any:
    """The value that `write` has written. Raises InvalidOption if its class is unknown or an option is wrong."""
    if not isinstance(written, Mapping) or not isinstance(written.get("type"), str):
        raise bad_option(f"a written {kind.replace('_', ' ')}", "a mapping with a type", written, "it names the class.")
    options = {key: value for key, value in written.items() if key != "type"}
    return find(kind, written["type"]).from_dict(options)


def find(kind: str, name: str) -> type[Any]:
    """The class that is registered with this kind and name."""
    if (kind, name) not in _classes and name not in (known := names(kind)):
        raise InvalidOption(f"there is no {kind} named {name!r}: the known names are {', '.join(known)}.")
    return _classes[kind, name]


def names(kind: str) -> list[str]:
    """All names of a kind, sorted."""
    _import_all(KINDS[kind])
    return sorted(name for each, name in _classes if each == kind)


def _import_all(home: str) -> None:
    module = import_module(home)
    for found in pkgutil.iter_modules(getattr(module, "__path__", [])):
        import_module(f"{home}.{found.name}")
