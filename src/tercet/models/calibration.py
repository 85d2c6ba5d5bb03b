"""Scores → probabilities that mean what they say: of the answers that are 80 % sure, 80 % are right."""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.errors import InvalidOption
from tercet.options import check_choice

WAYS = ("temperature", "length", "platt", "isotonic")


class Calibration:
    """A child turns scores into log P(label | document). It has learned how from documents that were held out."""

    way: ClassVar[str]

    def apply(self, log_joint: Floats) -> Floats:
        """log P(label | document), documents × labels, from scores. A label that is impossible stays so."""
        raise NotImplementedError

    def pick(self, places: Integers) -> "Calibration":
        """For the labels in these places; -1 is a label that was not there when it was fitted, and gets nothing special."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Values that JSON can hold; `Calibration.from_dict` reads them."""
        raise NotImplementedError

    @classmethod
    def _read(cls, values: Mapping[str, Any]) -> Self:
        """From what `to_dict` gave; an error where that makes no sense."""
        raise NotImplementedError

    @classmethod
    def _fit(cls, log_joint: Floats, codes: Integers, weights: Floats, start: Self | None) -> Self:
        """To documents whose own label is possible. A start that is near saves time."""
        raise NotImplementedError

    @staticmethod
    def from_dict(written: Mapping[str, Any]) -> "Calibration":
        values = {name: value for name, value in written.items() if name != "way"}
        return find_way(written["way"])._read(values)


def find_way(way: str) -> type[Calibration]:
    """The class of a calibration by its name."""
    # On first use: most models have none of them.
    from tercet.models.isotonic import Isotonic
    from tercet.models.length_calibration import LengthCalibration
    from tercet.models.platt import Platt
    from tercet.models.temperature import Temperature

    ways: tuple[type[Calibration], ...] = (Temperature, LengthCalibration, Platt, Isotonic)
    return {each.way: each for each in ways}[check_choice("calibrate", way, WAYS)]


def fit_calibration(
    log_joint: Floats, codes: Integers, way: str = "auto", weights: Floats | None = None, *, start: Calibration | None = None
) -> Calibration:
    """How to make probabilities of such scores, fitted to documents that were held out, and the places of their labels.

    - `temperature`: one factor for all scores. The order of the labels stays.
    - `length`: a factor that is the smaller, the longer the document; an offset for each label; a doubt that always remains.
      It is for scores that grow with the document, as those of naive Bayes do.
    - `platt`: Platt's sigmoid of two labels, and for more a softmax: one factor, and an offset for each label.
    - `isotonic`: for each label any rising function of its lead over the best of the others.
    - `auto`: the one with the best likelihood when it is fitted to four fifths of the documents and asked about the rest.

    >>> sure, codes = np.tile([0.0, -9.0], (400, 1)), np.repeat([0, 1], [300, 100])
    >>> np.exp(fit_calibration(sure, codes, "temperature").apply(sure[:1])).round(2)
    array([[0.75, 0.25]])
    """
    if way == "auto":
        from tercet.models.calibration_choice import cross_fit

        return cross_fit(log_joint, codes, way, weights).calibration
    own = log_joint[np.arange(len(codes)), codes]
    usable = np.isfinite(own) if weights is None else np.isfinite(own) & (weights > 0)
    if not usable.any():
        raise InvalidOption(
            "there is nothing to calibrate by: no document has a label that another document has, too. "
            "Use calibrate=None, or calibrate on other documents."
        )
    heavy = np.ones(int(usable.sum())) if weights is None else weights[usable] / weights[usable].mean()
    child = find_way(way)
    return child._fit(log_joint[usable], codes[usable], heavy, start if isinstance(start, child) else None)


def shift_scores(log_joint: Floats) -> Floats:
    """Scores with the best of each row at 0, all finite, for a fit."""
    return np.asarray(np.maximum(log_joint - log_joint.max(axis=1, keepdims=True), -1e6), np.float64)


def pick_offsets(offsets: Floats, places: Integers) -> Floats:
    """Those of the labels in these places; 0 for a label that has none."""
    return np.append(offsets, 0.0)[places]


def round_digits(value: float) -> float:
    """Six digits: more than the data tell, and fewer than machines differ in.

    >>> round_digits(0.12345678)
    0.123457
    """
    return float(f"{value:.6g}")


def read_finite(values: Any) -> Floats:
    """Numbers of a file; an error where one is none."""
    numbers = np.array(values, np.float64)
    if not np.isfinite(numbers).all():
        raise ValueError("a calibration has numbers that are not finite")
    return numbers
