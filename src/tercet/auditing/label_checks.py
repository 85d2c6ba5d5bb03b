"""Checks of labels: probable errors, spellings, numbers of documents."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from tercet.auditing.examined import Examined
from tercet.auditing.kinds import IMBALANCE, LABEL_ERROR, LABEL_VARIANT, RARE_LABEL, UNKNOWN_LABEL
from tercet.data.similar_labels import FORM, TYPING_ERROR, SimilarLabel, find_similar, name_missing_package
from tercet.report.diagnosis import Finding
from tercet.report.tables import pluralize

DIFFERENCES = {FORM: "they differ only by case, blanks, hyphens or the like", TYPING_ERROR: "probably a typing error"}
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
    counts = sum((Counter(part.label_counts) for part in examined.parts), Counter[Any]())
    for similar in list_similar(counts):
        part = next(part for part in examined.parts if similar.label in part.label_counts)
        n = pluralize(int(similar.n_documents), "document")
        better = pluralize(int(similar.n_better), "document")
        sentence = f"{n} with {similar.label!r}, {better} with {similar.better!r}: {DIFFERENCES[similar.difference]}."
        yield part.find(LABEL_VARIANT, part.find_first(similar.label), sentence)


def name_missing_comparison(examined: Examined) -> str:
    """Why typing errors in labels can't be looked for; empty if they can, or if there are no labels."""
    return name_missing_package() if examined.data.labels is not None else ""


def list_similar(counts: Mapping[Any, int]) -> list[SimilarLabel]:
    """The labels that are probably spellings of others. Only text is spelled."""
    return find_similar(counts) if all(isinstance(label, str) for label in counts) else []


def join_spellings(counts: Mapping[Any, int]) -> dict[Any, int]:
    """How many documents have each label, if all spellings of it are one label; the most frequent label first.

    >>> join_spellings({"good": 7, "bad": 6, "Bad": 2})
    {'bad': 8, 'good': 7}
    """
    better = {similar.label: similar.better for similar in list_similar(counts)}
    joined = Counter[Any]()
    for label, n in counts.items():
        joined[better.get(label, label)] += n
    return dict(sorted(joined.items(), key=lambda item: (-item[1], str(item[0]))))


def find_unknown_labels(examined: Examined) -> Iterator[Finding]:
    """Labels of test documents that no document of the data has."""
    data, test = examined.data, examined.test
    assert test is not None
    for label, n in test.label_counts.items():
        if label not in data.label_counts:
            sentence = f"{pluralize(n, 'test document')} with the label {label!r}, which the data do not have."
            yield test.find(UNKNOWN_LABEL, test.find_first(label), sentence)


def find_rare_labels(examined: Examined) -> Iterator[Finding]:
    """Labels of the data that only few documents have, in any spelling."""
    for label, n in join_spellings(examined.data.label_counts).items():
        if n < FEWEST_DOCUMENTS:
            sentence = f"Only {pluralize(n, 'document')} with the label {label!r}."
            yield examined.data.find(RARE_LABEL, examined.data.find_first(label), sentence)


def find_imbalance(examined: Examined) -> Iterator[Finding]:
    """One finding if a label has many times as many documents as another one, or if there is one label only."""
    data = examined.data
    counts = join_spellings(data.label_counts)
    first, last = next(iter(counts)), next(reversed(counts))
    if first == last:
        yield data.find(IMBALANCE, 0, f"All documents have the label {first!r}: there is nothing to decide.")
    elif counts[first] >= MOST_IMBALANCE * counts[last]:
        times, share = counts[first] / counts[last], 100 * counts[first] / len(data)
        sentence = (
            f"{first!r} has {times:.0f} times as many documents ({counts[first]}) as {last!r} ({counts[last]}). Who always "
            f"answers {first!r} is right in {share:.3g} % of the documents."
        )
        yield data.find(IMBALANCE, data.find_first(last), sentence)
