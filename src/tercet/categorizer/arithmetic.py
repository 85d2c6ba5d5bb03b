"""The arithmetic of one decision: for each value of an explanation, the formula with the numbers that it comes from."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tercet.categorizer.numeric_columns import FAR
from tercet.categorizer.scorer import Scorer
from tercet.models.calibration import PairOdds
from tercet.report.arithmetic import (
    Arithmetic,
    Formula,
    Step,
    sort_steps,
    subtract,
    take_log,
    write_density,
    write_number,
    write_probability,
)
from tercet.report.evidence import Evidence, add_up
from tercet.report.explanation import Explanation

UNKNOWN = -1  # the number that stands for all unknown terms


class DecisionFormulas(ABC):
    """Writes what the parts of a text add to the score of one label, minus what they add to the score of another label."""

    @abstractmethod
    def write_prior(self) -> Formula | None:
        """None if the model has no prior."""

    @abstractmethod
    def write_term(self, term: int, count: int) -> Formula:
        """For a term with this count in the text; -1 stands for all unknown terms."""

    def write_absent(self) -> Formula | None:
        """For all terms that the text could have; None if absent terms add nothing."""
        return None

    @abstractmethod
    def list_notes(self) -> list[str]:
        """Sentences that explain the formulas."""


def add_arithmetic(
    explanation: Explanation,
    scorer: Scorer,
    places: tuple[int, int],
    occurrences: Sequence[tuple[str, int, float]],
    others: Sequence[Evidence],
    documents: Any,
) -> Explanation:
    """The explanation with its arithmetic. `places` are those of its two labels.

    `occurrences` are those of terms in the text: name, number (-1 for all unknown terms) and value. `others` is the evidence
    that is in no place of the text: absent terms, and columns of numbers.
    """
    found: dict[int, list[tuple[str, float]]] = {}
    for name, term, value in occurrences:
        found.setdefault(term, []).append((name, value))
    terms = np.array([term for term in found if term >= 0], np.int64)
    counts = np.array([len(found[term]) for term in terms.tolist()], np.float64)
    formulas = scorer.weights.write_formulas(*places, terms, counts)
    steps = [
        Step(own[0][0], formulas.write_term(term, len(own)), add_up(value for _, value in own))
        for term, own in found.items()
        if term != UNKNOWN or any(value for _, value in own)
    ]
    absent, columns = formulas.write_absent(), _write_columns(scorer, places, documents)
    of_others = columns if absent is None else [absent, *columns]
    steps += [Step(item.term, formula, item.value) for item, formula in zip(others, of_others, strict=True)]
    prior = Step("(prior)", formulas.write_prior(), explanation.prior)
    notes = [*formulas.list_notes(), *_explain_columns(columns), *_explain_calibration(scorer)]
    probability = _write_probability(explanation, scorer, places, documents)
    arithmetic = Arithmetic(prior, sort_steps(steps), probability, tuple(notes))
    return replace(explanation, arithmetic=arithmetic)


def _write_columns(scorer: Scorer, places: tuple[int, int], documents: Any) -> list[Formula]:
    """The formula of each column of numbers: the densities of its normal distributions under the two labels."""
    if not scorer.numeric or scorer.normals is None:
        return []
    numbers = documents.numbers(scorer.numeric)
    scores = scorer.normals.log_densities(numbers)[0]
    means, deviations = scorer.normals.means, scorer.normals.deviations

    def write_log_density(label: int, column: int) -> Formula:
        if deviations[label, column] == 0 or scores[label, column] <= -FAR:
            return write_number(float(scores[label, column]))
        spread = float(means[label, column]), float(deviations[label, column])
        return take_log(write_density(float(numbers[0, column]), *spread))

    a, b = places
    return [subtract(write_log_density(a, column), write_log_density(b, column)) for column in range(len(scorer.numeric))]


def _explain_columns(columns: Sequence[Formula]) -> list[str]:
    return ["N(x | m, s²) is the density of the normal distribution with mean m and variance s²."] if columns else []


def _explain_calibration(scorer: Scorer) -> list[str]:
    if scorer.calibration is None:
        return []
    how = f"The calibration {scorer.calibration.method!r} turns the scores of all labels into probabilities"
    return [f"The score is before calibration. {how}: {scorer.calibration.formula}."]


def _write_probability(explanation: Explanation, scorer: Scorer, places: tuple[int, int], documents: Any) -> Step | None:
    """None if the score is infinite, or if a calibration also uses the scores of other labels."""
    odds: PairOdds | None = PairOdds()
    if explanation.calibrated is not None and scorer.calibration is not None:
        odds = scorer.calibration.find_odds(scorer.log_joint(documents)[0], *places)
    if odds is None or not np.isfinite(explanation.score):
        return None
    return Step("probability", write_probability(explanation.score, *odds), explanation.probability, is_probability=True)
