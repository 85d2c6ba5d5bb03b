"""The result of `tune`: the winner and why it won, how good it is, and a table of all candidates."""

from dataclasses import dataclass
from typing import Any

from tercet.characters import show_line
from tercet.data_frames import make_frame
from tercet.evaluation.intervals import Estimate
from tercet.report.json_values import simplify
from tercet.report.rendering import Rendering
from tercet.report.tables import Footnotes, Grid, Sheet, pluralize, show_estimate

WIDEST = 70  # characters of a name


@dataclass(frozen=True)
class CandidateResult:
    """A candidate of a race: its metric on held-out documents, and its difference to the best on the same documents.

    `p_value`: how often another candidate would lead this one by so much if none were better. `worse_after`: the number of
    folds after which it was shown to be worse than another, or None. `seconds`: CPU time.
    """

    name: str
    value: Estimate
    difference: Estimate | None  # None for the best
    p_value: float
    worse_after: int | None
    seconds: float


@dataclass(frozen=True, eq=False, repr=False)
class Tuning(Rendering):
    """The result of `tune`. `categorizer` is the winner, fitted on all documents.

    - `estimate`: the metric of the winner on new documents. No document has a say in the choice that it judges.
    - `best`: the candidate with the highest metric on held-out documents.
    - `simplest`: the first candidate in the list that is not shown to be worse than the best.
    - `candidates`: all candidates, the simplest first.
    """

    metric: str
    winner: str
    best: str
    simplest: str
    takes_simplest: bool
    level: float
    estimate: Estimate
    candidates: tuple[CandidateResult, ...]
    n_documents: int
    folds: int
    signature: str
    categorizer: Any

    @property
    def sentence(self) -> str:
        """Which candidate won, and why."""
        by_name = {result.name: result for result in self.candidates}
        best, simplest = (show_line(name, WIDEST) for name in (self.best, self.simplest))
        if self.best == self.candidates[0].name:
            return f"The winner is {best}: it has the best {self.metric}, and is the simplest candidate."
        if self.best == self.simplest:
            return f"The winner is {best}: it has the best {self.metric}, and all simpler candidates are shown to be worse."
        difference = by_name[self.simplest].difference
        assert difference is not None
        behind = f"{show_estimate(difference, sign='+')} in {self.metric}"
        if self.takes_simplest:
            why = f"it is the simplest that is not shown to be worse than the best, {best} ({behind})"
            return f"The winner is {simplest}: {why}."
        return f"The winner is {best}: it has the best {self.metric}. Simpler and not shown to be worse: {simplest} ({behind})."

    def to_sheet(self) -> Sheet:
        notes, metric = Footnotes(), show_line(self.metric)
        rows = [
            (
                ("* " if result.name == self.winner else "  ") + show_line(result.name, WIDEST),
                show_estimate(result.value, notes),
                "best" if result.difference is None else show_estimate(result.difference, sign="+"),
                f"{result.p_value:.3f}",
                "" if result.worse_after is None else pluralize(result.worse_after, "fold"),
                f"{result.seconds:.1f}",
            )
            for result in self.candidates
        ]
        header = ("  candidate, the simplest first", metric, "difference to the best", "p", "shown worse after", "CPU s")
        won = ((show_line(self.winner, WIDEST), show_estimate(self.estimate, notes)),)
        estimate = Grid("estimate", ("the winner on new documents", metric), won)
        n = f"{pluralize(self.n_documents, 'document')}, {self.folds} folds, {pluralize(len(self.candidates), 'candidate')}"
        remarks = (
            self.sentence,
            "The table's numbers are of the same held-out documents that made the choice, so the highest is too high. The "
            "estimate of the winner allows for that: no document has a say in the choice that it judges.",
            "Candidates that are shown to be worse are dropped. This happens to the best one in at most "
            f"{100 * self.level:g} % of all races.",
            *notes.list(),
        )
        grids = Grid("candidates", header, tuple(rows)), estimate
        return Sheet(f"{n}; 95 % intervals in brackets", grids, remarks, show_line(self.signature, 2000))

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON; an undefined number is None."""
        names = ("metric", "winner", "best", "simplest", "level", "estimate", "n_documents", "folds", "sentence", "signature")
        values = {name: getattr(self, name) for name in names}
        simple: dict[str, Any] = simplify(values | {"candidates": [vars(result) for result in self.candidates]})
        return simple

    def to_frame(self) -> Any:
        """A data frame of pandas or polars with a row for each candidate."""
        parts = ("value", "low", "high")
        columns: dict[str, list[Any]] = {"candidate": [result.name for result in self.candidates]}
        columns |= {part: [getattr(result.value, part) for result in self.candidates] for part in parts}
        columns["difference"] = [0.0 if each.difference is None else each.difference.value for each in self.candidates]
        for name in ("p_value", "worse_after", "seconds"):
            columns[name] = [getattr(result, name) for result in self.candidates]
        return make_frame(columns)
