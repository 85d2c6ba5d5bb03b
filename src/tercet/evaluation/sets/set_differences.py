"""Is the difference between two systems that answer with sets of labels more than chance?"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from tercet.errors import InvalidOption
from tercet.evaluation.metrics import Metric
from tercet.evaluation.resampling import DEFAULT, Resampling
from tercet.evaluation.sets.set_answers import make_document_units, make_label_units
from tercet.evaluation.sets.set_metrics import LOSSES, SetMetric, SetMetrics
from tercet.evaluation.sets.set_sample import SetSample
from tercet.evaluation.significance import TESTS, ComparedPair, Difference, adjust_pairs, compare_sums, list_pairs
from tercet.options import check_choice

EXACT = "subset_accuracy"


def find_compared_metric(name: Any, sample: SetSample, *, are_labels_named: bool) -> SetMetric:
    """The metric of this name, of which a larger number is better.

    If labels are named, macro averages count every label for each system; otherwise the labels of gold and of the system.
    """
    metrics = SetMetrics(sample.answers.labels, tuple(sample.columns), None if are_labels_named else 1.0)
    metric = metrics.find(name)
    if metric.name in LOSSES:
        raise InvalidOption(
            f"{metric.name} is a loss, and a comparison asks which system has more: compare {EXACT} or micro_f1."
        )
    return metric


def compare_pair_of_sets(
    first: SetSample, second: SetSample, metric: SetMetric, test: str = "randomization", plan: Resampling = DEFAULT
) -> Difference:
    """By how much the first system is better, whether it may be chance, and how many documents would show the difference.

    Documents are drawn, or their two answers swapped, as a whole.

    >>> from tercet.counts.label_sets import encode_label_sets
    >>> from tercet.evaluation.sets.set_answers import SetAnswers
    >>> columns = {"gold": [["a", "b"], ["b"]] * 20, "a": [["a", "b"], []] * 20, "b": [["a"], []] * 20}
    >>> gold, a, b = encode_label_sets(columns).values()
    >>> systems = [SetSample(SetAnswers(gold, own), DEFAULT) for own in (a, b)]
    >>> found = compare_pair_of_sets(*systems, find_compared_metric("micro_f1", systems[0], are_labels_named=False))
    >>> print(found.estimate, f"{found.p_value:.4f}")
    0.300 [0.271, 0.316] 0.0001
    """
    check_choice("test", test, TESTS)
    discordant = _count_discordant(first, second) if metric.name == EXACT else None
    if test.startswith("mcnemar") and discordant is None:
        raise InvalidOption(f"test={test!r} is for {EXACT}, and this is {metric.name}: take randomization.")
    if isinstance(metric, Metric):
        units = make_label_units([first.answers, second.answers])
    else:
        units = make_document_units([first.stack_columns(), second.stack_columns()])
    return compare_sums(units, metric, test, plan, discordant)


def _count_discordant(first: SetSample, second: SetSample) -> tuple[int, int]:
    """How many documents only the first of two systems has exactly right, and how many only the second."""
    a, b = (sample.columns[EXACT] for sample in (first, second))
    return int(np.count_nonzero(a > b)), int(np.count_nonzero(a < b))


def compare_set_systems(
    systems: Mapping[str, SetSample],
    metric: SetMetric,
    *,
    test: str = "randomization",
    baseline: str | None = None,
    plan: Resampling = DEFAULT,
) -> list[ComparedPair]:
    """Every system against the baseline, or, without a baseline, every pair, corrected by Holm's method."""
    found = {
        (first, second): compare_pair_of_sets(systems[first], systems[second], metric, test, plan)
        for first, second in list_pairs(list(systems), baseline)
    }
    return adjust_pairs(found)
