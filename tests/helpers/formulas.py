"""Evaluates formulas as they are printed: a reader with a pocket calculator, who knows nothing of the model."""

import math
import re
from collections.abc import Callable

TOKENS = re.compile(r"\d+\.?\d*(?:e[+−-]?\d+)?|log|exp|N(?=\()|[-+−·/(),|²∞]")


def evaluate_text(text: str) -> float:
    """The value of a formula in plain text. A logarithm is of the whole product or fraction that follows it."""
    tokens = TOKENS.findall(text)
    assert "".join(tokens) == text.replace(" ", ""), f"not a formula: {text}"
    value, rest = _read_sum(tokens)
    assert not rest, f"not a formula: {text}"
    return value


def evaluate_latex(latex: str) -> float:
    """The value of a formula in LaTeX: fractions become quotients in parentheses."""
    text = latex.replace(r"\mathcal{N}", "N").replace(r"\mid", "|").replace(r",\ ", ",").replace(r"\infty", "∞")
    text = re.sub(r"\\cdot 10\^\{(-?\d+)\}", r"e\1", text).replace("^2", "²")
    text = text.replace(r"\Bigl(", "(").replace(r"\Bigr)", ")").replace(r"\cdot ", "·")
    text = re.sub(r"\\(log|exp)", r"\1", text)
    while r"\frac" in text:
        begin = text.rindex(r"\frac")
        above, rest = _take_braces(text[begin + len(r"\frac") :])
        below, rest = _take_braces(rest)
        text = f"{text[:begin]}(({above})/({below})){rest}"
    return evaluate_text(text)


def _take_braces(text: str) -> tuple[str, str]:
    assert text[0] == "{"
    end = text.index("}")  # fractions are replaced from the innermost on, so there are no braces inside
    return text[1:end], text[end + 1 :]


def _read_sum(tokens: list[str]) -> tuple[float, list[str]]:
    value, tokens = _read_product(tokens)
    while tokens and tokens[0] in "+−-":
        sign, (part, tokens) = tokens[0], _read_product(tokens[1:])
        value = value + part if sign == "+" else value - part
    return value, tokens


def _read_product(tokens: list[str]) -> tuple[float, list[str]]:
    value, tokens = _read_factor(tokens)
    while tokens and tokens[0] in "·/":
        sign, (part, tokens) = tokens[0], _read_factor(tokens[1:])
        value = value * part if sign == "·" else value / part
    return value, tokens


def _read_factor(tokens: list[str]) -> tuple[float, list[str]]:
    first, tokens = tokens[0], tokens[1:]
    if first in "−-":
        value, tokens = _read_factor(tokens)
        return -value, tokens
    if first == "log":
        value, tokens = _read_product(tokens)
        return (math.log(value) if value else -math.inf), tokens
    if first == "exp":
        return _apply(math.exp, _read_factor(tokens))
    if first == "N":
        return _read_density(tokens[1:])
    if first == "(":
        value, tokens = _read_sum(tokens)
        assert tokens[0] == ")"
        return value, tokens[1:]
    return (math.inf if first == "∞" else float(first.replace("−", "-"))), tokens


def _read_density(tokens: list[str]) -> tuple[float, list[str]]:
    x, tokens = _read_sum(tokens)
    mean, tokens = _read_sum(tokens[1:])
    deviation, tokens = _read_factor(tokens[1:])
    assert tokens[:2] == ["²", ")"]
    density = math.exp(-((x - mean) ** 2) / (2 * deviation**2)) / (deviation * math.sqrt(2 * math.pi))
    return density, tokens[2:]


def _apply(function: Callable[[float], float], read: tuple[float, list[str]]) -> tuple[float, list[str]]:
    value, tokens = read
    return function(value), tokens
