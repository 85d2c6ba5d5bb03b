"""What can be written into a ledger: for each verb, a change that makes drafts of events, or refuses.

A change is called when its turn has come, with the history of all events before it. If it raises an error, nothing is written.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any

from tercet.categorizer.files.hand_check import HandCheck
from tercet.data.document_batches import list_texts
from tercet.data.documents import Documents
from tercet.errors import ErasedSince, InvalidOption, InvalidText, NeverLearned, bad_option, suggest
from tercet.ledger.documents import DocumentShape, derive_key, list_labels
from tercet.ledger.events import Draft, Event, check_name
from tercet.ledger.history import History
from tercet.ledger.labelling import KINDS, LABEL, MAX_OFFERED, NOTE, Proposal, derive_offer_key, strip_offer
from tercet.ledger.model_options import ModelOptions
from tercet.options import check_choice, check_count

Change = Callable[[History], Sequence[Draft]]


def learn(recipe: ModelOptions, documents: Documents, subjects: Sequence[str | None] | None, verb: str = "learn") -> Change:
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


def relabel(recipe: ModelOptions, documents: Documents, old: Any = None) -> Change:
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


def relabel_event(recipe: ModelOptions, number: int, label: Any) -> Change:
    """Give the document of this event a new label."""
    (checked,) = list_labels([label], 1)
    recipe.check_labels([checked])

    def change(history: History) -> list[Draft]:
        history.check_document(number)
        history.check_labels([checked])
        return [Draft("relabel", {"label": checked}, number)]

    return change


def undo(number: int) -> Change:
    """Undo an event, and what followed from it if it is a judgment."""

    def change(history: History) -> list[Draft]:
        history.check_undo(number)
        act = history.labelling.find_act(number)
        follows = [] if act is None or not history.is_in_effect(act) else [act]
        return [Draft("undo", target=each) for each in (number, *follows)]

    return change


def offer(
    shape: DocumentShape,
    documents: Documents,
    pool: str,
    rows: Sequence[int | None] | None = None,
    subjects: Sequence[str | None] | None = None,
) -> Change:
    """Offer texts for labelling, in a pool. A text that the pool has already is left out.

    `rows` are the rows of the file that the texts came from.
    """
    check_name("a pool", pool)
    contents = write_unlabelled(shape, documents)
    check_lengths(contents)
    keys, persons = [derive_offer_key(content) for content in contents], check_subjects(subjects, len(contents))
    places = [{} if row is None else {"row": row} for row in rows or [None] * len(contents)]

    def change(history: History) -> list[Draft]:
        first = {key: place for place, key in reversed([*enumerate(keys)])}  # the first of several copies
        fresh = sorted(place for key, place in first.items() if history.labelling.find_same(pool, key) is None)
        return [Draft("offer", {**contents[i], **places[i], "pool": pool}, subject=persons[i]) for i in fresh]

    return change


def check_lengths(contents: Sequence[Mapping[str, Any]]) -> None:
    """Raise InvalidText if a text is too long to be judged: a thousand of them are held in memory to suggest the next one."""
    longest = max((len(content["text"]) for content in contents), default=0)
    if longest > MAX_OFFERED:
        raise InvalidText(
            f"a text of {longest} characters is too long to be judged: {MAX_OFFERED} are the most. Send a part of it. Nothing "
            "is written."
        )


def withdraw(pool: str) -> Change:
    """Delete a pool: nobody is asked for its texts any more. What was learned stays learned; the history keeps the texts."""

    def change(history: History) -> list[Draft]:
        pools = history.labelling.pools
        if pool not in pools:
            raise InvalidOption(f"there is no pool {pool!r}.{suggest(pool, pools)} Nothing is written.")
        return [Draft("withdraw", {"pool": pool})]

    return change


def change_seeds(recipe: ModelOptions, seeds: Any, *, has_start: bool) -> Change:
    """Tell the model something else of its labels, or nothing (None). The next training uses it.

    `has_start` says whether the ledger begins with a model whose documents it does not have.
    """
    if has_start:
        raise InvalidOption(
            "the ledger does not have the first documents of its model, so it can't be trained with other seeds: train a new "
            "model from all documents, and begin a ledger with it. Nothing is written."
        )
    settings = recipe.with_seeds(seeds).settings
    written = None if settings.seeds is None else settings.seeds.to_dict()

    def change(history: History) -> list[Draft]:
        return [] if history.find_seeds(history.last) == written else [Draft("seeds", {"seeds": written})]

    return change


def write_unlabelled(shape: DocumentShape, documents: Documents) -> list[dict[str, Any]]:
    """The contents of documents without labels."""
    no_labels = [""] * len(list_texts(documents.texts))
    given = Documents(documents.texts, no_labels, None, documents.columns, text_columns=documents.text_columns)
    return [strip_offer(content) for content in shape.write(given)]


@dataclass(frozen=True)
class Verdict:
    """What somebody says of an offered text: see `Judgment`. `judges` is how many people have to agree before it is learned.

    `settles` says that its author has seen the judgments of others: then it is learned, whatever they said.
    """

    kind: str = LABEL
    label: Any = None
    note: str | None = None
    proposal: Proposal | None = None
    learn: bool = True
    judges: int = 1
    settles: bool = False

    def check(self, recipe: ModelOptions) -> "Verdict":
        """The same, with its label as JSON writes it. Raises an error if it is not a good one."""
        check_choice("kind", self.kind, KINDS)
        check_count("judges", self.judges)
        if (self.kind == LABEL) != (self.label is not None):
            raise InvalidOption(f"a judgment of the kind {LABEL!r} gives a label, and no other does. Nothing is written.")
        if self.proposal is not None and not 0 <= self.proposal.probability <= 1:
            raise bad_option("probability", "a number from 0 to 1", self.proposal.probability, "it is that of a label.")
        if self.kind == NOTE and not self.note:
            raise InvalidOption("a note is empty: write something. Nothing is written.")
        if self.label is None:
            return self
        (label,) = list_labels([self.label], 1)
        recipe.check_labels([label])
        return replace(self, label=label)

    def write(self) -> dict[str, Any]:
        """The content of its event."""
        proposal = None if self.proposal is None else self.proposal._asdict()
        known = {"label": self.label, "note": self.note, "proposal": proposal, "settles": self.settles or None}
        return {"kind": self.kind, **{name: value for name, value in known.items() if value is not None}}


def judge(recipe: ModelOptions, offered: Event, verdict: Verdict, actor: str) -> Change:
    """Judge an offered text. If enough people agree on its label, it is learned, too; or relabelled, if it was learned before.

    Once learned, it is unlearned if nobody gives it a label any more. `offered` is the event of the offer.
    """
    verdict, content = verdict.check(recipe), strip_offer(offered.details)

    def change(history: History) -> list[Draft]:
        history.labelling.check_offer(offered.number)
        return write_judgment(history, offered.number, content, offered.subject, verdict, actor)

    return change


def correct(recipe: ModelOptions, document: Documents, verdict: Verdict, pool: str, subject: str | None, actor: str) -> Change:
    """Offer one text if it is new, and judge it at once. Its label is learned, whatever others said of it."""
    verdict, (content,) = replace(verdict, settles=True).check(recipe), write_unlabelled(recipe.shape, document)
    offered, key = offer(recipe.shape, document, pool, subjects=[subject]), derive_offer_key(content)

    def change(history: History) -> list[Draft]:
        known = history.labelling.find_same(pool, key)
        number = history.last + 1 if known is None else known
        return [*offered(history), *write_judgment(history, number, content, subject, verdict, actor)]

    return change


def write_judgment(
    history: History, number: int, content: Mapping[str, Any], subject: str | None, verdict: Verdict, actor: str
) -> list[Draft]:
    """A judgment of the offer with this number, and what follows from it: the text is learned, relabelled or unlearned."""
    proposed = None if verdict.proposal is None else verdict.proposal.label
    history.check_labels(label for label in (verdict.label, proposed) if label is not None)
    act = derive_act(history, number, verdict, actor) if verdict.learn else None
    if act is None:
        return [Draft("judge", verdict.write(), number)]
    if act.verb == "learn":
        act = Draft("learn", {**content, "label": verdict.label}, number, subject)
    return [Draft("judge", {**verdict.write(), "acts": True}, number), act]


def derive_act(history: History, number: int, verdict: Verdict, actor: str) -> Draft | None:
    """What follows from a judgment of an offer, which may be a new one. A document to learn is not written yet."""
    labelling = history.labelling
    is_new = number not in labelling.offers
    others = [] if is_new else [own.label for own in labelling.list_labels(number) if own.actor != actor]
    document = None if is_new else labelling.find_document(number)
    if verdict.kind != LABEL:
        is_left = verdict.kind == NOTE or others or document is None
        return None if is_left else Draft("unlearn", target=document)
    are_agreed = len(others) + 1 >= verdict.judges and all(label == verdict.label for label in others)
    if not are_agreed and not verdict.settles:
        return None
    if document is None:
        return Draft("learn")
    is_same = history.find_label(document) == verdict.label
    return None if is_same else Draft("relabel", {"label": verdict.label}, document)


def check(found: HandCheck, covers: int | None) -> Change:
    """Write down a check by hand of the model of an event. None says that the model has changed since it was checked.

    A digest of the model would let one test a guess of texts that are erased later. So the event has none, unless the check
    came with a model file and is out of date: then an erasure deletes it.
    """
    content = (found if covers is None else found.belong_to("")).to_dict()

    def change(history: History) -> list[Draft]:
        if covers is not None and not 1 <= covers <= history.last:
            raise InvalidOption(f"there is no event {covers}: the last one is {history.last}. Nothing is written.")
        return [Draft("check", content, covers)]

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
        found = [number for number in history.find_documents(derive_key(content)) if number not in taken]
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
