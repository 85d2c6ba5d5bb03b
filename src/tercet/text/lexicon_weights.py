"""Lexicon files with a word and a weight on each line, whatever stands between them."""

from tercet.text.lexicon_lines import Line, bad_line, is_number_text
from tercet.text.lexicons import Lexicon

# In the order in which they are tried: a phrase may well have a blank inside, and hardly ever a tab.
_SEPARATORS = {"\t": "a tab", ";": "a semicolon", ",": "a comma", " ": "a blank"}
_WORDS = frozenset(("word", "words", "term", "token", "entry", "phrase", "lemma", "ngram"))
_WEIGHTS = frozenset(("score", "weight", "valence", "polarity", "sentiment", "value", "rating", "strength"))


def is_weights(lines: list[Line]) -> bool:
    """Whether it is a file of weights. One that is so in part only is one too, and is refused where it is read."""
    return _find_separator(lines) is not None


def read_weights(lines: list[Line], _name: str, strong: float | None) -> Lexicon:
    """AFINN, VADER and the like: a word, a tab, comma, semicolon or blank, a weight; what follows is for other programs.

    The first line may name the columns.
    """
    separator = _find_separator(lines) or "\t"
    weights = {}
    for number, text in lines[1:] if _is_header(lines[0].text, separator) else lines:
        pair = split_weight(text, separator)
        if pair is None:
            raise bad_line(number, text, f"is not a word, {_SEPARATORS[separator]} and a weight, as other lines are")
        weights[pair[0]] = pair[1]
    return Lexicon.from_weights(weights, strong=strong)


def split_weight(text: str, separator: str) -> tuple[str, float] | None:
    """A word and its weight; None where a line is something else.

    With blanks the weight is the last of a line. Where the comma does not part them, it may stand for the point.

    >>> split_weight("can't stand -3", " "), split_weight(";);1,5;0", ";"), split_weight("good", ",")
    (("can't stand", -3.0), (';)', 1.5), None)
    """
    fields = [field.strip() for field in (text.split() if separator == " " else text.split(separator))]
    numbers = fields if separator == "," else [field.replace(",", ".") for field in fields]
    tried = {" ": range(max(1, len(fields) - 1), len(fields)), "\t": range(1, min(2, len(fields)))}
    for place in tried.get(separator, range(1, len(fields))):
        word = separator.join(fields[:place]).strip()
        if is_number_text(numbers[place]) and word and not (separator != "\t" and is_number_text(word)):
            return _unquote(word), float(numbers[place])
    return None


def _find_separator(lines: list[Line]) -> str | None:
    for separator in _SEPARATORS:
        rest = lines[1:] if _is_header(lines[0].text, separator) else lines
        n_pairs = sum(split_weight(text, separator) is not None for _, text in rest)
        # A plain list may hold a few phrases like "catch 22".
        if n_pairs and (separator != " " or 2 * n_pairs >= len(rest)):
            return separator
    return None


def _is_header(text: str, separator: str) -> bool:
    fields = [_unquote(field.strip()).lower() for field in (text.split() if separator == " " else text.split(separator))]
    return len(fields) > 1 and (fields[0] in _WORDS or fields[1] in _WEIGHTS) and split_weight(text, separator) is None


def _unquote(word: str) -> str:
    is_quoted = len(word) > 2 and word[0] == word[-1] == '"'
    return word[1:-1].replace('""', '"').strip() if is_quoted else word
