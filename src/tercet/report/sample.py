"""What is judged, and the estimate of any metric of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.evaluation.bootstrap import bootstrap_metrics
from tercet.evaluation.confusion import Confusion
from tercet.evaluation.influence import estimate_forecasts
from tercet.evaluation.intervals import Estimate, estimate_proportion
from tercet.evaluation.margins import Margins, sum_margins
from tercet.evaluation.metric_names import PROBABILITY_NAMES, unknown_metric
from tercet.evaluation.metrics import METRICS, Metric, find_metric, score_all
from tercet.evaluation.notes import note_rare_labels
from tercet.evaluation.pool import Pool
from tercet.evaluation.probabilities import Forecast
from tercet.evaluation.probability_metrics import PROBABILITY_METRICS, ProbabilityMetric, find_probability_metric
from tercet.evaluation.resampling import Resampling

OF_ALL = ("accuracy", "micro_precision", "micro_recall", "micro_f1")  # of documents with one label these are one number
Found = Metric | ProbabilityMetric


@dataclass(frozen=True, eq=False)
class Sample:
    """Documents with gold and predicted labels, and how to find intervals: Wilson's for proportions, BCa for the rest.

    Where groups are drawn whole, documents are not independent: then proportions are bootstrapped, too.

    >>> sample = Sample.of(Confusion.of(["a", "a", "b", "b"] * 25, ["a", "b", "b", "b"] * 25))
    >>> print(*sample.estimate(["accuracy", "f1:a"]))
    0.750 [0.657, 0.825] 0.667 [0.529, 0.780]
    """

    confusion: Confusion
    n_gold: Floats  # documents of each label, whatever their weight
    squares: Confusion  # sums of squared weights
    pool: Pool  # of margins
    plan: Resampling
    forecast: Forecast | None = None
    units: Integers | None = None  # the group of each document

    @classmethod
    def of(cls, confusion: Confusion, plan: Resampling | None = None) -> "Sample":
        """A table of documents that all count once."""
        return cls(confusion, confusion.support, confusion, Pool.of_counts(confusion.counts).to_margins(), plan or Resampling())

    @classmethod
    def of_codes(
        cls,
        labels: Any,
        gold: Integers,
        predicted: Integers,
        plan: Resampling,
        weights: Floats | None = None,
        units: Integers | None = None,
        forecast: Forecast | None = None,
    ) -> "Sample":
        """Labels as places among all, weights and groups of the documents, and what probabilities they were given."""
        counted = Confusion.from_codes(labels, gold, predicted)
        if weights is None and units is None:
            return replace(cls.of(counted, plan), forecast=forecast)
        heavy = np.ones(len(gold)) if weights is None else weights
        confusion = Confusion.from_codes(labels, gold, predicted, heavy)
        squares = Confusion.from_codes(labels, gold, predicted, heavy**2)
        pool = Pool.of_documents(gold, [predicted], len(labels), groups=units, weights=heavy)
        return cls(confusion, counted.support, squares, pool.to_margins(), plan, forecast, units)

    def find(self, name: Any) -> Found:
        """The metric of this name, of labels or of probabilities."""
        if isinstance(name, Metric | ProbabilityMetric):
            return name
        if isinstance(name, str) and self.forecast is not None and name.partition(":")[0] in PROBABILITY_NAMES:
            return find_probability_metric(name, self.forecast.labels)
        try:
            return find_metric(name, self.confusion.labels)
        except ValueError:
            if self.forecast is None or ":" in str(name):
                raise
            raise unknown_metric(
                name, [*METRICS, "precision:LABEL", "recall:LABEL", "f1:LABEL", *PROBABILITY_METRICS]
            ) from None

    def estimate(self, names: Iterable[Any]) -> list[Estimate]:
        """Each metric with its interval; those that are drawn for share the draws."""
        found = [self.find(name) for name in names]
        drawn = [metric for metric in found if isinstance(metric, Metric) and not self._is_proportion(metric)]
        estimates = dict(zip(map(id, drawn), self._bootstrap(drawn), strict=True))
        forecast = [metric for metric in found if isinstance(metric, ProbabilityMetric)]
        if forecast and self.forecast is not None:
            given = estimate_forecasts(self.forecast, forecast, self.plan.confidence, self.units)
            estimates |= dict(zip(map(id, forecast), given, strict=True))
        return [estimates[id(each)] if id(each) in estimates else self._estimate_proportion(each) for each in found]

    @cached_property
    def _margins(self) -> tuple[Margins, Margins]:
        """Of the weights, and of their squares."""
        return sum_margins(self.confusion.counts), sum_margins(self.squares.counts)

    def _is_proportion(self, metric: Metric) -> bool:
        is_of_all = metric.name in OF_ALL and metric.part not in ("majority", "better")
        is_of_label = metric.place is not None and metric.part in ("precision", "recall")
        return self.units is None and (is_of_all or is_of_label)

    def _bootstrap(self, metrics: Sequence[Metric]) -> list[Estimate]:
        if not metrics:
            return []
        drawn = bootstrap_metrics(self.pool, lambda stacked: score_all(metrics, _unstack(stacked)), self.plan)
        estimates = [estimate.cut(metric.bounds) for estimate, metric in zip(drawn, metrics, strict=True)]
        rare = note_rare_labels(self.confusion.labels, self.n_gold)
        rests_on_all = [m.name.startswith("macro_") or m.name == "balanced_accuracy" for m in metrics]
        return [e.add_note(rare) if rare and all_ else e for e, all_ in zip(estimates, rests_on_all, strict=True)]

    def _estimate_proportion(self, metric: Any) -> Estimate:
        margins, squared = self._margins
        totals, squares = _count_for(metric, margins), _count_for(metric, squared)
        worth = totals**2 / squares if squares else 0.0  # so many documents of equal weight
        share = float(metric(margins))
        successes = 0.0 if np.isnan(share) else round(share * worth) if worth == totals else share * worth
        return estimate_proportion(min(successes, worth), worth, self.plan.confidence)


def _count_for(metric: Metric, margins: Margins) -> float:
    """The weight of the documents that a proportion is of."""
    if metric.place is None:
        return float(margins.gold.sum())
    return float((margins.gold if metric.part == "recall" else margins.predicted)[metric.place])


def _unstack(stacked: Floats) -> Margins:
    return Margins(stacked[..., 0, :], stacked[..., 1, :], stacked[..., 2, :])
