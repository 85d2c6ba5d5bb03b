"""Texts in few bytes: nothing is lost, and damaged bytes are errors."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from helpers.invented_texts import texts as odd_texts
from hypothesis import given
from hypothesis import strategies as st

from tercet.kernel import _native, reference

KERNELS = [_native, reference]
WORDS = ["the", "hen", "été", "Việt", "你", "好", "ไทย", "한국", "🐔", "\ud800", "«", "…", "7"]
WORDS += ["-" * 40, "a" * 40, "\x1f", " ", "  ", "\n"]
spaced = st.builds(str.join, st.sampled_from([" ", ""]), st.lists(st.sampled_from(WORDS), max_size=12))
documents = st.lists(spaced | odd_texts | st.text(), max_size=6)


def pack(kernel: Any, texts: list[str]) -> tuple[bytes, bytes]:
    dictionary, packed = kernel.pack_texts(kernel.Texts(texts))
    return dictionary.tobytes(), packed.tobytes()


def unpack(kernel: Any, dictionary: bytes, packed: bytes, n: int) -> list[str]:
    offsets, data = kernel.unpack_texts(np.frombuffer(dictionary, np.uint8), np.frombuffer(packed, np.uint8), n)
    ends = offsets.tolist()
    return [data[a:b].tobytes().decode("utf-8", "surrogatepass") for a, b in pairwise(ends)]


@given(documents)
def test_any_texts_are_the_same_after_packing_and_unpacking(texts: list[str]) -> None:
    for kernel in KERNELS:
        assert unpack(kernel, *pack(kernel, texts), len(texts)) == texts


@given(documents)
def test_both_kernels_pack_to_the_same_bytes(texts: list[str]) -> None:
    assert pack(_native, texts) == pack(reference, texts)


@given(documents)
def test_joined_texts_can_be_opened_again(texts: list[str]) -> None:
    for kernel in KERNELS:
        offsets, data = kernel.Texts(texts).join()
        again = kernel.Texts.from_arrow(offsets, data, data, surrogates=True)
        assert kernel.fingerprint(again).tolist() == kernel.fingerprint(kernel.Texts(texts)).tolist()


@given(st.binary(max_size=60), st.binary(max_size=60), st.integers(0, 4))
def test_any_bytes_are_texts_or_a_value_error_in_both_kernels(dictionary: bytes, packed: bytes, n: int) -> None:
    found = []
    for kernel in KERNELS:
        try:
            found.append(unpack(kernel, dictionary, packed, n))
        except ValueError:
            found.append(None)
    assert found[0] == found[1]


def test_repeated_words_take_a_byte_or_two() -> None:
    texts = ["The hen sat on the wall, and the hen sang."] * 100
    dictionary, packed = pack(_native, texts)
    assert len(packed) < 0.4 * sum(map(len, texts))
    assert len(dictionary) < 50


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_byte_stands_for_a_bounded_number_of_bytes(kernel: Any) -> None:
    """Otherwise a small file could fill the memory."""
    long_run = reference_run(b"a" * 33)
    with pytest.raises(ValueError, match="damaged"):
        unpack(kernel, long_run, b"\x01\x01", 1)
    assert unpack(kernel, reference_run(b"a" * 32), b"\x02\x01\x01", 1) == ["a" * 32 + " " + "a" * 32]


def reference_run(run: bytes) -> bytes:
    from tercet.kernel.base.packed_texts import write_run

    return write_run(run)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(
    ("dictionary", "packed", "n"),
    [
        (b"", b"\x00", 2),  # a text is missing
        (b"", b"\x00\x00", 1),  # a text is left over
        (b"", b"\x01\x01", 1),  # there is no such run
        (b"", b"\x01\x00\x05abc", 1),  # a run ends too early
        (b"", b"\xff" * 20, 1),  # a number has no end
        (b"\x05abc", b"\x00", 1),
        (b"", b"\x01\x00\x01\xff", 1),  # no UTF-8
        (b"", b"\x01\x00\x02\xc3(", 1),
    ],
)
def test_damaged_texts_are_a_value_error(kernel: Any, dictionary: bytes, packed: bytes, n: int) -> None:
    with pytest.raises(ValueError, match="damaged"):
        unpack(kernel, dictionary, packed, n)


@pytest.mark.parametrize("kernel", KERNELS)
def test_bytes_that_are_no_text_are_a_value_error(kernel: Any) -> None:
    with pytest.raises(ValueError, match=r".+"):
        kernel.Texts.from_arrow(np.array([0, 1]), np.array([255], np.uint8), "owner", surrogates=True)
