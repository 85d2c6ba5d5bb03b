"""Lexicons: lists of words such as positive and negative, and the files in which lexicons are published."""

import csv
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Self

from tercet import registry
from tercet.cached import cached_property
from tercet.errors import InvalidFile, InvalidOption, bad_option
from tercet.extras import import_extra
from tercet.kernel.terms.token_rules import ends_in_star
from tercet.options import check_choice, is_number
from tercet.text.word_lists import FrozenValue, WordList, check_words, read_bytes, split_lines

MAX_LISTS = 1000  # a word can be in all of them, and then adds so many terms


@registry.register("lexicon", "lists")
class Lexicon(FrozenValue):
    """Lists of words by name. A word can be in several lists. Empty lists are left out.

    An entry that ends in `*` stands for every word that begins with it: happi* for happiness and happily.

    >>> lexicon = Lexicon({"positive": ["good", "fine"], "negative": ["bad"]})
    >>> lexicon
    Lexicon(negative: 1, positive: 2)
    >>> lexicon.lists_of("good")
    ('positive',)
    >>> lexicon | Lexicon({"negative": ["awful"]})
    Lexicon(negative: 2, positive: 2)
    """

    content: tuple[tuple[str, WordList], ...]

    def __init__(self, lists: Mapping[str, Iterable[str] | WordList]) -> None:
        if not isinstance(lists, Mapping):
            raise bad_option("a lexicon", "a mapping from list name to words", lists, "each list has a name.")
        if len(lists) > MAX_LISTS:
            raise InvalidOption(f"a lexicon has {len(lists)} lists: at most {MAX_LISTS} are allowed. Join some of them.")
        named = {check_list_name(name): _make_list(name, words) for name, words in lists.items()}
        self._keep(content=tuple(sorted((name, words) for name, words in named.items() if words)))

    @classmethod
    def from_weights(cls, weights: Mapping[str, float], *, strong: float | None = None) -> Self:
        """The lists positive and negative, by the sign of each word's weight. Words of weight 0 are in neither list.

        With `strong`, a word whose weight has at least this size is in strong_positive or strong_negative. The other words are
        in weak_positive or weak_negative.

        >>> Lexicon.from_weights({"superb": 4, "fine": 1, "awful": -3}, strong=3)
        Lexicon(strong_negative: 1, strong_positive: 1, weak_positive: 1)
        """
        if not isinstance(weights, Mapping):
            raise bad_option("weights", "a mapping from word to weight", weights, "each word has one weight.")
        if strong is not None and not (is_number(strong) and 0 < strong < float("inf")):
            raise bad_option("strong", "None or a number > 0", strong, "it is the least size of a strong weight.")
        lists: dict[str, list[str]] = {}
        for word, weight in weights.items():
            if not is_number(weight) or weight != weight:
                raise bad_option(f"the weight of {word!r}", "a number", weight, "its sign decides the list.")
            if weight:
                lists.setdefault(_name_weight(weight, strong), []).append(word)
        return cls(lists)

    @property
    def lists(self) -> dict[str, WordList]:
        return dict(self.content)

    @cached_property
    def by_word(self) -> dict[str, tuple[str, ...]]:
        """From a word to the names of its lists, sorted."""
        found: dict[str, tuple[str, ...]] = {}
        for name, words in self.content:
            for word in words:
                found[word] = (*found.get(word, ()), name)
        return found

    def lists_of(self, word: str) -> tuple[str, ...]:
        """The names of the lists that hold the word, or a beginning of it with `*`; an empty tuple for an unknown word.

        >>> Lexicon({"joy": ["happi*", "glad"]}).lists_of("happiness")
        ('joy',)
        """
        prefixes = filter(ends_in_star, (f"{word[:n]}*" for n in range(1, len(word) + 1)))
        return tuple(sorted({name for entry in (word, *prefixes) for name in self.by_word.get(entry, ())}))

    def __or__(self, other: object) -> Self:
        if not isinstance(other, Lexicon):
            return NotImplemented
        names = [name for name, _ in (*self.content, *other.content)]
        return type(self)({name: [*self.lists.get(name, ()), *other.lists.get(name, ())] for name in names})

    def __repr__(self) -> str:
        return f"Lexicon({', '.join(f'{name}: {len(words)}' for name, words in self.content)})"

    def to_dict(self) -> dict[str, Any]:
        """The words by the name of their list, for JSON. `from_dict` reads them back."""
        return {"lists": {name: list(words) for name, words in self.content}}

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> Self:
        """
        >>> Lexicon.from_dict({"lists": {"joy": ["glad"]}})
        Lexicon(joy: 1)
        """
        if not isinstance(written, Mapping) or set(written) != {"lists"}:
            raise bad_option("a lexicon", "a mapping with lists", written, "to_dict writes it in this form.")
        return cls(written["lists"])


def resolve_lexicon(value: object) -> Lexicon | None:
    """The lexicon for an option: a Lexicon, words by the name of their list, a Path, or `"vader"`; None for None.

    >>> resolve_lexicon({"joy": ["glad"]}), resolve_lexicon(registry.write(Lexicon({"joy": ["glad"]})))
    (Lexicon(joy: 1), Lexicon(joy: 1))
    """
    if value is None:
        return None
    if isinstance(value, PathLike):
        return read_lexicon(value)
    if isinstance(value, str) and value == "vader":
        return load_lexicon("vader")
    if isinstance(value, Mapping):
        is_written = isinstance(value.get("type"), str)  # the words of a list named "type" would not be one str
        value = registry.read("lexicon", value) if is_written else Lexicon(value)
    if not isinstance(value, Lexicon):
        expected = "None, a Lexicon, a mapping from list name to words, Path('file.txt') or 'vader'"
        raise bad_option("lexicon", expected, value, "each list has a name.")
    if not value.content:
        raise bad_option("lexicon", "None or lists with words", value, "it has no word that a text could contain.")
    return value


def load_lexicon(name: str, *, strong: float | None = None) -> Lexicon:
    """A lexicon that is part of a package: `"vader"`, English words, slang and emoticons, positive and negative.

    >>> load_lexicon("vader").lists_of("awful")
    ('negative',)
    """
    check_choice("lexicon", name, ("vader",))
    package = import_extra("vaderSentiment", package="vaderSentiment", extra="lexicons", purpose="the lexicon vader needs")
    from importlib.resources import as_file, files  # imported here because few recipes have a lexicon

    with as_file(files(package) / "vader_lexicon.txt") as path:
        return _read_file(path, strong)


_SUFFIXES = (".txt", ".tsv", ".csv", ".tff", ".dic", ".lex")


def read_lexicon(path: str | PathLike[str], *, strong: float | None = None) -> Lexicon:
    """The lexicon of a file, or of all lists in a folder, joined.

    In a folder, files that end in `.txt`, `.tsv`, `.csv`, `.tff`, `.dic` or `.lex` are read, except a README. Their text is
    UTF-8, or else Latin-1. A comment begins with `;` or `#` and a blank. The format of a file is recognised by its content:

    - a plain list, one word a line, named after the file (Hu and Liu's opinion lexicon);
    - MPQA's subjectivity clues: strong_positive, weak_negative and so on;
    - a word and a weight with a tab, comma, semicolon or blank between them (AFINN, VADER): positive and negative;
    - `word<TAB>emotion<TAB>0 or 1` (NRC);
    - SentiWordNet;
    - LIWC: a line `%`, lines `number<TAB>category`, a line `%`, and lines `word<TAB>number<TAB>number`;
    - the General Inquirer as CSV.

    If a file has weights, `strong` divides them as in `Lexicon.from_weights`.
    """
    location = Path(path)
    if not location.is_dir():
        return _read_file(location, strong)
    found = sorted(filter(_is_lexicon_file, location.iterdir()))
    if not found:
        raise InvalidFile(f"the folder {location.name} has no {', '.join(_SUFFIXES)} file: there is no list to read.")
    joined = Lexicon({})
    for file in found:
        joined |= _read_file(file, strong)
    return joined


def check_list_name(name: object) -> str:
    if not isinstance(name, str) or not name or re.search(r"\s", name):
        raise InvalidOption(f"a list of a lexicon is named {name!r}: its terms are written with the name. Use no blanks.")
    return name


def _make_list(name: str, words: Iterable[str]) -> WordList:
    return WordList(check_words(words, f"the list {name!r} of a lexicon"), name)


def _name_weight(weight: float, strong: float | None) -> str:
    sign = "positive" if weight > 0 else "negative"
    return sign if strong is None else f"{'strong' if abs(weight) >= strong else 'weak'}_{sign}"


def _is_lexicon_file(path: Path) -> bool:
    is_readme = path.name.lower().startswith(("readme", "."))
    return path.suffix.lower() in _SUFFIXES and not is_readme and path.is_file()


def _read_file(path: Path, strong: float | None) -> Lexicon:
    text = _decode(path)
    if not text.strip():
        raise InvalidFile(f"{path.name} is empty: a lexicon has a word a line.")
    lines = list_lines(split_lines(text))
    if not lines:
        raise InvalidFile(f"{path.name} has no words: all its lines are comments.")
    read = next(read for fits, read in FORMATS if fits(lines))
    try:
        lexicon = read(lines, "_".join(path.stem.split()), strong)
    except InvalidFile as error:
        raise InvalidFile(f"{path.name}, {error}") from None
    if not lexicon.content:
        raise InvalidFile(f"{path.name} has no words in any list: all its words have weight 0.")
    return lexicon


def _decode(path: Path) -> str:
    raw = read_bytes(path)
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


# The lines of a file.

_COMMENT = re.compile(r"\s*[;#](?:[;#\s]|$)")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


class LexiconLine(NamedTuple):
    """A line that is neither blank nor a comment, and its number in the file, counted from 1."""

    number: int
    text: str


def list_lines(lines: list[str]) -> list[LexiconLine]:
    """The lines with words. A comment begins with `;` or `#`, followed by a blank or another of them: `;)` and `#happy` are
    words.

    >>> list_lines(["; Opinion lexicon", ";;;;", "", "#happy", ";)"])
    [LexiconLine(number=4, text='#happy'), LexiconLine(number=5, text=';)')]
    """
    return [LexiconLine(number, text) for number, text in enumerate(lines, 1) if text.strip() and not _COMMENT.match(text)]


def is_number_text(text: str) -> bool:
    """
    >>> [is_number_text(text) for text in ("-1.5", "1e-3", "nan", "1,5")]
    [True, True, False, False]
    """
    return _NUMBER.fullmatch(text) is not None


def bad_line(number: int, text: str, why: str) -> InvalidFile:
    shown = text if len(text) <= 60 else text[:57] + "..."
    return InvalidFile(f"line {number}: {shown!r} {why}.")


def _split(text: str) -> list[str]:
    return [field.strip() for field in text.split("\t")]


# The formats: for each, a function that reads it and one that recognises it.

Lists = dict[str, list[str]]


def read_clues(lines: list[LexiconLine], _name: str, _strong: float | None) -> Lexicon:
    """MPQA: `type=strongsubj len=1 word1=abandoned pos1=adj stemmed1=n priorpolarity=negative`.

    Words are used as they are spelled, even if MPQA means all forms of their stem.
    """
    lists: Lists = defaultdict(list)
    for number, text in lines:
        fields = dict(re.findall(r"(\w+)=(\S+)", text))
        strength = {"strongsubj": "strong", "weaksubj": "weak"}.get(fields.get("type", ""))
        # The published file has a few lines with weakneg and the like for the polarity.
        polarity = re.sub("^(weak|strong)(neg|pos).*", r"\2", fields.get("priorpolarity", ""))
        polarity = {"neg": "negative", "pos": "positive"}.get(polarity, polarity)
        if strength is None or polarity not in ("positive", "negative", "neutral", "both") or "word1" not in fields:
            raise bad_line(number, text, "has no word1=…, type=strongsubj or weaksubj, and priorpolarity=positive, negative, …")
        lists[f"{strength}_{polarity}"].append(fields["word1"])
    return Lexicon(lists)


def _is_clues(lines: list[LexiconLine]) -> bool:
    return "word1=" in lines[0].text and "priorpolarity=" in lines[0].text


def read_emotions(lines: list[LexiconLine], _name: str, _strong: float | None) -> Lexicon:
    """NRC: `word<TAB>emotion<TAB>0 or 1`."""
    lists: Lists = defaultdict(list)
    for number, text in lines:
        fields = _split(text)
        if len(fields) != 3 or not fields[0] or not fields[1] or fields[2] not in ("0", "1"):
            raise bad_line(number, text, "is not a word, an emotion and 0 or 1, with tabs between")
        if fields[2] == "1":
            lists["_".join(fields[1].split())].append(fields[0])
    return Lexicon(lists)


def _is_emotions(lines: list[LexiconLine]) -> bool:
    fields = _split(lines[0].text)
    return len(fields) == 3 and fields[2] in ("0", "1") and not is_number_text(fields[1])


def read_senses(lines: list[LexiconLine], _name: str, strong: float | None) -> Lexicon:
    """SentiWordNet: part of speech, id, positive and negative score, `word#sense word#sense`, gloss.

    A word's weight is the weighted mean over its senses of positive minus negative. The n-th sense has the weight 1/n.
    """
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for number, text in lines:
        fields = _split(text)
        if len(fields) < 5 or not is_number_text(fields[2]) or not is_number_text(fields[3]):
            raise bad_line(number, text, "is not a part of speech, an id, two scores and words, with tabs between")
        for word, sense in re.findall(r"(\S+)#([1-9]\d*)", fields[4]):
            share = 1 / int(sense)
            total = sums[word.replace("_", " ")]
            total[0] += share * (float(fields[2]) - float(fields[3]))
            total[1] += share
    return Lexicon.from_weights({word: total / shares for word, (total, shares) in sums.items()}, strong=strong)


def _is_senses(lines: list[LexiconLine]) -> bool:
    return re.match(r"[anvrs]\t\d{6,}\t[\d.]+\t[\d.]+\t\S+#\d", lines[0].text) is not None


def read_inquirer(lines: list[LexiconLine], _name: str, _strong: float | None) -> Lexicon:
    """General Inquirer: a header `Entry,Source,Positiv,Negativ,…`, then rows with a word and an entry under each of its lists.

    If a word has several senses (`ABOUT#1`), only the first counts, which is the most frequent.
    """
    rows = csv.reader(text for _, text in lines)
    header = [name.strip() for name in next(rows)]
    lists: Lists = defaultdict(list)
    for (number, text), row in zip(lines[1:], rows, strict=False):
        if len(row) < 3:
            raise bad_line(number, text, "has fewer columns than the header")
        word, _hash, sense = row[0].strip().partition("#")
        if sense in ("", "1"):
            for name, entry in zip(header[2:], row[2:], strict=False):
                if entry.strip() and name and name not in ("Othtags", "Defined"):
                    lists["_".join(name.split())].append(word.lower())
    return Lexicon(lists)


def _is_inquirer(lines: list[LexiconLine]) -> bool:
    return re.match(r'"?Entry"?,"?Source"?,', lines[0].text) is not None


def read_liwc(lines: list[LexiconLine], _name: str, _strong: float | None) -> Lexicon:
    """LIWC: categories with their numbers between two lines `%`, then each word with the numbers of its categories."""
    borders = [index for index, (_, text) in enumerate(lines) if text.strip() == "%"]
    if borders[0] != 0 or len(borders) != 2:
        why = f"is one of {len(borders)} lines %; a LIWC dictionary begins with one, and a second one ends its categories"
        raise bad_line(*lines[borders[0]], why)
    names = _read_categories(lines[1 : borders[1]])
    lists: Lists = defaultdict(list)
    for number, text in lines[borders[1] + 1 :]:
        word, _, codes = text.strip().partition("\t")
        if not codes.strip() or not all(map(str.isdecimal, codes.split())):
            raise bad_line(number, text, "is not a word, a tab and numbers of categories")
        for code in codes.split():
            if code not in names:
                raise bad_line(number, text, f"has the category {code}, which no line between the two lines % names")
            lists[names[code]].append(word.strip())
    if not lists:
        raise bad_line(*lines[-1], "is the last line; words must follow the categories")
    return Lexicon(lists)


def _read_categories(lines: list[LexiconLine]) -> dict[str, str]:
    """The names of the categories by their numbers, which stay text."""
    names: dict[str, str] = {}
    for number, text in lines:
        code, _, name = text.strip().partition("\t")
        if not code.isdecimal() or not name.strip() or code in names:
            raise bad_line(number, text, "is not a new number, a tab and the name of a category")
        names[code] = "_".join(name.split())
    return names


def _is_liwc(lines: list[LexiconLine]) -> bool:
    """A plain list may have the word %, but not before or after a number with a name."""
    begins = lines[0].text.strip() == "%" or re.match(r"\s*\d+\t\s*[^\d\s]", lines[0].text) is not None
    return begins and any(text.strip() == "%" for _, text in lines)


def read_plain(lines: list[LexiconLine], name: str, _strong: float | None) -> Lexicon:
    """One word a line. The list has the name of the file."""
    words = []
    for number, text in lines:
        if "\t" in text.strip():
            raise bad_line(number, text, "has a tab, but no weight behind it; a plain list has one word a line")
        words.append(text.strip())
    return Lexicon({name: words})


# Separators of a word and its weight, in the order in which they are tried: a phrase often has a blank inside, and hardly
# ever a tab.
_SEPARATORS = {"\t": "a tab", ";": "a semicolon", ",": "a comma", " ": "a blank"}
_WORD_HEADERS = frozenset(("word", "words", "term", "token", "entry", "phrase", "lemma", "ngram"))
_WEIGHT_HEADERS = frozenset(("score", "weight", "valence", "polarity", "sentiment", "value", "rating", "strength"))


def read_weights(lines: list[LexiconLine], _name: str, strong: float | None) -> Lexicon:
    """AFINN, VADER and others: a word, a tab, comma, semicolon or blank, a weight. The rest of a line is ignored.

    The first line may name the columns.
    """
    separator = _detect_separator(lines) or "\t"
    weights = {}
    for number, text in lines[1:] if _is_header(lines[0].text, separator) else lines:
        pair = split_weight(text, separator)
        if pair is None:
            raise bad_line(number, text, f"is not a word, {_SEPARATORS[separator]} and a weight, as other lines are")
        weights[pair[0]] = pair[1]
    return Lexicon.from_weights(weights, strong=strong)


def is_weights(lines: list[LexiconLine]) -> bool:
    """Whether some lines have weights. If others do not, `read_weights` refuses the file and names such a line."""
    return _detect_separator(lines) is not None


def split_weight(text: str, separator: str) -> tuple[str, float] | None:
    """A word and its weight; None if the line has another form.

    With blanks as separators, the weight is the last field of the line. If the comma is not the separator, it may be the
    decimal point.

    >>> split_weight("can't stand -3", " "), split_weight(";);1,5;0", ";"), split_weight("good", ",")
    (("can't stand", -3.0), (';)', 1.5), None)
    """
    fields = [field.strip() for field in (text.split() if separator == " " else text.split(separator))]
    numbers = fields if separator == "," else [field.replace(",", ".") for field in fields]
    tried = {" ": range(max(1, len(fields) - 1), len(fields)), "\t": range(1, min(2, len(fields)))}
    for index in tried.get(separator, range(1, len(fields))):
        word = separator.join(fields[:index]).strip()
        if is_number_text(numbers[index]) and word and not (separator != "\t" and is_number_text(word)):
            return _unquote(word), float(numbers[index])
    return None


def _detect_separator(lines: list[LexiconLine]) -> str | None:
    for separator in _SEPARATORS:
        rest = lines[1:] if _is_header(lines[0].text, separator) else lines
        n_pairs = sum(split_weight(text, separator) is not None for _, text in rest)
        # A plain list may hold a few phrases like "catch 22".
        if n_pairs and (separator != " " or 2 * n_pairs >= len(rest)):
            return separator
    return None


def _is_header(text: str, separator: str) -> bool:
    fields = [_unquote(field.strip()).lower() for field in (text.split() if separator == " " else text.split(separator))]
    is_named = len(fields) > 1 and (fields[0] in _WORD_HEADERS or fields[1] in _WEIGHT_HEADERS)
    return is_named and split_weight(text, separator) is None


def _unquote(word: str) -> str:
    is_quoted = len(word) > 2 and word[0] == word[-1] == '"'
    return word[1:-1].replace('""', '"').strip() if is_quoted else word


ReadLines = Callable[[list[LexiconLine], str, float | None], Lexicon]  # lines, name of the file, size of a strong weight

# In the order in which they are tried. A file that fits no other format is a plain list.
FORMATS: tuple[tuple[Callable[[list[LexiconLine]], bool], ReadLines], ...] = (
    (_is_liwc, read_liwc),
    (_is_clues, read_clues),
    (_is_inquirer, read_inquirer),
    (_is_senses, read_senses),
    (_is_emotions, read_emotions),
    (is_weights, read_weights),
    (lambda _: True, read_plain),
)
