"""The vectors of an encoder's own words, in a file of the cache folder.

The file has the SHA-256 of the encoder's identity, the words and the vectors, and then the vectors row by row. A file that is
damaged or has other words is made anew. Two programs that write it at once write the same bytes.
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


def compute_checksum(identity: str, words: Sequence[str], vectors: bytes) -> bytes:
    sum_of_all = hashlib.sha256("\n".join([identity, *words]).encode("utf-8", "surrogatepass"))
    sum_of_all.update(vectors)
    return sum_of_all.digest()


def read_vectors(identity: str, words: Sequence[str], dimension: int) -> SmallIntegers | None:
    """The vectors of the words, or None if there is no file with them that can be read."""
    try:
        content = name_cache_file(identity).read_bytes()
    except OSError:
        return None
    checksum, vectors = content[:CHECKSUM_BYTES], content[CHECKSUM_BYTES:]
    if len(vectors) != len(words) * dimension or checksum != compute_checksum(identity, words, vectors):
        return None
    return np.frombuffer(vectors, np.int8).reshape(len(words), dimension)


def write_vectors(identity: str, words: Sequence[str], vectors: SmallIntegers) -> None:
    """Write the file as a whole or not at all. If the folder can't be written to, only time is lost: it is no error."""
    path, content = name_cache_file(identity), vectors.tobytes()
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            temporary = file.name
            file.write(compute_checksum(identity, words, content))
            file.write(content)
        os.replace(temporary, path)
    except OSError:
        if temporary is not None:
            with suppress(OSError):
                os.unlink(temporary)
