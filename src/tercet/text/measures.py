"""Numbers that a text has of itself: how long, how loud."""

from collections.abc import Callable


def count_characters(text: str) -> float:
    """
    >>> count_characters("Ciao!")
    5.0
    """
    return float(len(text))


def measure_capitals(text: str) -> float:
    """The share of capitals among the letters; 0 for a text without letters.

    >>> measure_capitals("BUY now")
    0.5
    """
    n_letters = sum(map(str.isalpha, text))
    return sum(map(str.isupper, text)) / n_letters if n_letters else 0.0


MEASURES: dict[str, Callable[[str], float]] = {"n_characters": count_characters, "capital_share": measure_capitals}
