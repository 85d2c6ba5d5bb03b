"""Lexicons as they are passed around: each form is known by its content."""

from collections.abc import Mapping
from os import PathLike
from pathlib import Path

from tercet.errors import InvalidFile, bad_option
from tercet.extras import import_extra
from tercet.options import check_choice
from tercet.text.lexicon_forms import FORMS
from tercet.text.lexicon_lines import list_lines
from tercet.text.lexicons import Lexicon
from tercet.text.list_files import read_raw, split_lines

_SUFFIXES = (".txt", ".tsv", ".csv", ".tff", ".dic", ".lex")


def read_lexicon(path: str | PathLike[str], *, strong: float | None = None) -> Lexicon:
    """The lexicon of a file, or of all lists in a folder, joined: files `.txt`, `.tsv`, `.csv`, `.tff`, `.dic` and `.lex`, but
    for a README.

    Understood are: a plain list, one word a line, named after the file (Hu and Liu's opinion lexicon); MPQA's subjectivity
    clues (strong_positive, weak_negative, …); a word and a weight with a tab, comma, semicolon or blank between them (AFINN,
    VADER: positive and negative); `word<TAB>emotion<TAB>0 or 1` (NRC); SentiWordNet; the General Inquirer as CSV. A comment
    begins with `;` or `#` and a blank. UTF-8, or else Latin-1. Where a file has weights, `strong` parts them as in
    `Lexicon.from_weights`.
    """
    place = Path(path)
    if not place.is_dir():
        return _read_file(place, strong)
    found = sorted(filter(_is_list, place.iterdir()))
    if not found:
        raise InvalidFile(f"the folder {place.name} has no {', '.join(_SUFFIXES)} file: there is no list to read.")
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
    from importlib.resources import as_file, files  # few recipes have a lexicon

    with as_file(files(package) / "vader_lexicon.txt") as path:
        return _read_file(path, strong)


def find_lexicon(value: object) -> Lexicon | None:
    """The lexicon of an option: a Lexicon, words by the name of their list, a Path, or `"vader"`; None for None.

    >>> find_lexicon({"joy": ["glad"]}), find_lexicon({"lists": {"joy": ["glad"]}}) == Lexicon({"joy": ["glad"]})
    (Lexicon(joy: 1), True)
    """
    if value is None:
        return None
    if isinstance(value, PathLike):
        return read_lexicon(value)
    if value == "vader":
        return load_lexicon("vader")
    if isinstance(value, Mapping):
        is_stored = set(value) == {"lists"} and isinstance(value["lists"], Mapping)
        value = Lexicon.from_dict(value) if is_stored else Lexicon(value)
    if not isinstance(value, Lexicon):
        expected = "None, a Lexicon, a mapping from list name to words, Path('file.txt') or 'vader'"
        raise bad_option("lexicon", expected, value, "each list has a name.")
    if not value.content:
        raise bad_option("lexicon", "None or lists with words", value, "there is nothing in it to be found.")
    return value


def _is_list(path: Path) -> bool:
    is_talk = path.name.lower().startswith(("readme", "."))
    return path.suffix.lower() in _SUFFIXES and not is_talk and path.is_file()


def _read_file(path: Path, strong: float | None) -> Lexicon:
    text = _decode(path)
    if not text.strip():
        raise InvalidFile(f"{path.name} is empty: a lexicon has a word a line.")
    lines = list_lines(split_lines(text))
    if not lines:
        raise InvalidFile(f"{path.name} has no words: all its lines are comments.")
    read = next(read for fits, read in FORMS if fits(lines))
    try:
        lexicon = read(lines, "_".join(path.stem.split()), strong)
    except InvalidFile as error:
        raise InvalidFile(f"{path.name}, {error}") from None
    if not lexicon.content:
        raise InvalidFile(f"{path.name} has no words: all that it names have weight 0.")
    return lexicon


def _decode(path: Path) -> str:
    raw = read_raw(path)
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")
