"""The documents that are examined: data, and maybe test documents, in memory, each with its place."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tercet.arrays import Integers
from tercet.auditing.doctor.diagnosis import BAD_ROW, KINDS, Finding, Place
from tercet.cached import cached_property
from tercet.counts.labels import encode_labels
from tercet.counts.near_copies import find_leaks
from tercet.data.document_batches import Places, join_batches, list_texts, open_batches
from tercet.data.documents import name_file
from tercet.data.id_labels import describe_ids, looks_like_ids
from tercet.data.reading import DocumentStream
from tercet.data.similar_labels import SimilarLabel, find_similar
from tercet.errors import BadRow, EmptyVocabulary, InvalidLabel, InvalidMatrix, InvalidOption
from tercet.kernel.text.columns import SEPARATOR
from tercet.report.tables import pluralize

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

    from tercet.auditing.doctor.label_errors import LabelErrors
    from tercet.categorizer.categorizer import Categorizer

DATA, TEST = "data", "test"
MAX_LENGTH = 300  # characters of a text that a finding has


def is_blank(text: str) -> bool:
    """Whether there is nothing in any column of the text.

    >>> is_blank(" \\x1f\\n"), is_blank("a")
    (True, False)
    """
    return not text.replace(SEPARATOR, "").strip()


@dataclass(frozen=True, eq=False)
class ExaminedPart:
    """The data, or the test documents. `columns` are those beside text, label and weight."""

    name: str  # DATA or TEST
    source: str  # the name of the file; empty for documents in memory
    texts: list[str]
    labels: list[Any] | None
    columns: Mapping[str, Sequence[Any]]
    places: Places
    bad_rows: Sequence[BadRow] = ()
    n_bad: int = 0
    notes: tuple[str, ...] = ()
    label_column: str = ""  # its name, if the documents were read from a table

    @classmethod
    def read(cls, documents: Any, name: str) -> "ExaminedPart":
        """All documents of a container or a stream."""
        places, what = Places(), "test documents" if name == TEST else "documents"
        batches = (replace(batch, texts=list_texts(batch.texts)) for batch in open_batches(documents))
        found = list(places.follow(batches))
        if not len(places):
            bad = getattr(documents, "bad_rows", None)
            why = f"all rows are bad, such as {bad[0]}" if bad else "give at least one."
            raise InvalidOption(f"there are no {what} to examine: {why}")
        joined, n = join_batches(found), len(places)
        labels = _check_labels(joined.labels, n, what)
        columns = {column: _check_column(column, cells, n) for column, cells in joined.columns.items()}
        part = cls(name, "", joined.texts, labels, columns, places)
        part = part._read_facts(documents) if isinstance(documents, DocumentStream) else part
        return part._drop_ids()

    def _read_facts(self, stream: DocumentStream) -> "ExaminedPart":
        """The same with what the stream knows: the columns of text and label are no other columns."""
        fields = stream.fields
        own = () if fields is None else (*fields.texts, fields.label, fields.weight)
        columns = {name: cells for name, cells in self.columns.items() if name not in own}
        label = "" if fields is None else fields.label or ""
        known = replace(self, source=stream.name, columns=columns, label_column=label)
        return replace(known, bad_rows=stream.bad_rows, n_bad=stream.n_bad)

    def _drop_ids(self) -> "ExaminedPart":
        """Without labels if they look like ids: nearly every document has its own."""
        if self.labels is None or not looks_like_ids(len(self), n_labels := len(set(self.labels))):
            return self
        found = describe_ids(len(self), n_labels, self.label_column)
        note = f"The labels of {self.source or self.name} are not examined: {found}"
        return replace(self, labels=None, notes=(note,))

    def __len__(self) -> int:
        return len(self.texts)

    def place(self, position: int) -> Place:
        """Where the document at this position is."""
        return Place(self.name, position, name_file(self.places.find(position)), self.places.find_row(position))

    def make_finding(
        self, kind: str, position: int, sentence: str, others: Iterable[Place] = (), *, strength: float = 1.0
    ) -> Finding:
        """A finding about the document at this position."""
        label = None if self.labels is None else self.labels[position]
        beginning = self.texts[position][:MAX_LENGTH].replace(SEPARATOR, " · ")
        severity, _, remedy = KINDS[kind]
        return Finding(kind, severity, self.place(position), label, beginning, sentence, remedy, tuple(others), strength)

    def describe_bad_rows(self) -> Iterable[Finding]:
        """A finding for each row that the reader could not make a document of."""
        severity, _, remedy = KINDS[BAD_ROW]
        for error in self.bad_rows:
            file = name_file(error.place)
            line = error.place.removeprefix(file).lstrip(", ")  # "line 17"; a row may have several lines
            sentence = f"{line}: {error.reason}" if line else error.reason
            yield Finding(BAD_ROW, severity, Place(self.name, None, file), None, "", sentence, remedy)

    def describe(self) -> str:
        """How many documents and labels there are."""
        labels = "no labels" if self.labels is None else pluralize(len(self.label_counts), "label")
        return f"{self.source or self.name} ({pluralize(len(self), 'document')}, {labels})"

    @cached_property
    def label_counts(self) -> dict[Any, int]:
        """How many documents have each label, the most frequent label first; ties in the order of their spelling."""
        counts = Counter(self.labels or ())
        return dict(sorted(counts.items(), key=lambda item: (-item[1], str(item[0]))))

    @cached_property
    def codes(self) -> Integers:
        """The index of each document's label in `label_counts`."""
        numbers = {label: number for number, label in enumerate(self.label_counts)}
        return np.array([numbers[label] for label in self.labels or ()], np.int64)

    @cached_property
    def joined_counts(self) -> dict[Any, int]:
        """How many documents have each label, if all spellings of it are one label; the most frequent label first."""
        return join_spellings(self.label_counts, self.similar_labels)

    @cached_property
    def similar_labels(self) -> list[SimilarLabel]:
        """The labels that are probably other spellings of more frequent labels."""
        return list_similar(self.label_counts)

    @cached_property
    def _first_positions(self) -> dict[Any, int]:
        labels = self.labels or ()
        return {label: len(labels) - 1 - position for position, label in enumerate(reversed(labels))}

    def find_first(self, label: Any) -> int:
        """The position of the first document with this label."""
        return self._first_positions[label]


def list_similar(counts: Mapping[Any, int]) -> list[SimilarLabel]:
    """The labels that are probably spellings of others. Only text is spelled."""
    return find_similar(counts) if all(isinstance(label, str) for label in counts) else []


def join_spellings(counts: Mapping[Any, int], similar: Iterable[SimilarLabel]) -> dict[Any, int]:
    """How many documents have each label, if all spellings of it are one label; the most frequent label first.

    >>> counts = {"good": 7, "bad": 6, "Bad": 2}
    >>> join_spellings(counts, list_similar(counts))
    {'bad': 8, 'good': 7}
    """
    better = {each.label: each.better for each in similar}
    joined = Counter[Any]()
    for label, n in counts.items():
        joined[better.get(label, label)] += n
    return dict(sorted(joined.items(), key=lambda item: (-item[1], str(item[0]))))


@dataclass(frozen=True, eq=False)
class Examined:
    """The data and, if there are any, the test documents. Some checks number all documents: the data first, then the test."""

    data: ExaminedPart
    test: ExaminedPart | None
    categorizer: "Categorizer | None" = None  # judges labels

    @property
    def parts(self) -> tuple[ExaminedPart, ...]:
        return (self.data,) if self.test is None else (self.data, self.test)

    @cached_property
    def texts(self) -> list[str]:
        return [text for part in self.parts for text in part.texts]

    def locate(self, number: int) -> tuple[ExaminedPart, int]:
        """The part of the document with this number, and its position there."""
        if self.test is None or number < len(self.data):
            return self.data, number
        return self.test, number - len(self.data)

    @cached_property
    def similar_labels(self) -> list[SimilarLabel]:
        """The labels of all parts together that are probably other spellings of more frequent labels."""
        if self.test is None:
            return self.data.similar_labels
        return list_similar(Counter(self.data.label_counts) + Counter(self.test.label_counts))

    @cached_property
    def leaks(self) -> list[tuple[int, int]]:
        """The positions of equal texts that are not blank: the first in the data, and each one in the test documents."""
        assert self.test is not None
        pairs = find_leaks(self.data.texts, self.test.texts).tolist()
        return [(in_data, in_test) for in_data, in_test in pairs if not is_blank(self.test.texts[in_test])]

    @cached_property
    def label_errors(self) -> "LabelErrors":
        from tercet.auditing.doctor.label_errors import find_label_errors

        return find_label_errors(self.data.texts, self.data.labels, categorizer=self.categorizer)

    @cached_property
    def words(self) -> "tuple[csr_matrix, list[str]]":
        """Which document has which word, documents × words, and the words."""
        from tercet.counts.counter import TermCounter

        texts, counter = self.texts, TermCounter("words", binary=True)
        try:
            return counter.fit_transform(texts), counter.get_feature_names_out().tolist()
        except EmptyVocabulary:  # no text has a word, so there is not one column
            return TermCounter(vocabulary=["a"]).transform(texts)[:, :0], []

    @cached_property
    def n_words(self) -> Integers:
        """The number of different words of each document."""
        return np.diff(self.words[0].indptr).astype(np.int64)


def _check_labels(labels: Any, n: int, what: str) -> list[Any] | None:
    """One label for each document, or None."""
    if labels is None:
        return None
    names, codes = encode_labels(labels)
    if len(codes) != n:
        raise InvalidLabel(f"there are {n} {what} and {len(codes)} labels: each document needs one, in the same order.")
    listed: list[Any] = names[codes].tolist()
    return listed


def _check_column(name: str, cells: Any, n: int) -> list[Any]:
    listed = list(cells)
    if len(listed) != n:
        raise InvalidMatrix(f"the column {name!r} has {len(listed)} values for {n} documents: each document needs one.")
    return listed
