"""A data frame → a fitted categorizer, and how good it is on documents that it did not learn. It takes two passes."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tercet.categorizer.categorizer import Categorizer
from tercet.categorizer.files.partial_counts import CountedPart, PartialCounts
from tercet.categorizer.files.record import METRICS, TrainingRecord
from tercet.categorizer.held_out.counting_plan import FoldModel, other_documents
from tercet.categorizer.held_out.held_out import check_dealt, check_folds, describe_folds, describe_selection
from tercet.categorizer.model.text_model import TrainedState
from tercet.categorizer.rules import describe_rules
from tercet.categorizer.settings import Settings
from tercet.categorizer.state import DocumentsDigest, digest_counts
from tercet.counts.fingerprints import Prints, digest_prints, fingerprint_texts
from tercet.counts.labels import Labels, index_labels
from tercet.counts.training_data import EncodedBatch
from tercet.errors import TercetError
from tercet.evaluation.confusion import ConfusedPair, Confusion, list_confused_pairs
from tercet.kernel.batches import batches as batches_of
from tercet.options import check_flag, check_seed
from tercet.report.report import Report, evaluate_confusion
from tercet.spark.arrow_documents import Columns
from tercet.spark.jobs import ROWS, check_frame, quote, run_rows, sum_on_cluster, write_rows
from tercet.spark.partitions import PROBLEM, PartitionPlan, PartRow, Problems, deal, raise_problems, read_chunks
from tercet.spark.training import check_categorizer, list_columns, make_plan, take_sample

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True, eq=False)
class CrossValidated:
    """A fitted categorizer, and an estimate of its accuracy. Each document was judged by what the other folds teach."""

    categorizer: Categorizer
    n_documents: int
    folds: int
    estimate: Report
    confusions: list[ConfusedPair]

    def __repr__(self) -> str:
        return f"CrossValidated({self.n_documents} documents, {self.folds} folds; accuracy {self.estimate.accuracy})"


def cross_validate(
    df: "DataFrame",
    categorizer: Categorizer | None = None,
    *,
    text: Any = "text",
    label: str = "label",
    weight: str | None = None,
    folds: int = 5,
    seed: int = 0,
    record: bool = False,
) -> CrossValidated:
    """The categorizer of `train`, and an estimate of its accuracy from held-out documents, with an interval on every number.

    The fingerprint of a text decides in which fold it is, so copies are held out together. Counts are collected for each fold
    in the same pass, and subtracted from the sum; a second pass scores each document. The estimate is the same as that of
    `tercet.train(..., folds=folds, seed=seed, folds_by="fingerprint")` on one machine.

    With `record`, the estimate is also written into the record of the categorizer, as `tercet.train` does. Its file then has
    the same bytes as the file of that function. Without, it is the file of `train`.

    Each Python worker holds the models of all folds.
    """
    categorizer = check_categorizer(categorizer)
    folds, seed = check_folds(folds), check_seed(seed)
    check_flag("record", record)
    columns = Columns.of(text, label, weight, list_columns(categorizer))
    plan = make_plan(check_frame(df), categorizer, columns, folds, seed)
    plan = replace(plan, counting=replace(plan.counting, remember=True))  # the record has a digest of them
    rows = list(sum_on_cluster(df, plan))
    total = plan.add(rows)
    n_documents, prints = len(total.prints), total.prints.sorted()
    categorizer = plan.counting.finish(categorizer, total, take_sample(df, plan))
    check_dealt(list_weighted(rows))
    fitted = categorizer.fitted_
    settings, trained = fitted.settings, fitted.state.trained
    assert trained is not None
    judges = FoldJudges(plan, settings, trained, rows)
    report = judges.report(judge_on_cluster(df, judges, sum_prints(prints)), categorizer.table_.labels)
    if record:
        digest = DocumentsDigest(digest_prints(prints), digest_counts(fitted.state))
        estimate = {name: report[name] for name in METRICS}
        empty = TrainingRecord.start(None, folds, seed, "fingerprint")
        written = empty.finish(estimate, report.signature, n_documents, digest)
        categorizer.publish(replace(fitted, record=written))
    return CrossValidated(categorizer, n_documents, folds, report, list_confused_pairs(report.sample.confusion))


def list_weighted(rows: Iterable[PartRow]) -> list[int]:
    """The folds that have documents with a weight above 0. The totals of their labels are in shard 0."""
    totals = ((row.fold, CountedPart.decode(row.part)) for row in rows if row.shard == 0)
    return sorted({fold for fold, part in totals if part.labels is not None and part.table and len(part.table.labels)})


class FoldJudges:
    """The counts of all folds, from which a worker makes the model of each fold when it needs it."""

    def __init__(self, plan: PartitionPlan, settings: Settings, trained: TrainedState, rows: list[PartRow]) -> None:
        self.plan, self.settings, self.trained, self.rows = plan, settings.with_threads(1), trained, rows
        self._total: PartialCounts | None = None
        self._models: dict[int, FoldModel] = {}

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_total": None, "_models": {}}

    def make_model(self, fold: int) -> FoldModel:
        """The model for the documents of a fold."""
        if fold not in self._models:
            self._models[fold] = FoldModel.of(self.settings, self.trained, self.total, self._add(fold))
        return self._models[fold]

    @property
    def total(self) -> PartialCounts:
        if self._total is None:
            self._total = self._add(None)
        return self._total

    def _add(self, fold: int | None) -> PartialCounts:
        counts = PartialCounts(self.plan.counting.analyzer)
        for row in self.rows:
            if fold is None or row.fold == fold:
                counts.add(row.part)
        return counts

    def judge(self, batches: Iterable[Any]) -> Iterator[PartRow]:
        """How often each label was answered by each label, and the sum of all fingerprints, in one row.

        Documents of weight 0 do not count.
        """
        cells: Counter[tuple[int, int]] = Counter()
        total = np.zeros(2, np.uint64)
        problems = Problems()
        source = iter(batches)
        try:
            for chunk in read_chunks(source, self.plan.columns, problems):
                for fold, documents in deal(self.plan.counting.read(chunk), self.plan):
                    for batch in map(EncodedBatch.of, documents):
                        cells.update(self._count_cells(self.make_model(fold), batch))
                        total += sum_prints(batch.fingerprint(fingerprint_texts(batches_of(batch.texts), 1), slice(None)))
        except TercetError as error:
            problems.note(error)
        for _ in source:
            pass
        yield PartRow(0, 0, json.dumps([total.tolist(), [[*cell, n] for cell, n in sorted(cells.items())]]).encode())
        if problems:
            yield PartRow(0, PROBLEM, problems.encode())

    def _count_cells(self, model: FoldModel, batch: EncodedBatch) -> Counter[tuple[int, int]]:
        gold = index_labels(batch.labels, model.labels)[batch.codes]
        counted = np.ones(len(gold), np.bool_) if batch.weights is None else batch.weights > 0
        pairs = np.stack([gold[counted], model.predict(batch)[counted]], axis=1)
        found, n = np.unique(pairs, axis=0, return_counts=True)
        return Counter(dict(zip(map(tuple, found.tolist()), n.tolist(), strict=True)))

    def report(self, cells: Counter[tuple[int, int]], labels: Labels) -> Report:
        """The estimate for these answers."""
        gold, predicted = np.array(list(cells), np.int64).reshape(-1, 2).T
        sizes = np.array(list(cells.values()), np.float64)
        confusion = replace(Confusion.from_codes(labels, gold, predicted, sizes), n=int(sizes.sum()))
        report = evaluate_confusion(confusion, METRICS, with_rows=False)
        recipe = {
            "analyzer": self.plan.counting.analyzer.signature,
            **self.settings.model.describe(self.trained),
            **describe_rules(self.settings.rules),
            "folds": describe_folds(self.plan.folds, self.plan.seed, "all", by="fingerprint"),
        }
        selection = "anew" if self.settings.selects else ""
        return replace(report, recipe=recipe, selection=selection, note=describe_selection(selection))


def sum_prints(prints: Prints) -> Any:
    """The sum of both halves of fingerprints, modulo 2⁶⁴: the same for the same documents in any order."""
    halves = np.ascontiguousarray(prints).view(">u8").reshape(-1, 2).astype(np.uint64)
    return halves.sum(axis=0, dtype=np.uint64)


def judge_on_cluster(df: "DataFrame", judges: FoldJudges, learned: Any) -> Counter[tuple[int, int]]:
    """How often each gold label was answered by each label, as indices among the sorted labels.

    Raises InvalidOption if the documents are not those whose fingerprints have the sum `learned`.
    """
    sent = df.sparkSession.sparkContext.broadcast(judges)

    def judge(batches: Iterable[Any]) -> Iterator[Any]:
        return write_rows(sent.value.judge(batches))

    rows = run_rows(df.select(*map(quote, judges.plan.columns.names)).mapInArrow(judge, ROWS))
    sent.destroy()
    if bad := [row.part for row in rows if row.shard == PROBLEM]:
        raise_problems(Problems.join(bad))
    cells: Counter[tuple[int, int]] = Counter()
    judged = np.zeros(2, np.uint64)
    for total, found in (json.loads(row.part) for row in rows):
        judged += np.array(total, np.uint64)
        cells.update({(gold, predicted): n for gold, predicted, n in found})
    if (judged != learned).any():
        raise other_documents()
    return cells
