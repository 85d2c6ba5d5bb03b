"""Checks of options that many packages share. NumPy's numbers are accepted: parameter grids are often NumPy arrays."""

import os
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

from tercet.errors import bad_option

MAX_THREADS = 1024
MAX_LENGTH = 1000  # of n-grams

# The lengths of n-grams: (low, high), or several such ranges; None for no n-grams.
Lengths = tuple[int, int] | tuple[tuple[int, int], ...] | None


def is_int(value: object) -> bool:
    """Whether it is a whole number; False for True and False."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_number(value: object) -> bool:
    """Whether it is a number; False for True and False, and for a whole number or a fraction that no float can hold."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    try:
        float(value)
    except OverflowError:
        return False
    return True


def is_list(value: object) -> bool:
    """Whether it has values one after another; False for a text, and for a NumPy array without a dimension."""
    return isinstance(value, Iterable) and not isinstance(value, str | bytes) and getattr(value, "ndim", 1) != 0


def is_share(value: object) -> bool:
    """Whether it is a float from 0.0 to 1.0. The int 1 is not a share: it means one document."""
    return isinstance(value, Real) and not isinstance(value, Integral) and 0 <= float(value) <= 1


def check_flag(name: str, value: Any) -> bool:
    if value is not True and value is not False and type(value).__name__ not in ("bool", "bool_"):
        raise bad_option(name, "True or False", value, "it switches a step on or off.")
    return bool(value)


def check_choice(name: str, value: Any, choices: tuple[str, ...], *, or_none: bool = False) -> str:
    """The value. Raises InvalidOption unless it is one of the choices; `or_none` says that None is possible, too."""
    if not isinstance(value, str) or value not in choices:
        known = f"one of {', '.join(choices)}" + (", or None" if or_none else "")
        raise bad_option(name, known, value, "nothing else is known.")
    return value


def check_count(name: str, value: Any, most: int = 2**31 - 1) -> int:
    """The value as an int. Raises InvalidOption unless it is a whole number from 1 to `most`."""
    if not is_int(value) or value < 1:
        raise bad_option(name, "an int >= 1", value, "it counts things.")
    if value > most:
        raise bad_option(name, f"an int from 1 to {most}", value, "a larger number must be a mistake.")
    return int(value)


def check_names(name: str, value: Any) -> tuple[str, ...]:
    """The names of columns. Raises InvalidOption unless it is a list or tuple of distinct names.

    >>> check_names("numeric", ["links", "n_words"])
    ('links', 'n_words')
    """
    given = value.tolist() if hasattr(value, "tolist") else value
    if not isinstance(given, list | tuple) or not all(isinstance(each, str) and each for each in given):
        raise bad_option(name, "a list of names of columns", value, "each column has a name and a position.")
    if len(set(given)) < len(given):
        twice = next(each for each in given if given.count(each) > 1)
        raise bad_option(name, "names, each once", value, f"the column {twice!r} would count twice.")
    return tuple(given)


def check_seed(seed: Any) -> int:
    """The random seed as an int. Raises InvalidOption if it is not a whole number from 0."""
    if not is_int(seed) or seed < 0:
        raise bad_option("seed", "an int >= 0", seed, "the same seed gives the same numbers.")
    return int(seed)


def check_lengths(name: str, value: Any) -> Lengths:
    """
    >>> check_lengths("word_ngrams", [1, 2])
    (1, 2)
    >>> check_lengths("word_ngrams", [[1, 1], [4, 5], [2, 2]])
    ((1, 2), (4, 5))
    """
    if value is None:
        return None
    if isinstance(value, list | tuple) and value and all(isinstance(bounds, list | tuple) for bounds in value):
        ranges = _join_ranges([_check_range(name, bounds) for bounds in value])
        return ranges[0] if len(ranges) == 1 else tuple(ranges)
    return _check_range(name, value)


def list_ranges(lengths: Lengths) -> list[tuple[int, int]]:
    """
    >>> list_ranges((1, 2)), list_ranges(None)
    ([(1, 2)], [])
    """
    if lengths is None:
        return []
    return [lengths] if isinstance(lengths[0], int) else list(lengths)


def _check_range(name: str, value: Any) -> tuple[int, int]:
    bounds = tuple(value) if isinstance(value, list | tuple) else (value,)
    if len(bounds) != 2 or not all(is_int(n) for n in bounds):
        raise bad_option(name, "None or (low, high)", value, "both lengths are needed. Write (2, 2) for pairs only.")
    if not 1 <= bounds[0] <= bounds[1]:
        raise bad_option(name, "(low, high) with 1 <= low <= high", value, "no n-gram has such a length.")
    if bounds[1] > MAX_LENGTH:
        why = "an n-gram of each length begins at every position of a text."
        raise bad_option(name, f"lengths of at most {MAX_LENGTH}", value, why)
    return int(bounds[0]), int(bounds[1])


def _join_ranges(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The ranges, sorted; adjacent and overlapping ranges are joined."""
    joined: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if joined and low <= joined[-1][1] + 1:
            joined[-1] = joined[-1][0], max(joined[-1][1], high)
        else:
            joined.append((low, high))
    return joined


def n_threads(threads: int | None = None) -> int:
    """The number of threads: the argument, or else TERCET_THREADS, or else all that this process may use.

    >>> n_threads(3)
    3
    """
    if threads is not None:
        return check_count("threads", threads, MAX_THREADS)
    text = os.environ.get("TERCET_THREADS", "")
    if text:
        return check_count("TERCET_THREADS", int(text) if text.isascii() and text.isdigit() else text, MAX_THREADS)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
