"""Checks of single texts: empty, very short, very long, wrongly decoded, or unlike all others."""

from collections.abc import Iterator

import numpy as np

from tercet.auditing.decoding import find_damage
from tercet.auditing.examined import Examined, is_blank
from tercet.auditing.kinds import EMPTY_TEXT, LONG_TEXT, SHORT_TEXT, UNRELATED_TEXT, WRONG_DECODING
from tercet.report.diagnosis import Finding
from tercet.report.tables import pluralize

SHORT_WORDS = 1  # different words of a very short text …
USUAL_WORDS = 5  # … if the median text has so many: in data of search queries one word is usual
FENCES = 3.0  # Tukey's "far out", on logarithms: lengths of texts are skewed
LONG_FACTOR = 5.0  # a long text is so many times as long as the median text: texts may be nearly equally long
FEWEST_LENGTHS = 20  # documents: quartiles of fewer lengths say little
UNRELATED_WORDS = 3  # that an unrelated text has at least: a short text has often only rare words
MOST_UNRELATED = 0.05  # if a larger share of the texts is unrelated, all are different, and none is an outlier


def find_empty(examined: Examined) -> Iterator[Finding]:
    """Texts of blanks only."""
    for part in examined.parts:
        for position, text in enumerate(part.texts):
            if is_blank(text):
                yield part.find(EMPTY_TEXT, position, "It has no text." if not text else "Its text has only blanks.")


def find_wrong_decoding(examined: Examined) -> Iterator[Finding]:
    """Texts whose characters are bytes of other characters, and texts with lost characters."""
    for part in examined.parts:
        for position, text in enumerate(part.texts):
            if not text.isascii() and (damage := find_damage(text)):
                yield part.find(WRONG_DECODING, position, damage)


def find_short(examined: Examined) -> Iterator[Finding]:
    """Texts of at most one word, if the median text has many."""
    n_words = examined.n_words
    for number in np.flatnonzero(n_words <= SHORT_WORDS).tolist():
        part, position = examined.locate(number)
        if not is_blank(part.texts[position]):
            has = "no word" if n_words[number] == 0 else "one word"
            yield part.find(SHORT_TEXT, position, f"It has {has}; half of all texts have {np.median(n_words):.0f} or more.")


def name_missing_words(examined: Examined) -> str:
    """Why short texts can't be looked for; empty if they can."""
    return "" if np.median(examined.n_words) >= USUAL_WORDS else "short texts are usual in these data"


def find_long(examined: Examined) -> Iterator[Finding]:
    """Texts that are far longer than most others."""
    lengths = np.array([len(text) for text in examined.texts if not is_blank(text)])
    low, high = np.quantile(np.log(lengths), [0.25, 0.75])
    fence = max(float(np.exp(high + FENCES * (high - low))), LONG_FACTOR * float(np.median(lengths)))
    for number, text in enumerate(examined.texts):
        if len(text) > fence:
            part, position = examined.locate(number)
            times = len(text) / np.median(lengths)
            yield part.find(LONG_TEXT, position, f"It has {len(text)} characters, {times:.0f} times those of the median text.")


def name_missing_lengths(examined: Examined) -> str:
    """Why long texts can't be looked for; empty if they can."""
    n_texts = sum(not is_blank(text) for text in examined.texts)
    return "" if n_texts >= FEWEST_LENGTHS else f"there are fewer than {FEWEST_LENGTHS} texts"


def find_unrelated(examined: Examined) -> Iterator[Finding]:
    """Texts none of whose words another text has."""
    for number in list_unrelated(examined):
        part, position = examined.locate(number)
        n = pluralize(int(examined.n_words[number]), "word")
        yield part.find(UNRELATED_TEXT, position, f"No other text has one of its {n}.")


def name_missing_relations(examined: Examined) -> str:
    """Why unrelated texts can't be looked for; empty if they can."""
    is_usual = len(list_unrelated(examined)) > MOST_UNRELATED * len(examined.texts)
    return "texts with other words are usual in these data" if is_usual else ""


def list_unrelated(examined: Examined) -> list[int]:
    """The numbers of the texts none of whose words another text has."""
    matrix, _ = examined.words
    is_shared = (matrix.sum(axis=0).A1 > 1) if matrix.shape[1] else np.zeros(0, np.bool_)
    n_shared = matrix @ is_shared.astype(np.int64)
    found: list[int] = np.flatnonzero((n_shared == 0) & (examined.n_words >= UNRELATED_WORDS)).tolist()
    return found
