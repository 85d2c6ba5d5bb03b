"""All bytes in a folder, to search for what must be in none of its files."""

from contextlib import suppress
from pathlib import Path


def read_files(folder: Path) -> dict[str, bytes]:
    """The content of each file by its name. A journal of SQLite may vanish while the folder is read: it is left out."""
    contents: dict[str, bytes] = {}
    for path in folder.iterdir():
        with suppress(FileNotFoundError):
            contents[path.name] = path.read_bytes()
    return contents
