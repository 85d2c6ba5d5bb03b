"""Whether word vectors are used: they must be installed or given, the texts must be in their languages, and not be too many."""

from typing import Any, NamedTuple

import numpy as np

from tercet.categorizer.model.word_terms import WordTerms, find_word_recipe, read_words
from tercet.counts.table import CountTable
from tercet.errors import InvalidOption, MissingExtra, bad_option
from tercet.text.vectors.named_vectors import NamedVectors
from tercet.text.vectors.word_vectors import WordVectors

MAX_OCCURRENCES = 1 << 21  # of words: with more of them, vectors add nothing to what the texts themselves say
MAX_STEPS = 1 << 31  # documents × labels × dimensions: the time of a pass over the documents
MAX_NUMBERS = 1 << 24  # labels × listed words: the size of the model
MIN_SHARE = 0.5  # of the words of the texts that the vectors must list


def resolve_vectors(given: Any) -> WordVectors | None:
    """The vectors of an option: None, "auto" for those of the encoder if it is installed, or given ones."""
    if given is None or isinstance(given, WordVectors):
        return given
    if not isinstance(given, str) or given != "auto":
        raise bad_option("vectors", "None, 'auto' or a WordVectors", given, "they say what words mean.")
    try:
        return WordVectors()
    except MissingExtra:
        return None


def name_vectors(identity: Any) -> WordVectors:
    """The vectors that a file names."""
    if not isinstance(identity, str) or not identity:
        raise ValueError("the word vectors have no name")
    return WordVectors(NamedVectors(identity))


class VectorChoice(NamedTuple):
    """Whether vectors are used, and a sentence if they are not."""

    is_used: bool
    said: tuple[str, ...] = ()


def choose_vectors(vectors: WordVectors, table: CountTable, n_documents: int) -> VectorChoice:
    """Whether to use these vectors for so many documents, which this table has counted."""
    if find_word_recipe(table.analyzer) is None:
        return VectorChoice(False, ("the recipe does not count words as they are written: word vectors are left out",))
    n_labels = int(np.count_nonzero(table.n_documents))
    if n_labels * n_documents * vectors.dimension > MAX_STEPS or n_labels * len(vectors.words) > MAX_NUMBERS:
        return VectorChoice(False, (f"the documents have {n_labels} labels, too many for word vectors: they are left out",))
    words = WordTerms.of(table)
    counts = words.count_occurrences(table)
    mean_weight = table.n_documents.sum() / max(n_documents, 1)
    if counts.sum() > MAX_OCCURRENCES * mean_weight:
        return VectorChoice(False, ("the texts have more than 2 million words: word vectors are left out",))
    spelled, listed = read_words(words.words), set(vectors.words)
    is_word = np.array([any(map(str.isalpha, word)) for word in spelled], np.bool_)
    is_listed = np.array([word in listed for word in spelled], np.bool_)
    total, known = counts[is_word].sum(), counts[is_word & is_listed].sum()
    if not total:
        return VectorChoice(False, ("the texts have no words: word vectors are left out",))
    if known < MIN_SHARE * total:
        share = f"the word vectors list only {100 * known / total:.0f} % of the words"
        return VectorChoice(False, (f"{share}, so the texts are probably in another language: they are left out",))
    return VectorChoice(True)


def check_vectors(vectors: WordVectors | None, has_blocks: bool) -> WordVectors | None:
    """Raise InvalidOption if the model can't use vectors."""
    if vectors is not None and not has_blocks:
        raise InvalidOption("vectors are for model='auto' and a Stack: another model has no member that learns from them.")
    return vectors
