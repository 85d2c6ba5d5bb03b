"""Files of words, line by line: what can't be read is an InvalidFile that says which file, and where."""

from pathlib import Path

from tercet.errors import InvalidFile


def read_lines(path: Path) -> list[str]:
    """The lines of a UTF-8 file; a line that is not UTF-8 is an InvalidFile that names it."""
    raw = read_raw(path)
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InvalidFile(
            f"{path.name}, line {line}: byte 0x{raw[error.start]:02x} is not UTF-8, so its letters are unknown. "
            "Save the file as UTF-8."
        ) from None
    return split_lines(text)


def read_raw(path: Path) -> bytes:
    """The bytes of a file without the mark of UTF-8 before them; InvalidFile where it can't be read or is no text."""
    try:
        raw = path.read_bytes()
    except (OSError, ValueError) as error:
        why = "it is a folder" if path.is_dir() else getattr(error, "strerror", None) or str(error)
        raise InvalidFile(f"{str(path)!r} can't be read ({why}): a file with a word a line is wanted there.") from None
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InvalidFile(f"{path.name} is UTF-16, of which no word would be found in a text. Save the file as UTF-8.")
    if b"\0" in raw:
        line = raw.count(b"\n", 0, raw.index(b"\0")) + 1
        raise InvalidFile(f"{path.name}, line {line}: has a NUL byte, as no text has. A file with a word a line is wanted.")
    return raw.removeprefix(b"\xef\xbb\xbf")


def split_lines(text: str) -> list[str]:
    """The lines as editors count them; for str.splitlines a form feed or U+2028 ends a line too."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
