"""Events → the model that they give.

The model after event N is the counts of the documents that are learned then, with what the last training at or before N has
fitted (margins, smoothing, calibration, the record of the estimate). A training is repeated on the documents that it covered.
Before the first training, and after an erasure of documents that the last training had seen, the counts answer alone.

A term that no document has any more keeps its trained weight as long as the model stays in memory: if the term comes back, so
does its weight. But a model file does not have such terms, and a table drops them when they are half of all terms. So a model
is changed in place only if it has not lost a term that comes back.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from hashlib import sha256
from heapq import nsmallest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tercet.arrays import Integers
from tercet.cached import cached_property
from tercet.categorizer.categorizer import Categorizer
from tercet.categorizer.files.save_load import choose_mode, describe_fitted, drop_slots, load
from tercet.categorizer.fitting import count_like
from tercet.categorizer.joined_texts import join_texts
from tercet.categorizer.model.trained_margins import TrainedMargins
from tercet.categorizer.unlabelled import MAX_BYTES, MAX_TEXTS
from tercet.counts.table import CountTable
from tercet.data.document_batches import list_texts
from tercet.data.documents import Documents
from tercet.errors import CannotWrite, InvalidFile, NeverLearned, TercetError
from tercet.kernel import engine
from tercet.kernel.text.columns import SEPARATOR
from tercet.ledger.events import Event
from tercet.ledger.history import History, LastCheck, LearnedDocuments, Training
from tercet.ledger.labelling import strip_offer
from tercet.ledger.model_options import ModelOptions
from tercet.options import n_threads
from tercet.store.model_file import encode_model

if TYPE_CHECKING:
    from tercet.ledger.ledger import Ledger

Labelled = Mapping[int, Any]  # the labels of documents, by number of their events


@dataclass(frozen=True)
class Replay:
    """The model after an event.

    - `number`: the event.
    - `training`: the training that the model has; None if everything in it follows from the counts.
    - `n_erased`: how many documents were learned then, but have been erased since. The model is without them.
    - `is_trained`: whether the model has all that its options ask for. If not, the counts answer until the next training.
    """

    number: int
    model: Categorizer
    training: Training | None
    n_erased: int
    is_trained: bool

    @cached_property
    def _description(self) -> dict[str, str]:
        return WrittenModel.of(self.model).describe()

    @property
    def checksum(self) -> str:
        """The SHA-256 checksum that the model file has."""
        return self._description["model"]

    @property
    def counts_checksum(self) -> str:
        """A SHA-256 checksum of the counts alone. It is the same in every version and on every machine."""
        return self._description["counts"]

    def describe(self) -> dict[str, str]:
        """What a `publish` event says of the model."""
        return self._description


class WrittenModel:
    """What the file of a model holds, which a later change of the model does not change."""

    def __init__(self, labels: list[Any], content: dict[str, Any], arrays: dict[str, Any]) -> None:
        self._labels, self._content, self._arrays = labels, content, arrays

    @classmethod
    def of(cls, model: Categorizer) -> "WrittenModel":
        with model.hold() as fitted:
            return cls(fitted.state.table.labels.tolist(), *describe_fitted(fitted))

    @cached_property
    def _encoded(self) -> tuple[str, list[bytes | memoryview]]:
        return encode_model(self._content, self._arrays)

    @property
    def parts(self) -> list[bytes | memoryview]:
        """The bytes of the file."""
        return self._encoded[1]

    @property
    def mode(self) -> int | None:
        """The mode of a new file: see `choose_mode`."""
        return choose_mode(self._content)

    def describe(self) -> dict[str, str]:
        """What a `publish` event says of the model."""
        from tercet import __version__

        return {"model": self._encoded[0], "counts": self._digest_counts(), "version": __version__}

    def _digest_counts(self) -> str:
        """SHA-256 of labels, terms and counts."""
        checksum = sha256(repr(self._labels).encode("utf-8", "surrogatepass"))
        for name, array in sorted(drop_slots(self._arrays["table"]).items()):
            checksum.update(f"{name} {array.dtype.str} {array.shape}".encode())
            checksum.update(np.ascontiguousarray(array).data.cast("B"))
        return checksum.hexdigest()


def replay(ledger: "Ledger", number: int | None) -> Replay:
    """The model after this event, or after the last one. Raises NeverLearned if no document is learned then."""
    return make_model(ledger, ledger.find_learned(number))


def make_model(ledger: "Ledger", then: LearnedDocuments) -> Replay:
    """The model of these documents, with the last check by hand. Raises NeverLearned if there are none."""
    made = make_unchecked(ledger, then)
    attach_check(made.model, then.check)
    return made


def attach_check(model: Categorizer, last: LastCheck | None) -> None:
    """Give a model the last check by hand. It belongs to the model if the model has not changed since."""
    model.attach_check(None if last is None else last.check.belong_to(model.fitted_.digest) if last.is_current else last.check)


def make_unchecked(ledger: "Ledger", then: LearnedDocuments) -> Replay:
    """The model of these documents without a check."""
    training = find_training(ledger, then)
    covered = None if training is None else ledger.find_learned(training.covers)
    if covered is not None and covered.labels and then.labels:
        model = train_model(ledger, covered)
        if follow_training(model, ledger, covered.labels, then.labels):
            erased = then.erased | covered.erased | (covered.erased_offers if ledger.history.reads_offers else frozenset())
            return Replay(then.number, model, training, len(erased), True)
    counted = count_documents(ledger, then)
    if counted is None:
        raise no_model(then.number)
    is_trained = ledger.has_start or not ledger.recipe.needs_training
    return Replay(then.number, counted, None, len(then.erased), is_trained)


def follow_training(model: Categorizer, ledger: "Ledger", covered: Labelled, after: Labelled) -> bool:
    """Change the counts of a trained model. Returns False if it can't have them, or knows no label of them: counts answer."""
    try:
        change_counts(model, ledger, covered, after)
    except (CannotWrite, InvalidFile):  # errors of the ledger, not of the model
        raise
    except TercetError:
        return False
    return len(model.fitted_.labels) > 0


def count_documents(ledger: "Ledger", then: LearnedDocuments) -> Categorizer | None:
    """The model of the counts of these documents; None if there are none."""
    if ledger.has_start:
        return learn_more(load_bytes(ledger.read_start()), ledger, then.labels)
    return ledger.recipe.count(read_documents(ledger, then.labels)) if then.labels else None


def no_model(number: int) -> NeverLearned:
    return NeverLearned(f"after event {number} no document is learned, so there is no model.")


def find_training(ledger: "Ledger", then: LearnedDocuments) -> Training | None:
    """The last training; None if the model needs none, or if a document that it has seen was erased since."""
    training = then.training
    if training is None or not ledger.recipe.needs_training:
        return None
    later = [events for number, events in then.erasures if number > training.covers]
    if later:
        covered = ledger.find_learned(training.covers)
        seen = covered.erased.union(covered.labels)
        seen |= covered.offers | covered.erased_offers if ledger.history.reads_offers else frozenset()
        if not seen.isdisjoint(frozenset[int]().union(*later)):
            return None
    return training


def train_model(ledger: "Ledger", then: LearnedDocuments) -> Categorizer:
    """The model that is trained on these documents. With a sentence encoder or seeds, texts that wait for labels teach, too."""
    recipe = ledger.recipe.with_seeds(then.seeds)
    return recipe.train(read_documents(ledger, then.labels), read_offers(ledger, recipe, then.offers))


def read_offers(ledger: "Ledger", recipe: ModelOptions, offers: Set[int]) -> list[Documents] | None:
    """The texts of these offers; None if there are none, or if a model of these options can't learn from them.

    Each text comes once. Of many texts, those with the smallest keys are taken, which is as good as random.
    """
    if not offers or not recipe.reads_offers:
        return None
    with ledger.turn:  # nobody changes the history meanwhile
        known = ledger.history.labelling.offers
        by_key = {known[number].key: number for number in sorted(offers, reverse=True) if known[number].key}
    numbers = sorted(number for _, number in nsmallest(MAX_TEXTS, by_key.items()))
    read = list(take_bytes(event for event in ledger.pick_events(numbers) if not event.is_erased))
    return list(ledger.recipe.shape.read((strip_offer(event.details), "") for event in read)) or None


def take_bytes(offers: Iterator[Event]) -> Iterator[Event]:
    """The first offers with `MAX_BYTES` characters together, without blank ones."""
    size = 0
    for event in offers:
        text = event.details["text"]
        size += len(text)
        if size > MAX_BYTES:
            return
        if text.replace(SEPARATOR, "").strip():
            yield event


def read_documents(ledger: "Ledger", learned: Labelled) -> Iterator[Documents]:
    """These documents in batches, in the order of their events. A document that was erased meanwhile is left out."""
    found = (event for event in ledger.pick_events(learned) if not event.is_erased)
    return ledger.recipe.shape.read((event.details, learned[event.number]) for event in found)


def learn_more(model: Categorizer, ledger: "Ledger", learned: Labelled) -> Categorizer:
    """The model, which has learned these documents, too."""
    for batch in read_documents(ledger, learned):  # one after another: no other thread runs while counts are added
        model.learn(batch, later=True)
    return model


def change_counts(model: Categorizer, ledger: "Ledger", before: Labelled, after: Labelled) -> None:
    """Change the counts of a model from some documents to others, and nothing else.

    New documents are learned before old ones are forgotten. So a term that both have keeps the weight that it was trained with.
    """
    learn_more(model, ledger, pick_new(after, before))
    for batch in read_documents(ledger, pick_new(before, after)):
        model.forget(batch, later=True)


def pick_new(some: Labelled, others: Labelled) -> Labelled:
    """The documents that the others do not have with the same label."""
    nothing = object()
    return {number: label for number, label in some.items() if others.get(number, nothing) != label}


GONE = object()  # instead of the label of a document that is not learned


def find_label(history: History, number: int) -> Any:
    """The label of a document now, or GONE."""
    return history.find_label(number) if history.is_learned(number) else GONE


class ChangedLabels(NamedTuple):
    """The labels of documents that are learned, and of those that are forgotten."""

    new: Labelled
    gone: Labelled

    @classmethod
    def between(cls, before: Labelled, after: Labelled) -> "ChangedLabels":
        """From the labels before to the labels after, which are those of some documents. GONE says that one is not learned."""
        new = {n: label for n, label in after.items() if label is not GONE and before.get(n, GONE) != label}
        return cls(new, {n: before[n] for n, label in after.items() if before.get(n, label) != label})

    @classmethod
    def since(cls, ledger: "Ledger", number: int, before: Labelled) -> "ChangedLabels":
        """From the labels that documents had after this event to those of now."""
        history = ledger.history
        found = {history.find_document(event) for event in range(number + 1, history.last + 1)}
        return cls.between(before, {n: find_label(history, n) for n in found if n is not None})

    def read(self, ledger: "Ledger") -> "ReadChange":
        """The same with the documents."""
        return ReadChange(*self, list(read_documents(ledger, self.new)), list(read_documents(ledger, self.gone)))


@dataclass(frozen=True)
class ReadChange:
    """How a model gets from some documents to others: what it learns and forgets, in batches, and the labels of both."""

    new: Labelled
    gone: Labelled
    learned: Sequence[Documents]
    forgotten: Sequence[Documents]

    @classmethod
    def between(cls, ledger: "Ledger", before: Labelled, after: Labelled) -> "ReadChange":
        """From the labels before to the labels after, which are those of some documents. GONE says that one is not learned."""
        return ChangedLabels.between(before, after).read(ledger)

    @property
    def is_whole(self) -> bool:
        """Whether the texts of all documents were there. Another process may have erased some."""
        n_read = sum(len(batch.texts) for batch in (*self.learned, *self.forgotten))
        return n_read == len(self.new) + len(self.gone)

    def apply(self, model: Categorizer, labels: dict[int, Any]) -> None:
        """Change a model, and the labels of its documents."""
        for batch in self.learned:  # first: a term that both have keeps the weight that it was trained with
            model.learn(batch, later=True)
        for batch in self.forgotten:
            model.forget(batch, later=True)
        labels.update(self.new)
        for number in self.gone.keys() - self.new.keys():
            del labels[number]


def load_bytes(file: bytes) -> Categorizer:
    """The model of a model file."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "model.tercet")
        path.write_bytes(file)
        model = load(path)
    assert isinstance(model, Categorizer)
    model.files = {}
    return model


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
    """Change the counts of a model from some documents to others. Returns False if it would need the weight of a lost term, or
    can't have the others."""
    lost = count_lost(ledger, model, training, before)
    if lost is not None and brings_back(lost, model, list(read_documents(ledger, pick_new(after, before)))):
        return False
    return follow_training(model, ledger, before, after)
