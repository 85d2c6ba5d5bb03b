"""`compare_sets`: is one system better than another, if both answer with several labels for each document?"""

from collections.abc import Mapping, Sequence
from typing import Any

from tercet.counts.label_sets import encode_label_sets, name_labels
from tercet.errors import InvalidOption
from tercet.evaluation.intervals import Estimate
from tercet.evaluation.resampling import Resampling
from tercet.evaluation.sets.set_answers import SetAnswers
from tercet.evaluation.sets.set_differences import compare_set_systems, find_compared_metric
from tercet.evaluation.sets.set_metrics import SetMetrics
from tercet.evaluation.sets.set_sample import SetSample
from tercet.report.comparison import Comparison, check_systems


def compare_sets(
    gold: Any,
    systems: Mapping[str, Any],
    metric: str | Sequence[str] = "micro_f1",
    test: str = "randomization",
    baseline: str | None = None,
    seed: int = 0,
    *,
    labels: Any = None,
    separator: str | None = None,
    confidence: float = 0.95,
    resamples: int = 10_000,
) -> Comparison:
    """Whether one system's sets of labels are better than another's, on the same documents.

    Parameters
    ----------
    gold
        The labels of each document, in any form that `evaluate_sets` takes.
    systems
        The answers of each system by its name, in the same forms.
    metric
        A metric of `evaluate_sets` of which a larger number is better. If it is a list, the first metric decides, and the
        others are shown for each system.
    test, baseline, seed, confidence, resamples
        As in `compare`. `mcnemar` and `mcnemar_exact` are for `subset_accuracy`.
    labels, separator
        As in `evaluate_sets`.

    Returns
    -------
    Comparison
        The differences, and what may be claimed. The p-values of several pairs are corrected by Holm's method.

    Examples
    --------
    >>> gold = [["sport", "politics"], ["sport"], []] * 40
    >>> systems = {"a": [["sport", "politics"], ["sport"], ["art"]] * 40, "b": [["sport"], ["sport", "art"], []] * 40}
    >>> print(compare_sets(gold, systems).sentence)
    a is better than b by 19.0 points of micro_f1, 95 % interval 13.6 to 23.2, p = 0.0001.
    """
    plan = Resampling(confidence, resamples, seed)
    names = check_systems(systems)
    columns = {"gold": gold} | {f"system {name!r}": systems[name] for name in names}
    are_labels_named = name_labels(labels, gold) is not None
    truth, *answers = encode_label_sets(columns, labels, separator=separator).values()
    samples = {name: SetSample(SetAnswers(truth, own), plan) for name, own in zip(names, answers, strict=True)}
    first, *others = _check_metric_names(metric)
    compared = find_compared_metric(first, samples[names[0]], are_labels_named=are_labels_named)
    pairs = compare_set_systems(samples, compared, test=test, baseline=baseline, plan=plan)
    scores, *more = (_estimate_systems(name, samples, are_labels_named=are_labels_named) for name in (first, *others))
    return Comparison(compared.name, test, len(truth), scores, tuple(pairs), plan, others=dict(zip(others, more, strict=True)))


def _check_metric_names(metric: Any) -> list[str]:
    names = list(dict.fromkeys(metric if isinstance(metric, list | tuple) else [metric]))
    if not names:
        raise InvalidOption("metric is an empty list: name at least one metric, which decides.")
    return names


def _estimate_systems(name: str, samples: Mapping[str, SetSample], *, are_labels_named: bool) -> dict[str, Estimate]:
    """The metric of each system, as `evaluate_sets` gives it: without named labels, other systems' labels do not count."""
    found = {}
    for system, sample in samples.items():
        all_seen = SetMetrics(sample.answers.labels, tuple(sample.columns), seen_share=1.0)
        found[system] = sample.estimate([name if are_labels_named else all_seen.find(name)])[0]
    return found
