"""`audit_groups`: labelled documents with columns of groups → how good a model's answers are for each group."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tercet.auditing.answers import find_compared
from tercet.auditing.columns import Column, check_columns, describe_variants, read_whole
from tercet.categorizer.categorizer import Decisions
from tercet.categorizer.learned_texts import count_learned, describe_learned
from tercet.counts.labels import Labels, encode_labels, place_labels
from tercet.data.documents import Documents
from tercet.errors import InvalidLabel, InvalidOption, is_missing, shorten
from tercet.evaluation.group_differences import MISSING, GroupColumn, JudgedAnswers, compare_groups
from tercet.evaluation.intervals import check_confidence
from tercet.options import check_names
from tercet.report.group_audit import GroupAudit
from tercet.report.report import MOST_SLICES
from tercet.report.tables import pluralize

MOST_LABELS = 5  # labels that are compared one by one if no positive label is named
N_NAMED = 3  # unknown labels that a remark names


def audit_groups(
    categorizer: Decisions, documents: Any, by: str | Sequence[str], *, positive: Any = None, confidence: float = 0.95
) -> GroupAudit:
    """How much better or worse a model's answers are for each group of documents than for all others.

    `documents` have gold labels, and were not learned. `by` names the columns of groups, such as gender. Each value of a column
    is compared with all other documents that have a value there: accuracy, and for the positive label the false-positive rate,
    the false-negative rate, and the three areas under ROC curves of Borkan et al. (2019). The positive label is `positive`, or
    with two labels the last in sorted order. With three to five labels, each label is compared with all others together; with
    more labels only accuracy is compared, unless `positive` names a label. Holm's method corrects all p-values together.
    Nothing is drawn at random, so there is no seed. Weights of documents are ignored.

    >>> from tercet import Categorizer, Documents
    >>> model = Categorizer().fit(["a good film", "a bad film", "so good", "so bad"], ["pos", "neg", "pos", "neg"])
    >>> texts, labels = ["good day", "bad day", "good grief", "bad bad"] * 30, ["pos", "neg", "neg", "neg"] * 30
    >>> audit = audit_groups(model, Documents(texts, labels, columns={"source": ["a", "a", "b", "b"] * 30}), "source")
    >>> print(audit.findings[0])
    source=a: accuracy is 1.000 [0.940, 1.000], 0.500 [0.375, 0.625] above source=b (p = 6e-10 after correction for 2 tests).
    """
    names = check_names("by", [by] if isinstance(by, str) else by)
    check_confidence(confidence)
    read = _read(documents, categorizer.classes_)
    check_columns(read.columns, names)
    columns = [_encode_column(name, read.columns[name]) for name in names]
    answers = _judge(categorizer, read)
    n_learned = count_learned(categorizer, read)
    compared = find_compared(answers.labels, positive)
    positives = compared if len(compared) <= MOST_LABELS else []
    return GroupAudit(
        n=len(read.texts),
        differences=compare_groups(answers, columns, positives, confidence),
        remarks=tuple(_list_remarks(n_learned, read, columns, answers, positives)),
        confidence=confidence,
        n_learned=n_learned,
    )


def _read(documents: Any, labels: Labels) -> Documents:
    """All documents in memory. Gold labels from a file are texts: they get the type of the model's labels, such as int."""
    read = read_whole(documents)
    if read.labels is None:
        raise InvalidLabel("the documents have no labels: how good answers are is known only beside gold labels. Add them.")
    known = {str(label): label for label in labels.tolist()}
    return replace(read, labels=[label if is_missing(label) else known.get(str(label), label) for label in read.labels])


def _encode_column(name: str, cells: Sequence[Any]) -> GroupColumn:
    column = Column.encode(cells)
    column.check_groups(name)
    if len(column.values) > MOST_SLICES:
        raise InvalidOption(
            f"the column {name!r} has {len(column.values)} different values: is it an id? A group has many documents. Name "
            "another column, or put numbers in bins first."
        )
    return GroupColumn(name, *column)


def _judge(categorizer: Decisions, documents: Documents) -> JudgedAnswers:
    """The model's answers beside the gold labels. It is an error if the model knows no gold label."""
    labels = categorizer.classes_
    found, codes = encode_labels(documents.labels)
    known = place_labels(found, labels)
    if (known < 0).all():
        shown = shorten(", ".join(map(repr, found.tolist())), 100), shorten(", ".join(map(repr, labels.tolist())), 100)
        raise InvalidLabel(
            f"the model knows none of the labels of the documents: {shown[0]}. It knows {shown[1]}, so no answer could be "
            "right. Take the column that has the labels."
        )
    probabilities = categorizer.predict_proba(documents)
    return JudgedAnswers(labels, known[codes], probabilities.argmax(axis=1), probabilities)


def _list_remarks(
    n_learned: int, documents: Documents, columns: Sequence[GroupColumn], answers: JudgedAnswers, positives: list[int]
) -> Iterator[str]:
    if learned := describe_learned(n_learned, len(documents.texts), "The model"):
        yield learned
    if unknown := Counter(label for label, place in zip(documents.labels, answers.gold, strict=True) if place < 0):
        listed = ", ".join(f"{shorten(repr(label), 60)} ({count})" for label, count in unknown.most_common(N_NAMED))
        more = f" and {len(unknown) - N_NAMED} more" if len(unknown) > N_NAMED else ""
        yield (
            f"The model does not know {pluralize(len(unknown), 'label')} of {unknown.total()} documents, whose answers count "
            f"as wrong: {listed}{more}."
        )
    for name, values, codes in columns:
        yield from describe_variants(name, values)
        if n_missing := int(np.sum(codes == MISSING)):
            verb = "is" if n_missing == 1 else "are"
            yield f"{pluralize(n_missing, 'document')} without a value in {name!r} {verb} left out of its comparisons."
    if not positives:
        yield (
            f"The model has {len(answers.labels)} labels, so only accuracy is compared. With a positive label, an audit also "
            "compares its false-positive rate, its false-negative rate and its areas under ROC curves."
        )
