"""Prior and evidence of an explanation add up to its score."""

import math
from typing import Any

import numpy as np
import pytest

from tercet import Documents


def check_sum(model: Any, document: Any, label: Any = None, against: Any = None) -> Any:
    """prior + Σ evidence is the difference of the scores."""
    explanation = model.explain(document, label, against)
    asked, empty = (
        (document, Documents([""], columns=document.columns)) if isinstance(document, Documents) else ([document], [""])
    )
    sides = [model.classes_.tolist().index(side) for side in (explanation.label, explanation.against)]
    a, b = model.log_joint(asked)[0][sides]
    values = [item.value for item in explanation.evidence]
    # Where two scores in the hundreds are nearly equal the evidence is small, and their rounding is not: so the scale is that
    # of the scores themselves, with what Bernoulli says of an empty text before words are added to it.
    scale = abs(a) + abs(b) + np.abs(model.log_joint(empty)[0][sides]).sum() + np.abs(values).sum()
    assert math.fsum([explanation.prior, *values]) == pytest.approx(a - b, rel=0, abs=1e-12 * scale)
    assert explanation.score == math.fsum([explanation.prior, *values])
    return explanation
