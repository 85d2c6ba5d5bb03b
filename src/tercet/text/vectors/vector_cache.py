"""The vectors of an encoder's own words and of frequent words, in files of the cache folder.

A file has the SHA-256 of a key and its content, and then the content. The key of vectors is the encoder's identity and the
words, and their content is the vectors row by row. A file that is damaged or has another key is made anew. Two programs that
write it at once write the same bytes.
"""

import hashlib
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

import numpy as np

from tercet.arrays import SmallIntegers
from tercet.cache_folder import choose_folder

CHECKSUM_BYTES = 32


def name_cache_file(identity: str) -> Path:
    """
    >>> name_cache_file("an encoder 1.0 8d969eef6ecad3c2").name
    'word-vectors-8d969eef6ecad3c2.bin'
    """
    return choose_folder() / f"word-vectors-{identity.rpartition(' ')[2]}.bin"


def join_key(identity: str, words: Sequence[str]) -> str:
    return "\n".join([identity, *words])


def read_vectors(identity: str, words: Sequence[str], dimension: int) -> SmallIntegers | None:
    """The vectors of the words, or None if there is no file with them that can be read."""
    vectors = read_cached(name_cache_file(identity), join_key(identity, words), len(words) * dimension)
    if vectors is None or len(vectors) != len(words) * dimension:
        return None
    return np.frombuffer(vectors, np.int8).reshape(len(words), dimension)


def write_vectors(identity: str, words: Sequence[str], vectors: SmallIntegers) -> None:
    """Write the file as a whole or not at all."""
    write_cached(name_cache_file(identity), join_key(identity, words), vectors.tobytes())


def compute_checksum(key: str, content: bytes) -> bytes:
    sum_of_both = hashlib.sha256(key.encode("utf-8", "surrogatepass"))
    sum_of_both.update(content)
    return sum_of_both.digest()


def read_cached(path: Path, key: str, most: int) -> bytes | None:
    """What was written with this key, or None if there is no such file, or a damaged or larger one, or one with another key."""
    try:
        if not path.is_file() or path.stat().st_size > CHECKSUM_BYTES + most:
            return None
        content = path.read_bytes()
    except OSError:
        return None
    checksum, content = content[:CHECKSUM_BYTES], content[CHECKSUM_BYTES:]
    return content if checksum == compute_checksum(key, content) else None


def write_cached(path: Path, key: str, content: bytes) -> None:
    """Write the file as a whole or not at all. If the folder can't be written to, only time is lost: it is no error."""
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            temporary = file.name
            file.write(compute_checksum(key, content))
            file.write(content)
        os.replace(temporary, path)
    except OSError:
        if temporary is not None:
            with suppress(OSError):
                os.unlink(temporary)
