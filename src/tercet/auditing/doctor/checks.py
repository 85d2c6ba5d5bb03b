"""The checks of the doctor: texts, labels, copies, leaks, and documents against a trained model.

- texts: empty, very short, very long, wrongly decoded, or unlike all others
- labels: probable errors, spellings, numbers of documents
- copies: equal and nearly equal texts within the data, within the test documents, and between the two
- leaks: ids that are in data and test, and a single term or column that gives the label away
- with a model: what it has learned, which labels it does not know or finds improbable
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tercet.arrays import Flags, Floats, Integers
from tercet.auditing.doctor.decoding import describe_damage
from tercet.auditing.doctor.diagnosis import (
    CONTRADICTION,
    COPY,
    EMPTY_TEXT,
    IMBALANCE,
    JOINED_LABEL,
    LABEL_ERROR,
    LABEL_VARIANT,
    LEAKED_ID,
    LEAKED_TEXT,
    LEARNED_TEST,
    LONG_TEXT,
    NEAR_CONTRADICTION,
    NEAR_COPY,
    NEAR_LEAK,
    NEW_LABEL,
    RARE_LABEL,
    SHORT_TEXT,
    TELLING_COLUMN,
    TELLING_TERM,
    UNKNOWN_LABEL,
    UNLIKELY_LABEL,
    UNRELATED_TEXT,
    WRONG_DECODING,
    Finding,
    name_places,
)
from tercet.auditing.doctor.examined import Examined, ExaminedPart, is_blank
from tercet.categorizer.categorizer import Categorizer
from tercet.counts.near_copies import find_near_copies, find_near_leaks, group_copies
from tercet.data.joined_labels import find_joined
from tercet.data.similar_labels import FORM, TYPING_ERROR, name_missing_package
from tercet.errors import InvalidOption, bad_option, is_missing
from tercet.report.tables import pluralize, show_improbable

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
MAX_JUDGED = 1 << 28  # documents × labels: about 30 seconds


def list_label_errors(examined: Examined) -> Iterator[Finding]:
    """The documents of the data whose label is least probable: as many as labels are probably wrong."""
    data, found = examined.data, examined.label_errors
    for suspect in found.probable:
        shown = show_improbable(suspect.probability, 2)
        sentence = f"{suspect.better!r} is more probable: {suspect.label!r} has probability {shown}."
        yield data.make_finding(LABEL_ERROR, suspect.position, sentence, strength=1 - suspect.probability)


def name_missing_judges(examined: Examined) -> str:
    """Why label errors can't be looked for; empty if they can."""
    data = examined.data
    if len(data) < MIN_JUDGED:
        return f"there are fewer than {MIN_JUDGED} documents"
    if len(data) * len(data.label_counts) > MAX_JUDGED:
        return f"{len(data)} documents with {len(data.label_counts)} labels are too many to judge each by all others"
    texts = Counter(label for label, _ in set(zip(data.labels or (), data.texts, strict=True)))
    return "" if sum(n > 1 for n in texts.values()) > 1 else "fewer than two labels have several texts"


def find_label_variants(examined: Examined) -> Iterator[Finding]:
    """Labels that are probably other spellings of more frequent labels, in data and test together."""
    for similar in examined.similar_labels:
        part = next(part for part in examined.parts if similar.label in part.label_counts)
        n = pluralize(int(similar.n_documents), "document")
        better = pluralize(int(similar.n_better), "document")
        sentence = f"{n} with {similar.label!r}, {better} with {similar.better!r}: {DIFFERENCES[similar.difference]}."
        yield part.make_finding(LABEL_VARIANT, part.find_first(similar.label), sentence)


def find_joined_labels(examined: Examined) -> Iterator[Finding]:
    """One finding if labels of the data join other labels of the data."""
    data = examined.data
    if joined := find_joined(data.label_counts):
        yield data.make_finding(JOINED_LABEL, data.find_first(joined.labels[0]), joined.describe())


def name_missing_comparison(examined: Examined) -> str:
    """Why typing errors in labels can't be looked for; empty if they can, or if there are no labels."""
    return name_missing_package() if examined.data.labels is not None else ""


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
    for label, n in examined.data.joined_counts.items():
        if n < MIN_DOCUMENTS:
            sentence = f"Only {pluralize(n, 'document')} with the label {label!r}."
            yield examined.data.make_finding(RARE_LABEL, examined.data.find_first(label), sentence)


def check_imbalance(examined: Examined) -> Iterator[Finding]:
    """One finding if a label has many times as many documents as another one, or if there is one label only."""
    data = examined.data
    counts = data.joined_counts
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


def find_copies(examined: Examined) -> Iterator[Finding]:
    """A finding for each text that several documents of a part have: a contradiction if their labels differ."""
    for part in examined.parts:
        for positions in list_groups(group_copies(part.texts)):
            if not is_blank(part.texts[positions[0]]):
                kind = CONTRADICTION if _list_labels(part, positions) else COPY
                yield describe_copies(part, positions, kind, "The same text")


def find_near(examined: Examined) -> Iterator[Finding]:
    """A finding for each group of documents of a part whose texts are nearly equal, but not all equal."""
    for part in examined.parts:
        near = find_near_copies(part.texts)
        groups = near.groups()
        similarity = np.zeros(len(part))
        for (i, j), similar in zip(near.pairs.tolist(), near.similarity.tolist(), strict=True):
            if part.texts[i] != part.texts[j]:
                similarity[groups[i]] = max(similarity[groups[i]], similar)
        for positions in list_groups(groups):
            if len({part.texts[position] for position in positions}) > 1:
                kind = NEAR_CONTRADICTION if _list_labels(part, positions) else NEAR_COPY
                strength = float(similarity[groups[positions[0]]])
                yield describe_copies(part, positions, kind, f"A near copy (similarity {strength:.2f})", strength)


def describe_copies(part: ExaminedPart, positions: list[int], kind: str, words: str, strength: float = 1.0) -> Finding:
    """The finding that these documents have the same text, or nearly."""
    first, *others = positions
    places = [part.place(position) for position in others]
    sentence = f"{words} is in {name_places(places, part.place(first))}.{_list_labels(part, positions)}"
    return part.make_finding(kind, first, sentence, places, strength=strength)


def _list_labels(part: ExaminedPart, positions: list[int]) -> str:
    """A sentence with the labels of these documents; empty if all have the same label."""
    labels = [] if part.labels is None else [part.labels[position] for position in positions]
    if len(set(labels)) < 2:
        return ""
    counts = {label: labels.count(label) for label in sorted(set(labels), key=str)}
    return f" The labels are {', '.join(f'{label!r} ({n})' for label, n in counts.items())}."


def find_leaked_texts(examined: Examined) -> Iterator[Finding]:
    """A finding for each test document whose text is in the data; one for all if every test text is."""
    data, test = examined.data, examined.test
    assert test is not None
    n_texts = sum(not is_blank(text) for text in test.texts)
    if len(examined.leaks) == n_texts > 1:
        in_data, in_test = examined.leaks[0]
        place = data.place(in_data)
        sentence = f"Every test text ({n_texts}) is in the data, this one in {place}. Is the test file the training file?"
        yield test.make_finding(LEAKED_TEXT, in_test, sentence, [place])
        return
    for in_data, in_test in examined.leaks:
        place, other = data.place(in_data), _name_other_label(examined, in_data, in_test)
        yield test.make_finding(LEAKED_TEXT, in_test, f"The same text is in {place}{other}.", [place])


def find_near_leaked(examined: Examined) -> Iterator[Finding]:
    """A finding for each test document whose text is nearly in the data."""
    data, test = examined.data, examined.test
    assert test is not None
    leaked = {in_test for _, in_test in examined.leaks}
    near = find_near_leaks(data.texts, test.texts)
    for (in_data, in_test), similarity in zip(near.pairs.tolist(), near.similarity.tolist(), strict=True):
        if in_test not in leaked and not is_blank(test.texts[in_test]):
            place, other = data.place(in_data), _name_other_label(examined, in_data, in_test)
            sentence = f"A near copy (similarity {similarity:.2f}) is in {place}{other}."
            yield test.make_finding(NEAR_LEAK, in_test, sentence, [place], strength=similarity)


def _name_other_label(examined: Examined, in_data: int, in_test: int) -> str:
    """The label of the document in the data, if the test document has another one."""
    known, asked = examined.data.labels, examined.test.labels if examined.test else None
    if known is None or asked is None or known[in_data] == asked[in_test]:
        return ""
    return f", with the label {known[in_data]!r}"


def list_groups(codes: Integers) -> list[list[int]]:
    """The positions of equal codes that occur more than once, in the order of their first positions.

    >>> list_groups(np.array([0, 1, 0, 2, 1]))
    [[0, 2], [1, 4]]
    """
    order = np.argsort(codes, kind="stable")
    ends = np.flatnonzero(np.diff(codes[order])) + 1
    return sorted(group.tolist() for group in np.split(order, ends) if len(group) > 1)


ID_NAME = re.compile(r"(.*[\W_])?(id|uuid|guid|key|url|uri|link|path|filename)s?|.*[a-z]Id")  # names of columns with ids
DISTINCT = 0.95  # share of different values in a column of ids: a few rows may be copies
TELLING = 0.95  # share of the documents with a label that a term or a column must tell, and share of its answers that are right
MIN_TOLD = 10  # documents with the label, and without it: fewer agree by chance


def find_leaked_ids(examined: Examined) -> Iterator[Finding]:
    """A finding for each test document whose id is in the data, if its text is not."""
    data, test = examined.data, examined.test
    assert test is not None
    leaked = {in_test for _, in_test in examined.leaks}
    for name, known in list_ids(examined).items():
        for position, value in enumerate(test.columns[name]):
            if _spell(value) in known and position not in leaked:
                place = data.place(known[_spell(value)])
                yield test.make_finding(LEAKED_ID, position, f"Its {name!r} is {value!r}, which is also in {place}.", [place])


def list_ids(examined: Examined) -> dict[str, dict[str, int]]:
    """The columns of ids that data and test have, and the first position of each id in the data."""
    data, test = examined.data, examined.test
    found: dict[str, dict[str, int]] = {}
    for name in sorted(data.columns.keys() & (test.columns.keys() if test else set())):
        known = {_spell(value): position for position, value in reversed(list(enumerate(data.columns[name]))) if _spell(value)}
        if ID_NAME.fullmatch(name) and len(known) >= DISTINCT * len(data) and not _counts_rows(known):
            found[name] = known
    return found


def name_missing_ids(examined: Examined) -> str:
    """Why ids can't be compared; empty if they can."""
    return "" if list_ids(examined) else "data and test have no column of ids in common"


def name_missing_told(examined: Examined) -> str:
    """Why nothing can give the label away; empty if it can."""
    n_large = sum(n >= MIN_TOLD for n in examined.data.label_counts.values())
    return "" if n_large > 1 else f"fewer than two labels have {MIN_TOLD} documents"


def name_missing_columns(examined: Examined) -> str:
    """Why no column can give the label away; empty if one can."""
    return name_missing_told(examined) or ("" if examined.data.columns else "there are no other columns")


def _counts_rows(ids: dict[str, int]) -> bool:
    """Whether the ids are consecutive numbers. Each file may count its rows, so equal numbers mean nothing."""
    numbers = [int(each) for each in ids if each.isdecimal()]
    return len(numbers) == len(ids) and max(numbers) - min(numbers) < 2 * len(numbers)


def find_telling_columns(examined: Examined) -> Iterator[Finding]:
    """A finding for each column of the data whose values, or whose empty cells, tell the label."""
    data = examined.data
    for name, cells in data.columns.items():
        values = [_spell(cell) for cell in cells]
        for what, tells in (("values", values), ("empty cells", [value == "" for value in values])):
            share = measure_column(data, tells)
            if share >= TELLING:
                sentence = f"The {what} of the column {name!r} tell the label of {100 * share:.3g} % of the documents."
                yield data.make_finding(TELLING_COLUMN, 0, sentence, strength=share)
                break


def measure_column(part: ExaminedPart, values: Sequence[Any]) -> float:
    """The mean over the labels of the share of documents whose label follows from the other documents of the same value.

    A document follows if more of the others have its label than any other one. The value of one document alone tells
    nothing, so ids do not count. 0 if fewer than two labels have enough documents.
    """
    counts: dict[Any, Counter[int]] = {}
    for value, code in zip(values, part.codes.tolist(), strict=True):
        counts.setdefault(value, Counter())[code] += 1
    n_told = Counter[int]()
    for own in counts.values():
        for code, n in own.items():
            others = max((m for other, m in own.items() if other != code), default=0)
            n_told[code] += n if n - 1 > others else 0
    shares = [n_told[code] / n for code, n in enumerate(part.label_counts.values()) if n >= MIN_TOLD]
    return float(np.mean(shares)) if len(shares) > 1 else 0.0


def find_telling_terms(examined: Examined) -> Iterator[Finding]:
    """A finding for each word that nearly all documents of one label have, and nearly no other document."""
    data, (matrix, words) = examined.data, examined.words
    names, n_of_label = list(data.label_counts), np.array(list(data.label_counts.values()))
    own, (codes, columns, n_with) = matrix[: len(data)], count_words_of_labels(examined)
    n_elsewhere = np.asarray(own.sum(axis=0)).ravel()[columns] - n_with
    n_own, n_others = n_of_label[codes], len(data) - n_of_label[codes]
    share, elsewhere = n_with / n_own, n_elsewhere / np.maximum(n_others, 1)
    is_right = n_with >= TELLING * (n_with + n_elsewhere)
    is_large, by_word = np.minimum(n_own, n_others) >= MIN_TOLD, own.tocsc()
    for cell in np.flatnonzero((share >= TELLING) & (elsewhere <= 1 - TELLING) & is_right & is_large).tolist():
        column = int(columns[cell])
        position = int(by_word.indices[by_word.indptr[column]])
        sentence = (
            f"The word {words[column]!r} is in {int(n_with[cell])} of the {n_own[cell]} documents with the label "
            f"{names[codes[cell]]!r}, and in {int(n_elsewhere[cell])} of the {n_others[cell]} others."
        )
        yield data.make_finding(TELLING_TERM, position, sentence, strength=float(share[cell] - elsewhere[cell]))


def count_words_of_labels(examined: Examined) -> tuple[Integers, Integers, Floats]:
    """Each label and each word that a document of it has, with the number of these documents; the labels in order."""
    from scipy.sparse import csr_matrix  # on first use: import tercet stays quick

    data, matrix = examined.data, examined.words[0][: len(examined.data)]
    shape = (len(data.label_counts), len(data))
    of_label = csr_matrix((np.ones(len(data)), (data.codes, np.arange(len(data)))), shape=shape)
    cells = (of_label @ matrix).tocsr()
    cells.sort_indices()
    codes = np.repeat(np.arange(shape[0]), np.diff(cells.indptr))
    return codes, cells.indices.astype(np.int64), cells.data.astype(np.float64)


def _spell(value: Any) -> str:
    """The value as text; empty if it is missing."""
    return "" if is_missing(value) else str(value).strip()
