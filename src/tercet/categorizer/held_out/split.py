"""`split`: documents → training, dev and test documents. Copies of a text, and groups, stay on one side."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tercet.arrays import Integers
from tercet.categorizer.held_out.held_out import number_rows
from tercet.counts.fingerprints import fingerprint_texts
from tercet.counts.label_sets import DocumentLabels, are_sets, is_matrix
from tercet.counts.labels import encode_labels
from tercet.data.document_batches import join_batches, open_batches
from tercet.data.documents import Documents
from tercet.errors import InvalidLabel, InvalidOption, bad_option, shorten
from tercet.evaluation.checked_labels import encode_group_column
from tercet.evaluation.sets.set_splits import split_sets
from tercet.evaluation.splits import Split, split_documents
from tercet.kernel.batches import batches
from tercet.options import check_choice, check_flag, is_list, is_number, n_threads
from tercet.report.tables import pluralize

DEFAULT_TEST = 0.2


@dataclass(frozen=True, eq=False)
class DocumentSplit:
    """The documents of each part, in the order of the input. It can be unpacked: `train, test = tercet.split(documents)`.

    - `dev` is None if no dev part was asked for. With a dev part it is `train, dev, test = tercet.split(documents, dev=0.1)`.
    - `positions`: where the documents of each part are in the input.
    - `n_copies`: the number of documents whose text another document has, too.
    - `n_leaks`: the number of dev and test documents whose text a training document has, too. 0 if copies stay together.
    """

    train: Documents
    dev: Documents | None
    test: Documents
    positions: Split
    n_copies: int
    n_leaks: int

    @property
    def parts(self) -> dict[str, Documents]:
        """The parts by their names."""
        named = {"train": self.train, "dev": self.dev, "test": self.test}
        return {name: part for name, part in named.items() if part is not None}

    def __iter__(self) -> Iterator[Documents]:
        return iter(self.parts.values())

    def __repr__(self) -> str:
        sizes = ", ".join(f"{len(part.texts)} {name}" for name, part in self.parts.items())
        return f"DocumentSplit({sizes} documents; {self.describe_copies()})"

    def describe_copies(self) -> str:
        """How many documents are copies, and whether some of them are on both sides."""
        if not self.n_copies:
            return "no copies"
        if not self.n_leaks:
            return f"{self.n_copies} have copies, which are on the same side"
        return f"{self.n_copies} have copies; of {pluralize(self.n_leaks, 'held-out document')} a copy is in train"


def split(
    documents: Any,
    labels: Any = None,
    *,
    test: float | None = None,
    dev: float = 0.0,
    every: int | None = None,
    stratify: bool = True,
    groups: Any = None,
    copies: str = "all",
    seed: int = 0,
) -> DocumentSplit:
    """Documents for training and for testing, and for development if `dev` is given.

    Documents are given as for `Categorizer.fit`: texts and labels in lists, as Documents, or as a stream of Documents, which
    is read into memory. A document may also have several labels, in a list, tuple or set, or as an indicator
    matrix, which becomes lists of its columns.

    - `test`, `dev`: shares of all documents. By default `test` is 0.2, and there is no dev part.
    - `every`: instead of a share, every n-th document of each label is a test document, from its first on.
    - `stratify`: each part has the labels in proportion, to within one document. Without it, labels are not needed, and
      `every` takes every n-th of all documents.
    - `groups`: the name of a column, or an array with a value for each document, such as the author: the documents of a group
      stay on one side.
    - `copies`: `"all"`, all documents of the same text stay on one side; `"own"`, each document has its own side. With `every`
      the positions decide, and copies may be on both sides: see `n_leaks`.
    - `seed`: the random seed. The side of a document does not depend on the order of the documents, except with `every`.

    Groups are drawn as a whole. If they are large, the shares are only approximate.

    Several labels of a document are stratified iteratively (Sechidis et al. 2011): the rarest label goes first, and each of its
    documents goes to the part that lacks most of it. A label is in every part if it has so many texts. The shares are then
    approximate, too.

    >>> texts = [f"line {i}" for i in range(8)]
    >>> train, test = split([*texts, "line 0", "line 1"], ["x", "y"] * 5)
    >>> len(train.texts), sorted(test.labels), set(train.texts) & set(test.texts)
    (8, ['x', 'y'], set())
    >>> split(texts, ["inferno"] * 3 + ["paradiso"] * 5, every=2).test.texts
    ['line 0', 'line 2', 'line 3', 'line 5', 'line 7']
    """
    share = _check_test(test, every)
    if is_matrix(labels) and are_sets(labels):
        labels = DocumentLabels.of(labels).to_lists()
    given = _collect(documents, labels)
    sets = DocumentLabels.of(given.labels) if are_sets(given.labels) else None
    own = _encode_labels(given, check_flag("stratify", stratify)) if sets is None else _number_sets(given, sets, every)
    codes = own if stratify else np.zeros_like(own)
    texts = _number_texts(given.texts)
    together = texts if check_choice("copies", copies, ("own", "all")) == "all" and every is None else None
    grouped = _join_groups(given, groups, together)
    # Copies of a text are ordered by their labels and groups, also if labels do not matter.
    keys = (own, texts) if grouped is None else (grouped, own, texts)
    order = np.lexsort(keys) if every is None else np.arange(len(codes))
    of_order = None if grouped is None else grouped[order]
    if sets is not None and stratify:
        found = split_sets(sets.take(order), dev=dev, test=share, seed=seed, groups=of_order)
    else:
        found = split_documents(codes[order], dev=dev, test=share, seed=seed, groups=of_order, every=every)
    positions = Split(*(np.sort(order[part]) for part in (found.train, found.dev, found.test)))
    parts = {name: given.pick(getattr(positions, name).tolist()) for name in ("train", "dev", "test") if name != "dev" or dev}
    if empty := next((name for name, part in parts.items() if not len(part.texts)), None):
        raise InvalidOption(
            f"no document of {len(codes)} is left for {empty}: the shares are too small for so few documents, or groups and "
            "copies are too large. Change the shares, or give more documents."
        )
    n_copies, n_leaks = _count_copies(texts, positions.train)
    return DocumentSplit(parts["train"], parts.get("dev"), parts["test"], positions, n_copies, n_leaks)


def _check_test(test: float | None, every: int | None) -> float:
    """The share of the test documents; with `every` it is not used."""
    if every is not None and test is not None:
        raise InvalidOption(f"test={test!r} and every={every!r} both say which documents are for testing: give one of them.")
    share = DEFAULT_TEST if test is None else test
    if not is_number(share) or not 0 < share < 1:
        raise bad_option(
            "test", "a share > 0 and < 1", test, "there must be documents to learn from and to test with. Try 0.2."
        )
    return float(share)


def _collect(documents: Any, labels: Any) -> Documents:
    """All documents in memory."""
    found = list(open_batches(documents, labels))
    if not found:
        raise InvalidOption("there are no documents to split: give at least two.")
    if labels is not None and not is_list(labels):
        raise InvalidLabel(f"labels must be a list with one label for each document, got {shorten(repr(labels), 100)}.")
    return join_batches(found)


def _encode_labels(documents: Documents, stratify: bool) -> Integers:
    """The code of each document's label; 0 for all documents if they have no labels."""
    n = len(documents.texts)
    if documents.labels is None and stratify:
        raise InvalidLabel("there are no labels, and each part should have them in proportion: give labels, or stratify=False.")
    codes = np.zeros(n, np.int64) if documents.labels is None else encode_labels(documents.labels)[1]
    if len(codes) != n:
        raise InvalidLabel(f"there are {n} texts and {len(codes)} labels: each text needs one, in the same order.")
    return codes


def _number_sets(documents: Documents, sets: DocumentLabels, every: int | None) -> Integers:
    """A number for each document, equal for equal sets of labels."""
    if every is not None:
        raise InvalidOption(f"every={every!r} takes every n-th document of a label, and documents have several: give test.")
    if len(sets) != len(documents.texts):
        raise InvalidLabel(f"there are {len(documents.texts)} texts and {len(sets)} sets of labels: each text needs one.")
    return sets.number_kinds()


def _number_texts(texts: list[str]) -> Integers:
    """A number for each text, equal for copies, in the order of their fingerprints."""
    return number_rows(fingerprint_texts(batches(texts), n_threads()))[1]


def _miss_column(name: str, known: list[str]) -> str:
    missing = f"the documents have no column {name!r} for groups"
    if known:
        return f"{missing}: there is {', '.join(map(repr, known))}. Name one of these."
    return f"{missing}, and no other column: read them with columns=[{name!r}], or give the group of each document in a list."


def _join_groups(documents: Documents, groups: Any, texts: Integers | None) -> Integers | None:
    """The group of each document: documents of one group, or of one text, are together; None if each is alone."""
    if groups is None:
        return texts
    if isinstance(groups, str) and groups not in documents.columns:
        raise InvalidOption(_miss_column(groups, list(documents.columns)))
    values = documents.columns[groups] if isinstance(groups, str) else groups
    _, own = encode_group_column("groups", values, len(documents.texts))
    if texts is None:
        return own
    from scipy.sparse import coo_matrix  # on first use: few splits have groups
    from scipy.sparse.csgraph import connected_components

    # A document connects its group with its text.
    n_groups, n_nodes = own.max() + 1, own.max() + texts.max() + 2
    edges = coo_matrix((np.ones(len(own), np.int8), (own, n_groups + texts)), shape=(n_nodes, n_nodes))
    return np.asarray(connected_components(edges, directed=False)[1], np.int64)[own]


def _count_copies(texts: Integers, train: Integers) -> tuple[int, int]:
    """How many documents have copies, and how many that are not for training have a copy in training."""
    in_train = np.zeros(len(texts), np.bool_)
    in_train[train] = True
    learned = np.bincount(texts[train], minlength=len(texts)) > 0
    return int((np.bincount(texts)[texts] > 1).sum()), int((learned[texts] & ~in_train).sum())
