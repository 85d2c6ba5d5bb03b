"""Compressed files, read as if they were not. What it takes is imported only where there is one: that takes its time."""

from typing import Any, BinaryIO

SUFFIXES = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}
BEGINNINGS = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\0": "xz", b"\x28\xb5\x2f\xfd": "zstd"}


def find_compression(beginning: bytes) -> str | None:
    """How these bytes were compressed, by the mark that they begin with.

    >>> find_compression(b"BZh91AY&SY")
    'bzip2'
    """
    return next((kind for mark, kind in BEGINNINGS.items() if beginning.startswith(mark)), None)


def decompress(file: BinaryIO, kind: str) -> Any:
    """What the file holds, as a file that has `read`."""
    if kind == "gzip":
        import gzip

        return gzip.GzipFile(fileobj=file)
    if kind == "bzip2":
        import bz2

        return bz2.BZ2File(file)
    if kind == "xz":
        import lzma

        return lzma.LZMAFile(file)
    import pyarrow as pa

    return pa.input_stream(file, compression="zstd")


def damages() -> tuple[type[Exception], ...]:
    """What the packages raise about a file that is cut off or no such file at all; those of pyarrow are OSErrors."""
    import lzma
    import zlib

    return EOFError, OSError, zlib.error, lzma.LZMAError
