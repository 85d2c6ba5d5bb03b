"""What all folds but one teach: a model for each fold, from the counts of each fold. The counts of a fold are subtracted."""

from dataclasses import dataclass

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.categorizer.model import TermWeights, TrainedState
from tercet.categorizer.numeric_columns import ColumnNormals
from tercet.categorizer.partial_counts import PartialCounts
from tercet.categorizer.rules import decide_labels, match_rules, overrule
from tercet.categorizer.settings import Settings
from tercet.counts.labels import Labels
from tercet.counts.table import CountTable
from tercet.counts.training_data import EncodedBatch
from tercet.kernel import engine
from tercet.models.bayes_rule import add_prior
from tercet.row_table import PackedTexts


@dataclass(frozen=True)
class FoldModel:
    """A naive Bayes that has not learned the documents of one fold. It decides exactly as `cross_validate` does."""

    settings: Settings
    table: CountTable  # has the labels of all documents
    weights: TermWeights
    normals: ColumnNormals | None

    @classmethod
    def of(cls, settings: Settings, trained: TrainedState, total: PartialCounts, fold: PartialCounts) -> "FoldModel":
        """The model of all documents without those of a fold. Terms are selected again without them."""
        table = subtract(total.table, fold.table)
        domains = total.domains
        if domains is not None and fold.domains is not None:
            domains = subtract(domains, fold.domains)
        moments = None if total.moments is None else total.moments.pick(table.labels)
        if moments is not None and fold.moments is not None:
            moments = moments - fold.moments.pick(fold.table.labels)
        kept = settings.select_terms(table, domains)
        weights = settings.model.make_weights(table, trained, table.labels, kept)
        return cls(settings, table, weights, None if moments is None else ColumnNormals.of(moments))

    @property
    def labels(self) -> Labels:
        return self.table.labels

    def predict(self, batch: EncodedBatch) -> Integers:
        """The place of the best label of each document."""
        best = [self._predict_part(texts, batch.numbers[place]) for texts, place in batch.parts()]
        return np.concatenate([np.zeros(0, np.int64), *best])

    def _predict_part(self, texts: engine.Texts, numbers: Floats) -> Integers:
        threads, rules = self.settings.threads, self.settings.rules
        joint, _ = add_prior(self.weights.score_rows(self.table.table.rows(texts, threads), threads), self.weights.prior)
        if self.normals is not None:
            joint = joint + self.normals.log_densities(numbers).sum(axis=2)
        decided = None
        if rules:
            matches = match_rules(rules, PackedTexts(*texts.join()).tolist(), self.table.analyzer)
            decided = decide_labels(rules, matches, self.labels)
        return np.asarray(overrule(joint, decided).argmax(axis=1), np.int64)


def subtract(total: CountTable, part: CountTable) -> CountTable:
    """A copy without the counts of a part. It keeps all labels, also those without documents."""
    left, taken = total.copy(), part.copy()
    taken._place(left.labels)
    left.table.subtract(taken.table)
    return left
