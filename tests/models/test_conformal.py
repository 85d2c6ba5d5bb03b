"""Sets of labels hold the right one as often as they promise."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.errors import InvalidOption
from tercet.models.conformal import MAX_THRESHOLDS, LabelSets

probabilities = st.floats(0, 1) | st.sampled_from([0.0, 0.25, 1.0])


@given(st.lists(probabilities, min_size=2, max_size=40), st.floats(0.01, 1))
def test_of_documents_that_could_change_places_enough_are_covered(own: list[float], coverage: float) -> None:
    """The theorem itself: any of n + 1 documents may be the new one, and in enough of these cases its label is in the set."""
    values = np.array(own)
    covered = [values[i] >= LabelSets.of(np.delete(values, i)).find_threshold(coverage) for i in range(len(own))]
    assert sum(covered) >= coverage * len(own) - 1e-6


@given(st.lists(probabilities, min_size=1, max_size=40, unique=True), st.floats(0.01, 1))
def test_no_higher_threshold_would_do(own: list[float], coverage: float) -> None:
    values = np.sort(own)
    threshold = LabelSets.of(values).find_threshold(coverage)
    higher = values[values > threshold]
    n_lost = int((values < higher[0]).sum()) + 1 if len(higher) else len(own) + 1
    assert n_lost > (1 - coverage) * (len(own) + 1) - 1e-6


def test_many_documents_are_thinned_on_the_safe_side() -> None:
    own = np.random.default_rng(0).random(25_000)
    sets = LabelSets.of(own)
    assert len(sets.probabilities) == MAX_THRESHOLDS
    for coverage in (0.5, 0.9, 0.95, 0.9873, 0.999):
        exact = np.sort(own)[int((1 - coverage) * 25_001 + 1e-9) - 1]
        assert exact - 0.002 < sets.find_threshold(coverage) <= exact
    assert (sets.ranks[-1], sets.probabilities[-1]) == (25_000, own.max())


def test_whole_weights_are_copies() -> None:
    rng = np.random.default_rng(0)
    own, weights = rng.random(50), np.repeat([1.0, 3.0], 25)
    weighted, copies = LabelSets.of(own, weights), LabelSets.of(np.repeat(own, weights.astype(int)))
    for coverage in (0.2, 0.5, 0.8):
        assert abs(weighted.find_threshold(coverage) - copies.find_threshold(coverage)) < 0.05


def test_too_few_documents_promise_with_all_labels_alone() -> None:
    assert LabelSets.of(np.full(8, 0.9)).find_threshold(0.9) == 0
    assert LabelSets.of(np.full(9, 0.9)).find_threshold(0.9) == 0.9
    assert LabelSets.of(np.full(9, 0.9)).find_threshold(1) == 0


def test_what_is_written_is_read() -> None:
    sets = LabelSets.of(np.random.default_rng(0).random(1500))
    again = LabelSets.from_dict(json.loads(json.dumps(sets.to_dict())))
    assert [again.find_threshold(c) for c in (0.5, 0.9)] == [sets.find_threshold(c) for c in (0.5, 0.9)]
    with pytest.raises(ValueError, match="do not rise"):
        LabelSets.from_dict(sets.to_dict() | {"probabilities": sets.probabilities[::-1].tolist()})


@pytest.mark.parametrize("coverage", [0, -0.1, 1.1, "0.9", True, None, float("nan")])
def test_a_coverage_that_is_no_share_is_refused(coverage: object) -> None:
    with pytest.raises(InvalidOption, match="coverage must be a number above 0, and at most 1"):
        LabelSets.of(np.ones(9)).find_threshold(coverage)  # type: ignore[arg-type]
