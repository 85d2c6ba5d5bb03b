"""Checks of texts (empty, very short, very long, wrongly decoded, unlike all others), of labels, and by a trained model."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from tercet.arrays import Flags
from tercet.auditing.doctor.decoding import describe_damage
from tercet.auditing.doctor.diagnosis import (
    EMPTY_TEXT,
    IMBALANCE,
    LABEL_ERROR,
    LABEL_VARIANT,
    LEARNED_TEST,
    LONG_TEXT,
    NEW_LABEL,
    RARE_LABEL,
    SHORT_TEXT,
    UNKNOWN_LABEL,
    UNLIKELY_LABEL,
    UNRELATED_TEXT,
    WRONG_DECODING,
    Finding,
)
from tercet.auditing.doctor.examined import Examined, ExaminedPart, is_blank
from tercet.categorizer.categorizer import Categorizer
from tercet.data.similar_labels import FORM, TYPING_ERROR, SimilarLabel, find_similar, name_missing_package
from tercet.errors import InvalidOption, bad_option
from tercet.report.tables import pluralize

MAX_SHORT_WORDS = 1  # different words of a very short text …
MIN_USUAL_WORDS = 5  # … if the median text has so many: in data of search queries one word is usual
FENCES = 3.0  # Tukey's "far out", on logarithms: lengths of texts are skewed
LONG_FACTOR = 5.0  # a long text is so many times as long as the median text: texts may be nearly equally long
MIN_LENGTHS = 20  # documents: quartiles of fewer lengths say little
MIN_UNRELATED_WORDS = 3  # words that an unrelated text has at least: a short text has often only rare words
MAX_UNRELATED = 0.05  # if a larger share of the texts is unrelated, all are different, and none is an outlier


def find_empty(examined: Examined) -> Iterator[Finding]:
    """Texts of blanks only."""
    for part in examined.parts:
        for position, text in enumerate(part.texts):
            if is_blank(text):
                yield part.make_finding(EMPTY_TEXT, position, "It has no text." if not text else "Its text has only blanks.")


def find_wrong_decoding(examined: Examined) -> Iterator[Finding]:
    """Texts whose characters are bytes of other characters, and texts with lost characters."""
    for part in examined.parts:
        for position, text in enumerate(part.texts):
            if not text.isascii() and (damage := describe_damage(text)):
                yield part.make_finding(WRONG_DECODING, position, damage)


def find_short(examined: Examined) -> Iterator[Finding]:
    """Texts of at most one word, if the median text has many."""
    n_words = examined.n_words
    for number in np.flatnonzero(n_words <= MAX_SHORT_WORDS).tolist():
        part, position = examined.locate(number)
        if not is_blank(part.texts[position]):
            has = "no word" if n_words[number] == 0 else "one word"
            yield part.make_finding(
                SHORT_TEXT, position, f"It has {has}; half of all texts have {np.median(n_words):.0f} or more."
            )


def name_missing_words(examined: Examined) -> str:
    """Why short texts can't be looked for; empty if they can."""
    return "" if np.median(examined.n_words) >= MIN_USUAL_WORDS else "short texts are usual in these data"


def find_long(examined: Examined) -> Iterator[Finding]:
    """Texts that are far longer than most others."""
    lengths = np.array([len(text) for text in examined.texts if not is_blank(text)])
    low, high = np.quantile(np.log(lengths), [0.25, 0.75])
    fence = max(float(np.exp(high + FENCES * (high - low))), LONG_FACTOR * float(np.median(lengths)))
    for number, text in enumerate(examined.texts):
        if len(text) > fence:
            part, position = examined.locate(number)
            times = len(text) / np.median(lengths)
            yield part.make_finding(
                LONG_TEXT, position, f"It has {len(text)} characters, {times:.0f} times those of the median text."
            )


def name_missing_lengths(examined: Examined) -> str:
    """Why long texts can't be looked for; empty if they can."""
    n_texts = sum(not is_blank(text) for text in examined.texts)
    return "" if n_texts >= MIN_LENGTHS else f"there are fewer than {MIN_LENGTHS} texts"


def find_unrelated(examined: Examined) -> Iterator[Finding]:
    """Texts none of whose words another text has."""
    for number in list_unrelated(examined):
        part, position = examined.locate(number)
        n = pluralize(int(examined.n_words[number]), "word")
        yield part.make_finding(UNRELATED_TEXT, position, f"No other text has one of its {n}.")


def name_missing_relations(examined: Examined) -> str:
    """Why unrelated texts can't be looked for; empty if they can."""
    is_usual = len(list_unrelated(examined)) > MAX_UNRELATED * len(examined.texts)
    return "texts with other words are usual in these data" if is_usual else ""


def list_unrelated(examined: Examined) -> list[int]:
    """The numbers of the texts none of whose words another text has."""
    matrix, _ = examined.words
    is_shared = (matrix.sum(axis=0).A1 > 1) if matrix.shape[1] else np.zeros(0, np.bool_)
    n_shared = matrix @ is_shared.astype(np.int64)
    found: list[int] = np.flatnonzero((n_shared == 0) & (examined.n_words >= MIN_UNRELATED_WORDS)).tolist()
    return found


DIFFERENCES = {FORM: "they differ only by case, blanks, hyphens or the like", TYPING_ERROR: "probably a typing error"}
MIN_DOCUMENTS = 5  # documents with a label: with fewer, one of five folds has none to test with
MAX_IMBALANCE = 10.0  # documents with the most frequent label for each with the least frequent
MIN_JUDGED = 20  # documents: a categorizer that learns fewer can't judge a label


def list_label_errors(examined: Examined) -> Iterator[Finding]:
    """The documents of the data whose label is least probable: as many as labels are probably wrong."""
    data, found = examined.data, examined.label_errors
    for suspect in found.suspects[: int(found.n_errors.value)]:
        sentence = f"{suspect.better!r} is more probable: {suspect.label!r} has probability {suspect.probability:.2g}."
        yield data.make_finding(LABEL_ERROR, suspect.position, sentence, strength=1 - suspect.probability)


def name_missing_judges(examined: Examined) -> str:
    """Why label errors can't be looked for; empty if they can."""
    data = examined.data
    if len(data) < MIN_JUDGED:
        return f"there are fewer than {MIN_JUDGED} documents"
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
        yield part.make_finding(LABEL_VARIANT, part.find_first(similar.label), sentence)


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
            yield test.make_finding(UNKNOWN_LABEL, test.find_first(label), sentence)


def find_rare_labels(examined: Examined) -> Iterator[Finding]:
    """Labels of the data that only few documents have, in any spelling."""
    for label, n in join_spellings(examined.data.label_counts).items():
        if n < MIN_DOCUMENTS:
            sentence = f"Only {pluralize(n, 'document')} with the label {label!r}."
            yield examined.data.make_finding(RARE_LABEL, examined.data.find_first(label), sentence)


def check_imbalance(examined: Examined) -> Iterator[Finding]:
    """One finding if a label has many times as many documents as another one, or if there is one label only."""
    data = examined.data
    counts = join_spellings(data.label_counts)
    first, last = next(iter(counts)), next(reversed(counts))
    if first == last:
        yield data.make_finding(IMBALANCE, 0, f"All documents have the label {first!r}: there is nothing to decide.")
    elif counts[first] >= MAX_IMBALANCE * counts[last]:
        times, share = counts[first] / counts[last], 100 * counts[first] / len(data)
        sentence = (
            f"{first!r} has {times:.0f} times as many documents ({counts[first]}) as {last!r} ({counts[last]}). Who always "
            f"answers {first!r} is right in {share:.3g} % of the documents."
        )
        yield data.make_finding(IMBALANCE, data.find_first(last), sentence)


MIN_PROBABILITY = 0.05  # a label with a smaller probability is a finding


def check_categorizer(categorizer: Categorizer) -> None:
    """Raise InvalidOption if it can't judge texts."""
    if not isinstance(categorizer, Categorizer):
        why = (
            "documents are judged by models like it that have not learned them, and a compact model can't be trained again. "
            "Use the model from before it was made compact."
        )
        raise bad_option("categorizer", "a Categorizer or None", categorizer, why)
    settings = (categorizer.fitted_ if is_fitted(categorizer) else categorizer.check_options()).settings
    numeric = [name for name in settings.numeric if name not in settings.measured]
    columns = [*numeric, *settings.categorical, *filter(None, [settings.domain])]
    if columns or settings.layout is not None:
        found = f"uses the column {columns[0]!r}" if columns else "uses several columns of text"
        raise InvalidOption(f"the model {found}, and documents are judged by one text alone: examine them without the model.")


def is_fitted(categorizer: Categorizer | None) -> bool:
    """Whether there is a categorizer that has learned something."""
    return categorizer is not None and categorizer.__sklearn_is_fitted__()


def find_new_labels(examined: Examined) -> Iterator[Finding]:
    """Labels of the data that the model does not know."""
    data, known = examined.data, set(_get_model(examined).classes_.tolist())
    for label, n in data.label_counts.items():
        if label not in known:
            sentence = f"{pluralize(n, 'document')} with the label {label!r}, which the model does not know."
            yield data.make_finding(NEW_LABEL, data.find_first(label), sentence)


def find_unlikely_labels(examined: Examined) -> Iterator[Finding]:
    """Documents of the data that the model has not learned, and whose label it finds improbable."""
    data, model = examined.data, _get_model(examined)
    assert data.labels is not None
    known: list[Any] = model.classes_.tolist()
    is_new = ~find_learned(examined, data) & np.array([label in known for label in data.labels])
    chosen = [index for index in np.flatnonzero(is_new).tolist() if not is_blank(data.texts[index])]
    for position, probabilities in zip(chosen, model.predict_proba([data.texts[index] for index in chosen]), strict=True):
        label, better = data.labels[position], known[probabilities.argmax()]
        own = float(probabilities[known.index(label)])
        if own < MIN_PROBABILITY:
            sentence = f"The model has not learned it, and answers {better!r}: {label!r} has probability {own:.2g}."
            yield data.make_finding(UNLIKELY_LABEL, position, sentence, strength=1 - own)


def find_learned_tests(examined: Examined) -> Iterator[Finding]:
    """Test documents that the model has learned."""
    assert examined.test is not None
    for position in np.flatnonzero(find_learned(examined, examined.test)).tolist():
        yield examined.test.make_finding(LEARNED_TEST, position, "The model has learned this text with this label.")


def find_learned(examined: Examined, part: ExaminedPart) -> Flags:
    """Which documents the model has learned, with their label and weight 1."""
    return _get_model(examined).find_learned(part.texts, part.labels)


def name_missing_memory(examined: Examined) -> str:
    """Why it is not known what the model has learned; empty if it is known."""
    return "" if _get_model(examined).remembers_ else "the model does not remember what it has learned"


def name_missing_new(examined: Examined) -> str:
    """Why the model can't judge documents that it has not learned; empty if there are some."""
    missing = name_missing_memory(examined)
    return missing or ("the model has learned all documents" if find_learned(examined, examined.data).all() else "")


def describe_learned(examined: Examined) -> str:
    """How many documents of the data the model has learned."""
    n, data = int(find_learned(examined, examined.data).sum()), examined.data
    return f"The model has learned {n} of the {pluralize(len(data), 'document')} of {data.source or 'the data'}."


def _get_model(examined: Examined) -> Categorizer:
    assert examined.categorizer is not None
    return examined.categorizer
