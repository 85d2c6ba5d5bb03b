"""The arithmetic of a decision: each value as a formula with its numbers, in plain text and in LaTeX.

In plain text a logarithm is of the whole product or fraction that follows it: log (5+1)/(8+6).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tercet.characters import replace_surrogates
from tercet.report.explanation.evidence import add_up

DIGITS = 12  # of a number that is not whole
SUM, PRODUCT, NUMBER = range(3)


class Formula(NamedTuple):
    """A formula in both forms. `rank` says what it is: a sum, a product (or a fraction, or a logarithm), or a number."""

    text: str
    latex: str
    rank: int = PRODUCT


def write_number(value: float, digits: int = DIGITS) -> Formula:
    r"""
    >>> write_number(5.0).text, write_number(-0.25).text, write_number(1e-7).latex, write_number(-math.inf).text
    ('5', '−0.25', '1\\cdot 10^{-7}', '−∞')
    """
    if math.isinf(value):
        return Formula("∞", r"\infty", NUMBER) if value > 0 else Formula("−∞", r"-\infty", SUM)
    shown = f"{value:.0f}" if value == round(value) and abs(value) < 1e15 else f"{value:.{digits}g}"
    mantissa, e, exponent = shown.partition("e")
    latex = f"{mantissa}\\cdot 10^{{{int(exponent)}}}" if e else shown
    return Formula(shown.replace("-", "−", 1) if value < 0 else shown, latex, SUM if value < 0 else NUMBER)


def add(*parts: Formula) -> Formula:
    """
    >>> add(write_number(5), write_number(0.5)).text
    '5+0.5'
    """
    plus = " + " if any(" " in part.text for part in parts) else "+"
    closed = [parts[0], *(enclose(part, PRODUCT) if part.text.startswith("−") else part for part in parts[1:])]
    return Formula(plus.join(part.text for part in closed), "+".join(part.latex for part in closed), SUM)


def subtract(a: Formula, b: Formula) -> Formula:
    """
    >>> subtract(take_log(write_number(0.6)), take_log(write_number(0.4))).text
    'log 0.6 − log 0.4'
    """
    b = enclose(b, PRODUCT)
    minus = " − " if " " in a.text + b.text else "−"
    return Formula(f"{a.text}{minus}{b.text}", f"{a.latex}-{b.latex}", SUM)


def multiply(*parts: Formula) -> Formula:
    """
    >>> multiply(write_number(2), add(write_number(1), write_number(3))).text
    '2·(1+3)'
    """
    closed = [enclose(part, PRODUCT) for part in parts]
    times = " · " if any(" " in part.text for part in closed) else "·"
    return Formula(times.join(part.text for part in closed), r"\cdot ".join(part.latex for part in closed))


def divide(a: Formula, b: Formula) -> Formula:
    """
    >>> divide(add(write_number(5), write_number(1)), write_number(8)).text
    '(5+1)/8'
    """
    return Formula(f"{enclose(a, PRODUCT).text}/{enclose(b, NUMBER).text}", rf"\frac{{{a.latex}}}{{{b.latex}}}")


def take_log(a: Formula) -> Formula:
    r"""
    >>> take_log(divide(write_number(3), write_number(5)))
    Formula(text='log 3/5', latex='\\log \\frac{3}{5}', rank=1)
    """
    is_simple = a.latex.startswith(r"\frac") or a.rank == NUMBER
    latex = rf"\log {a.latex}" if is_simple else rf"\log {_enclose_latex(a.latex)}"
    return Formula(f"log {enclose(a, PRODUCT).text}", latex)


def write_density(x: float, mean: float, deviation: float) -> Formula:
    """The density of a normal distribution with this mean, and the variance as the square of the standard deviation.

    >>> write_density(7, 5, 2.5).text
    'N(7 | 5, 2.5²)'
    """
    # The larger the numbers are compared with the deviation, the more digits their difference needs.
    digits = min(15, 9 + math.ceil(max(0.0, math.log10(max(abs(x), abs(mean), deviation) / deviation))))
    at, center, width = (write_number(value, digits) for value in (x, mean, deviation))
    text = f"N({at.text} | {center.text}, {width.text}²)"
    return Formula(text, rf"\mathcal{{N}}({at.latex}\mid {center.latex},\ ({width.latex})^2)", NUMBER)


def write_probability(score: float, factor: float = 1.0, offset: float = 0.0, doubt: float = 0.0) -> Formula:
    """The probability of a label against one other label. The last three numbers are those of a calibration.

    >>> write_probability(-1.5).text, write_probability(2.0, 0.5, 0.25).text
    ('1/(1+exp(1.500000))', '1/(1+exp(−(0.5·2.000000+0.25)))')
    >>> write_probability(2.0, 0.5, doubt=0.1).text
    '(1−0.1)·1/(1+exp(−(0.5·2.000000)))+0.1/2'
    """
    if (factor, offset, doubt) == (1.0, 0.0, 0.0):
        shown = f"{-score:.6f}"
        return Formula(f"1/(1+exp({shown.replace('-', '−')}))", rf"\frac{{1}}{{1+\exp({shown})}}")
    of_score = Formula(f"{score:.6f}".replace("-", "−"), f"{score:.6f}", SUM if score < 0 else NUMBER)
    odds = multiply(write_number(factor), of_score)
    odds = add(odds, write_number(offset)) if offset else odds
    without_doubt = Formula(f"1/(1+exp(−({odds.text})))", rf"\frac{{1}}{{1+\exp(-({odds.latex}))}}")
    if not doubt:
        return without_doubt
    sure = multiply(subtract(write_number(1), write_number(doubt)), without_doubt)
    return add(sure, divide(write_number(doubt), write_number(2)))


def enclose(a: Formula, lowest: int) -> Formula:
    """The formula, in parentheses if its rank is below `lowest`."""
    return a if a.rank >= lowest else Formula(f"({a.text})", _enclose_latex(a.latex), NUMBER)


def _enclose_latex(latex: str) -> str:
    # \left( would forbid a line break inside.
    return rf"\Bigl({latex}\Bigr)" if r"\frac" in latex else f"({latex})"


def show_exact(value: float) -> str:
    """A value with six decimal places.

    >>> show_exact(1.97), show_exact(-math.inf), show_exact(-2e12)
    ('+1.970000', '−∞', '−2e+12')
    """
    if math.isnan(value) or math.isinf(value):
        return "nan" if math.isnan(value) else "+∞" if value > 0 else "−∞"
    value = round(value, 6) + 0.0  # no -0
    return (f"{value:+.6f}" if abs(value) < 1e9 else f"{value:+.6g}").replace("-", "−", 1)


class Step(NamedTuple):
    """A value of the model, and the formula that gives it; None if nothing is computed."""

    name: str
    formula: Formula | None
    value: float
    is_probability: bool = False

    @property
    def shown_value(self) -> str:
        return show_exact(self.value).removeprefix("+" if self.is_probability else "")

    def to_text(self) -> str:
        """
        >>> Step("hen", divide(write_number(1), write_number(4)), 0.25).to_text()
        '1/4 = +0.250000'
        """
        return f"{self.formula.text} = {self.shown_value}" if self.formula else self.shown_value

    def to_latex(self) -> str:
        value = self.shown_value.replace("−", "-").replace("∞", r"\infty ")
        return f"{self.formula.latex} = {value}" if self.formula else value

    def to_dict(self) -> dict[str, Any]:
        """For JSON. A value that is not finite becomes a string."""
        return {
            "name": replace_surrogates(self.name),
            "formula": self.formula and self.formula.text,
            "latex": self.formula and self.formula.latex,
            "value": self.value if math.isfinite(self.value) else str(self.value),
        }


@dataclass(frozen=True)
class Arithmetic:
    """How the values of an explanation are computed: the prior, each term as the model counts it, and the probability.

    `terms` are in the order of `Explanation.parts`, the strongest first. `probability` is None if a calibration gives the
    probability: then `notes` say how.
    """

    prior: Step
    terms: tuple[Step, ...]
    probability: Step | None
    notes: tuple[str, ...] = ()

    def list_steps(self, n: int, score: float, name: str = "sum") -> list[Step]:
        """The prior, the first n terms, one step for all other terms, the sum, and the probability."""
        rest = self.terms[n:]
        more = [Step(f"… {len(rest)} more", None, add_up(step.value for step in rest))] if rest else []
        last = [] if self.probability is None else [self.probability]
        return [self.prior, *self.terms[:n], *more, Step(name, None, score), *last]

    def to_dict(self) -> dict[str, Any]:
        return {
            "prior": self.prior.to_dict(),
            "terms": [step.to_dict() for step in self.terms],
            "probability": None if self.probability is None else self.probability.to_dict(),
            "notes": [replace_surrogates(note) for note in self.notes],
        }


def sort_steps(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The strongest first, for or against; ties by name."""
    return tuple(sorted(steps, key=lambda step: (-abs(step.value), step.name)))
