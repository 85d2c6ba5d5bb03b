"""Text → what is compared to find near copies: the fingerprint of its words, and the set of its shingles."""

from collections.abc import Iterator

from tercet.kernel.base.fingerprint import fingerprint_bytes, fold_product
from tercet.kernel.terms.analysis import Recipe
from tercet.kernel.text.tokenize import split_words

SHORTEST, SHINGLE_SIZE = 20, 3  # in words


def mix_bits(bits: int) -> int:
    # Constants without a pattern: the fractional parts of √11 and √13.
    return fold_product(bits ^ 0x510E527FADE682D1, 0x9B05688C2B3E6C1F)


def read_shingles(text: str) -> tuple[tuple[int, int], frozenset[int]]:
    """The fingerprint of the words of a text, and the set of its shingles: three words in a row, hashed.

    Texts with equal words in equal order have equal fingerprints. A text without words has the fingerprint of its characters.
    A text with few words has no shingles.
    """
    words = [word.encode("utf-8", "surrogatepass") for word in split_distinct_words(text)]
    if not words:
        return fingerprint_bytes(text.encode("utf-8", "surrogatepass")), frozenset()
    print_of_words = fingerprint_bytes(b"".join(word + b" " for word in words))
    return print_of_words, make_shingles(words) if len(words) >= SHORTEST else frozenset()


def split_distinct_words(text: str) -> Iterator[str]:
    """The words of a text in lower case. In a script without spaces each character is a word.

    >>> list(split_distinct_words("To be, or 你好"))
    ['to', 'be', 'or', '你', '好']
    """
    plain, last_end = "".join(c.value for c in Recipe().token_characters(text)), 0
    for token in split_words(plain, symbols=False):
        if token.begin >= last_end:  # a pair of characters overlaps the last word
            yield plain[token.begin : token.end]
            last_end = token.end


def make_shingles(words: list[bytes]) -> frozenset[int]:
    hashes, shingles = [fingerprint_bytes(word)[0] for word in words], set()
    for i in range(len(hashes) - SHINGLE_SIZE + 1):
        shingle = 0
        for word in hashes[i : i + SHINGLE_SIZE]:
            shingle = mix_bits(shingle ^ word)
        shingles.add(shingle)
    return frozenset(shingles)
