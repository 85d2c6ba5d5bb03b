"""Terms that a training has weighed, and that the model at hand has dropped since.

A term that no document has any more keeps its trained weight as long as the model stays in memory: if the term comes back, so
does its weight. But a model file does not have such terms, and a table drops them when they are half of all terms.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tercet.arrays import Integers
from tercet.categorizer.categorizer import Categorizer
from tercet.categorizer.fitting import count_like
from tercet.categorizer.joined_texts import join_texts
from tercet.categorizer.model.trained_margins import TrainedMargins
from tercet.counts.table import CountTable
from tercet.data.document_batches import list_texts
from tercet.data.documents import Documents
from tercet.kernel import engine
from tercet.ledger.history import History, Training
from tercet.ledger.replay import Labelled, change_counts, pick_new, read_documents
from tercet.options import n_threads

if TYPE_CHECKING:
    from tercet.ledger.ledger import Ledger


def count_lost(ledger: "Ledger", model: Categorizer, training: Training | None, learned: Labelled) -> CountTable | None:
    """The counts of the documents that the training has seen, and that are not learned now, if the model lacks one of their
    terms; None if it has all terms that the training has weighed."""
    if training is None or not isinstance(model.fitted_.state.trained, TrainedMargins):
        return None
    with ledger.turn:
        touched = list_touched(ledger.history, training.covers)
    if touched <= learned.keys():
        return None
    covered = ledger.find_learned(training.covers).labels
    gone = {number: covered[number] for number in touched & covered.keys() - learned.keys()}
    batches = list(read_documents(ledger, gone))
    table = model.table_
    if not any((find_terms(table, text) < 0).any() for text in list_joined(table, batches)):
        return None
    return count_like(model.fitted_, iter(batches), n_threads(model.threads))[1].table


def list_touched(history: History, since: int) -> set[int]:
    """The documents that may have been learned at this event, and may be unlearned by now."""
    events = (number for number in range(since + 1, history.last + 1) if history.verbs[number] in ("unlearn", "undo"))
    return {document for number in events if (document := history.find_document(number)) is not None and document <= since}


def brings_back(lost: CountTable, model: Categorizer, batches: Sequence[Documents]) -> bool:
    """Whether these documents have a lost term: then the model lacks its weight."""
    table = model.table_
    joined = list_joined(table, batches)
    return any(((find_terms(table, text) < 0) & (find_terms(lost, text) >= 0)).any() for text in joined)


def list_joined(table: CountTable, batches: Iterable[Documents]) -> list[str]:
    """The texts as the kernel reads them."""
    return [text for batch in batches for text in list_texts(join_texts(batch, table.analyzer.layout))]


def find_terms(table: CountTable, text: str) -> Integers:
    """The number of the term of each occurrence, in the same order for all tables; -1 for a term that the table lacks."""
    return table.table.find(engine.Texts([text]))


def change_trained(ledger: "Ledger", model: Categorizer, training: Training | None, before: Labelled, after: Labelled) -> bool:
    """Change the counts of a model from some documents to others. Returns False if it would need the weight of a lost term."""
    lost = count_lost(ledger, model, training, before)
    if lost is not None and brings_back(lost, model, list(read_documents(ledger, pick_new(after, before)))):
        return False
    change_counts(model, ledger, before, after)
    return True
