"""`measure_agreement`: how far people agree who label the same texts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tercet.characters import show_line
from tercet.data_frames import make_frame
from tercet.evaluation.agreement import JudgedTexts, PairAgreement
from tercet.evaluation.intervals import Estimate
from tercet.evaluation.resampling import DEFAULT, Resampling
from tercet.report.json_values import simplify
from tercet.report.rendering import Rendering
from tercet.report.signature import write_signature
from tercet.report.tables import Footnotes, Grid, Sheet, pluralize, show_estimate

WIDEST = 30  # characters of a name


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Rendering):
    """The result of `measure_agreement`.

    - `alpha`: Krippendorff's alpha for labels without an order, of the `n_texts` that at least two people have labelled.
    - `pairs`: Cohen's kappa of each two people, on the texts that both have labelled.
    """

    judges: tuple[str, ...]
    n_texts: int
    alpha: Estimate
    pairs: tuple[PairAgreement, ...]
    plan: Resampling = DEFAULT

    @property
    def signature(self) -> str:
        estimates = [self.alpha, *(pair.kappa for pair in self.pairs)]
        return write_signature(["alpha", "kappa"], self.n_texts, estimates, self.plan)

    def to_sheet(self) -> Sheet:
        notes = Footnotes()
        whole = Grid("all", ("", "alpha", "texts"), (("all", show_estimate(self.alpha, notes), str(self.n_texts)),))
        rows = [
            (
                f"{show_line(pair.first, WIDEST)}, {show_line(pair.second, WIDEST)}",
                show_estimate(pair.kappa, notes),
                str(pair.n),
            )
            for pair in self.pairs
        ]
        headline = f"{pluralize(len(self.judges), 'judge')}, {pluralize(self.n_texts, 'text')} with at least two labels"
        grids = (whole, *([Grid("pairs", ("pair", "kappa", "texts"), tuple(rows))] if rows else ()))
        return Sheet(
            f"{headline}; {100 * self.plan.confidence:g} % intervals in brackets", grids, tuple(notes.list()), self.signature
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON; an undefined number is None."""
        pairs = [vars(pair) for pair in self.pairs]
        known = {"judges": self.judges, "n_texts": self.n_texts, "alpha": self.alpha, "pairs": pairs}
        simple: dict[str, Any] = simplify(known | {"signature": self.signature})
        return simple

    def to_frame(self) -> Any:
        """A data frame of pandas or polars with a row for each two people."""
        columns = {name: [getattr(pair, name) for pair in self.pairs] for name in ("first", "second", "n")}
        columns |= {part: [getattr(pair.kappa, part) for pair in self.pairs] for part in ("value", "low", "high")}
        return make_frame(columns)


def measure_agreement(
    judgments: Mapping[str, Sequence[Any]], *, confidence: float = 0.95, resamples: int = 10_000, seed: int = 0
) -> Agreement:
    """How far people agree who label the same texts.

    `judgments` has the labels of each person, one for each text in the same order, and None where somebody gave none. Both
    measures are 1 if all labels are equal, and 0 if they agree as often as by chance. The intervals resample texts.

    >>> print(measure_agreement({"ann": list("aabbaabbab") * 4, "ben": list("aabbabbbab") * 4}))
    2 judges, 40 texts with at least two labels; 95 % intervals in brackets
    <BLANKLINE>
                        alpha  texts
    all  0.801 [0.549, 0.950]     40
    <BLANKLINE>
    pair                     kappa  texts
    ann, ben  0.800 [0.565, 0.949]     40
    <BLANKLINE>
    alpha+kappa|n:40|interval:bca95|resamples:10000|seed:0|tercet:0.1.0
    """
    plan, judged = Resampling(confidence, resamples, seed), JudgedTexts.of(judgments)
    alpha, n = judged.estimate_alpha(plan)
    return Agreement(judged.judges, n, alpha, tuple(judged.estimate_pairs(plan)), plan)
