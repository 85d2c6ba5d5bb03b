"""Vectors of whole texts that are near to each other if the texts are alike.

With the sentence encoder, texts of the same meaning are near. Without it, texts with the same rare words are: each word has a
random direction that follows from its spelling, and a text is the sum of them by tf-idf weights.
"""

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from tercet.arrays import Floats
from tercet.categorizer.model.margin_model import Floats32
from tercet.categorizer.model.vector_member import to_units
from tercet.categorizer.suggestion.clusters import sum_squares
from tercet.categorizer.suggestion.order import list_words
from tercet.categorizer.vector_choice import resolve_vectors
from tercet.counts.counter import TermCounter
from tercet.counts.weighting import TermWeighting
from tercet.interruption import check_wanted
from tercet.text.vectors.word_vectors import WordVectors

MAX_CHARACTERS = 500  # of a text that are read
AT_A_TIME = 100  # texts that are encoded together: then it is asked whether they are still wanted
MAX_WORDS, MIN_SHARE = 1000, 0.5  # words that are looked up, and how many of them must be known
BITS = 256  # dimensions of the directions of words


def represent_texts(texts: Sequence[str], *, threads: int) -> Floats32:
    """Vectors of length 1: of the encoder if it is installed and knows most words, or else of the words.

    >>> rows = represent_texts(["a lovely film", "a lovely film", "my parcel is late"], threads=1)
    >>> round(float(rows[0] @ rows[1]), 3), bool(rows[0] @ rows[2] < 0.9)
    (1.0, True)
    """
    vectors = resolve_vectors("auto")
    if vectors is None or not knows_words(vectors, texts):
        return project_words(texts, threads=threads)
    return encode_texts(texts, vectors, threads=threads)


def knows_words(vectors: WordVectors, texts: Sequence[str]) -> bool:
    """Whether vectors know most words of the texts. An encoder knows no word of a script that it has not learned.

    >>> vectors = WordVectors.of(["good", "bad"], [[1.0, 0.0], [0.0, 1.0]])
    >>> knows_words(vectors, ["good, bad", "so good"]), knows_words(vectors, ["καλό"])
    (True, False)
    """
    words = sorted(frozenset[str]().union(*(list_words(text[:MAX_CHARACTERS]) for text in texts)))
    sample = [words[i] for i in np.random.default_rng(0).permutation(len(words))[:MAX_WORDS].tolist()]
    return bool(sample) and float(vectors.known(sample).mean()) >= MIN_SHARE


def encode_texts(texts: Sequence[str], vectors: WordVectors, *, threads: int) -> Floats32:
    """Vectors of length 1 by the sentence encoder."""
    found = [np.zeros((0, vectors.dimension), np.int8)]
    for first in range(0, len(texts), AT_A_TIME):
        check_wanted()
        some = [text[:MAX_CHARACTERS] for text in texts[first : first + AT_A_TIME]]
        found.append(vectors.encode_texts(some, threads=threads))
    return to_units(np.concatenate(found))


def project_words(texts: Sequence[str], *, threads: int) -> Floats32:
    """Vectors of length 1 from the words of the texts; zeros for a text without words."""
    counter = TermCounter(threads=threads)
    matrix = TermWeighting().fit_transform(counter.fit_transform([text[:MAX_CHARACTERS] for text in texts]))
    directions = draw_directions(counter.get_feature_names_out().tolist())
    rows = np.zeros((len(texts), BITS))
    for i in range(len(texts)):
        own = slice(matrix.indptr[i], matrix.indptr[i + 1])
        rows[i] = (directions[matrix.indices[own]] * matrix.data[own, None]).sum(axis=0)
    lengths = np.sqrt(sum_squares(rows))
    return (rows / np.where(lengths > 0, lengths, 1.0)[:, None]).astype(np.float32)


def draw_directions(terms: Sequence[str]) -> Floats:
    """A random direction for each term that follows from its spelling: BITS signs.

    >>> directions = draw_directions(["to", "be"])
    >>> directions.shape, bool(abs(directions[0] @ directions[1]) < BITS / 2)
    ((2, 256), True)
    """
    digests = [blake2b(term.encode("utf-8", "surrogatepass"), digest_size=BITS // 8).digest() for term in terms]
    bits = np.unpackbits(np.frombuffer(b"".join(digests), np.uint8)).reshape(-1, BITS)
    return bits.astype(np.float64) * 2 - 1
