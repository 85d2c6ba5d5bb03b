"""Parquet, Arrow and Feather files."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import IO, Any

from tercet.arrow_columns import list_cells, shorten_reason
from tercet.data.column_choice import check_unique, choose_fields, thin_rows
from tercet.data.raw_rows import RawRows, Reader
from tercet.data.read_options import ReadOptions
from tercet.data.source import BLOCK_BYTES, Source
from tercet.errors import BadSource, TercetError

MAX_ROWS = 10_000  # rows that are read together
N_PARTS, ROWS_OF_PART = 100, 20  # parts of a file that the columns are guessed from, and rows of each
PARQUET, ARROW, OLD_FEATHER = b"PAR1", b"ARROW1", b"FEA1"  # the first bytes of such files


class ArrowReader(Reader):
    """Rows of a Parquet file, an Arrow file (Feather is the same) or an Arrow stream, one record batch at a time."""

    def __init__(self, source: Source, options: ReadOptions) -> None:
        self.place = f"{source.name}, row "
        self.guess: list[str] = []
        self._name = source.name
        if not source.peek():
            return
        self._file = source.to_seekable()
        types = read_types(source.name, self._file)
        check_unique(source.name, [name for name, _ in types])
        self.header = tuple(name for name, _ in types)
        parts = list(sample_rows(source.name, self._file, self.header)) if options.has_guess else []
        sample: dict[str, list[Any]] = {name: [cell for part in parts for cell in part[name]] for name in self.header}
        fields, self.guess = choose_fields(source.name, sample, options)
        self.fields = fields
        for name in fields.texts:
            kind = dict(types)[name]
            if "string" not in kind and kind != "null":
                raise BadSource(f"{source.name}: the column {name!r} holds {kind}, not text. Name another one with --text.")

    def read_rows(self) -> Iterator[RawRows]:
        n_rows = 0
        fields = self.fields
        if fields is None:  # an empty file
            return
        for batch in read_batches(self._name, self._file, fields.names):
            lines = range(n_rows + 1, n_rows + 1 + batch.num_rows)
            yield fields.make_rows(lines, partial(list_column, self._name, batch), {})
            n_rows += batch.num_rows


def list_column(source: str, batch: Any, name: str) -> list[Any]:
    return list_cells(batch.column(name), f"{source}: the cells of {name!r}", BadSource)


@contextmanager
def refuse_damage(name: str) -> Iterator[None]:
    """A block in which every error of another library means that the file of this name is damaged.

    A damaged file makes pyarrow raise almost anything: its own errors, those of Python's codecs, dates and memory, and those of
    extension types.
    """
    try:
        yield
    except TercetError:
        raise
    except Exception as error:
        raise BadSource(f"{name} can't be read as Parquet or Arrow: {shorten_reason(error)}. Is it complete?") from error


def read_types(name: str, file: IO[bytes]) -> list[tuple[str, str]]:
    """The names and types of the columns."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    beginning = file.read(8)
    file.seek(0)
    if beginning.startswith(OLD_FEATHER):
        raise BadSource(f"{name} is in Feather version 1: write it again as Feather version 2 or as Parquet.")
    with refuse_damage(name):
        if beginning.startswith(PARQUET):
            schema = pq.ParquetFile(file).schema_arrow
        else:
            schema = (pa.ipc.open_file if beginning.startswith(ARROW) else pa.ipc.open_stream)(file).schema
        return [(field.name, str(field.type)) for field in schema]


def sample_rows(name: str, file: IO[bytes], columns: Sequence[str]) -> Iterator[dict[str, list[Any]]]:
    """Columns with rows from all parts of the file: of some row groups of Parquet, of some record batches of Arrow."""
    with refuse_damage(name):
        file.seek(0)
        for part in sample_parquet(file, columns) if file.read(4) == PARQUET else sample_arrow(file):
            part.validate(full=True)
            rows = thin_rows(range(part.num_rows), ROWS_OF_PART)
            sampled = part if len(rows) == part.num_rows else pick_rows(part, rows)
            yield {column: list_column(name, sampled, column) for column in columns}


def pick_rows(part: Any, rows: Sequence[int]) -> Any:
    """These rows of a record batch. `take` does not know all types, so they are put together from slices."""
    import pyarrow as pa

    return pa.Table.from_batches([part.slice(row, 1) for row in rows])


def sample_parquet(file: IO[bytes], columns: Sequence[str]) -> Iterator[Any]:
    """Parts of row groups. A row group may be large, so that only its beginning is read if there are many of them."""
    import pyarrow.parquet as pq

    table = pq.ParquetFile(file)
    groups = thin_rows(range(table.num_row_groups), N_PARTS)
    most = max(1, N_PARTS // max(len(groups), 1))
    for group in groups:
        yield from islice(table.iter_batches(MAX_ROWS, row_groups=[group], columns=list(columns)), most)


def sample_arrow(file: IO[bytes]) -> Iterator[Any]:
    """Record batches from all parts of a file; the first ones of a stream."""
    import pyarrow as pa

    file.seek(0)
    if file.read(6) != ARROW:
        yield from islice(read_arrow(file), N_PARTS)
        return
    file.seek(0)
    reader = pa.ipc.open_file(file)
    yield from map(reader.get_batch, thin_rows(range(reader.num_record_batches), N_PARTS))


def read_batches(name: str, file: IO[bytes], columns: list[str]) -> Iterator[Any]:
    """Record batches of about one block each, from the beginning of the file. Their cells can be read safely."""
    with refuse_damage(name):
        file.seek(0)
        for whole in read_parquet(file, columns) if file.read(4) == PARQUET else read_arrow(file):
            batch = whole.select(columns)
            batch.validate(full=True)
            n_rows = count_rows(batch.nbytes, batch.num_rows)
            for first in range(0, batch.num_rows, n_rows):
                yield batch.slice(first, n_rows)


def read_parquet(file: IO[bytes], columns: list[str]) -> Iterator[Any]:
    import pyarrow.parquet as pq

    table = pq.ParquetFile(file)
    groups = [table.metadata.row_group(number) for number in range(table.num_row_groups)]
    size = max((group.total_byte_size // max(group.num_rows, 1) for group in groups), default=1)
    yield from table.iter_batches(count_rows(size, 1), columns=columns)


def read_arrow(file: IO[bytes]) -> Iterator[Any]:
    import pyarrow as pa

    file.seek(0)
    is_file = file.read(6) == ARROW
    file.seek(0)
    if not is_file:
        yield from pa.ipc.open_stream(file)
        return
    reader = pa.ipc.open_file(file)
    yield from map(reader.get_batch, range(reader.num_record_batches))


def count_rows(n_bytes: int, n_rows: int) -> int:
    """How many rows fill a block of bytes, if `n_rows` rows take `n_bytes` bytes.

    >>> count_rows(BLOCK_BYTES, 100), count_rows(0, 0)
    (100, 10000)
    """
    return max(1, min(MAX_ROWS, BLOCK_BYTES * n_rows // n_bytes if n_bytes else MAX_ROWS))
