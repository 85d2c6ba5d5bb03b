"""Sources → the three models of languages: full and small for the common languages, and wide for all."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats
from tercet.errors import SourceNotFound
from tercet.languages.codes import shorten_label
from tercet.languages.model import LanguageModel, SystemRows
from tercet.languages.ngram_counts import BOUNDARY, FIRST_LETTER, OTHER, Alphabet, NgramCounts, choose_alphabet
from tercet.languages.ngram_rows import SURPRISE_UNIT, UNIT, NgramRows, drop_first, make_rows
from tercet.languages.sources import COMMON, Sources
from tercet.languages.writing_systems import WEIGHTS, list_letters

Say = Callable[[str], None]

# The order of the longest n-grams, where it is not the highest: characters that are syllables or words are many.
ORDERS = {"HAN": 1, "HANGUL": 1, "YI": 1, "ETHIOPIC": 4, "CANADIAN": 4, "VAI": 4}
MAX_ORDER = 5
ORDER_ALONE = 2  # where one language is alone in its writing system, n-grams only say whether a text is usual

# How much more surprising a letter of another text is than one of the few texts that were counted, in nats: so it is for Hindi,
# Marathi and Bengali.
SURPLUS = 1.0

MIN_LETTERS = 120  # letters that a language needs in its texts


class Size(NamedTuple):
    """How many rows a model has in Latin and in any other writing system."""

    latin: int
    other: int


SIZES = {"full": Size(200_000, 80_000), "small": Size(50_000, 12_000), "wide": Size(50_000, 12_000)}
COMMON_SIZES, WIDE = ("full", "small"), "wide"
MIN_COMMON_SHARE, MIN_WIDE_SHARE = 2e-6, 1e-4  # the share that an n-gram needs in some language to be considered
MAX_WIDE_ORDER = 4


class SystemCounts(NamedTuple):
    """The counts of all languages of a writing system, in the order of their labels."""

    alphabet: Alphabet
    counts: dict[str, NgramCounts]


class Part(NamedTuple):
    """What a model has of one writing system."""

    alphabet: Alphabet
    order: int
    labels: tuple[str, ...]
    rows: NgramRows
    typical: Floats


def build_models(sources: Sources, say: Say = lambda message: None) -> dict[str, LanguageModel]:
    """The models by name. Equal sources give equal models. Raises SourceNotFound if there is nothing to build from."""
    parts: dict[str, list[Part]] = {name: [] for name in SIZES}
    by_system: dict[str, list[str]] = {}
    for label in sources.list_labels(MIN_LETTERS):
        by_system.setdefault(sources.detect_system(label), []).append(label)
    if not by_system:
        raise SourceNotFound("there is no source of texts: pip install 'tercet[languages]'")
    for system, labels in sorted(by_system.items()):
        counted = count_system(sources, system, labels)
        common = [label for label in labels if label in COMMON]
        if common:
            found = make_parts(sources, counted, common, COMMON_SIZES, MIN_COMMON_SHARE, MAX_ORDER)
            for name, part in zip(COMMON_SIZES, found, strict=True):
                parts[name].append(part)
        parts[WIDE] += make_parts(sources, counted, labels, (WIDE,), MIN_WIDE_SHARE, MAX_WIDE_ORDER)
        if common:
            say(f"{system.capitalize()}: {len(labels)} language{'s' * (len(labels) > 1)}, {len(common)} in the full model")
    return {name: join_parts(found, sources) for name, found in parts.items()}


def count_system(sources: Sources, system: str, labels: Sequence[str]) -> SystemCounts:
    alphabet = choose_alphabet(system, map(sources.share_letters, labels), ORDERS.get(system, MAX_ORDER))
    return SystemCounts(alphabet, {label: sources.count(label, alphabet) for label in labels})


def make_parts(
    sources: Sources, counted: SystemCounts, labels: Sequence[str], names: Sequence[str], fewest: float, order: int
) -> list[Part]:
    """The part of the writing system in each of these models."""
    counts, alphabet = [counted.counts[label] for label in labels], counted.alphabet
    order = min(alphabet.order, order if len(labels) > 1 else ORDER_ALONE)
    sizes = [SIZES[name].latin if alphabet.system == "LATIN" else SIZES[name].other for name in names]
    is_large = [sources.is_counted(label) for label in labels]
    return [
        Part(alphabet, order, tuple(labels), rows, measure_typical(counts, alphabet, order, rows, is_large))
        for rows in make_rows(counts, alphabet, order, fewest, sizes)
    ]


def join_parts(parts: Sequence[Part], sources: Sources) -> LanguageModel:
    labels = tuple(sorted(label for part in parts for label in part.labels))
    numbers = {label: number for number, label in enumerate(labels)}
    typical = np.zeros(len(labels))
    systems = []
    for part in parts:
        indices = np.array([numbers[label] for label in part.labels], np.int64)
        typical[indices] = part.typical
        alphabet = part.alphabet
        systems.append(
            SystemRows(alphabet.system, alphabet.n_bits, part.order, WEIGHTS.get(alphabet.system, 1), indices, part.rows)
        )
    names = tuple(sources.names.get(shorten_label(label), label) for label in labels)
    letters = make_runs([part.alphabet for part in parts])
    return LanguageModel(labels, names, letters, tuple(systems), typical, sources.describe())


def make_runs(alphabets: Sequence[Alphabet]) -> npt.NDArray[np.uint32]:
    """The letter of each character, as runs of neighbours. Letters of other writing systems belong to a system of their own."""
    numbers = {alphabet.system: number for number, alphabet in enumerate(alphabets, 1)}
    symbols = [{code: index for index, code in enumerate(alphabet.letters, FIRST_LETTER)} for alphabet in alphabets]
    runs: list[list[int]] = []
    for code, system, small in list_letters():
        number = numbers.get(system, len(alphabets) + 1)
        symbol = OTHER if number > len(alphabets) else symbols[number - 1].get(ord(small), OTHER)
        if not runs or not extend_run(runs[-1], code, number << 16 | symbol):
            runs.append([code, code, number << 16 | symbol, 0])
    return np.array(runs, np.uint32)


def extend_run(run: list[int], code: int, letter: int) -> bool:
    """Whether this letter continues a run: the same letter as all of it, or the next one."""
    first, last, start, step = run
    steps = (0, 1) if first == last else (step,)
    for each in steps:
        if code == last + 1 and letter == start + each * (code - first):
            run[:] = [first, code, start, each]
            return True
    return False


def measure_typical(
    counts: Sequence[NgramCounts], alphabet: Alphabet, order: int, rows: NgramRows, is_large: Sequence[bool]
) -> Floats:
    """The mean surprise of a letter in each language, in nats.

    A language with few texts knows its own texts too well: others are more surprising.
    """
    means = np.array([measure_surprise(label, i, alphabet, order, rows) for i, label in enumerate(counts)])
    large = np.array(is_large)
    return np.where(large, means, np.maximum(means + SURPLUS, np.median(means[large] if large.any() else means)))


def measure_surprise(counts: NgramCounts, column: int, alphabet: Alphabet, order: int, rows: NgramRows) -> float:
    """The mean surprise of all letters: those that end the longest n-grams, and shorter ones at the beginning of a word."""
    total = n = 0.0
    longest = min(order, max(counts))
    for length in range(1, longest + 1):
        keys, times = counts[length].keys, counts[length].counts
        if length < longest:
            begins = (keys >> np.uint64(alphabet.n_bits * (length - 1)) == BOUNDARY) & (length > 1)
            keys, times = keys[begins], times[begins]
        total += float(compute_surprise(keys, length, column, alphabet, rows) @ times)
        n += float(times.sum())
    return total / max(n, 1)


def compute_surprise(keys: npt.NDArray[np.uint64], length: int, column: int, alphabet: Alphabet, rows: NgramRows) -> Floats:
    """The surprise of the last symbol of each n-gram, by the row of the longest n-gram that there is. 0 if there is none."""
    surprise = np.zeros(len(keys))
    is_open = np.ones(len(keys), bool)
    for n in range(length, 0, -1):
        indices = np.minimum(np.searchsorted(rows.keys, keys), len(rows.keys) - 1)
        hit = is_open & (rows.keys[indices] == keys)
        surprise[hit] = rows.surprise[indices[hit]] / SURPRISE_UNIT + rows.costs[indices[hit], column] / UNIT
        is_open &= ~hit
        keys = drop_first(keys, n, alphabet.n_bits)
    return surprise
