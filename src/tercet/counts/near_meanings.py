"""The documents whose meaning is nearest to that of a text, by a sentence encoder. They need not share a word."""

from collections.abc import Sequence

import numpy as np

from tercet.counts.document_index import Neighbour, rank_most_similar
from tercet.kernel.text.columns import SEPARATOR
from tercet.options import check_count
from tercet.text.vectors.word_vectors import WordVectors


def find_near_meanings(vectors: WordVectors, texts: Sequence[str], query: str, k: int = 5) -> list[Neighbour]:
    """The k texts with the greatest cosine to the query, the greatest first; ties go to the first text. Cosines are above 0."""
    encoded = vectors.encode_texts([text.replace(SEPARATOR, " ") for text in (query, *texts)]).astype(np.int64)
    lengths = np.sqrt((encoded**2).sum(axis=1))
    cosines = (encoded[1:] @ encoded[0]) / np.maximum(lengths[1:] * lengths[0], 1.0)
    return [
        Neighbour(int(place), min(1.0, float(cosines[place])), ()) for place in rank_most_similar(cosines, check_count("k", k))
    ]
