"""Labelled documents as they come → all that a categorizer keeps of them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tercet.categorizer.counting import LabelledCounter
from tercet.categorizer.kept_rows import KeptRows
from tercet.categorizer.table_model import TableModel
from tercet.categorizer.training import Batch, Gathering, Training
from tercet.counts.fingerprints import Prints
from tercet.counts.label_moments import LabelMoments
from tercet.counts.table import CountTable
from tercet.data.documents import Documents
from tercet.kernel import engine
from tercet.text.analyzer import Analyzer


@dataclass(frozen=True)
class Learned:
    """What is kept of documents."""

    table: CountTable
    prints: Prints | None
    moments: LabelMoments | None
    domains: CountTable | None = None  # the same documents by domain instead of label
    rows: KeptRows | None = None  # the terms of each document, where they are kept
    domain_rows: KeptRows | None = None


def add_known(a: Any, b: Any) -> Any:
    """The sum of what is kept of two sets of documents; None where it is not kept of both."""
    return None if a is None or b is None else a + b


def read_training(
    documents: Iterable[Documents], rules: TableModel, analyzer: Analyzer, threads: int, *, remember: bool, keep: bool
) -> tuple[Training, Learned]:
    """One pass over the documents: their counts, with `remember` or `keep` their fingerprints, with `keep` their terms.

    Texts are not held, so batches need as much memory as the vocabulary, some bytes a document, and one batch.
    """
    gathering = Gathering(rules)
    by_label = LabelledCounter(gathering.labels, analyzer, threads, keep=keep)
    by_domain = None if rules.domain is None else LabelledCounter(gathering.domains, analyzer, threads, keep=keep)
    for batch in (Batch.of(given, rules) for given in documents):
        gathering.add(batch)
        for part, place in batch.parts():
            weights = None if batch.weights is None else batch.weights[place]
            by_label.add(part, place, weights)
            if by_domain is not None:
                by_domain.add(part, place, weights)
            if remember or keep:
                gathering.add_prints(batch, place, engine.fingerprint(part, threads), keep=keep)
    training = gathering.finish()
    table, rows = by_label.take()
    domains, domain_rows = (None, None) if by_domain is None else by_domain.take()
    moments = training.moments()
    moments = None if moments is None else moments.pick(table.labels)
    return training, Learned(table, training.prints if remember else None, moments, domains, rows, domain_rows)


def gather_texts(documents: Iterable[Documents], rules: TableModel, threads: int) -> tuple[Training, list[engine.Texts]]:
    """Documents that are not to be learned; all texts are held in memory."""
    gathering, texts = Gathering(rules), []
    for batch in (Batch.of(given, rules) for given in documents):
        gathering.add(batch)
        for part, place in batch.parts():
            gathering.add_prints(batch, place, engine.fingerprint(part, threads), keep=True)
            texts.append(part)
    return gathering.finish(), texts
