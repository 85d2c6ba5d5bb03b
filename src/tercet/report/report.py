"""How good are these answers? Every number with its interval, beside what no effort at all would give."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tercet.counts.labels import Labels
from tercet.evaluation.confusion import Confusion
from tercet.evaluation.intervals import Estimate
from tercet.evaluation.metrics import METRICS
from tercet.evaluation.probability_metrics import PROBABILITY_METRICS
from tercet.evaluation.reliability import Reliability
from tercet.report.baseline import Baseline
from tercet.report.label_rows import LabelRow, list_label_metrics, make_rows
from tercet.report.rendering import Rendering
from tercet.report.report_page import draw_pictures
from tercet.report.report_sheet import lay_out_report
from tercet.report.report_values import list_values
from tercet.report.sample import Sample
from tercet.report.sheet import Sheet
from tercet.report.signature import write_signature


@dataclass(frozen=True, eq=False, repr=False)
class Report(Rendering):
    """What `evaluate` found: `report.accuracy`, `report["f1:spam"]` and all metrics by name are estimates.

    A metric that is not among `estimates` is worked out when it is asked for, from the same draws. `rows` are the labels,
    `baseline` is what always answering the majority label would give, `slices` are reports by name and value of a slice,
    `selection` tells whether terms were selected `"anew"` without the tested documents or held `"fixed"`, if they were.
    `recipe` is what the answers came from, as far as it is known: analyzer, model, folds.
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

    @cached_property
    def rows(self) -> tuple[LabelRow, ...]:
        """The numbers of each label; worked out when they are asked for, where they are not known."""
        if self.known_rows is not None:
            return self.known_rows
        return make_rows(self.sample, self.sample.estimate(list_label_metrics(self.sample)))

    @property
    def labels(self) -> Labels:
        """All labels of gold and predicted, sorted."""
        return self.sample.confusion.labels

    @property
    def confusion(self) -> Confusion:
        """How often each gold label was answered by each predicted one."""
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

    def to_dict(self) -> dict[str, Any]:
        """All of it for JSON; what is undefined is None."""
        return list_values(self)

    def to_sheet(self) -> Sheet:
        """Tables of ready words, which every other form is made of."""
        return lay_out_report(self)

    def _draw(self) -> list[str]:
        return draw_pictures(self)

    def _sign(self, estimates: Mapping[str, Estimate]) -> str:
        sample = self.sample
        weighted = (
            "yes" if sample.squares is not sample.confusion and (sample.squares.counts != sample.confusion.counts).any() else ""
        )
        groups = "" if sample.units is None else int(sample.units.max()) + 1
        more = {"weights": weighted, "groups": groups, **self.recipe, "selection": self.selection}
        return write_signature(list(estimates), self.n, estimates.values(), sample.plan, **more)
