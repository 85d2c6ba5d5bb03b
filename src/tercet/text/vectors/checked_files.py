"""Files of installed packages whose SHA-256 is fixed: other content would give other vectors under the same name."""

import hashlib
from pathlib import Path

from tercet.errors import InvalidFile


def read_checked(path: Path, checksum: str, package: str, version: str) -> bytes:
    """The content of a file of a package. Raises InvalidFile, with the remedy, if it has another SHA-256."""
    remedy = f"pip install --force-reinstall --no-deps {package}=={version}"
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InvalidFile(f"{path} can't be read ({error.strerror}): {remedy}") from error
    if hashlib.sha256(content).hexdigest() != checksum:
        raise InvalidFile(f"{path} is not the file of {package} {version}, so its vectors would be other ones: {remedy}")
    return content
