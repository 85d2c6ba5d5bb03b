"""Everything that can be written into a file: a class registers itself by kind and name, and is found again by them.

A registered class has `to_dict`, which gives values that JSON can hold, and a class method `from_dict`, which checks and reads
them. A file holds names, never code: `read` finds the classes of tercet, and those that a program has registered itself.

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
    """What a registered class must have."""

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
    "selector": "tercet.counts.selection",
    "weighting": "tercet.counts.weighting",
    "smoothing": "tercet.models.smoothing",
    "model": "tercet.models",
    "calibration": "tercet.models.calibration",
    "weights": "tercet.categorizer",
}

_classes: dict[tuple[str, str], type] = {}
_names: dict[type, str] = {}


def register(kind: str, name: str) -> Callable[[T], T]:
    """Decorate a class with its kind and the name it has in files, which becomes its `registered_name`."""

    def add(cls: T) -> T:
        _classes[kind, name] = cls
        _names[cls] = cls.registered_name = name
        return cls

    return add


def name_of(value: object) -> str:
    """The name that its class is registered by."""
    if type(value) not in _names:
        raise InvalidOption(
            f"{type(value).__name__} is not registered, so a file that names it could not be read. "
            'Decorate the class with @register(kind, "name") from tercet.registry.'
        )
    return _names[type(value)]


def write(value: Writable) -> dict[str, Any]:
    """The value as JSON can hold it, with the name of its class as `type`."""
    return {"type": name_of(value), **value.to_dict()}


def read(kind: str, written: Mapping[str, Any]) -> Any:
    """The value that `write` has written; an error where its class is unknown or its options make no sense."""
    if not isinstance(written, Mapping) or not isinstance(written.get("type"), str):
        raise bad_option(f"a written {kind.replace('_', ' ')}", "a mapping with a type", written, "it names the class.")
    options = {key: value for key, value in written.items() if key != "type"}
    return find(kind, written["type"]).from_dict(options)


def find(kind: str, name: str) -> type[Any]:
    """The class of this kind that is registered by this name."""
    if (kind, name) not in _classes and name not in (known := names(kind)):
        raise InvalidOption(f"there is no {kind} named {name!r}: known are {', '.join(known)}.")
    return _classes[kind, name]


def names(kind: str) -> list[str]:
    """All names of a kind, in order."""
    _import_all(KINDS[kind])
    return sorted(name for each, name in _classes if each == kind)


def _import_all(home: str) -> None:
    module = import_module(home)
    for found in pkgutil.iter_modules(getattr(module, "__path__", [])):
        import_module(f"{home}.{found.name}")
