"""128 bits that stand for a text: the same on every machine."""

import numpy as np
import numpy.typing as npt

from tercet.kernel.reference.matrix import Texts

# The fractions of √2, √3, √5 and √7: constants without a pattern.
ROOT2, ROOT3, ROOT5, ROOT7 = 0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1
MASK = (1 << 64) - 1


def fold_product(a: int, b: int) -> int:
    """The two halves of a product of 128 bits, one folded over the other."""
    return (a * b & MASK) ^ (a * b >> 64)


def fingerprint_bytes(text: bytes) -> tuple[int, int]:
    """Sixteen bytes at a time, the rest filled up with zeros, and three times the size.

    Of all pairs of blocks the second ones have a state of their own, which is mixed in before the rest.
    """
    words = [text[i : i + 8].ljust(8, b"\0") for i in range(0, len(text) // 16 * 16 + 16, 8)]
    numbers = [int.from_bytes(word, "little") for word in words]
    blocks = list(zip(numbers[::2], numbers[1::2], strict=True))
    n_paired = len(text) // 32 * 2
    other = mix((ROOT3, ROOT2), blocks[1:n_paired:2])
    sizes = [(len(text), ~len(text) & MASK)] * 3
    return mix((ROOT2, ROOT3), [*blocks[0:n_paired:2], other, *blocks[n_paired:], *sizes])


def mix(state: tuple[int, int], blocks: list[tuple[int, int]]) -> tuple[int, int]:
    a, b = state
    for x, y in blocks:
        a, b = fold_product(a ^ x, ROOT5) ^ b, fold_product(b ^ y, ROOT7)
        b = b + a & MASK
    return a, b


def fingerprint(texts: Texts, threads: int = 1) -> npt.NDArray[np.uint64]:
    """Texts × 2."""
    prints = [fingerprint_bytes(text.encode("utf-8", "surrogatepass")) for text in texts.texts]
    return np.array(prints, np.uint64).reshape(-1, 2)
