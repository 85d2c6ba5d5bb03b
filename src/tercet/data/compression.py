"""Compressed files, read as if they were not."""

import bz2
import gzip
import lzma
from typing import Any, BinaryIO

SUFFIXES = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}
BEGINNINGS = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\0": "xz", b"\x28\xb5\x2f\xfd": "zstd"}


def find_compression(beginning: bytes) -> str | None:
    """How these bytes were compressed, by the mark that they begin with.

    >>> find_compression(gzip.compress(b"Nel mezzo"))
    'gzip'
    """
    return next((kind for mark, kind in BEGINNINGS.items() if beginning.startswith(mark)), None)


def decompress(file: BinaryIO, kind: str) -> Any:
    """What the file holds, as a file that has `read`."""
    if kind == "gzip":
        return gzip.GzipFile(fileobj=file)
    if kind == "bzip2":
        return bz2.BZ2File(file)
    if kind == "xz":
        return lzma.LZMAFile(file)
    import pyarrow as pa

    return pa.input_stream(file, compression="zstd")


def damages() -> tuple[type[Exception], ...]:
    """What the packages raise about a file that is cut off or no such file at all; those of pyarrow are OSErrors."""
    import zlib

    return EOFError, OSError, zlib.error, lzma.LZMAError
