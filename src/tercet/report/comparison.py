"""`compare`: is one system really better than another? A `Comparison` has the differences and what may be claimed."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tercet.characters import show_line
from tercet.data_frames import make_frame
from tercet.errors import InvalidOption
from tercet.evaluation.checked_labels import check_weights, encode_group_column, encode_label_columns
from tercet.evaluation.function_metrics import FunctionMetric, check_names
from tercet.evaluation.intervals import Estimate, derive_level, format_rounded
from tercet.evaluation.metrics import Metric, find_metric
from tercet.evaluation.resampling import Resampling
from tercet.evaluation.sample import EvaluatedDocuments, Sample
from tercet.evaluation.significance import LEVEL, ONE_SIDED, ComparedPair, compare_by_function, compare_systems
from tercet.report.forms import Rendering, simplify
from tercet.report.tables import Footnotes, Grid, Sheet, pluralize, show_estimate, write_signature

BOUNDS = {"difference": "value", "low": "low", "high": "high"}  # columns of a data frame → parts of an estimate
OWN_SCALE = ("mcc", "kappa")  # correlations, which are not given in percentage points


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Rendering):
    """The result of `compare`. `rows` are the pairs; for two systems `difference` is the first's metric minus the second's.

    `scores` has the metric of each system, and `others` has further metrics of each system, by their names. The p-values of
    several pairs are corrected by Holm's method. A function's numbers are not given in percentage points: `in_points` is
    False.
    """

    metric: str
    test: str
    n: int
    scores: dict[str, Estimate]
    rows: tuple[ComparedPair, ...]
    plan: Resampling
    n_groups: int = 0
    others: dict[str, dict[str, Estimate]] = field(default_factory=dict)
    in_points: bool = True

    @property
    def difference(self) -> float:
        """By how much the first of two systems is better."""
        return self._only_row.difference.estimate.value

    @property
    def low(self) -> float:
        """The lower bound of the difference."""
        return self._only_row.difference.estimate.low

    @property
    def high(self) -> float:
        """The upper bound of the difference."""
        return self._only_row.difference.estimate.high

    @property
    def p_value(self) -> float:
        """The probability of a difference as large as this if the two systems were equally good."""
        return self._only_row.difference.p_value

    @property
    def sentence(self) -> str:
        """What may be claimed; one sentence for each pair."""
        n, unit = (self.n_groups, "groups") if self.n_groups else (self.n, "documents")
        in_points = self.in_points
        return ".\n".join(write_claim(row, self.metric, n, unit, in_points=in_points) for row in self.rows) + "."

    @property
    def signature(self) -> str:
        """The recipe of the numbers."""
        estimates = [row.difference.estimate for row in self.rows]
        estimates += [score for scores in (self.scores, *self.others.values()) for score in scores.values()]
        names = [self.metric, *self.others]
        return write_signature(names, self.n, estimates, self.plan, groups=self.n_groups, test=self.test)

    def to_frame(self) -> Any:
        """A data frame of pandas or polars with a row for each pair of systems.

        >>> gold = ["ham", "spam"] * 50
        >>> list(compare(gold, {"a": gold, "b": ["ham"] * 100}).to_frame()["difference"])
        [0.5]
        """
        pairs = self._list_pairs()
        columns = {name: [pair[name] for pair in pairs] for name in pairs[0]}
        estimates = columns.pop("difference")
        bounds = {name: [getattr(each, part) for each in estimates] for name, part in BOUNDS.items()}
        return make_frame({"first": columns.pop("first"), "second": columns.pop("second"), **bounds, **columns})

    def _list_pairs(self) -> list[dict[str, Any]]:
        return [
            {
                "first": row.first,
                "second": row.second,
                "difference": row.difference.estimate,
                "p_value": row.difference.p_value,
                "adjusted_p": row.adjusted_p,
                "n_needed": row.difference.n_needed,
            }
            for row in self.rows
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON; an undefined number is None."""
        values = {name: getattr(self, name) for name in ("metric", "test", "n", "scores", "others", "sentence", "signature")}
        simple: dict[str, Any] = simplify(values | {"rows": self._list_pairs()})
        return simple

    def to_sheet(self) -> Sheet:
        """The metric of each system, the differences, and what may be claimed."""
        notes, metric, level = Footnotes(), show_line(self.metric), derive_level(self.plan.confidence)
        columns = {metric: self.scores} | {show_line(name): scores for name, scores in self.others.items()}
        scores = [
            (show_line(name), *(show_estimate(column[name], notes) for column in columns.values())) for name in self.scores
        ]
        n_columns = 4 if len(self.rows) > 1 else 3  # for one pair both p-values are the same
        rows = [
            (
                f"{show_line(row.first)} - {show_line(row.second)}",
                show_estimate(row.difference.estimate, notes, sign="+"),
                show_p(row.difference.p_value, level),
                show_p(row.adjusted_p, level),
            )[:n_columns]
            for row in self.rows
        ]
        sided = ", one-sided" if self.test in ONE_SIDED else ""
        header = ("difference", metric, f"p ({self.test}{sided})", "p (Holm)")[:n_columns]
        grids = Grid("systems", ("system", *columns), tuple(scores)), Grid("differences", header, tuple(rows))
        confidence = f"{100 * self.plan.confidence:g} % intervals in brackets"
        headline = f"{pluralize(self.n, 'document')}, {pluralize(len(self.scores), 'system')}; {confidence}"
        remarks = (*self.sentence.split("\n"), *notes.list())
        return Sheet(headline, grids, remarks, show_line(self.signature, 2000))

    @property
    def _only_row(self) -> ComparedPair:
        if len(self.rows) != 1:
            raise InvalidOption(f"{len(self.scores)} systems make {len(self.rows)} differences: take them from rows.")
        return self.rows[0]


def compare(
    gold: Any,
    systems: Mapping[str, Any],
    metric: str | Callable[..., Any] | Sequence[str | Callable[..., Any]] = "accuracy",
    test: str = "randomization",
    baseline: str | None = None,
    seed: int = 0,
    *,
    weights: Any = None,
    groups: Any = None,
    confidence: float = 0.95,
    resamples: int = 10_000,
) -> Comparison:
    """Whether one system's answers are better than another's, on the same documents.

    Tests are `randomization`, `paired_bootstrap`, `textbook_bootstrap` (one-sided), `mcnemar` (mid-p) and `mcnemar_exact`.
    With more than two systems every pair is compared, or each system with the baseline. A difference is claimed at the level
    1 - `confidence`. `metric` may be a list: the first metric decides, and the others are shown for each system.

    A metric is a name, or your own function of gold and predicted labels, of which a larger number is better. It is called
    once for each resample and system, and twice for each resample of the randomization test of a pair, so a slow function
    needs fewer `resamples`.

    >>> gold = ["ham", "spam"] * 50
    >>> print(compare(gold, {"a": gold, "b": ["ham"] * 100}).sentence)
    a is better than b by 50.0 points of accuracy, 95 % interval 40.0 to 60.0, p = 0.0001.
    >>> def saved_minutes(gold, predicted):
    ...     return 3 * sum(gold == predicted) - 10 * sum((gold == "ham") & (predicted == "spam"))
    >>> print(compare(gold, {"a": gold, "b": ["ham"] * 100}, saved_minutes, resamples=200).sentence)
    a is better than b by 150.000 of saved_minutes, 95 % interval 123.000 to 177.000, p = 0.005.
    """
    plan = Resampling(confidence, resamples, seed)
    names = check_systems(systems)
    columns = {"gold": gold} | {f"system {name!r}": systems[name] for name in names}
    labels, (gold_codes, *codes) = encode_label_columns(columns)
    checked = None if weights is None else check_weights(weights, len(gold_codes))
    group_codes = None if groups is None else encode_group_column("groups", groups, len(gold_codes))[1]
    answers = zip(names, codes, strict=True)
    documents = {name: EvaluatedDocuments(labels, gold_codes, own, checked, group_codes) for name, own in answers}
    first, *others = _resolve_metrics(metric, documents)
    scores, pairs = _compare_documents(first, documents, plan, test=test, baseline=baseline)
    more = {each.name: _estimate_systems(each, documents, plan) for each in others}
    n_groups = Sample.of_documents(documents[names[0]], plan).n_groups
    in_points = isinstance(first, Metric) and first.name not in OWN_SCALE
    return Comparison(first.name, test, len(gold_codes), scores, tuple(pairs), plan, n_groups, more, in_points)


def _resolve_metrics(metric: Any, documents: Mapping[str, EvaluatedDocuments]) -> list[Metric | FunctionMetric]:
    """The metrics of labels and the functions, all of which can measure these documents."""
    several = list(metric) if isinstance(metric, list | tuple) else [metric]
    given = [each for index, each in enumerate(several) if each not in several[:index]]
    if not given:
        raise InvalidOption("metric is an empty list: name at least one metric, which decides.")
    labels = next(iter(documents.values())).labels
    found = [
        FunctionMetric(each) if callable(each) and not isinstance(each, Metric) else find_metric(each, labels) for each in given
    ]
    check_names(each.name for each in found)
    for function in (each for each in found if isinstance(each, FunctionMetric)):
        for own in documents.values():
            function.check(own)
    return found


def _compare_documents(
    metric: Metric | FunctionMetric, documents: Mapping[str, EvaluatedDocuments], plan: Resampling, **options: Any
) -> tuple[dict[str, Estimate], list[ComparedPair]]:
    """The metric of each system, and the pairs of systems."""
    any_system = next(iter(documents.values()))
    gold, groups, weights = any_system.gold, any_system.groups, any_system.weights
    if isinstance(metric, FunctionMetric):
        spelled = {name: own.spell()[1] for name, own in documents.items()}
        return compare_by_function(metric, any_system.spell()[0], spelled, plan=plan, groups=groups, **options)
    answers, n_labels = {name: own.predicted for name, own in documents.items()}, len(any_system.labels)
    pairs = compare_systems(gold, answers, n_labels, metric, plan=plan, groups=groups, weights=weights, **options)
    return _estimate_systems(metric, documents, plan), pairs


def _estimate_systems(
    metric: Metric | FunctionMetric, documents: Mapping[str, EvaluatedDocuments], plan: Resampling
) -> dict[str, Estimate]:
    if isinstance(metric, FunctionMetric):
        return {name: metric.estimate(own, plan) for name, own in documents.items()}
    return {name: Sample.of_documents(own, plan).estimate([metric])[0] for name, own in documents.items()}


def check_systems(systems: Any) -> list[str]:
    if not isinstance(systems, Mapping):
        raise InvalidOption(
            f'systems must be a mapping such as {{"a": predicted_a, "b": predicted_b}}, got {type(systems).__name__}.'
        )
    if len(systems) < 2:
        raise InvalidOption(f"a comparison needs at least two systems, got {len(systems)}: use evaluate for one system.")
    if bad := [name for name in systems if not isinstance(name, str)]:
        raise InvalidOption(f"names of systems must be text, got {bad[0]!r}: write {str(bad[0])!r}.")
    return list(systems)


# What may be claimed of a difference


def write_claim(pair: ComparedPair, metric: str, n: int, unit: str = "documents", *, in_points: bool = True) -> str:
    """One sentence. A difference is claimed if the test rejects equality and the interval excludes 0, both at the same level.

    Otherwise the sentence says what is not shown: because of the test, the interval, or both. `n` is the number of documents
    (or groups). If more would be needed to show the difference, the sentence says how many.

    >>> from tercet.evaluation.significance import Difference
    >>> shown = Difference(Estimate(0.018, 0.009, 0.027, 0.95, "bca"), 0.0004, "randomization", 900)
    >>> write_claim(ComparedPair("a", "b", shown, 0.0004), "accuracy", n=1000)
    'a is better than b by 1.8 points of accuracy, 95 % interval 0.9 to 2.7, p = 0.0004'
    >>> unclear = Difference(Estimate(-0.01, -0.03, 0.01, 0.95, "bca"), 0.4, "randomization", 12_345)
    >>> write_claim(ComparedPair("a", "b", unclear, 0.4), "accuracy", n=1000)
    'no difference in accuracy between a and b shown (-1.0 points, 95 % interval -3.0 to 1.0, p = 0.4); to show one of this
     size you would need about 12000 documents'
    """
    estimate, first, second = pair.difference.estimate, show_line(pair.first), show_line(pair.second)
    if math.isnan(estimate.value) or math.isnan(pair.adjusted_p):
        return f"{metric} is undefined for {first} or {second}: nothing can be said"
    if _is_shown(pair):
        claim = _write_difference(pair, metric, in_points)
    elif pair.difference.test in ONE_SIDED:
        claim = _write_one_sided_doubt(pair, metric, in_points)
    else:
        claim = _write_doubt(pair, metric, in_points) + _write_need(pair.difference.n_needed, n, unit)
    return "; ".join([claim, *(note for note in estimate.note.split("; ") if note.startswith("unreliable"))])


def show_p(p: float, level: float = LEVEL) -> str:
    """
    >>> show_p(0.69), show_p(0.00039996), show_p(1.0), show_p(0.04996)
    ('0.69', '0.0004', '1', '0.04996')
    """
    if math.isnan(p):
        return "–"
    short = f"{p:.2g}"
    return short if (float(short) < level) == (p < level) else f"{p:.4g}"  # never rounded across the level


def round_roughly(n: int) -> int:
    """Two significant digits: the number is not more precise than that.

    >>> round_roughly(12_345), round_roughly(116), round_roughly(7)
    (12000, 120, 7)
    """
    return int(float(f"{n:.2g}"))


def _is_shown(pair: ComparedPair) -> bool:
    """Whether test and interval agree that there is a difference. A one-sided test shows only that the first is better."""
    estimate = pair.difference.estimate
    is_possible = estimate.value > 0 or pair.difference.test not in ONE_SIDED
    return is_possible and _is_rejected(pair) and _excludes_zero(estimate)


def _is_rejected(pair: ComparedPair) -> bool:
    return pair.adjusted_p < derive_level(pair.difference.estimate.confidence)


def _excludes_zero(estimate: Estimate) -> bool:
    return not estimate.low <= 0 <= estimate.high


def _write_difference(pair: ComparedPair, metric: str, in_points: bool) -> str:
    estimate, first, second = pair.difference.estimate, show_line(pair.first), show_line(pair.second)
    if estimate.value < 0:
        first, second = second, first
        estimate = replace(estimate, value=-estimate.value, low=-estimate.high, high=-estimate.low)
    return f"{first} is better than {second} by {_show_size(estimate, in_points, of=f' of {metric}')}, {_show_test(pair)}"


def _write_doubt(pair: ComparedPair, metric: str, in_points: bool) -> str:
    estimate, first, second = pair.difference.estimate, show_line(pair.first), show_line(pair.second)
    size, excludes = _show_size(estimate, in_points), _excludes_zero(estimate) and _has_width(estimate)
    if _is_rejected(pair) == excludes:  # neither: if both were, there would be a claim
        return f"no difference in {metric} between {first} and {second} shown ({size}, {_show_test(pair)})"
    what = f"a difference in {metric} between {first} and {second} is not certain ({size}, {_show_test(pair)})"
    if excludes:
        return f"{what}: the interval excludes 0, but the test does not reject equality"
    return f"{what}: the test rejects equality, but the interval contains 0"


def _write_one_sided_doubt(pair: ComparedPair, metric: str, in_points: bool) -> str:
    estimate, first, second = pair.difference.estimate, show_line(pair.first), show_line(pair.second)
    size = _show_size(estimate, in_points, of=f" of {metric}")
    claim = f"not shown that {first} is better than {second} ({size}, {_show_test(pair)})"
    if estimate.value < 0:
        return f"{claim}; this one-sided test does not ask whether {second} is better"
    if _is_rejected(pair):
        return f"{claim}: the test rejects equality, but the interval contains 0"
    if _excludes_zero(estimate) and _has_width(estimate):
        return f"{claim}: the interval excludes 0, but the test does not reject equality"
    return claim


def _write_need(needed: int | None, n: int, unit: str) -> str:
    rough = round_roughly(needed or 0)
    return f"; to show one of this size you would need about {rough} {unit}" if rough > n else ""


def _show_test(pair: ComparedPair) -> str:
    sided = "one-sided p" if pair.difference.test in ONE_SIDED else "p"
    corrected = " after Holm's correction" if pair.adjusted_p != pair.difference.p_value else ""
    return f"{sided} = {show_p(pair.adjusted_p, derive_level(pair.difference.estimate.confidence))}{corrected}"


def _show_size(estimate: Estimate, in_points: bool, of: str = "") -> str:
    scale, spec, unit = (100, ".1f", " points") if in_points else (1, ".3f", "")
    value, low, high = (
        format_rounded(scale * each, spec, exact=(0,)) for each in (estimate.value, estimate.low, estimate.high)
    )
    bounds = f"{low} to {high}" if _has_width(estimate) else "unknown"
    return f"{value}{unit}{of}, {100 * estimate.confidence:g} % interval {bounds}"


def _has_width(estimate: Estimate) -> bool:
    """Whether the interval is known: resamples that are all equal do not tell how wide it is."""
    return estimate.low < estimate.high
