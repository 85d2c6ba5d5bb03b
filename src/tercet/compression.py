"""Compressed files: what a suffix says, and the decompressed content."""

from typing import Any, BinaryIO

SUFFIXES = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}


def decompress(file: BinaryIO, kind: str) -> Any:
    """The decompressed content, as a file. Each package is imported only when it is needed, because that takes time."""
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


def list_damage_errors() -> tuple[type[Exception], ...]:
    """The errors that these packages raise for a damaged file. Those of pyarrow are OSErrors."""
    import lzma
    import zlib

    return EOFError, OSError, zlib.error, lzma.LZMAError
