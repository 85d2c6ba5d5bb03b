"""Simulated answers of systems whose true quality is known: plain documents, documents in groups, documents with weights."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from tercet.evaluation.metrics import METRICS
from tercet.evaluation.probabilities import ProbabilisticPredictions
from tercet.evaluation.sample import EvaluatedDocuments

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
LABELS = np.arange(3)
PRIORS = np.array([0.5, 0.3, 0.2])
WEAK, STRONG = 0.2, 1.0  # standard deviation of a group's effect on the logits: accuracies differ by 3 or by 15 points
N_TRUTH = 600_000  # documents from which the true values are computed


@dataclass(frozen=True)
class Setting:
    """A kind of sample. Documents of a group share an effect on the quality of the answers and have their own mix of labels."""

    name: str
    n: int = 500  # documents, or groups of about 30 documents
    effect: float = 0.0  # 0: no groups
    unequal: bool = False  # sizes of groups: the largest tenth is five times the smallest tenth
    weights: str = ""  # "uniform", "lognormal" or "errors": lognormal, and 2.5 times as large for errors

    def draw(self, rng: np.random.Generator, n: int = 0) -> EvaluatedDocuments:
        """Documents with the answers and probabilities of one system."""
        groups, gold, effects = self._draw_gold(rng, n or self.n)
        probabilities = _answer(gold, effects, rng.normal(size=(len(gold), len(LABELS))), rng.normal(size=len(gold)))
        predicted = probabilities.argmax(axis=1)
        weights = self._draw_weights(rng, gold == predicted)
        forecast = ProbabilisticPredictions(LABELS, gold, probabilities, np.ones(len(gold)) if weights is None else weights)
        return EvaluatedDocuments(LABELS, gold, predicted, weights, groups, forecast)

    def draw_pair(self, rng: np.random.Generator) -> tuple[Integers, list[Integers], Integers | None, Floats | None]:
        """Gold, the answers of two equally good systems, groups and weights. The systems share half of their luck."""
        groups, gold, effects = self._draw_gold(rng, self.n)
        noise, luck = rng.normal(size=(3, len(gold), len(LABELS))), rng.normal(size=(3, len(gold)))
        own = np.zeros((2, len(gold))) if groups is None else self.effect * rng.normal(size=(2, groups.max() + 1))[:, groups]
        answers = [
            _answer(gold, effects + own[k], (noise[0] + noise[k + 1]) / 2**0.5, (luck[0] + luck[k + 1]) / 2**0.5)
            for k in range(2)
        ]
        predicted = [each.argmax(axis=1) for each in answers]
        return gold, predicted, groups, self._draw_weights(rng, (gold == predicted[0]) & (gold == predicted[1]))

    def find_truth(self, seed: int) -> dict[str, float]:
        """The true values of accuracy, macro-F1 and log loss."""
        n = N_TRUTH // 30 if self.effect else N_TRUTH
        large = replace(self, n=n).draw(np.random.default_rng([seed, 1]))
        weights = np.ones(len(large.gold)) if large.weights is None else large.weights
        cells = np.bincount(large.gold * 3 + large.predicted, weights, 9).reshape(3, 3)
        assert large.forecast is not None
        losses = -np.log(large.forecast.gold_probabilities)
        values = {name: float(METRICS[name](cells)) for name in ("accuracy", "macro_f1")}
        return values | {"log_loss": float(np.average(losses, weights=weights))}

    def _draw_gold(self, rng: np.random.Generator, n: int) -> tuple[Integers | None, Integers, Floats]:
        """Groups, gold labels, and the effect on each document."""
        if not self.effect:
            return None, rng.choice(LABELS, n, p=PRIORS), np.zeros(n)
        sizes = np.full(n, 30)
        if self.unequal:
            sizes = np.maximum(2, 30 * rng.lognormal(-0.18, 0.6, n)).astype(np.int64)
        groups = np.repeat(np.arange(n), sizes)
        mixes = np.cumsum(rng.dirichlet(PRIORS * (40 if self.effect == WEAK else 4), n), axis=1)
        gold = np.minimum((mixes[groups] < rng.random((len(groups), 1))).sum(axis=1), len(LABELS) - 1)
        return groups, gold, (self.effect * rng.normal(size=n))[groups]

    def _draw_weights(self, rng: np.random.Generator, is_right: npt.NDArray[np.bool_]) -> Floats | None:
        if not self.weights:
            return None
        if self.weights == "uniform":
            return rng.random(len(is_right))
        return rng.lognormal(size=len(is_right)) * np.where(is_right | (self.weights != "errors"), 1.0, 2.5)


def _answer(gold: Integers, effects: Floats, noise: Floats, luck: Floats) -> Floats:
    """Probabilities of the labels: the gold label's logit is 2.2 higher on average."""
    logits = noise.copy()
    logits[np.arange(len(gold)), gold] += 2.2 + effects + luck / 2
    exponentials = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(exponentials / exponentials.sum(axis=1, keepdims=True))


GROUPED = [
    Setting(f"{n} groups, {strength}{', unequal' * unequal}", n, effect, unequal)
    for n in (6, 8, 12, 13, 20, 50)
    for strength, effect in (("weak", WEAK), ("strong", STRONG))
    for unequal in (False, True)
]
WEIGHTED = [
    Setting("uniform weights", weights="uniform"),
    Setting("lognormal weights", weights="lognormal"),
    Setting("lognormal weights, errors heavier", weights="errors"),
    Setting("lognormal weights, 200 documents", 200, weights="lognormal"),
    Setting("lognormal weights, 40 documents", 40, weights="lognormal"),
]
PLAIN = [Setting("500 documents"), Setting("100 documents", 100), Setting("20 documents", 20)]
