"""A vocabulary as arrays for a file, including its hash tables. Equal vocabularies give equal bytes."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from tercet.kernel.base.arguments import expect
from tercet.kernel.base.fingerprint import MASK, fingerprint_bytes, fold_product
from tercet.kernel.terms.analysis import Key

Arrays = dict[str, npt.NDArray[Any]]
Seed = tuple[int, int]

NONE = 0xFFFFFFFF
NGRAM = 1 << 31  # marks a parent that is an n-gram, not a word
TOP_BIT = 1 << 63


def find_seed(content: bytes) -> Seed:
    a, b = fingerprint_bytes(content)
    return a, b | 1


def key_of(text: bytes, seed: Seed) -> int:
    """Up to seven bytes are their own key. Longer texts are hashed, and the top bit is set."""
    if len(text) < 8:
        return int.from_bytes(text, "little") | len(text) << 56
    a, b = seed
    parts = [text[i : i + 8] for i in range(0, len(text) - 8, 8)]
    h = a ^ len(text)
    for part in [*parts, text[-8:]]:
        h = fold_product(h ^ int.from_bytes(part, "little"), b)
    return h | TOP_BIT


def make_slots(keys: list[int], seed: Seed) -> npt.NDArray[np.uint32]:
    """(number, tag) for each key. The lower half of the hash is the first slot to try; the tag is the upper half."""
    n = 1 << (len(keys) + len(keys) // 3).bit_length()
    slots = [(NONE, 0)] * n
    for number, key in enumerate(keys):
        hashed = fold_product((key ^ seed[0]) & MASK, seed[1])
        place = hashed & (n - 1)
        while slots[place][0] != NONE:
            place = (place + 1) & (n - 1)
        slots[place] = (number, hashed >> 32)
    return np.array(slots, np.uint32).reshape(-1, 2)


def freeze_strings(name: str, terms: Mapping[bytes, int]) -> Arrays:
    """Spellings in the order of their numbers, and the term of each spelling."""
    content = b"".join(terms)
    seed = find_seed(content)
    return {
        f"{name}.bytes": np.frombuffer(content, np.uint8),
        f"{name}.ends": np.cumsum([0, *map(len, terms)]).astype(np.uint64),
        f"{name}.seed": np.array(seed, np.uint64),
        f"{name}.slots": make_slots([key_of(text, seed) for text in terms], seed),
        f"{name}.terms": np.array(list(terms.values()), np.uint32),
    }


def freeze_ngrams(words: list[bytes], terms: Mapping[tuple[bytes, ...], int]) -> Arrays:
    """N-grams as pairs: a shorter n-gram or word, and the last word."""
    of_word = {word: number for number, word in enumerate(words)}
    of_ngram = {ngram: number for number, ngram in enumerate(terms)}
    pairs = [(of_ngram[n[:-1]] | NGRAM if len(n) > 2 else of_word[n[0]], of_word[n[-1]]) for n in terms]
    array = np.array(pairs, np.uint32).reshape(-1, 2)
    seed = find_seed(array.astype("<u4").tobytes())
    return {
        "ngrams.pairs": array,
        "ngrams.seed": np.array(seed, np.uint64),
        "ngrams.slots": make_slots([first << 32 | second for first, second in pairs], seed),
        "ngrams.terms": np.array(list(terms.values()), np.uint32),
    }


def freeze_vocabulary(keys: list[Key]) -> Arrays:
    """The arrays of these terms, which must be in canonical order. Terms are numbered in this order."""
    of_kind = [{tokens: number for number, (kind, tokens) in enumerate(keys) if kind == one} for one in range(3)]
    ngrams = {tokens: number for tokens, number in of_kind[0].items() if len(tokens) > 1}
    parts = {tokens[:n] for tokens in ngrams for n in range(2, len(tokens))}
    words = {(word,) for tokens in of_kind[0] for word in tokens}
    single = {tokens[0]: of_kind[0].get(tokens, NONE) for tokens in sorted(words)}
    arrays: Arrays = freeze_strings("words", single) if single else {}
    if ngrams:
        arrays |= freeze_ngrams(list(single), {tokens: ngrams.get(tokens, NONE) for tokens in sorted({*ngrams, *parts})})
    for name, terms in (("characters", of_kind[1]), ("features", of_kind[2])):
        if terms:
            arrays |= freeze_strings(name, {tokens[0]: number for tokens, number in terms.items()})
    return arrays


def read_strings(name: str, arrays: Mapping[str, npt.NDArray[Any]]) -> list[bytes]:
    if f"{name}.ends" not in arrays:
        return []
    ends, content = arrays[f"{name}.ends"].tolist(), arrays[f"{name}.bytes"].tobytes()
    expect(ends == sorted(ends) and ends[:1] == [0] and ends[-1] == len(content), "the vocabulary is damaged")
    return [content[begin:end] for begin, end in pairwise(ends)]


def read_ngrams(words: list[bytes], arrays: Mapping[str, npt.NDArray[Any]]) -> list[tuple[bytes, ...]]:
    ngrams: list[tuple[bytes, ...]] = []
    for first, second in arrays.get("ngrams.pairs", np.zeros((0, 2), np.uint32)).tolist():
        known = (first & ~NGRAM) < len(ngrams) if first & NGRAM else first < len(words)
        expect(known and second < len(words), "the vocabulary is damaged")
        ngrams.append((*(ngrams[first & ~NGRAM] if first & NGRAM else (words[first],)), words[second]))
    return ngrams


def expect_sound(arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """An error if the hash tables are not those of the vocabulary, or a key is there twice."""
    words = read_strings("words", arrays)
    made = freeze_ngrams(words, dict.fromkeys(read_ngrams(words, arrays), 0)) if "ngrams.pairs" in arrays else {}
    for name in ("words", "characters", "features"):
        made |= freeze_strings(name, dict.fromkeys(read_strings(name, arrays), 0)) if f"{name}.ends" in arrays else {}
    is_right = all(np.array_equal(array, made[name]) for name, array in arrays.items() if not name.endswith(".terms"))
    expect(is_right, "the vocabulary is damaged")


def open_vocabulary(arrays: Mapping[str, npt.NDArray[Any]], n_terms: int) -> list[Key]:
    """The terms in the order of their numbers."""
    words = read_strings("words", arrays)
    spelled: dict[str, list[Key]] = {
        "words": [(0, (word,)) for word in words],
        "ngrams": [(0, ngram) for ngram in read_ngrams(words, arrays)],
        "characters": [(1, (text,)) for text in read_strings("characters", arrays)],
        "features": [(2, (text,)) for text in read_strings("features", arrays)],
    }
    keys: dict[int, Key] = {}
    for name, of_kind in spelled.items():
        numbers = arrays.get(f"{name}.terms", np.zeros(0, np.uint32)).tolist()
        expect(len(numbers) == len(of_kind), "each spelling needs a term or none")
        for number, key in zip(numbers, of_kind, strict=True):
            expect(number == NONE or (number < n_terms and number not in keys), "no such term, or it is there twice")
            if number != NONE:
                keys[number] = key
    expect(len(keys) == n_terms, "a term has no spelling")
    return [keys[number] for number in range(n_terms)]
