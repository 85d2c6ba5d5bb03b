"""A file whose bytes are handed over piece by piece, as a server receives them. Nothing waits for the next piece."""

from tercet.data.source import BLOCK_BYTES, Source


class FedSource(Source):
    """The bytes that were fed so far and not read yet. A document may have so many bytes.

    >>> source = FedSource("new.csv", max_document_bytes=1 << 24)
    >>> source.feed(b"text")
    >>> source.read_block(), source.read_block(), source.is_waiting
    (b'text', b'', True)
    >>> source.finish()
    >>> source.is_waiting, source.is_at_end
    (False, True)
    """

    is_fed = True

    def __init__(self, name: str, *, max_document_bytes: int) -> None:
        self.name, self.is_pipe, self._most = name, True, max_document_bytes
        self._pieces: list[bytes] = []
        self._waiting, self._n_given, self._is_finished = b"", 0, False
        self._compression = None

    def feed(self, piece: bytes) -> None:
        """Add bytes. The rest of what is there comes before them."""
        self._pieces.append(piece)

    def finish(self) -> None:
        """Say that no more bytes follow."""
        self._is_finished = True

    @property
    def max_document_bytes(self) -> int:
        return self._most

    @property
    def bytes_read(self) -> int:
        return self._n_given

    @property
    def is_waiting(self) -> bool:
        return not self._is_finished and not self._has_bytes

    @property
    def is_at_end(self) -> bool:
        return self._is_finished and not self._has_bytes

    @property
    def _has_bytes(self) -> bool:
        return bool(self._waiting) or any(self._pieces)

    def read_block(self) -> bytes:
        """What is there, up to the size of a block; empty if nothing is."""
        there = b"".join([self._waiting, *self._pieces])
        block, rest = there[:BLOCK_BYTES], there[BLOCK_BYTES:]
        self._waiting, self._pieces = b"", [rest] if rest else []
        self._n_given += len(block)
        return block

    def close(self) -> None:
        self._waiting, self._pieces = b"", []
