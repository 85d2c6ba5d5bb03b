"""Checks of labels: probable errors, spellings, numbers of documents."""

from collections import Counter
from collections.abc import Iterator

from tercet.audit.examined import Examined
from tercet.audit.kinds import IMBALANCE, LABEL_ERROR, LABEL_VARIANT, RARE_LABEL, UNKNOWN_LABEL
from tercet.data.similar_labels import find_similar
from tercet.report.diagnosis import Finding
from tercet.report.tables import pluralize

FEWEST_DOCUMENTS = 5  # with a label: with fewer, one of five folds has none to test with
MOST_IMBALANCE = 10.0  # documents with the most frequent label for each with the least frequent
FEWEST_JUDGED = 20  # documents: a categorizer that learns fewer can't judge a label


def find_label_errors(examined: Examined) -> Iterator[Finding]:
    """The documents of the data whose label is least probable: as many as labels are probably wrong."""
    data, found = examined.data, examined.label_errors
    for suspect in found.suspects[: int(found.n_errors.value)]:
        sentence = f"{suspect.better!r} is more probable: {suspect.label!r} has probability {suspect.probability:.2g}."
        yield data.find(LABEL_ERROR, suspect.position, sentence, strength=1 - suspect.probability)


def name_missing_judges(examined: Examined) -> str:
    """Why label errors can't be looked for; empty if they can."""
    data = examined.data
    if len(data) < FEWEST_JUDGED:
        return f"there are fewer than {FEWEST_JUDGED} documents"
    texts = Counter(label for label, _ in set(zip(data.labels or (), data.texts, strict=True)))
    return "" if sum(n > 1 for n in texts.values()) > 1 else "fewer than two labels have several texts"


def find_label_variants(examined: Examined) -> Iterator[Finding]:
    """Labels that are probably other spellings of more frequent labels, in data and test together."""
    parts = [part for part in examined.parts if part.labels is not None]
    counts = sum((Counter(part.label_counts) for part in parts), Counter())
    if not all(isinstance(label, str) for label in counts):
        return
    for similar in find_similar(counts):
        part = next(part for part in parts if similar.label in part.label_counts)
        n = pluralize(int(similar.n_documents), "document")
        better = pluralize(int(similar.n_better), "document")
        sentence = f"{n} with {similar.label!r}, {better} with {similar.better!r}: the difference is {similar.difference}."
        yield part.find(LABEL_VARIANT, part.find_first(similar.label), sentence)


def find_unknown_labels(examined: Examined) -> Iterator[Finding]:
    """Labels of test documents that no document of the data has."""
    data, test = examined.data, examined.test
    assert test is not None
    for label, n in test.label_counts.items():
        if label not in data.label_counts:
            sentence = f"{pluralize(n, 'test document')} with the label {label!r}, which the data do not have."
            yield test.find(UNKNOWN_LABEL, test.find_first(label), sentence)


def find_rare_labels(examined: Examined) -> Iterator[Finding]:
    """Labels of the data that only few documents have."""
    for label, n in examined.data.label_counts.items():
        if n < FEWEST_DOCUMENTS:
            sentence = f"Only {pluralize(n, 'document')} with the label {label!r}."
            yield examined.data.find(RARE_LABEL, examined.data.find_first(label), sentence)


def find_imbalance(examined: Examined) -> Iterator[Finding]:
    """One finding if a label has many times as many documents as another one, or if there is one label only."""
    data = examined.data
    (first, most), *_, (last, least) = (item for item in [*data.label_counts.items()] * 2)
    if len(data.label_counts) == 1:
        yield data.find(IMBALANCE, 0, f"All documents have the label {first!r}: there is nothing to decide.")
    elif most >= MOST_IMBALANCE * least:
        n = len(data)
        sentence = (
            f"{most} documents with {first!r} and {least} with {last!r}: who always answers {first!r} is right in "
            f"{100 * most / n:.3g} % of the documents."
        )
        yield data.find(IMBALANCE, data.find_first(last), sentence)
