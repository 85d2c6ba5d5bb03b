"""Random changes of a value of JSON: each field can change, go, or get a neighbour."""

import copy
import random
from collections.abc import Iterator
from typing import Any

Path = tuple[str | int, ...]


def list_paths(value: Any, path: Path = ()) -> Iterator[Path]:
    """The paths of everything inside a value of JSON."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, own in inside:
        yield (*path, name)
        yield from list_paths(own, (*path, name))


def change_somewhere(value: Any, draw: random.Random) -> tuple[str, Any]:
    """A copy with one change, and what was changed."""
    changed = copy.deepcopy(value)
    *above, last = draw.choice(list(list_paths(value)))
    inside = changed
    for name in above:
        inside = inside[name]
    how = draw.choice(["change", "change", "remove", "add"])
    if how == "remove":
        del inside[last]
    elif how == "add" and isinstance(inside, dict):
        inside["new"] = 7
    elif how == "add":
        inside.insert(last, copy.deepcopy(inside[last]))
    else:
        inside[last] = change_value(inside[last], draw)
    return f"{how} {[*above, last]}", changed


def change_value(value: Any, draw: random.Random) -> Any:
    """Another value, of the same type or of another."""
    if draw.random() < 0.3:
        return draw.choice([each for each in (None, 7, "x", [], {}, -1.5, True, False) if each != value])
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return draw.choice([value + 1, -value - 1, float(value), str(value)])
    if isinstance(value, str) and value:
        index = draw.randrange(len(value))
        other = draw.choice([each for each in "0123456789abcdefABCDEF x" if each != value[index]])
        return draw.choice([value[:index] + other + value[index + 1 :], value[:index] + value[index + 1 :], value + other])
    if isinstance(value, list) and value:
        return draw.choice([value[1:], value[:-1], [*value, value[0]]])
    if isinstance(value, dict) and value:
        return {name: value[name] for name in list(value)[1:]}
    return "x"
