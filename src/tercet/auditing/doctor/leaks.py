"""Checks for leaks: ids that are in data and test, and a single term or column that gives the label away."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tercet.arrays import Floats
from tercet.auditing.doctor.diagnosis import LEAKED_ID, TELLING_COLUMN, TELLING_TERM, Finding
from tercet.auditing.doctor.examined import Examined, ExaminedPart
from tercet.errors import is_missing

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
    n_labels, n_of_label = len(data.label_counts), np.array(list(data.label_counts.values()))
    own = matrix[: len(data)]
    with_word: Floats = np.zeros((n_labels, len(words)))
    for code in range(n_labels):
        with_word[code] = np.asarray(own[data.codes == code].sum(axis=0)).ravel()
    n_others = len(data) - n_of_label
    n_elsewhere = with_word.sum(axis=0) - with_word
    share, elsewhere = with_word / n_of_label[:, None], n_elsewhere / np.maximum(n_others, 1)[:, None]
    is_right = with_word >= TELLING * (with_word + n_elsewhere)
    is_large = (np.minimum(n_of_label, n_others) >= MIN_TOLD)[:, None]
    found = np.argwhere((share >= TELLING) & (elsewhere <= 1 - TELLING) & is_right & is_large)
    for code, column in found.tolist():
        label, n = list(data.label_counts)[code], int(with_word[code, column])
        position = int(own[:, [column]].nonzero()[0][0])
        sentence = (
            f"The word {words[column]!r} is in {n} of the {n_of_label[code]} documents with the label {label!r}, and in "
            f"{int(n_elsewhere[code, column])} of the {n_others[code]} others."
        )
        yield data.make_finding(TELLING_TERM, position, sentence, strength=float(share[code, column] - elsewhere[code, column]))


def _spell(value: Any) -> str:
    """The value as text; empty if it is missing."""
    return "" if is_missing(value) else str(value).strip()
