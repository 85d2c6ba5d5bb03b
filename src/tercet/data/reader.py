"""What all readers of a format have in common."""

from collections.abc import Iterator

from tercet.data.column_choice import Fields
from tercet.data.raw_rows import RawRows


class Reader:
    """Reads one format. The first bytes are looked at when it is made; rows are read when they are asked for."""

    place: str  # comes before the number of a line in messages: "reviews.csv, line "
    guess: list[str]  # what was guessed, in words
    fields: Fields | None = None  # the columns that are read; None if the format has no columns
    header: tuple[str, ...] = ()  # all columns of a table, in their order; empty for other formats

    def read_rows(self) -> Iterator[RawRows]:
        raise NotImplementedError
