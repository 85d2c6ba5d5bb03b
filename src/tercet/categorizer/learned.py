"""All that a categorizer keeps of labelled documents, and how it comes from them."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Self

from tercet.categorizer.counting import LabelledCounter
from tercet.categorizer.margins import Margins, mark_stale
from tercet.categorizer.table_model import TableModel
from tercet.categorizer.training import Batch, Gathering, Training
from tercet.counts.fingerprints import Fingerprints
from tercet.counts.label_moments import LabelMoments
from tercet.counts.labels import Labels
from tercet.counts.table import CountTable
from tercet.data.documents import Documents
from tercet.kernel import engine
from tercet.text.analyzer import Analyzer


@dataclass
class Learned:
    """What is kept of documents. It adds up; what was added can be taken away."""

    table: CountTable
    prints: Fingerprints | None
    moments: LabelMoments | None
    domains: CountTable | None  # the same documents by domain instead of label
    margins: Margins | None = None  # trained on the documents, if the model is one that has any

    def __iadd__(self, other: "Learned") -> Self:
        """What is not kept of both is not kept of the sum."""
        moments, domains = _add(self.moments, other.moments), _add(self.domains, other.domains)
        self.table += other.table  # the last that may refuse
        self.moments, self.domains = _pick(moments, self.table.labels), domains
        if self.prints is None or other.prints is None:
            self.prints = None
        else:
            self.prints.add(other.prints.listed())
        self.margins = mark_stale(self.margins)
        return self

    def __isub__(self, other: "Learned") -> Self:
        """Refused as a whole where something was never learned."""
        moments = None if self.moments is None or other.moments is None else self.moments - other.moments
        domains = None if self.domains is None or other.domains is None else self.domains - other.domains
        gone = None if self.prints is None or other.prints is None else other.prints.listed()
        if self.prints is not None and gone is not None:
            self.prints.find(gone)
        self.table -= other.table  # the last that may refuse
        if self.prints is not None and gone is not None:
            self.prints.remove(gone)
        self.moments, self.domains = _pick(moments, self.table.labels), domains
        self.margins = mark_stale(self.margins)
        return self

    def is_same(self, other: "Learned") -> bool:
        """Whether both have learned the same documents, in whatever order."""
        ours, theirs = ((each.table, each.prints, each.moments, each.domains) for each in (self, other))
        return ours == theirs

    def copy(self) -> "Learned":
        """One that may learn and forget without the other."""
        prints = None if self.prints is None else Fingerprints(self.prints.sorted())
        table, domains = self.table.copy(), None if self.domains is None else self.domains.copy()
        margins = None if self.margins is None else self.margins.move(self.table.table, table.table)
        return Learned(table, prints, self.moments, domains, margins)

    def __getstate__(self) -> dict[str, Any]:
        """Terms have other numbers in a table that is pickled."""
        margins = None if self.margins is None else self.margins.in_order(self.table.table)
        return self.__dict__ | {"margins": margins}


def _add(a: Any, b: Any) -> Any:
    return None if a is None or b is None else a + b


def _pick(moments: LabelMoments | None, labels: Labels) -> LabelMoments | None:
    return None if moments is None else moments.pick(labels)


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
    prints = Fingerprints(training.prints) if remember else None
    learned = Learned(table, prints, _pick(training.moments(), table.labels), domains)
    return replace(training, rows=rows, domain_rows=domain_rows), learned


def gather_texts(documents: Iterable[Documents], rules: TableModel, threads: int) -> tuple[Training, list[engine.Texts]]:
    """Documents that are not to be learned; all texts are held in memory."""
    gathering, texts = Gathering(rules), []
    for batch in (Batch.of(given, rules) for given in documents):
        gathering.add(batch)
        for part, place in batch.parts():
            gathering.add_prints(batch, place, engine.fingerprint(part, threads), keep=True)
            texts.append(part)
    return gathering.finish(), texts
