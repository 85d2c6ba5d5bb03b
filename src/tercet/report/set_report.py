"""`evaluate_sets`: how good are answers with several labels for each document? A `SetReport` has the numbers with intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from tercet.cached import cached_property
from tercet.characters import show_line
from tercet.counts.label_sets import DocumentLabels, encode_label_sets
from tercet.counts.labels import Labels
from tercet.errors import InvalidOption
from tercet.evaluation.confusion import ConfusedPair
from tercet.evaluation.function_metrics import check_names
from tercet.evaluation.intervals import Estimate
from tercet.evaluation.resampling import Resampling
from tercet.evaluation.sample import LabelRow, join_names
from tercet.evaluation.sets.confused_labels import SetSize, count_set_sizes, list_forgotten_pairs, list_mistaken_pairs
from tercet.evaluation.sets.rankings import check_cutoffs, check_scores, rank_documents
from tercet.evaluation.sets.set_answers import SetAnswers
from tercet.evaluation.sets.set_sample import SetSample
from tercet.report.forms import Rendering, simplify
from tercet.report.report import check_metrics, frame_estimates, show_label_rows, show_pairs
from tercet.report.svg_pictures import draw_label_bars
from tercet.report.tables import Footnotes, Grid, Sheet, pluralize, show_estimate, write_signature

MAX_LABELS, MANY = 15, 30  # labels in each of two tables, if there are more labels than one table shows
MAX_SIZES = 10  # numbers of labels of a document that have a row
MAX_PAIRS = 5


@dataclass(frozen=True, eq=False, repr=False)
class SetReport(Rendering):
    """The result of `evaluate_sets`: `report["micro_f1"]` and all metrics by name are estimates.

    A metric that is not among `estimates` is computed when it is asked for, from the same resamples. `rows` are the labels.
    """

    sample: SetSample
    estimates: dict[str, Estimate]

    @property
    def labels(self) -> Labels:
        """All labels."""
        return self.sample.answers.labels

    @property
    def n(self) -> int:
        """The number of documents."""
        return self.sample.answers.n

    @cached_property
    def rows(self) -> tuple[LabelRow, ...]:
        """Precision, recall and F1 of each label; computed when they are first asked for."""
        return self.sample.list_rows()

    @cached_property
    def mistaken(self) -> list[ConfusedPair]:
        """The most frequent pairs of a missed gold label and a wrong predicted label of the same document."""
        return list_mistaken_pairs(self.sample.answers, MAX_PAIRS)

    @cached_property
    def missed_together(self) -> list[ConfusedPair]:
        """The most frequent pairs of gold labels of a document that are both missed."""
        return list_forgotten_pairs(self.sample.answers, MAX_PAIRS)

    @cached_property
    def set_sizes(self) -> list[SetSize]:
        """How many documents have no label, one label, two labels …, in gold and predicted."""
        return count_set_sizes(self.sample.answers)

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

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON; an undefined number is None."""
        answers = self.sample.answers
        values = {
            "n": self.n,
            "labels": self.labels,
            "metrics": self.estimates,
            "per_label": [row._asdict() for row in self.rows],
            "mean_labels": {"gold": float(answers.gold.sizes.mean()), "predicted": float(answers.predicted.sizes.mean())},
            "set_sizes": [size._asdict() for size in self.set_sizes],
            "mistaken": [pair._asdict() for pair in self.mistaken],
            "missed_together": [pair._asdict() for pair in self.missed_together],
            "signature": self.signature,
        }
        simple: dict[str, Any] = simplify(values)
        return simple

    def to_frame(self) -> Any:
        """A data frame of pandas or polars with a row for each metric, and three rows for each label."""
        return frame_estimates(self.estimates, self.rows)

    def to_sheet(self) -> Sheet:
        """The metrics, the worst and the most frequent labels, the numbers of labels, the worst pairs; notes below."""
        notes, answers = Footnotes(), self.sample.answers
        metrics = tuple((show_line(name), show_estimate(estimate, notes)) for name, estimate in self.estimates.items())
        grids = [Grid("metrics", ("metric", "value"), metrics), *_list_labels(self.rows, notes), _list_sizes(self.set_sizes)]
        grids.append(show_pairs("mistaken labels", ("missed", "predicted instead"), self.mistaken))
        grids.append(show_pairs("labels missed together", ("missed", "missed beside it"), self.missed_together))
        means = (
            f"{answers.gold.sizes.mean():.2f} gold and {answers.predicted.sizes.mean():.2f} predicted labels for each document"
        )
        confidence = f"{100 * self.sample.plan.confidence:g} % intervals in brackets"
        headline = f"{pluralize(self.n, 'document')}, {pluralize(len(self.labels), 'label')}; {means}; {confidence}"
        remarks = (*notes.list(), *_list_absent(self.rows), *_note_empty(answers, self.estimates))
        return Sheet(headline, tuple(grid for grid in grids if grid.rows), remarks, show_line(self.signature, 2000))

    def _draw(self) -> list[str]:
        return [draw_label_bars(self.rows)]

    def _sign(self, estimates: Mapping[str, Estimate]) -> str:
        return write_signature(list(estimates), self.n, estimates.values(), self.sample.plan, labels=len(self.labels))


def evaluate_sets(
    gold: Any,
    predicted: Any,
    scores: Any = None,
    *,
    labels: Any = None,
    separator: str | None = None,
    k: int | Sequence[int] | None = None,
    metrics: Sequence[str] | None = None,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
    interval: str | None = None,
) -> SetReport:
    """How good answers with several labels for each document are, with an interval on every number.

    Parameters
    ----------
    gold, predicted
        The labels of each document: a list of lists, tuples or sets, in which [] is a document without a label; or a binary
        indicator matrix, documents × labels (an array, a sparse matrix of scipy, or a data frame whose columns are labels); or,
        with `separator`, cells such as "sport; politics".
    scores
        A number for each document and label. They are ranked: higher is better. Without `labels`, the columns are those of an
        indicator matrix or a data frame, or all labels, sorted.
    labels
        The names of all labels, in the order of the columns. They may name labels that no document has, which count as 0 in
        macro averages.
    separator
        Splits cells that are a str. Without it a str in place of a set is an error.
    k
        The cutoffs of precision@k and ndcg@k: 1, 3 and 5 by default.
    metrics
        The metrics to show. `report[name]` has every metric, also `f1:LABEL`.
    confidence, resamples, seed, interval
        Of the intervals, as in `evaluate`: documents are drawn with replacement.

    Returns
    -------
    SetReport
        Every metric by its name, the labels, and which labels are confused.

    Examples
    --------
    >>> gold = [["sport", "politics"], ["sport"], ["art"], []] * 30
    >>> predicted = [["sport"], ["sport", "art"], ["art"], []] * 30
    >>> report = evaluate_sets(gold, predicted)
    >>> print(report["micro_f1"], report["subset_accuracy"], report["recall:politics"])
    0.750 [0.725, 0.780] 0.500 [0.412, 0.588] 0.000 [0.000, 0.114]
    >>> report.sign("micro_f1")
    'micro_f1|n:120|labels:3|interval:bca95|resamples:10000|seed:0|tercet:0.2.0'
    """
    plan = Resampling(confidence, resamples, seed, interval)
    names = _check_set_metrics(metrics)
    named = getattr(scores, "columns", None) if labels is None else labels
    sets = encode_label_sets({"gold": gold, "predicted": predicted}, named, separator=separator)
    answers = SetAnswers(sets["gold"], sets["predicted"])
    if k is not None and scores is None:
        raise InvalidOption(f"k={k!r} cuts rankings off, and there are no scores to rank labels by: pass scores.")
    sample = SetSample(answers, plan, {} if scores is None else _rank(answers.gold, scores, k))
    names = sample.metrics.list_names() if names is None else names
    return SetReport(sample, dict(zip(names, sample.estimate(names), strict=True)))


def _rank(gold: DocumentLabels, scores: Any, k: Any) -> dict[str, Any]:
    checked = check_scores(scores, len(gold), len(gold.labels))
    return rank_documents(gold, checked, check_cutoffs(k, len(gold.labels)))


def _check_set_metrics(metrics: Any) -> list[str] | None:
    names = check_metrics(metrics)
    if names is None:
        return None
    if function := next((each for each in names if not isinstance(each, str)), None):
        raise InvalidOption(f"{function!r} is a function, and metrics of sets are names, such as micro_f1.")
    spelled = [str(name) for name in names]
    check_names(spelled)
    return spelled


# The tables of a report


def _list_labels(rows: Sequence[LabelRow], notes: Footnotes) -> list[Grid]:
    """One table, the worst label first; with many labels a table of the worst, and one of the most frequent."""
    by_f1 = sorted((row for row in rows if row.f1.value == row.f1.value), key=lambda row: (row.f1.value, -row.support))
    if len(rows) <= MANY:
        undefined = [row for row in rows if row.f1.value != row.f1.value]
        return [show_label_rows("label", [*by_f1, *undefined], notes)]
    by_support = sorted(rows, key=lambda row: -row.support)
    show = partial(show_label_rows, notes=notes, most=MAX_LABELS)
    return [show("worst label", by_f1), show("most frequent label", by_support)]


def _list_sizes(sizes: Sequence[SetSize]) -> Grid:
    rows = [(str(size.n_labels), str(size.gold), str(size.predicted)) for size in sizes[:MAX_SIZES]]
    if rest := sizes[MAX_SIZES:]:
        more = f"{rest[0].n_labels} or more"
        rows.append((more, str(sum(size.gold for size in rest)), str(sum(size.predicted for size in rest))))
    return Grid("labels of a document", ("labels of a document", "gold", "predicted"), tuple(rows))


def _note_empty(answers: SetAnswers, estimates: Mapping[str, Estimate]) -> list[str]:
    """How many documents are rightly without a label, if averages of documents are shown: they count as 0 there."""
    n = int(np.count_nonzero((answers.gold.sizes == 0) & (answers.predicted.sizes == 0)))
    if not n or not any(name.startswith("example_") for name in estimates):
        return []
    return [f"{pluralize(n, 'document')} rightly without a label: example averages count 0, and subset accuracy counts 1"]


def _list_absent(rows: Sequence[LabelRow]) -> list[str]:
    """Labels whose precision or recall is 0/0, which averages count as 0."""
    never = [repr(row.label) for row in rows if not row.predicted]
    absent = [repr(row.label) for row in rows if not row.support]
    notes = [f"never predicted, so averages count precision 0: {join_names(never)}"] if never else []
    return notes + ([f"not in gold, so averages count recall 0: {join_names(absent)}"] if absent else [])
