"""The table that `tercet train --suspects` writes: whole documents, so that `tercet relabel` can read it."""

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tercet.cli.progress_bar import show_progress
from tercet.cli.table_file import write_documents
from tercet.cli.talk import say
from tercet.counts.document_rows import Spool
from tercet.data.documents import name_file
from tercet.errors import BadSource
from tercet.kernel.text.columns import SEPARATOR

if TYPE_CHECKING:
    from tercet.arrays import Integers
    from tercet.categorizer.held_out.suspects import Suspects
    from tercet.data.documents import Documents
    from tercet.data.reading import DocumentStream

OWN = ("row", "label", "better_label", "probability")


def write_suspects(path: str, suspects: "Suspects", stream: "DocumentStream", columns: Sequence[str]) -> None:
    """Write all suspects of this stream to a table, with these columns of the documents.

    The texts come from a second reading of the stream. If it can be read only once, only their beginnings are written.
    """
    if stream.is_repeatable:
        texts, cells = _name_cells(stream), read_cells(stream, suspects.positions)
    else:
        texts, cells = ["beginning"], ([suspect.beginning] for suspect in suspects)
        say(
            f"{path} has only the beginnings of the texts, because {stream.name} can be read only once: to correct labels "
            "with tercet relabel, train from a file"
        )
    own = ["file", *OWN] if suspects.beginnings.has_several_files else OWN

    def list_rows() -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        for suspect, whole in zip(suspects, cells, strict=True):
            facts = dict(zip(OWN, (suspect.row, suspect.label, suspect.better, suspect.probability), strict=True))
            yield {**suspect.columns, **dict(zip(texts, whole, strict=True))}, facts | {"file": name_file(suspect.place)}

    kept = [name for name in columns if name not in texts]
    write_documents(path, [*kept, *texts], own, list_rows(), "suspect", prefix="suspect")


def _name_cells(stream: "DocumentStream") -> list[str]:
    """The names of the columns of text and weight, as `relabel` looks for them."""
    fields = stream.start().fields
    return ["text"] if fields is None else [*fields.texts, *([fields.weight] if fields.weight else [])]


def read_cells(stream: "DocumentStream", positions: "Integers") -> Iterator[list[Any]]:
    """The text columns and the weight of the documents at these positions, in their order.

    The stream is read to its end first. Large texts wait in a temporary file.
    """
    ascending, spool, n = np.sort(positions), Spool(purpose="the texts of the suspects"), 0
    stream.tell = None  # bad rows were reported when the stream was read before
    with show_progress(stream, "reading the suspects"):
        for batch in stream:
            begin, end = np.searchsorted(ascending, [n, n + len(batch.texts)]).tolist()
            for position in ascending[begin:end].tolist():
                spool.append(json.dumps(_list_cells(batch, position - n)).encode())
            n += len(batch.texts)
    if len(spool) < len(positions):
        raise BadSource(f"{stream.name} has changed while it was read, so the suspects can't be written: train again.")
    return (json.loads(spool[index]) for index in np.searchsorted(ascending, positions).tolist())


def _list_cells(batch: "Documents", index: int) -> list[Any]:
    text = batch.texts[index]
    cells = text.split(SEPARATOR) if len(batch.text_columns) > 1 else [text]
    return cells if batch.weights is None else [*cells, batch.weights[index]]
