"""Is one system really better than another?"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tercet.counts.labels import encode_labels
from tercet.errors import InvalidLabel, InvalidOption
from tercet.evaluation.intervals import Estimate
from tercet.evaluation.metrics import find_metric
from tercet.evaluation.resampling import Resampling
from tercet.evaluation.sides import check_weights, encode_sides
from tercet.evaluation.systems import ComparedPair, compare_systems
from tercet.report.claim import write_claim
from tercet.report.comparison_sheet import lay_out_comparison, list_compared
from tercet.report.rendering import Rendering
from tercet.report.sample import Sample
from tercet.report.sheet import Sheet
from tercet.report.signature import write_signature


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Rendering):
    """What `compare` found. `rows` are the pairs; of two systems `difference` is the first's metric minus the second's.

    `scores` has each system's own metric. The p of several pairs are raised by Holm's steps for how many there are.
    """

    metric: str
    test: str
    n: int
    scores: dict[str, Estimate]
    rows: tuple[ComparedPair, ...]
    plan: Resampling
    n_groups: int = 0

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
        """How probable a difference as large as this would be, were the two systems alike."""
        return self._only_row.difference.p_value

    @property
    def sentence(self) -> str:
        """What may be claimed; one sentence for each pair."""
        unit = "groups" if self.n_groups else "documents"
        return ".\n".join(write_claim(row, self.metric, unit) for row in self.rows) + "."

    @property
    def signature(self) -> str:
        """The recipe of the numbers."""
        estimates = [row.difference.estimate for row in self.rows]
        return write_signature([self.metric], self.n, estimates, self.plan, groups=self.n_groups, test=self.test)

    def to_dict(self) -> dict[str, Any]:
        """All of it for JSON; what is undefined is None."""
        return list_compared(self)

    def to_sheet(self) -> Sheet:
        """Tables of ready words, which every other form is made of."""
        return lay_out_comparison(self)

    @property
    def _only_row(self) -> ComparedPair:
        if len(self.rows) != 1:
            raise InvalidOption(f"{len(self.scores)} systems make {len(self.rows)} differences: take them from rows.")
        return self.rows[0]


def compare(
    gold: Any,
    systems: Mapping[str, Any],
    metric: str = "accuracy",
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
    Of more than two systems every pair is compared, or each with the baseline.

    >>> gold = ["ham", "spam"] * 50
    >>> print(compare(gold, {"a": gold, "b": ["ham"] * 100}).sentence)
    a is better than b by 50.0 points of accuracy, 95 % interval 40.0 to 60.0, p = 0.0001.
    """
    plan = Resampling(confidence, resamples, seed)
    names = _check_systems(systems)
    labels, (gold_codes, *codes) = encode_sides({"gold": gold} | {f"system {name!r}": systems[name] for name in names})
    answers = dict(zip(names, codes, strict=True))
    found = find_metric(metric, labels)
    heavy = None if weights is None else check_weights(weights, len(gold_codes))
    known, units = (None, None) if groups is None else encode_labels(groups)
    if units is not None and len(units) != len(gold_codes):
        raise InvalidLabel(f"groups has {len(units)} values for {len(gold_codes)} documents: each needs one.")
    options: dict[str, Any] = {"test": test, "baseline": baseline, "plan": plan, "groups": units, "weights": heavy}
    pairs = compare_systems(gold_codes, answers, len(labels), found, **options)
    scores = {
        name: Sample.of_codes(labels, gold_codes, own, plan, heavy, units).estimate([found])[0] for name, own in answers.items()
    }
    n_groups = 0 if known is None else len(known)
    return Comparison(found.name, test, len(gold_codes), scores, tuple(pairs), plan, n_groups)


def _check_systems(systems: Any) -> list[str]:
    if not isinstance(systems, Mapping):
        raise InvalidOption(
            f'systems must be a mapping such as {{"a": predicted_a, "b": predicted_b}}, got {type(systems).__name__}.'
        )
    if len(systems) < 2:
        raise InvalidOption(f"a comparison takes two systems at least, got {len(systems)}: to judge one alone use evaluate.")
    if bad := [name for name in systems if not isinstance(name, str)]:
        raise InvalidOption(f"systems are named by text, got {bad[0]!r}: write {str(bad[0])!r}.")
    return list(systems)
