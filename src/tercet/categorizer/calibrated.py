"""How the scores of a categorizer become probabilities and sets of labels."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.categorizer.scorer import Scorer
from tercet.counts.labels import Labels, place_labels, read_labels, write_labels
from tercet.models.calibration import Calibration, round_digits
from tercet.models.conformal import LabelSets


@dataclass(frozen=True, eq=False)
class Calibrated:
    """What documents that were held out have taught about the scores of these labels.

    `error_before` and `error_after` are expected calibration errors, the second of documents that nothing was fitted to.
    """

    labels: Labels
    calibration: Calibration
    sets: LabelSets
    error_before: float
    error_after: float

    @property
    def way(self) -> str:
        return self.calibration.way

    def summarize(self) -> dict[str, Any]:
        """The way, and the errors before and after."""
        return {"way": self.way, "error_before": self.error_before, "error_after": self.error_after}

    def join(self, scorer: Scorer) -> Scorer:
        """The scorer with it. Between other labels than these no coverage is known, so there are no sets then."""
        places = place_labels(scorer.labels, self.labels)
        is_same = np.array_equal(places, np.arange(len(self.labels)))
        calibration = self.calibration if is_same else self.calibration.pick(places)
        return replace(scorer, calibration=calibration, sets=self.sets if is_same else None)

    def to_dict(self) -> dict[str, Any]:
        labels = {"labels": write_labels(self.labels)}
        return labels | self.summarize() | write_answers(self.calibration, self.sets)

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> "Calibrated":
        labels = read_labels(written["labels"])
        calibration, sets = read_answers(written, len(labels))
        assert calibration is not None
        assert sets is not None
        return cls(labels, calibration, sets, *(float(written[name]) for name in ("error_before", "error_after")))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Calibrated) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]


def write_answers(calibration: Calibration | None, sets: LabelSets | None) -> dict[str, Any]:
    """What a scorer has of it; nothing where there is none, so that a file without it stays what it was."""
    answers = {"calibration": calibration, "sets": sets}
    return {name: each.to_dict() for name, each in answers.items() if each is not None}


def read_answers(written: Mapping[str, Any], n_labels: int) -> tuple[Calibration | None, LabelSets | None]:
    calibration = Calibration.from_dict(written["calibration"]) if "calibration" in written else None
    if calibration is not None:
        calibration.apply(np.zeros((1, n_labels)))  # an error where it is for another number of labels
    return calibration, LabelSets.from_dict(written["sets"]) if "sets" in written else None


def measure_error(log_proba: Floats, codes: Integers, weights: Floats | None = None) -> float:
    """The expected calibration error, in ten bins."""
    from tercet.evaluation.probabilities import Forecast  # on first use: most categorizers are not calibrated
    from tercet.evaluation.reliability import calibration_error

    heavy = np.ones(len(codes)) if weights is None else weights
    return round_digits(float(calibration_error(Forecast(np.arange(log_proba.shape[1]), codes, np.exp(log_proba), heavy))))


def merge_calibrated(ours: Calibrated | None, theirs: Calibrated | None) -> Calibrated | None:
    """That of a sum: the same as both, or none. What was found for parts says nothing about the whole."""
    if ours == theirs:
        return ours
    warnings.warn(
        "the sum is not calibrated: what was fitted to its parts is not right for the whole. "
        "`retune` it on all documents, or `calibrate_on` others.",
        RuntimeWarning,
        stacklevel=3,
    )
    return None
