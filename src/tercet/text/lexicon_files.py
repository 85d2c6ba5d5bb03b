"""Lexicons as they are passed around: each form is known by its content."""

from importlib.resources import as_file, files
from os import PathLike
from pathlib import Path

from tercet.errors import InvalidFile
from tercet.extras import import_extra
from tercet.options import check_choice
from tercet.text.lexicon_forms import FORMS, Line
from tercet.text.lexicons import Lexicon
from tercet.text.word_lists import split_lines


def read_lexicon(path: str | PathLike[str], *, strong: float | None = None) -> Lexicon:
    """The lexicon of a file, or of all `.txt`, `.tsv`, `.tff` and `.csv` files in a folder, joined.

    Understood are: a plain list, one word a line, `;` or `#` before comments, named after the file (Hu and Liu's opinion
    lexicon); MPQA's subjectivity clues (strong_positive, weak_negative, …); `word<TAB>weight` (AFINN, VADER: positive and
    negative); `word<TAB>emotion<TAB>0 or 1` (NRC); SentiWordNet; the General Inquirer as CSV. UTF-8, or else Latin-1. Where a
    file has weights, `strong` parts them as in `Lexicon.from_weights`.
    """
    place = Path(path)
    if not place.is_dir():
        return _read_file(place, strong)
    found = sorted(file for file in place.iterdir() if file.suffix in (".txt", ".tsv", ".tff", ".csv"))
    if not found:
        raise InvalidFile(f"the folder {place.name} has no .txt, .tsv, .tff or .csv file: there is no list to read.")
    joined = Lexicon({})
    for file in found:
        joined |= _read_file(file, strong)
    return joined


def load_lexicon(name: str, *, strong: float | None = None) -> Lexicon:
    """A lexicon that comes with a package: `"vader"`, English words, slang and emoticons, positive and negative.

    >>> load_lexicon("vader").lists_of("awful")
    ('negative',)
    """
    check_choice("lexicon", name, ("vader",))
    package = import_extra("vaderSentiment", package="vaderSentiment", extra="lexicons", purpose="the lexicon vader needs")
    with as_file(files(package) / "vader_lexicon.txt") as path:
        return _read_file(path, strong)


def _read_file(path: Path, strong: float | None) -> Lexicon:
    lines = [Line(number, text) for number, text in enumerate(split_lines(_decode(path)), 1) if text.strip()]
    if not lines:
        raise InvalidFile(f"{path.name} is empty: a lexicon has a word a line.")
    read = next(read for fits, read in FORMS if fits(lines))
    try:
        lexicon = read(lines, "_".join(path.stem.split()), strong)
    except InvalidFile as error:
        raise InvalidFile(f"{path.name}, {error}") from None
    if not lexicon.content:
        raise InvalidFile(f"{path.name} has no words: all its lines are comments, or have weight 0.")
    return lexicon


def _decode(path: Path) -> str:
    raw = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")
