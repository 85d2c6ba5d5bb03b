"""`evaluate`: how good are these answers? A `Report` has every number with its interval, beside the majority baseline."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tercet.arrays import Integers
from tercet.cached import cached_property
from tercet.characters import show_line, show_lines
from tercet.counts.labels import Labels
from tercet.data_frames import make_frame
from tercet.errors import InvalidOption, bad_option
from tercet.evaluation.baseline import Baseline, list_majority_metrics, make_baseline
from tercet.evaluation.checked_labels import check_weights, encode_group_column, encode_label_columns
from tercet.evaluation.confusion import MAX_DENSE, ConfusedPair, Confusion, list_confused_pairs
from tercet.evaluation.function_metrics import FunctionMetric, check_names
from tercet.evaluation.intervals import Estimate, format_rounded
from tercet.evaluation.metrics import LABEL_SCORES, METRICS, PROBABILITY_NAMES, Metric
from tercet.evaluation.probabilities import (
    PROBABILITY_METRICS,
    ProbabilisticPredictions,
    ProbabilityMetric,
    Reliability,
    reliability_table,
)
from tercet.evaluation.resampling import DEFAULT, Resampling
from tercet.evaluation.roc_and_precision_recall import (
    PrecisionRecallCurve,
    RocCurve,
    Threshold,
    compute_precision_recall_curve,
    compute_roc_curve,
    find_threshold,
    measure_threshold,
)
from tercet.evaluation.sample import (
    EvaluatedDocuments,
    LabelRow,
    Sample,
    describe_undefined,
    describe_undefined_probability_metrics,
    list_label_metrics,
    make_label_rows,
    warn_undefined,
)
from tercet.options import is_list
from tercet.report.forms import Rendering, simplify, write_page
from tercet.report.mistakes import MAX_SHOWN, Explain, Mistakes, TestedTexts, write_mistakes
from tercet.report.svg_pictures import draw_confusion, draw_label_bars, draw_reliability
from tercet.report.tables import Footnotes, Grid, Sheet, pluralize, show_count, show_estimate, show_number, write_signature

SHOWN = ("accuracy", "balanced_accuracy", "macro_precision", "macro_f1", "weighted_f1", "mcc", "kappa")
MAX_SLICES = 1000
MAX_ROWS = 50  # of a table
CROSS_VALIDATED = "from cross-validation: the interval covers the random choice of test documents, not of training documents"
SELECTED = {
    "": "",
    "fixed": "selection held fixed: terms were selected once, from all documents, including the held-out ones",
    "anew": "terms are selected again for each fold, without its documents",
}


@dataclass(frozen=True, eq=False, repr=False)
class Report(Rendering):
    """The result of `evaluate`: `report.accuracy`, `report["f1:spam"]` and all metrics by name are estimates.

    A metric that is not among `estimates` is computed when it is asked for, from the same resamples. `rows` are the labels,
    `baseline` is what always answering the majority label (of the training data, if it is known) would give, `slices` has
    reports by name and value of a slice, `selection` says whether terms were selected `"anew"` without the test documents or
    held `"fixed"`, if they were selected. `recipe` describes where the answers come from, as far as it is known: analyzer,
    model, folds. `thresholds` are shown with the report (see `threshold`). `texts` are known if they were given to `evaluate`.
    """

    sample: Sample
    estimates: dict[str, Estimate]
    known_rows: tuple[LabelRow, ...] | None
    baseline: Baseline
    reliability: Reliability | None = None
    slices: Mapping[str, Mapping[Any, "Report"]] = field(default_factory=dict)
    note: str = ""
    selection: str = ""
    recipe: Mapping[str, str] = field(default_factory=dict)
    thresholds: tuple[Threshold, ...] = ()
    texts: TestedTexts | None = None

    @cached_property
    def rows(self) -> tuple[LabelRow, ...]:
        """The metrics of each label; computed when they are first asked for, if they are not known yet."""
        if self.known_rows is not None:
            return self.known_rows
        return make_label_rows(self.sample, self.sample.estimate(list_label_metrics(self.sample)))

    @property
    def labels(self) -> Labels:
        """All labels of gold and predicted, sorted."""
        return self.sample.confusion.labels

    @property
    def confusion(self) -> Confusion:
        """How often each gold label was answered by each predicted label."""
        return self.sample.confusion

    @property
    def n(self) -> int:
        """The number of documents."""
        return self.sample.confusion.n

    @property
    def signature(self) -> str:
        """The recipe of the numbers in `estimates`."""
        return self._sign(self.estimates)

    def sign(self, name: str) -> str:
        """The recipe of one number."""
        return self._sign({name: self[name]})

    def __getitem__(self, name: str) -> Estimate:
        found = self.estimates.get(name)
        return self.sample.estimate([name])[0] if found is None else found

    def __getattr__(self, name: str) -> Estimate:
        if name in METRICS or name in PROBABILITY_METRICS:
            return self[name]
        raise AttributeError(f"a Report has no {name!r}")

    def curve(self, label: Any) -> PrecisionRecallCurve:
        """Precision and recall of a label for each threshold on its probability. The report needs probabilities."""
        return compute_precision_recall_curve(self._forecast, label)

    def roc_curve(self, label: Any) -> RocCurve:
        """Recall and false positive rate of a label for each threshold on its probability. The report needs probabilities."""
        return compute_roc_curve(self._forecast, label)

    def threshold(self, label: Any, *, precision: float = 0.95) -> Threshold:
        """The lowest threshold on the probability of the label with at least this precision, and the highest recall.

        It has the precision, the recall and the share of documents that are answered, each with its interval. It is inf if no
        threshold reaches the precision. It was chosen on these documents: measure it on others with `at_threshold`.

        >>> report = evaluate(["ham", "spam", "spam"], ["ham", "ham", "spam"], [[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]])
        >>> print(report.threshold("spam", precision=0.9))
        'spam' if its probability is at least 0.4: precision 1.000 [0.342, 1.000], recall 1.000 [0.342, 1.000],
        66.7% [20.8%, 93.9%] of 3 documents answered
        """
        return find_threshold(self._forecast, label, precision, self.sample.plan, self.sample.groups)

    def at_threshold(self, label: Any, threshold: float) -> Threshold:
        """How good the answers of a label are if its probability is at least this threshold."""
        return measure_threshold(self._forecast, label, threshold, self.sample.plan, self.sample.groups)

    def mistakes(self, n: int | None = None) -> Mistakes:
        """The documents with a wrong answer, or the n worst of them: the lowest probability of the gold label comes first.

        `evaluate` must have got the texts. Without probabilities the mistakes are in the order of the documents.

        >>> probabilities = [[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]]
        >>> texts = ["See you", "Buy now", "Buy cheap"]
        >>> report = evaluate(["ham", "spam", "spam"], ["ham", "ham", "spam"], probabilities, texts=texts)
        >>> [(mistake.text, mistake.gold, mistake.predicted, mistake.probability) for mistake in report.mistakes()]
        [('Buy now', 'spam', 'ham', 0.6)]
        """
        if self.texts is None:
            raise InvalidOption("the report has no texts, so it can't show mistakes: pass texts=... to evaluate.")
        return self.texts.list_mistakes(n)

    @property
    def _forecast(self) -> ProbabilisticPredictions:
        if self.sample.forecast is None:
            raise InvalidOption(
                "the report has no probabilities, which curves and thresholds need: evaluate with probabilities."
            )
        return self.sample.forecast

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON; an undefined number is None."""
        baseline = self.baseline
        values = {
            "n": self.n,
            "labels": self.labels,
            "metrics": self.estimates,
            "per_label": [row._asdict() for row in self.rows],
            **_describe_confusion(self.confusion),
            "baseline": {
                "label": baseline.label,
                "of": baseline.of,
                "metrics": baseline.estimates,
                "differences": baseline.differences,
            },
            "reliability": None if self.reliability is None else vars(self.reliability),
            "thresholds": [vars(each) for each in self.thresholds],
            "slices": {
                name: [{"value": value, "report": part.to_dict()} for value, part in parts.items()]
                for name, parts in self.slices.items()
            },
            "note": self.note,
            "signature": self.signature,
        }
        simple: dict[str, Any] = simplify(values)
        return simple

    def to_frame(self) -> Any:
        """A data frame of pandas or polars with a row for each metric, and three rows for each label.

        >>> list(evaluate(["ham", "spam"] * 9, ["ham", "spam", "spam", "spam", "ham", "spam"] * 3).to_frame().columns)
        ['metric', 'label', 'value', 'low', 'high', 'method', 'note']
        """
        return frame_estimates(self.estimates, self.rows)

    def to_sheet(self) -> Sheet:
        """The metrics beside the majority baseline, the labels, the slices, the worst confusions; notes below."""
        notes = Footnotes()
        grids = [list_metrics(self, notes), list_labels(self, notes)]
        grids += [list_slices(name, parts, notes) for name, parts in self.slices.items()]
        grids += [list_worst_confusions(self), _list_thresholds(self.thresholds, notes)]
        confidence = f"{100 * self.sample.plan.confidence:g} % intervals in brackets"
        headline = f"{pluralize(self.n, 'document')}, {pluralize(len(self.labels), 'label')}; {confidence}"
        remarks = [*notes.list(), *_list_intervals(self), *filter(None, [self.baseline.doubt, self.baseline.note, self.note])]
        return Sheet(headline, tuple(grid for grid in grids if grid.rows), tuple(remarks), show_line(self.signature, 2000))

    def to_html(self) -> str:
        """A `<div>` that fits into any page. If the texts are known, it ends with the worst mistakes."""
        texts = self.texts
        worst = "" if texts is None else write_mistakes(texts.list_mistakes(MAX_SHOWN), len(texts.wrong))
        return write_page(self.to_sheet(), self._draw(), worst)

    def _repr_html_(self) -> str:
        return super().to_html()  # without texts: `mistakes` has them

    def _draw(self) -> list[str]:
        """The confusion matrix, the labels, and the reliability of probabilities if there are any."""
        drawn = [draw_confusion(self.confusion), draw_label_bars(self.rows)]
        if self.reliability is not None:
            drawn.append(draw_reliability(self.reliability, self.sample.plan.confidence))
        return drawn

    def _sign(self, estimates: Mapping[str, Estimate]) -> str:
        weights = "yes" if self.sample.is_weighted else ""
        more = {"weights": weights, "groups": self.sample.n_groups, **self.recipe, "selection": self.selection}
        return write_signature(list(estimates), self.n, estimates.values(), self.sample.plan, **more)


def frame_estimates(metrics: Mapping[str, Estimate], rows: Sequence[LabelRow]) -> Any:
    """A data frame with a row for each metric, and three rows for each label."""
    found = [(name, None, estimate) for name, estimate in metrics.items()]
    found += [(part, row.label, getattr(row, part)) for row in rows for part in LABEL_SCORES]
    names, labels, estimates = zip(*found, strict=True)
    parts = ("value", "low", "high", "method", "note")
    numbers = {part: [getattr(estimate, part) for estimate in estimates] for part in parts}
    return make_frame({"metric": list(names), "label": list(labels), **numbers})


# gold and predicted labels → a report


def evaluate(
    gold: Any,
    predicted: Any,
    probabilities: Any = None,
    weights: Any = None,
    groups: Any = None,
    slices: Mapping[str, Any] | None = None,
    metrics: Sequence[str | Callable[..., Any]] | None = None,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
    *,
    labels: Any = None,
    texts: Any = None,
    explain: Explain | None = None,
    interval: str | None = None,
    majority: Any = None,
) -> Report:
    """How good the predicted labels are, with an interval on every number.

    Proportions have Wilson's interval, other metrics of labels the BCa bootstrap interval, and metrics of probabilities
    (documents × labels) the jackknife interval. With weights, groups or many labels, intervals follow from the standard error
    with Student's t instead of the bootstrap. `interval` names another one: `wilson`, `wald` or `clopper_pearson` for
    proportions (accuracy, precision, recall), while other metrics keep theirs; `percentile` or `bca`, the bootstrap, for all
    metrics. `labels` names the columns of the probabilities; without it they are the
    labels of gold and predicted, sorted. Documents of a group (an author, a thread) are not independent. `slices` maps a name
    to one value for each document; the report then has a report for each value. `metrics` are the metrics to show: names, or
    your own functions of gold and predicted labels, which are called once for each resample. `report[name]` has every metric.
    `majority` is the most frequent label of the training data (`categorizer.majority_label_`), which the baseline always
    answers; without it, the most frequent gold label. With `texts` (or Documents), `report.mistakes()` and the HTML page show
    the texts with wrong answers. With `explain=categorizer.explain` they have the evidence, too.

    >>> report = evaluate(["ham"] * 50 + ["spam"] * 50, ["ham"] * 45 + ["spam"] * 55)
    >>> print(report.accuracy, report.macro_f1, report["recall:ham"])
    0.950 [0.888, 0.978] 0.950 [0.897, 0.980] 0.900 [0.786, 0.957]
    >>> report.sign("accuracy")
    'accuracy|n:100|interval:wilson95|resamples:10000|seed:0|tercet:0.2.0'
    """
    plan = Resampling(confidence, resamples, seed, interval)
    metrics = check_metrics(metrics)
    gold = list(gold) if isinstance(gold, Iterator) else gold  # it is read again with the probabilities
    known, (gold_codes, codes) = encode_label_columns({"gold": gold, "predicted": predicted})
    checked = None if weights is None else check_weights(weights, len(codes))
    group_codes = None if groups is None else encode_group_column("groups", groups, len(codes))[1]
    forecast = None if probabilities is None else _read_forecast(gold, probabilities, labels, known, checked)
    columns = _encode_slices(slices, len(codes))
    documents = EvaluatedDocuments(known, gold_codes, codes, checked, group_codes, forecast)
    functions = [FunctionMetric(metric) for metric in dict.fromkeys(metrics or ()) if callable(metric)]
    check_names([*dict.fromkeys(name for name in metrics or () if isinstance(name, str)), *(each.name for each in functions)])
    for function in functions:
        function.check(documents)
    report = _make_report(documents, plan, metrics, majority)
    _warn(report, {function.name for function in functions})
    parts = {
        name: {
            value: _make_report(documents.take(codes == k), plan, metrics, majority) for k, value in enumerate(values.tolist())
        }
        for name, (values, codes) in columns.items()
    }
    tested = None if texts is None else TestedTexts.of(texts, documents, explain)
    return replace(report, slices=parts, texts=tested)


def _describe_confusion(confusion: Confusion) -> dict[str, Any]:
    """The whole matrix; with very many labels only its cells above 0, each with the indices of its labels."""
    if len(confusion.labels) <= MAX_DENSE:
        return {"confusion": confusion.counts}
    return {"confusion": None, "confusion_cells": confusion.list_cells()}


def evaluate_codes(
    labels: Labels, gold: Integers, predicted: Integers, metrics: Sequence[str], plan: Resampling = DEFAULT
) -> Report:
    """The same from codes of sorted labels, all of which occur.

    The metrics of each label are computed later, if they are asked for: ten thousand labels would take most of the time, and
    all memory.
    """
    return _make_report(EvaluatedDocuments(labels, gold, predicted), plan, metrics, with_rows=False)


def evaluate_confusion(confusion: Confusion, metrics: Sequence[str] | None = None, *, with_rows: bool = True) -> Report:
    """The same from how often each gold label was answered by each predicted label. All documents have weight 1."""
    return _measure(Sample.of(confusion, DEFAULT), metrics, with_rows)


def _make_report(
    documents: EvaluatedDocuments,
    plan: Resampling,
    metrics: Sequence[str | Callable[..., Any]] | None,
    majority: Any = None,
    *,
    with_rows: bool = True,
) -> Report:
    names = None if metrics is None else [name for name in metrics if isinstance(name, str)]
    report = _measure(Sample.of_documents(documents, plan), names, with_rows, majority)
    functions = [FunctionMetric(function) for function in dict.fromkeys(metrics or ()) if callable(function)]
    own = {function.name: function.estimate(documents, plan) for function in functions}
    return replace(report, estimates={**report.estimates, **own})


def _measure(sample: Sample, metrics: Sequence[str] | None, with_rows: bool, majority: Any = None) -> Report:
    forecast = sample.forecast
    names = list(dict.fromkeys([*SHOWN, *(() if forecast is None else PROBABILITY_NAMES)] if metrics is None else metrics))
    of_labels, of_majority = list_label_metrics(sample) if with_rows else [], list_majority_metrics(sample, names, majority)
    found = iter(sample.estimate([*names, *of_labels, *of_majority]))  # at once: the same resamples serve for all
    estimates = {name: next(found) for name in names}
    rows = make_label_rows(sample, [next(found) for _ in of_labels]) if with_rows else None
    baseline = make_baseline(sample, of_majority, list(found), majority)
    return Report(sample, estimates, rows, baseline, None if forecast is None else reliability_table(forecast))


def _warn(report: Report, functions: Collection[str]) -> None:
    found = [report.sample.find(name) for name in report.estimates if name not in functions]
    metrics = [metric for metric in found if isinstance(metric, Metric)]
    undefined = describe_undefined(report.confusion, [*metrics, METRICS["macro_precision"], METRICS["macro_recall"]])
    if report.sample.forecast is not None:
        of_forecast = [metric for metric in found if isinstance(metric, ProbabilityMetric)]
        undefined += describe_undefined_probability_metrics(report.sample.forecast, of_forecast)
    if undefined:
        warn_undefined(undefined, "The report shows them as –.", stacklevel=3)


def _read_forecast(gold: Any, probabilities: Any, labels: Any, known: Labels, weights: Any) -> ProbabilisticPredictions:
    has_names = hasattr(probabilities, "columns") or hasattr(probabilities, "column_names")
    if labels is None and not has_names and _count_columns(probabilities) == len(known):
        labels = known
    return ProbabilisticPredictions.of(gold, probabilities, labels, weights)


def _count_columns(matrix: Any) -> int:
    try:
        return int(np.shape(matrix)[1])
    except (ValueError, IndexError):  # not a matrix: `ProbabilisticPredictions.of` says so
        return 0


def check_metrics(metrics: Any) -> list[str | Callable[..., Any]] | None:
    """The metrics to show, names or functions; None for the usual ones."""
    if metrics is None:
        return None
    listed = list(metrics) if is_list(metrics) else [metrics]
    if other := next(([each] for each in listed if not isinstance(each, str) and not callable(each)), None):
        why = "it is the name of a metric, such as macro_f1, or your own function."
        raise bad_option("a metric", "a str or a function", other[0], why)
    return listed


def _encode_slices(slices: Any, n_documents: int) -> dict[str, tuple[Labels, Integers]]:
    if slices is not None and not isinstance(slices, Mapping):
        raise InvalidOption(f"slices must be a mapping of names to one value for each document, got {type(slices).__name__}.")
    columns = {}
    for name, values in (slices or {}).items():
        found, codes = encode_group_column(f"slice {name!r}", values, n_documents)
        if len(found) > MAX_SLICES:
            raise InvalidOption(
                f"slice {name!r} has {len(found)} different values: a slice is a subgroup. Put numbers in bins first."
            )
        columns[name] = found, codes
    return columns


# The tables of a report


def list_metrics(report: Report, notes: Footnotes) -> Grid:
    baseline = report.baseline
    rows = []
    for name, estimate in report.estimates.items():
        majority, better = baseline.estimates.get(name), baseline.differences.get(name)
        difference = "" if better is None else show_estimate(better, sign="+")
        rows.append((show_line(name), show_estimate(estimate, notes), _show_majority(majority), difference))
    header = ("metric", "value", f"majority ({show_line(baseline.label, 20)})", "better by")
    return Grid("metrics", header, tuple(rows))


def _list_intervals(report: Report) -> list[str]:
    """Which numbers have which interval, if one was named: not every interval fits every metric."""
    if report.sample.plan.interval is None:
        return []
    metrics: dict[str, dict[str, None]] = {}
    of_labels = [(part, getattr(row, part)) for row in report.rows for part in LABEL_SCORES]
    better = [("better by", estimate) for estimate in report.baseline.differences.values()]
    for name, estimate in [*report.estimates.items(), *of_labels, *better]:
        metrics.setdefault(estimate.method, {})[show_line(name)] = None
    return ["intervals: " + "; ".join(f"{method} for {', '.join(names)}" for method, names in metrics.items())]


def _show_majority(majority: Estimate | None) -> str:
    """A number that is the same in every resample (1 / labels, or 0) is known exactly, and is shown without an interval."""
    if majority is None:
        return ""
    return show_number(majority.value) if majority.low == majority.high else show_estimate(majority)


def list_labels(report: Report, notes: Footnotes, most: int = MAX_ROWS) -> Grid:
    return show_label_rows("label", report.rows, notes, most)


def show_label_rows(name: str, rows: Sequence[LabelRow], notes: Footnotes, most: int = MAX_ROWS) -> Grid:
    """The first rows, and how many more there are. The name is that of the first column."""
    shown = [
        (
            show_line(row.label),
            *(show_estimate(each, notes) for each in row[1:4]),
            show_count(row.support),
            show_count(row.predicted),
        )
        for row in rows[:most]
    ]
    if len(rows) > most:
        shown.append((f"… {len(rows) - most} more", *[""] * 5))
    return Grid(f"{name}s", (name, "precision", "recall", "f1", "gold", "predicted"), tuple(shown))


def list_slices(name: str, parts: Mapping[Any, Report], notes: Footnotes) -> Grid:
    names = list(next(iter(parts.values())).estimates)[:4]
    rows = [
        (shown, show_count(part.n), *(show_estimate(part.estimates[each], notes) for each in names))
        for shown, part in list(zip(show_lines(list(parts)), parts.values(), strict=True))[:MAX_ROWS]
    ]
    if len(parts) > MAX_ROWS:
        rows.append((f"… {len(parts) - MAX_ROWS} more", *[""] * (len(names) + 1)))
    return Grid(f"slice {show_line(name)}", (show_line(name), "documents", *map(show_line, names)), tuple(rows))


def list_worst_confusions(report: Report) -> Grid:
    return show_pairs("worst confusions", ("gold", "mistaken for"), list_confused_pairs(report.confusion, n=5))


def show_pairs(title: str, names: tuple[str, str], pairs: Sequence[ConfusedPair]) -> Grid:
    """Pairs of labels, the number of their documents, and the share of those of the first label."""
    rows = [
        (show_line(pair.gold), show_line(pair.predicted), show_count(pair.documents), format_rounded(pair.share, ".1%"))
        for pair in pairs
    ]
    return Grid(title, (*names, "documents", "of gold"), tuple(rows))


def _list_thresholds(thresholds: Sequence[Threshold], notes: Footnotes) -> Grid:
    rows = []
    for each in thresholds:
        cells = ["none", f"at most {show_number(each.best)}", "", ""]
        if each.is_reached:
            shown = (show_estimate(estimate, notes) for estimate in (each.precision, each.recall, each.answered))
            cells = [repr(each.threshold), *shown]
        rows.append((show_line(each.label), "" if each.wanted is None else f"≥ {each.wanted:g}", *cells))
    return Grid("thresholds", ("label", "wanted", "probability ≥", "precision", "recall", "answered"), tuple(rows))
