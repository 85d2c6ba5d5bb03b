"""Mean and spread of the metrics over the folds of a cross-validation, as a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tercet.characters import show_line
from tercet.data_frames import make_frame
from tercet.errors import InvalidOption, suggest
from tercet.report.forms import Rendering, simplify
from tercet.report.tables import Footnotes, Grid, Sheet, pluralize, show_number

if TYPE_CHECKING:
    from tercet.report.report import Report


class Spread(NamedTuple):
    """Mean, standard deviation (by n - 1), lowest and highest value, over the folds where the metric is defined.

    The deviation is no standard error of the mean: the folds share most of their training documents, so their values are not
    independent.
    """

    mean: float
    deviation: float
    low: float
    high: float
    n_folds: int


def measure_spread(values: Sequence[float]) -> Spread:
    """The spread of the values, one for each fold; NaN for a fold where the metric is undefined.

    >>> measure_spread([0.5, 0.75, float("nan")])
    Spread(mean=0.625, deviation=0.1767766952966369, low=0.5, high=0.75, n_folds=2)
    """
    known = [value for value in values if not np.isnan(value)]
    if not known:
        return Spread(np.nan, np.nan, np.nan, np.nan, 0)
    deviation = float(np.std(known, ddof=1)) if len(known) > 1 else np.nan
    return Spread(float(np.mean(known)), deviation, min(known), max(known), len(known))


NO_INTERVAL = (
    "the standard deviation is the spread of the folds. It is no confidence interval of the mean: the folds share training "
    "documents, so their values are not independent. The report of all documents has intervals"
)


@dataclass(frozen=True, eq=False, repr=False)
class FoldSummary(Rendering):
    """Mean and spread of each metric over the folds: `summary["accuracy"].mean`. `recipe` describes model and folds."""

    spreads: Mapping[str, Spread]
    sizes: Sequence[int]  # documents of each fold
    recipe: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, reports: "Sequence[Report]", recipe: Mapping[str, str]) -> "FoldSummary":
        """The summary of the reports of all folds, which have the same metrics."""
        spreads = {name: measure_spread([report[name].value for report in reports]) for name in reports[0].estimates}
        return cls(spreads, [report.n for report in reports], recipe)

    def __getitem__(self, name: str) -> Spread:
        if name not in self.spreads:
            raise InvalidOption(
                f"the summary has no metric {name!r}: it has {', '.join(self.spreads)}.{suggest(name, self.spreads)} "
                "The report of each fold has others."
            )
        return self.spreads[name]

    def to_sheet(self) -> Sheet:
        """A row for each metric. The note says what the spread is not."""
        notes = Footnotes()
        rows = [(show_line(name), *self._show(spread, notes)) for name, spread in self.spreads.items()]
        fewest, most = min(self.sizes), max(self.sizes)
        size = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        headline = f"{pluralize(len(self.sizes), 'fold')} of {size} documents"
        grid = Grid("folds", ("metric", "mean", "deviation", "lowest", "highest"), tuple(rows))
        signature = "|".join(f"{name}:{value}" for name, value in self.recipe.items())
        return Sheet(headline, (grid,), (*notes.list(), NO_INTERVAL), show_line(signature, 2000))

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON; an undefined number is None."""
        spreads = {name: spread._asdict() for name, spread in self.spreads.items()}
        simple: dict[str, Any] = simplify({"folds": list(self.sizes), "metrics": spreads, "note": NO_INTERVAL, **self.recipe})
        return simple

    def to_frame(self) -> Any:
        """A data frame of pandas or polars with a row for each metric."""
        columns = {name: [getattr(spread, name) for spread in self.spreads.values()] for name in Spread._fields}
        return make_frame({"metric": list(self.spreads), **columns})

    def _show(self, spread: Spread, notes: Footnotes) -> tuple[str, ...]:
        n = len(self.sizes)
        mark = notes.mark(f"undefined in {n - spread.n_folds} of {n} folds, which are left out" if spread.n_folds < n else "")
        mean, *others = map(show_number, spread[:4])
        return mean + mark, *others
