"""The model file: arrays and a description in the safetensors format, with a checksum over all of it. Reading runs no code.

Eight bytes with the length of the header, the header as JSON, then the arrays. The header begins with the checksum: the
SHA-256 of the whole file, with zeros where the checksum itself is. Nothing but the content is in the file, no time and no
name, so equal models are equal bytes. The file is read once, and the arrays are views of what was read.
"""

import hashlib
import json
import math
import mmap
import os
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from tercet.arrays import Array
from tercet.errors import BadModelFile, FileChanged
from tercet.store.atomic_file import write_whole

FORMAT = 5  # of files with something that readers of an older format would ignore: `content["format"]`
OLDEST = 4  # of all other files
ALIGNMENT = 64
BEGINNING = b'{"__metadata__":{"checksum":"'
BLANK = b"0" * 64
CHECKSUM_AT = 8 + len(BEGINNING)
DTYPES = {"U8": "|u1", "U16": "<u2", "U32": "<u4", "U64": "<u8", "I8": "|i1", "I64": "<i8"}
DTYPES |= {"F16": "<f2", "F32": "<f4", "F64": "<f8"}
NAMES = {np.dtype(dtype): name for name, dtype in DTYPES.items()}
FOREIGN = {
    b"\x80": "a pickle",
    b"PK": "a zip archive",
    b"\x1f\x8b": "a gzip file",
    b"(\xb5/\xfd": "a zstd file",
    b"BZh": "a bzip2 file",
}

NamedArrays = Mapping[str, Array | Mapping[str, Array]]  # arrays, and groups of arrays


class ModelFile(NamedTuple):
    """What a file holds; `checksum` is that of the header and the arrays."""

    content: dict[str, Any]
    arrays: dict[str, Array]
    checksum: str
    n_bytes: int


class FileVersion(NamedTuple):
    """A file as it was when a model was read from it or written to it."""

    location: str
    checksum: str

    @classmethod
    def of(cls, path: str | os.PathLike[str], checksum: str) -> "FileVersion":
        return cls(os.path.realpath(path), checksum)

    def check(self) -> None:
        """Raise an error if another model is there now. A file that was removed has nothing that could be lost."""
        if read_checksum(self.location) not in (None, self.checksum):
            raise FileChanged(
                f"{self.location} was changed since this model was read from it or written to it: that change would be lost, "
                "so nothing was written. Load the file again and repeat your change, or save to another file."
            )


def read_checksum(path: str | os.PathLike[str]) -> str | None:
    """The checksum that a model file says it has; None if there is no file. Only its beginning is read."""
    try:
        with open(path, "rb") as file:
            return file.read(CHECKSUM_AT + 64)[CHECKSUM_AT:].decode("ascii", "replace")
    except FileNotFoundError:
        return None


def write_model(
    path: str | os.PathLike[str],
    content: Mapping[str, Any],
    arrays: NamedArrays,
    *,
    replacing: FileVersion | None = None,
    mode: int | None = None,
) -> FileVersion:
    """Write content, which JSON can hold, and arrays. An array of a group is named `group/name` in the file.

    If `replacing` is a version of this file, another version is not replaced. `mode` is for a new file: see `write_all`.
    """
    checksum, parts = encode_model(content, arrays)
    written = FileVersion.of(path, checksum)
    check = replacing.check if replacing is not None and replacing.location == written.location else None
    write_whole(path, parts, check=check, mode=mode)
    return written


def encode_model(content: Mapping[str, Any], arrays: NamedArrays) -> tuple[str, list[bytes | memoryview]]:
    """The checksum and the bytes of the file that `write_model` writes."""
    named: dict[str, Array] = {}
    for name, found in arrays.items():
        named |= {f"{name}/{own}": array for own, array in found.items()} if isinstance(found, Mapping) else {name: found}
    # The widest first, so that each lies where the processor likes it; there may be no gaps.
    ordered = sorted(named.items(), key=lambda item: (-item[1].dtype.itemsize, item[0]))
    entries, end = {}, 0
    for name, array in ordered:
        entries[name] = {"dtype": NAMES[array.dtype], "shape": list(array.shape), "data_offsets": [end, end + array.nbytes]}
        end += array.nbytes
    described = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    metadata = {"checksum": BLANK.decode(), "content": described, "format": f"tercet {content.get('format', OLDEST)}"}
    header = json.dumps({"__metadata__": metadata, **entries}, separators=(",", ":")).encode()
    header += b" " * (-(len(header) + 8) % ALIGNMENT)
    parts = [np.ascontiguousarray(array).data.cast("B") for _, array in ordered if array.nbytes]
    head = len(header).to_bytes(8, "little") + header
    checksum = digest(head, *parts)
    return checksum, [head[:CHECKSUM_AT], checksum.encode(), head[CHECKSUM_AT + 64 :], *parts]


def read_model(path: str | os.PathLike[str], *, verify: bool = True, mapped: bool = False) -> ModelFile:
    """What `write_model` has written. Without `verify` damage may go unseen, but does no harm to the program.

    With `mapped` the arrays stay in the file. If somebody overwrites or cuts the file while it is in use, the arrays change,
    or the system ends the program (SIGBUS).
    """
    return read_bytes(path, read_data(path, mapped), verify=verify)


def read_bytes(name: str | os.PathLike[str], data: memoryview, *, verify: bool = True) -> ModelFile:
    """What the bytes of a file hold. Errors say the name."""
    n_header = int.from_bytes(data[:8], "little")
    if len(data) < CHECKSUM_AT + 64 or data[8 : 8 + len(BEGINNING)] != BEGINNING or n_header > len(data) - 8:
        raise describe_foreign(name, data)
    try:
        header = read_json(bytes(data[8 : 8 + n_header]))
        metadata = header.pop("__metadata__")
        checksum = str(metadata["checksum"])
        check_format(name, metadata["format"])
        if verify and digest(data[:CHECKSUM_AT], BLANK, data[CHECKSUM_AT + 64 :]) != checksum:
            raise damaged(name, "its checksum is wrong")
        arrays = {name: view_array(data, 8 + n_header, entry) for name, entry in header.items()}
        n_used = sum(array.nbytes for array in arrays.values())
        if n_used != len(data) - 8 - n_header:
            raise damaged(name, "its arrays do not fill it")
        return ModelFile(read_json(metadata["content"]), arrays, checksum, len(data))
    except (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError) as error:
        if isinstance(error, BadModelFile):
            raise
        raise damaged(name, "it can't be read") from error


def is_model(path: str | os.PathLike[str]) -> bool:
    """Whether a file begins as a model does."""
    try:
        with open(path, "rb") as file:
            return file.read(CHECKSUM_AT)[8:] == BEGINNING
    except (OSError, ValueError):  # there is no such file
        return False


def read_data(path: str | os.PathLike[str], mapped: bool) -> memoryview:
    """All bytes of the file, which nobody can write to through this view."""
    try:
        if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):  # a pipe may have no end
            raise BadModelFile(f"{path} is not a regular file: name the model file itself.")
        with open(path, "rb", buffering=0) as file:
            if not os.fstat(file.fileno()).st_size:
                raise BadModelFile(f"{path} is empty: it is not a model. Train one with: tercet train.")
            return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if mapped else file.readall())
    except FileNotFoundError as error:
        raise BadModelFile(f"{path} does not exist: check the name and the folder.") from error
    except IsADirectoryError as error:
        raise BadModelFile(f"{path} is a folder: name the model file itself.") from error
    except OSError as error:
        raise BadModelFile(f"{path} can't be read: {error.strerror}.") from error


def read_json(text: str | bytes) -> Any:
    """What JSON says; an error for NaN, for a number that is too large for a float, and for a key that is there twice.

    >>> read_json('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    ValueError: a key is there twice
    """
    return json.loads(text, parse_constant=read_finite, parse_float=read_finite, object_pairs_hook=make_mapping)


def read_finite(text: str) -> float:
    if not math.isfinite(number := float(text)):
        raise ValueError(f"{text} is not a finite number")
    return number


def make_mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        raise ValueError("a key is there twice")
    return mapping


def digest(*parts: bytes | memoryview) -> str:
    checksum = hashlib.sha256()
    for part in parts:
        checksum.update(part)
    return checksum.hexdigest()


def view_array(data: memoryview, start: int, entry: dict[str, Any]) -> Array:
    begin, end = entry["data_offsets"]
    dtype, shape = np.dtype(DTYPES[entry["dtype"]]), tuple(map(int, entry["shape"]))
    if not 0 <= begin <= end <= len(data) - start or (start + begin) % dtype.itemsize or min(shape, default=0) < 0:
        raise ValueError("an array lies outside")
    return np.frombuffer(data[start + begin : start + end], dtype).reshape(shape)


def check_format(path: str | os.PathLike[str], name: str) -> None:
    program, _, number = name.partition(" ")
    if program != "tercet":
        raise BadModelFile(f"{path} is a safetensors file of another program ({name!r}): it is not a model of tercet.")
    if int(number) > FORMAT:
        raise BadModelFile(
            f"{path} has format {number}, and this tercet knows formats up to {FORMAT}: a newer one wrote it. "
            "Install the newest: pip install --upgrade tercet."
        )
    if int(number) < OLDEST:
        raise BadModelFile(
            f"{path} has format {number}, which was never released, and this tercet reads formats from {OLDEST}: "
            "train the model again."
        )


def describe_foreign(path: str | os.PathLike[str], data: memoryview) -> BadModelFile:
    beginning = bytes(data[:8])
    kind = next((kind for magic, kind in FOREIGN.items() if beginning.startswith(magic)), None)
    if kind is None and bytes(data[8:9]) == b"{" and int.from_bytes(beginning, "little") <= len(data):
        kind = "a safetensors file of another program"
    if kind is None and bytes(data[8 : 8 + len(BEGINNING)]) == BEGINNING:
        return damaged(path, "its end is missing")
    return BadModelFile(f"{path} is no model of tercet{f', but {kind}' if kind else ''}: nothing was read from it.")


def damaged(path: str | os.PathLike[str], what: str) -> BadModelFile:
    return BadModelFile(f"{path} is damaged: {what}. Nothing was loaded; take a good copy, or train it anew.")
