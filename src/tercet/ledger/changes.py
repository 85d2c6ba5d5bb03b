"""What can be written into a ledger: for each verb, a change that makes drafts of events, or refuses.

A change is called when its turn has come, with the history of all events before it. If it raises an error, nothing is written.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from tercet.data.documents import Documents
from tercet.errors import ErasedSince, InvalidOption, NeverLearned
from tercet.ledger.documents import DocumentShape, find_key, list_labels
from tercet.ledger.events import Draft, check_name
from tercet.ledger.history import History
from tercet.ledger.recipe import Recipe

Change = Callable[[History], Sequence[Draft]]


def learn(recipe: Recipe, documents: Documents, subjects: Sequence[str | None] | None, verb: str = "learn") -> Change:
    """Learn documents. `subjects` are the persons whom they are about; None for a document about nobody."""
    contents = recipe.shape.write(documents)
    recipe.check_labels(content["label"] for content in contents)
    persons = check_subjects(subjects, len(contents))

    def change(history: History) -> list[Draft]:
        history.check_labels(content["label"] for content in contents)
        return [Draft(verb, content, subject=person) for content, person in zip(contents, persons, strict=True)]

    return change


def check_subjects(subjects: Sequence[str | None] | None, n: int) -> list[str | None]:
    """The person of each document, or None."""
    if subjects is None:
        return [None] * n
    if len(subjects) != n:
        raise InvalidOption(f"there are {n} documents and {len(subjects)} subjects: give one for each document, or None.")
    return [None if subject is None else check_name("a subject", subject) for subject in subjects]


def unlearn(shape: DocumentShape, documents: Documents) -> Change:
    """Unlearn documents, given by their contents. Of several copies, the last one is unlearned first."""
    contents = shape.write(documents)

    def change(history: History) -> list[Draft]:
        labels = [content["label"] for content in contents]
        return [Draft("unlearn", target=number) for number in find_events(history, contents, labels)]

    return change


def unlearn_events(numbers: Iterable[int]) -> Change:
    """Unlearn the documents of these events."""
    targets = list(dict.fromkeys(numbers))

    def change(history: History) -> list[Draft]:
        for number in targets:
            history.check_document(number)
        return [Draft("unlearn", target=number) for number in targets]

    return change


def relabel(recipe: Recipe, documents: Documents, old: Any = None) -> Change:
    """Give documents new labels: those of `documents`. `old` are the labels that they have now, if several copies differ."""
    contents = recipe.shape.write(documents)
    recipe.check_labels(content["label"] for content in contents)
    before = [None] * len(contents) if old is None else list_labels(old, len(contents))

    def change(history: History) -> list[Draft]:
        labels = [content["label"] for content in contents]
        history.check_labels(labels)
        numbers = find_events(history, contents, before)
        return [Draft("relabel", {"label": label}, number) for label, number in zip(labels, numbers, strict=True)]

    return change


def relabel_event(recipe: Recipe, number: int, label: Any) -> Change:
    """Give the document of this event a new label."""
    (checked,) = list_labels([label], 1)
    recipe.check_labels([checked])

    def change(history: History) -> list[Draft]:
        history.check_document(number)
        history.check_labels([checked])
        return [Draft("relabel", {"label": checked}, number)]

    return change


def undo(number: int) -> Change:
    """Undo an event."""

    def change(history: History) -> list[Draft]:
        history.check_undo(number)
        return [Draft("undo", target=number)]

    return change


def note_training(covers: int) -> Change:
    """Say that the model was trained on all documents up to this event."""
    from tercet import __version__

    def change(history: History) -> list[Draft]:
        if not 1 <= covers <= history.last:
            raise InvalidOption(f"a training can't cover event {covers}: the last one is {history.last}. Nothing is written.")
        return [Draft("train", {"version": __version__}, covers)]

    return change


def finish_training(covers: int, documents: AbstractSet[int], last: int, description: Mapping[str, Any] | None) -> Change:
    """Say that the model was trained on these documents, which were learned at the event that the training covers.

    If there is a description of the model, and `last` is still the last event, the model is published, too. If one of the
    documents was erased meanwhile, the training is refused.
    """
    trained = note_training(covers)

    def change(history: History) -> list[Draft]:
        if any(number > covers and not erased.isdisjoint(documents) for number, erased in history.erasures):
            raise ErasedSince("documents were erased while the model was trained on them: train it again. Nothing is written.")
        drafts = [*trained(history)]
        if description is not None and last == history.last:
            drafts.append(Draft("publish", description, last + 1))
        return drafts

    return change


def publish(number: int, description: Mapping[str, Any]) -> Change:
    """Say that the model of an event is published, and what its checksums are.

    If documents were erased since, they would let one test a guess of the erased texts.
    """

    def change(history: History) -> list[Draft]:
        if history.erasures and history.erasures[-1][0] > number:
            raise ErasedSince(
                f"documents were erased after event {number}, so its model is not published any more: publish the one of now. "
                "Nothing is written."
            )
        return [Draft("publish", description, number)]

    return change


def find_events(history: History, contents: Sequence[Any], labels: Sequence[Any]) -> list[int]:
    """The event of each learned document, each once. A label of None is the only label that the document was learned with."""
    taken: dict[int, None] = {}  # in the order of the documents
    for place, (content, label) in enumerate(zip(contents, labels, strict=True)):
        found = [number for number in history.find_documents(find_key(content)) if number not in taken]
        own = {number: history.find_label(number) for number in found}
        if label is None and len(set(own.values())) > 1:
            several = ", ".join(map(repr, sorted(set(own.values()))))
            raise NeverLearned.at(
                place, f"was learned with several labels ({several}): give the old label. Nothing is written."
            )
        number = next((number for number in found if label is None or own[number] == label), None)
        if number is None:
            raise NeverLearned.at(
                place,
                "was never learned in this ledger with this label and weight, or is unlearned already: nothing is written.",
            )
        taken[number] = None
    return list(taken)
