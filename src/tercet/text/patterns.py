"""Regular expressions with a name: each hit in a text is a term. No text can make the search slow."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import islice
from typing import Any, Self

from tercet.errors import InvalidOption, bad_option
from tercet.extras import import_extra

MAX_HITS = 100
_SAMPLE = "a b\n0-é".encode()


@dataclass(frozen=True)
class Pattern:
    r"""A regular expression in the syntax of RE2, checked when it is made. The name has no blanks.

    Upper and lower case differ unless it begins with `(?i)`; `^` and `$` are the ends of the text, with `(?m)` of a line.
    `\w`, `\d`, `\s` and `\b` know ASCII only; `\pL` is any letter. Backreferences and lookaround do not exist in RE2: they
    are what makes other engines slow. An expression that can match the empty text is refused.

    >>> Pattern("twice", r"(\w)\1")
    Traceback (most recent call last):
    tercet.errors.InvalidOption: the pattern 'twice' has the regex '(\\w)\\1', which RE2 refuses (invalid escape sequence: \1):
    backreferences can't be searched in linear time. Spell it without them.
    """

    name: str
    regex: str

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name or re.search(r"\s", self.name):
            raise bad_option("the name of a pattern", "a str without blanks", self.name, "terms are written with it.")
        if not isinstance(self.regex, str):
            raise bad_option(f"the regex of the pattern {self.name!r}", "a str", self.regex, "RE2 compiles it.")
        _check_regex(self)

    def to_dict(self) -> dict[str, Any]:
        """Name and regex, for JSON: `from_dict` reads them back."""
        return asdict(self)

    @classmethod
    def from_dict(cls, options: Mapping[str, Any]) -> Self:
        """
        >>> Pattern.from_dict({"name": "money", "regex": "[$€][0-9]+"})
        Pattern(name='money', regex='[$€][0-9]+')
        """
        if not isinstance(options, Mapping) or set(options) != {"name", "regex"}:
            raise bad_option("a pattern", "a mapping with name and regex", options, "to_dict writes it so.")
        return cls(**options)


def check_patterns(value: Any) -> tuple[Pattern, ...]:
    """The patterns by name, of a mapping from name to regex, of Patterns, or of what `to_dict` wrote; `"spam"` for ours.

    >>> check_patterns({"money": "[$€][0-9]+"})
    (Pattern(name='money', regex='[$€][0-9]+'),)
    """
    if value is None:
        return ()
    if value == "spam":
        from tercet.text.spam_patterns import SPAM_PATTERNS  # they are checked, and RE2 is loaded, only here

        value = SPAM_PATTERNS
    if isinstance(value, str | bytes | Pattern) or not isinstance(value, Iterable):
        raise bad_option("patterns", "'spam', a list of Patterns, or a mapping from name to regex", value, "each has a name.")
    made = value.items() if isinstance(value, Mapping) else value
    # In order, so that JSON with sorted keys gives the same recipe.
    patterns = tuple(sorted(map(_make_pattern, made), key=lambda pattern: pattern.name))
    names = [pattern.name for pattern in patterns]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise InvalidOption(f"two patterns are named {twice!r}: their hits would be one term. Rename one.")
    return patterns


def find_patterns(patterns: Sequence[Pattern], text: str) -> list[tuple[int, int, int]]:
    """The hits as (index of the pattern, start, end) in characters of the text, by pattern and then by place.

    Hits of one pattern don't overlap. At most 100 hits of a pattern in a text count: finding one takes a time linear in the
    text, finding all can take its square, as of `a.*b|a` in aaaa….

    >>> find_patterns([Pattern("money", "[$€][0-9]+"), Pattern("loud", r"\\b[A-Z]{3,}\\b")], "WIN €100 NOW")
    [(0, 4, 8), (1, 0, 3), (1, 9, 12)]
    """
    raw = _encode(text)
    is_ascii = len(raw) == len(text)
    hits = []
    for index, compiled in enumerate(_compile_all(tuple(pattern.regex for pattern in patterns))):
        spans = [match.span() for match in islice(compiled.finditer(raw), MAX_HITS)]
        spans = [(start, end) for start, end in spans if start < end]
        hits += [(index, start, end) for start, end in (spans if is_ascii else _count_characters(raw, spans))]
    return hits


@lru_cache(maxsize=64)
def _compile_all(regexes: tuple[str, ...]) -> tuple[Any, ...]:
    """Those of a recipe stay together: one by one, more than a cache holds would push each other out at every text."""
    return tuple(map(_compile, regexes))


@lru_cache(maxsize=128)  # so that a recipe that is copied need not be compiled anew
def _compile(regex: str) -> Any:
    re2 = import_extra("re2", package="google-re2", extra="patterns", purpose="patterns need")
    options = re2.Options()
    options.never_capture = True  # groups would take it to a slower engine
    options.log_errors = False
    return re2.compile(regex.encode(), options)


def _check_regex(pattern: Pattern) -> None:
    try:
        compiled = _compile(pattern.regex)
    except UnicodeEncodeError:
        raise _bad_regex(pattern, "has a lone surrogate: that is no character. Leave it out.") from None
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in ("re2", "_re2"):
            raise
        raise _bad_regex(pattern, _explain(error)) from None
    if re.search(r"(?<!\\)(\\\\)*\\C", pattern.regex):
        raise _bad_regex(pattern, "has \\C, a single byte: hits would begin inside a character. Use `.` or (?s:.).")
    if any(match.start() == match.end() for sample in (b"", _SAMPLE) for match in compiled.finditer(sample)):
        raise _bad_regex(pattern, "can match the empty text: it would be found everywhere. Use + for *, for example.")


def _explain(error: Exception) -> str:
    message = error.args[0].decode("utf-8", "replace") if isinstance(error.args[0], bytes) else str(error)
    if re.search(r"\(\?<?[=!]", message):
        why = "lookaround can't be searched in linear time. Match what stands around it, too."
    elif re.search(r"escape sequence: \\[1-9]|\(\?P=?$", message):
        why = "backreferences can't be searched in linear time. Spell it without them."
    else:
        why = "see its syntax at https://github.com/google/re2/wiki/Syntax."
    return f"RE2 refuses ({message}): {why}"


def _bad_regex(pattern: Pattern, why: str) -> InvalidOption:
    return InvalidOption(f"the pattern {pattern.name!r} has the regex {pattern.regex!r}, which {why}")


def _make_pattern(value: Any) -> Pattern:
    if isinstance(value, Pattern):
        return value
    if isinstance(value, tuple | list) and len(value) == 2:
        return Pattern(*value)
    return Pattern.from_dict(value)


def _encode(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        # One character for one, so that places stay.
        return re.sub("[\ud800-\udfff]", "\ufffd", text).encode()


def _count_characters(raw: bytes, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The places in bytes as places in characters, in one pass."""
    counted, last, n_characters = [], 0, 0
    for start, end in spans:
        first = n_characters + len(raw[last:start].decode())
        n_characters = first + len(raw[start:end].decode())
        counted.append((first, n_characters))
        last = end
    return counted
