"""Which encoding bytes may have that are not UTF-8. It is only proposed in an error: no file is read by a guess."""

import re

from tercet.errors import MissingExtra
from tercet.extras import import_extra

HIGH = re.compile(rb"[\x80-\xff]+")
MARKS = re.compile(rb"[\x80\x85\x91-\x97]")  # € … ‘ ’ “ ” • – — in cp1252; Latin-1 has control characters there
FEWEST = 20  # bytes that are not ASCII, below which a guess is worth nothing
MOST = 1 << 14  # bytes that are looked at


def propose_encoding(sample: bytes) -> str:
    """A sentence that proposes an encoding for bytes that are not UTF-8.

    In texts with Latin letters, bytes above 0x7f stand alone or in pairs. In other scripts they fill whole words, and the
    package charset-normalizer, if it is installed, guesses the encoding.

    >>> propose_encoding("caf\\xe9".encode("latin-1")), propose_encoding("it\u2019s".encode("cp1252"))
    ('Is it --encoding latin-1?', 'It has quotes or dashes as cp1252 has: try --encoding cp1252.')
    >>> propose_encoding("Привет, как дела? Верните деньги за заказ".encode("cp1251"))
    'By a guess it is cp1251: try --encoding cp1251.'
    """
    runs: list[bytes] = HIGH.findall(sample[:MOST])
    n_high = sum(map(len, runs))
    if n_high < FEWEST or n_high <= 2 * len(runs):
        are_marks = any(len(run) <= 2 and MARKS.search(run) for run in runs)
        return "It has quotes or dashes as cp1252 has: try --encoding cp1252." if are_marks else "Is it --encoding latin-1?"
    guess = guess_encoding(sample[:MOST])
    return f"By a guess it is {guess}: try --encoding {guess}." if guess else "Is it --encoding latin-1?"


def guess_encoding(sample: bytes) -> str | None:
    """The guess of charset-normalizer; None if it has none, or is not installed."""
    try:
        package = import_extra(
            "charset_normalizer", package="charset-normalizer", extra="tables", purpose="to guess an encoding, tercet needs"
        )
    except MissingExtra:
        return None
    best = package.from_bytes(sample).best()
    return None if best is None or best.encoding in ("ascii", "utf_8") else str(best.encoding)
