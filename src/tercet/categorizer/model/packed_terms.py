"""The terms of a table in few bytes. Opening them builds the vocabulary again, with its hash tables.

Words, character n-grams and features are their spellings, one after the other, and their lengths. Word n-grams are a tree: each
node has a number of children, and the last words of the children of a node rise, so that only their differences are written.
"""

import numpy as np

from tercet.arrays import Array, Integers
from tercet.categorizer.model.text_model import Arrays
from tercet.kernel import engine
from tercet.store.small_numbers import read_numbers, write_numbers

NONE = 0xFFFFFFFF  # the term of a word or n-gram that is only a part of other terms
NGRAM = 1 << 31  # marks a parent that is an n-gram, not a word
SPELLED = ("words", "characters", "features")


def pack_terms(table: engine.Table, terms: Integers) -> tuple[Integers, dict[str, Array]]:
    """These terms, which are given in canonical order, in the order in which they are packed, and their arrays."""
    frozen = table.freeze(terms)
    packed: dict[str, Array] = {}
    numbers = {kind: frozen[f"{kind}.terms"].astype(np.int64) for kind in (*SPELLED, "ngrams") if f"{kind}.terms" in frozen}
    for kind in (kind for kind in SPELLED if kind in numbers):
        packed[f"{kind}.bytes"] = frozen[f"{kind}.bytes"]
        packed[f"{kind}.lengths"] = write_numbers(np.diff(frozen[f"{kind}.ends"].astype(np.int64)))
    if "ngrams" in numbers:
        order, tree = pack_tree(frozen["ngrams.pairs"].astype(np.int64), len(numbers["words"]))
        packed |= tree
        numbers["ngrams"] = numbers["ngrams"][order]
    for kind, own in numbers.items():
        if (own == NONE).any():
            packed[f"{kind}.used"] = np.packbits(own != NONE)
    kinds = [numbers[kind] for kind in ("words", "ngrams", "characters", "features") if kind in numbers]
    indices = np.concatenate([np.zeros(0, np.int64), *kinds])
    return terms[indices[indices != NONE]], packed


def open_terms(recipe: engine.Recipe, packed: Arrays, n_labels: int, n_terms: int) -> engine.Table:
    """A table with these terms, without counts. Raises an error unless the arrays have exactly `n_terms` terms."""
    arrays: dict[str, Array] = {}
    sizes: dict[str, int] = {}
    for kind in (kind for kind in SPELLED if f"{kind}.lengths" in packed):
        lengths = read_numbers(packed[f"{kind}.lengths"])
        if lengths.sum() != len(packed[f"{kind}.bytes"]):
            raise ValueError("the spellings do not fill their bytes")
        sizes[kind] = len(lengths)
        arrays[f"{kind}.bytes"] = packed[f"{kind}.bytes"]
        arrays[f"{kind}.ends"] = np.concatenate([[0], np.cumsum(lengths)]).astype(np.uint64)
    if "ngrams.children" in packed:
        arrays["ngrams.pairs"] = open_tree(packed, sizes.get("words", 0))
        sizes["ngrams"] = len(arrays["ngrams.pairs"])
    n_met = 0
    for kind in (kind for kind in ("words", "ngrams", "characters", "features") if kind in sizes):
        used = read_flags(packed.get(f"{kind}.used"), sizes[kind])
        arrays[f"{kind}.terms"] = np.where(used, n_met + np.cumsum(used) - 1, NONE).astype(np.uint32)
        n_met += int(used.sum())
    if n_met != n_terms:
        raise ValueError("the weights do not fit the terms")
    nothing = np.zeros(0, np.int64)
    return engine.Table.open(recipe, arrays, engine.Counts(n_labels, n_terms), nothing, nothing, nothing)


def read_flags(bits: Array | None, n: int) -> Array:
    """The first n bits; all are set if there are none in the file."""
    if bits is None:
        return np.ones(n, np.bool_)
    if bits.dtype != np.uint8 or bits.shape != (-(-n // 8),):
        raise ValueError("each word and n-gram is a term or not")
    return np.unpackbits(bits, count=n).astype(np.bool_)


def pack_tree(pairs: Integers, n_words: int) -> tuple[Integers, dict[str, Array]]:
    """The order in which these n-grams are packed, and their arrays. A pair is a parent, before its children, and a last word.

    First come the n-grams of two words, then those of three, and so on. Each length is sorted by parent, then by last word.
    """
    parents, last = pairs[:, 0], pairs[:, 1]
    is_longer = parents >= NGRAM
    level, order, children = np.flatnonzero(~is_longer), [], []
    parent_indices, n_parents = parents.copy(), n_words
    while len(level):
        level = level[np.lexsort((last[level], parent_indices[level]))]
        children.append(np.bincount(parent_indices[level], minlength=n_parents))
        order.append(level)
        indices = np.full(len(pairs), -1)
        indices[level] = np.arange(len(level))
        longer = np.flatnonzero(is_longer)
        parent_indices[longer] = indices[parents[longer] - NGRAM]
        level, n_parents = longer[parent_indices[longer] >= 0], len(level)
    ordered = np.concatenate(order)
    sizes = np.concatenate(children)
    steps = np.diff(last[ordered], prepend=0) - 1
    first = (np.cumsum(sizes) - sizes)[sizes > 0]  # the first child of each parent has its last word itself
    steps[first] = last[ordered][first]
    return ordered, {"ngrams.children": write_numbers(sizes), "ngrams.last": write_numbers(steps)}


def open_tree(packed: Arrays, n_words: int) -> Array:
    """The pairs of the n-grams that `pack_tree` packed. Raises ValueError if they are no tree over these words."""
    sizes, steps = read_numbers(packed["ngrams.children"]), read_numbers(packed["ngrams.last"])
    ends = np.cumsum(sizes)
    if len(sizes) < n_words or int(sizes.sum()) != len(steps) or len(sizes) > n_words + len(steps):
        raise ValueError("the n-grams are no tree")
    parents = np.repeat(np.arange(len(sizes)), sizes)
    first = np.zeros(len(steps), np.bool_)
    first[(ends - sizes)[sizes > 0]] = True
    sums = np.cumsum(np.where(first, steps, steps + 1))
    last = sums - np.repeat((sums[first] - steps[first]), sizes[sizes > 0])
    nodes = np.where(parents < n_words, parents, parents - n_words + NGRAM)
    if last.max(initial=0) >= n_words:
        raise ValueError("an n-gram has no last word")
    return np.stack([nodes, last], axis=1).astype(np.uint32)
