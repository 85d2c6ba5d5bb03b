"""A model in a folder: one file for each shard of its terms and fingerprints, and `model.tercet` with all the rest.

Workers write the shards where they are, so no machine needs to hold the model before it is loaded. `model.tercet` comes last
and names every shard with its checksum: without it the folder is no model.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

from tercet.arrays import Array
from tercet.categorizer.categorizer import Categorizer
from tercet.categorizer.files.partial_counts import PartialCounts, add_part
from tercet.categorizer.files.save_load import (
    describe_file,
    drop_slots,
    load,
    pick_prefix,
    read_categorizer,
    read_fingerprints,
)
from tercet.counts.labels import read_labels, write_labels
from tercet.counts.shards import TablePart
from tercet.counts.table import CountTable, pack_table
from tercet.errors import BadModelFile, CannotWrite
from tercet.store.atomic_file import explain_failure, flush_folder, write_beside
from tercet.store.model_file import ModelFile, encode_model, read_model, write_model

MANIFEST = "model.tercet"
UNFINISHED = ".part"  # the end of the name of a file that is being written


@dataclass(frozen=True)
class ShardFile:
    """A file that has a shard."""

    name: str
    checksum: str
    n_bytes: int
    n_terms: int


@dataclass(frozen=True)
class ShardedModel:
    """A model in a folder. `load` or `tercet.load(folder)` makes a categorizer of it, which then is in memory."""

    folder: str
    n_documents: float
    n_terms: int
    n_bytes: int
    n_shards: int

    def load(self) -> Categorizer:
        categorizer = load(self.folder)
        assert isinstance(categorizer, Categorizer)
        return categorizer


def name_shard(shard: int, n_shards: int) -> str:
    """
    >>> name_shard(7, 200)
    'shard-00007-of-00200.tercet'
    """
    return f"shard-{shard:05}-of-{n_shards:05}.tercet"


def write_shard(folder: str | os.PathLike[str], shard: int, n_shards: int, counts: PartialCounts) -> ShardFile:
    """Write the terms and fingerprints of a shard. Equal counts give equal bytes, so it does no harm to write it twice."""
    domains = counts.domains
    content = {
        "kind": "shard",
        "shard": [shard, n_shards],
        "labels": write_labels(counts.table.labels),
        "domains": None if domains is None else write_labels(domains.labels),
    }
    arrays: dict[str, Array | Mapping[str, Array]] = {
        "table": drop_slots(pack_table(counts.table.table)),
        "domains": {} if domains is None else drop_slots(pack_table(domains.table)),
        "fingerprints": counts.prints.sorted().view(np.uint8).reshape(-1, 16),
    }
    name = name_shard(shard, n_shards)
    checksum, parts = encode_model(content, arrays)
    replace_alone(Path(folder, name), parts)
    return ShardFile(name, checksum, sum(map(len, parts)), len(counts.table))


def replace_alone(path: Path, parts: Sequence[bytes | memoryview]) -> None:
    """Write a file as a whole or not at all. Several machines may write the same file at the same time, without a lock."""
    temporary = path.with_name(f"{path.name}.{uuid4().hex}{UNFINISHED}")
    with explain_failure(path):
        try:
            write_beside(temporary, parts, None)
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
        flush_folder(path.parent)


def start_folder(folder: str | os.PathLike[str]) -> str:
    """Make the folder, which must be new or empty. The result is its whole path."""
    if "://" in os.fspath(folder):
        raise CannotWrite(
            f"{os.fspath(folder)} is no path of a folder: workers write files, so name a folder that all machines have mounted."
        )
    path = Path(os.path.abspath(folder))
    try:
        path.mkdir(parents=True, exist_ok=True)
        if any(path.iterdir()):
            raise CannotWrite(f"{path} is not empty: what is there would be lost or mixed with the model. Name a new folder.")
    except OSError as error:
        if isinstance(error, CannotWrite):
            raise
        raise CannotWrite(f"{path} can't be made or read: {error.strerror}.") from error
    return str(path)


def finish_folder(folder: str, categorizer: Categorizer, shards: Sequence[ShardFile]) -> ShardedModel:
    """Write `model.tercet`, when all shards are there. The categorizer has the totals and no terms."""
    for shard in shards:
        check_written(folder, shard)
    for path in Path(folder).glob(f"shard-*{UNFINISHED}"):  # files of workers that were killed
        path.unlink(missing_ok=True)
    content, arrays = describe_file(categorizer)
    written = [vars(shard) for shard in sorted(shards, key=lambda shard: shard.name)]
    write_model(Path(folder, MANIFEST), {"kind": "sharded", "categorizer": content, "shards": written}, arrays)
    n_documents = float(categorizer.table_.n_documents.sum())
    n_bytes = sum(shard.n_bytes for shard in shards) + os.path.getsize(Path(folder, MANIFEST))
    return ShardedModel(folder, n_documents, sum(shard.n_terms for shard in shards), n_bytes, len(shards))


def check_written(folder: str, shard: ShardFile) -> None:
    """Raises CannotWrite if this machine does not see a file that a worker has written."""
    path = Path(folder, shard.name)
    if not path.is_file() or path.stat().st_size != shard.n_bytes:
        raise CannotWrite(
            f"{path} was written by a worker, and the driver does not see it: name a folder that all machines have mounted."
        )


def clear_folder(folder: str) -> None:
    """Remove the shards of a training that failed."""
    for path in Path(folder).glob("shard-*-of-*.tercet*"):
        path.unlink(missing_ok=True)


def read_totals(file: ModelFile) -> Categorizer:
    """The categorizer with its labels and options, but without terms and fingerprints; `file` is what `model.tercet` holds."""
    content: dict[str, Any] = file.content["categorizer"]
    return read_categorizer(ModelFile(content, file.arrays, file.checksum, file.n_bytes), verify=False)


def load_folder(folder: str, file: ModelFile, *, verify: bool = True, mapped: bool = False) -> Categorizer:
    """The categorizer of all shards."""
    categorizer = read_totals(file)
    names = [shard["name"] for shard in file.content["shards"]]
    if len(set(names)) != len(names):
        raise ValueError("a shard is there twice")
    for shard in file.content["shards"]:
        add_shard(categorizer, Path(folder, os.path.basename(shard["name"])), shard["checksum"], verify, mapped)
    settings, state = categorizer.fitted_.settings, categorizer.fitted_.state
    if verify:
        state.check()
        settings.model.check(state.table)
        if not state.table.is_possible() or not (state.domains is None or state.domains.is_possible()):
            raise ValueError("no documents can have these counts")
    return categorizer


def add_shard(categorizer: Categorizer, path: Path, checksum: str, verify: bool, mapped: bool) -> None:
    """Add a shard to what the categorizer has."""
    file = read_model(path, verify=verify, mapped=mapped)
    if file.checksum != checksum:
        raise BadModelFile(f"{path} belongs to another model than the {MANIFEST} beside it: take both from one copy.")
    state = categorizer.fitted_.state
    add_arrays(state.table, file, "table/", file.content["labels"])
    if state.domains is not None and file.content["domains"] is not None:
        add_arrays(state.domains, file, "domains/", file.content["domains"])
    if state.prints is not None:
        state.prints.add(read_fingerprints(file.arrays["fingerprints"]).sorted())


def add_arrays(table: CountTable, file: ModelFile, prefix: str, labels: Any) -> None:
    known = read_labels(labels)
    if set(known.tolist()) - set(table.labels.tolist()):
        raise ValueError("a shard has a label that the model does not have")
    add_part(table, TablePart(known, pick_prefix(prefix, file.arrays)))
