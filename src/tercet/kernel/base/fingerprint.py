"""A fingerprint of 128 bits for a text. It is the same on every machine."""

import numpy as np
import numpy.typing as npt

from tercet.kernel.base.documents import Texts

# Constants without a pattern: the fractional parts of √2, √3, √5 and √7.
ROOT2, ROOT3, ROOT5, ROOT7 = 0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1
MASK = (1 << 64) - 1


def fold_product(a: int, b: int) -> int:
    """The exclusive or of the two halves of a 128-bit product."""
    return (a * b & MASK) ^ (a * b >> 64)


def fingerprint_bytes(text: bytes) -> tuple[int, int]:
    """The fingerprint as two numbers of 64 bits.

    The text is read in blocks of 16 bytes; the last block is filled up with zeros, and the size is mixed in three times.
    Blocks come in pairs. The second block of each pair has its own state, which is mixed in before the remaining blocks.
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
    """An array of texts × 2 numbers."""
    prints = [fingerprint_bytes(text.encode("utf-8", "surrogatepass")) for text in texts.texts]
    return np.array(prints, np.uint64).reshape(-1, 2)
