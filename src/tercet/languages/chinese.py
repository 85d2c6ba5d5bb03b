"""Counts of Chinese in traditional characters → counts in simplified characters.

The published counts are of traditional characters. Two encodings that come with Python say which characters belong to which
form: GB 2312 has the simplified ones, Big5 the traditional ones, and characters that were not simplified are in both.
"""

import numpy as np

from tercet.languages.ngram_counts import FIRST_LETTER, Alphabet, OrderCounts

SEEN_ONCE = 1.0  # added to the count of every simplified character in the texts


def is_encodable(code: int, encoding: str) -> bool:
    """
    >>> [is_encodable(ord(c), "gb2312") for c in "这這人"], [is_encodable(ord(c), "big5") for c in "这這人"]
    ([True, False, True], [False, True, True])
    """
    try:
        chr(code).encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def simplify(traditional: OrderCounts, texts: OrderCounts, alphabet: Alphabet) -> OrderCounts:
    """The counts of single characters, from those of traditional texts and of a few simplified texts.

    A character that is the same in both forms is as frequent as in traditional texts. All characters that only the simplified
    form has are together as frequent as those that only the traditional form has. The texts say how frequent each of them is.
    """
    keys = np.arange(FIRST_LETTER, FIRST_LETTER + len(alphabet.letters), dtype=np.uint64)
    in_simplified = np.array([is_encodable(code, "gb2312") for code in alphabet.letters])
    in_traditional = np.array([is_encodable(code, "big5") for code in alphabet.letters])
    counts = traditional.look_up(keys)
    own = (texts.look_up(keys) + SEEN_ONCE) * (in_simplified & ~in_traditional)
    replaced = counts[in_traditional & ~in_simplified].sum()
    simplified = np.where(in_simplified & in_traditional, counts, 0) + own * (replaced / max(own.sum(), 1))
    return OrderCounts.of(keys, np.rint(simplified).astype(np.int64))
