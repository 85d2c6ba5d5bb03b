"""A cleaned copy of documents: what is safe to change without a person, with a reason for every change.

Label errors and contradictions are never changed: a person decides.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from tercet.auditing.doctor.checks import list_groups
from tercet.auditing.doctor.decoding import REPLACEMENT, repair_decoding
from tercet.auditing.doctor.examined import is_blank
from tercet.counts.near_copies import group_copies
from tercet.data.documents import Documents
from tercet.data.similar_labels import FORM, find_similar
from tercet.kernel.text.columns import SEPARATOR

REMOVED, REPAIRED, REPLACED = "removed", "text repaired", "label replaced"


class Change(NamedTuple):
    """A change of the document at a position, which is counted from 0 in the documents that were given."""

    position: int
    action: str
    reason: str
    before: str = ""  # the old text or label
    after: str = ""  # the new text or label
    first: int | None = None  # the position of the document that a removed one is a copy of


@dataclass(frozen=True, eq=False)
class Cleaning:
    """All changes, in the order of the documents."""

    changes: list[Change]

    def apply(self, documents: Documents, text_columns: Sequence[str] = (), label_column: str | None = None) -> Documents:
        """The cleaned documents. If their columns hold the texts and labels, too, name them: they change as well.

        >>> documents = Documents(["cafÃ©", "", "to be", "to be"], ["a", "b", "c", "c"])
        >>> clean(documents).apply(documents).texts
        ['café', 'to be']
        """
        texts, labels = list(documents.texts), documents.labels and list(documents.labels)
        columns = {name: list(cells) for name, cells in documents.columns.items()}
        for change in self.changes:
            if change.action == REPAIRED:
                texts[change.position] = change.after
                cells = change.after.split(SEPARATOR) if len(text_columns) > 1 else [change.after]
                for name, cell in zip(text_columns, cells, strict=True) if text_columns else ():
                    columns[name][change.position] = cell
            elif change.action == REPLACED:
                labels[change.position] = change.after
                if label_column is not None:
                    columns[label_column][change.position] = change.after
        removed = {change.position for change in self.changes if change.action == REMOVED}
        kept = [position for position in range(len(texts)) if position not in removed]
        return replace(documents, texts=texts, labels=labels, columns=columns).pick(kept)


def clean(documents: Documents) -> Cleaning:
    """What to change in documents whose texts and labels are lists.

    Wrongly decoded texts are repaired if no character is lost. Labels that differ from a more frequent label only by case,
    blanks, hyphens, underscores or Unicode form are replaced by it. Then empty texts are removed, and copies of a text with the
    same label, except for the first. If copies have different labels, all of them stay.

    >>> [change.reason for change in clean(Documents(["to be", "to be"], ["x", "X"])).changes]
    ["the label 'x' is a spelling of 'X'", 'an earlier document has the same text and label']
    """
    changed = [*_repair_texts(documents.texts), *_replace_labels(documents.labels)]
    cleaned = Cleaning(changed).apply(documents)
    removed = [*_find_empty(cleaned.texts), *_find_copies(cleaned.texts, cleaned.labels)]
    order = {REPAIRED: 0, REPLACED: 1, REMOVED: 2}
    return Cleaning(sorted([*changed, *removed], key=lambda change: (change.position, order[change.action])))


def _repair_texts(texts: Sequence[str]) -> Iterator[Change]:
    for position, text in enumerate(texts):
        repaired = text if text.isascii() or REPLACEMENT in text else repair_decoding(text)
        if repaired != text:
            yield Change(position, REPAIRED, "its characters were the bytes of other characters", text, repaired)


def _replace_labels(labels: Sequence[Any] | None) -> Iterator[Change]:
    if labels is None or not all(isinstance(label, str) for label in labels):
        return
    better = {similar.label: similar.better for similar in find_similar(Counter(labels)) if similar.difference == FORM}
    for position, label in enumerate(labels):
        if label in better:
            yield Change(position, REPLACED, f"the label {label!r} is a spelling of {better[label]!r}", label, better[label])


def _find_empty(texts: Sequence[str]) -> Iterator[Change]:
    return (Change(position, REMOVED, "it has no text") for position, text in enumerate(texts) if is_blank(text))


def _find_copies(texts: Sequence[str], labels: Sequence[Any] | None) -> Iterator[Change]:
    """The copies that may be removed: all documents of the text have one label."""
    for group in list_groups(group_copies(texts)):
        agree = labels is None or len({labels[position] for position in group}) == 1
        if agree and not is_blank(texts[group[0]]):
            reason = "an earlier document has the same text" + ("" if labels is None else " and label")
            yield from (Change(position, REMOVED, reason, first=group[0]) for position in group[1:])
