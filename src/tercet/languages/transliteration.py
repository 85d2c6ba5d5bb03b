"""Counts in one script → counts of the same texts in another: Chinese in simplified characters, Serbian in Latin letters.

The published counts of Chinese are of traditional characters. Two encodings that come with Python say which characters belong
to which form: GB 2312 has the simplified ones, Big5 the traditional ones, and characters that were not simplified are in both.
Each Cyrillic letter of Serbian has one spelling in Latin letters."""

import numpy as np

from tercet.languages.ngram_counts import BOUNDARY, FIRST_LETTER, OTHER, Alphabet, Keys, NgramCounts, OrderCounts, pack_symbols

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


def simplify_counts(traditional: OrderCounts, texts: OrderCounts, alphabet: Alphabet) -> OrderCounts:
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


_CYRILLIC = "абвгдђежзијклљмнњопрстћуфхцчџш"
_LATIN = "a b v g d đ e ž z i j k l lj m n nj o p r s t ć u f h c č dž š".split()  # noqa: SIM905 (easier to read)
SPELLING = dict(zip(_CYRILLIC, _LATIN, strict=True))


def respell(counts: NgramCounts, cyrillic: Alphabet, latin: Alphabet) -> NgramCounts:
    """The counts of n-grams of Latin letters.

    An n-gram of Cyrillic letters has at least n Latin letters, of which the last n are counted. If its last letter is spelled
    with two, the n-gram that ends at the first of them is counted, too. An n-gram at the beginning of a word may have more
    letters in Latin than there are before it in Cyrillic: then longer n-grams are counted as well.
    """
    spelling, highest = make_spelling(cyrillic, latin), max(counts)
    found: dict[int, list[tuple[Keys, Keys]]] = {n: [] for n in counts}
    for n, of_order in counts.items():
        symbols = unpack_symbols(of_order.keys, n, cyrillic.n_bits)
        written = spelling[symbols].reshape(len(symbols), 2 * n)  # with zeros where a spelling has one letter
        written = np.take_along_axis(written, np.argsort(written != 0, axis=1, kind="stable"), axis=1)  # zeros first
        is_double, begins = spelling[symbols[:, -1], 0] != 0, symbols[:, 0] == BOUNDARY
        for ends, chosen in ((written, np.ones(len(written), bool)), (written[:, :-1], is_double)):
            for order in range(n, highest + 1):
                if order > ends.shape[1]:
                    break
                whole = chosen & (ends[:, -order] != 0) & (begins | (order == n))
                keys = pack_symbols(ends[whole, -order:], latin.n_bits)
                found[order].append((keys, of_order.counts[whole].astype(np.uint64)))
    return {
        n: OrderCounts.of(np.concatenate([keys for keys, _ in parts]), np.concatenate([c for _, c in parts]).astype(np.int64))
        for n, parts in found.items()
    }


def make_spelling(cyrillic: Alphabet, latin: Alphabet) -> Keys:
    """The two Latin symbols of each Cyrillic symbol. The first is 0 if there is only one."""
    spelling = np.full((1 << cyrillic.n_bits, 2), OTHER, np.uint64)
    spelling[:, 0] = 0
    spelling[BOUNDARY] = 0, BOUNDARY
    for letter, letters in SPELLING.items():
        symbol = cyrillic.encode(np.array([ord(letter)], np.uint32)).item()
        spelling[symbol, 2 - len(letters) :] = latin.encode(np.array([ord(c) for c in letters], np.uint32))
    return spelling


def unpack_symbols(keys: Keys, n: int, n_bits: int) -> Keys:
    """N-grams as rows of symbols."""
    shifts = np.arange(n - 1, -1, -1, dtype=np.uint64) * np.uint64(n_bits)
    return keys[:, None] >> shifts & np.uint64((1 << n_bits) - 1)
