"""Patterns: regular expressions with a name. Each match in a text is a term. The search time is linear in the text."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import islice
from typing import Any, Self

from tercet import registry
from tercet.errors import InvalidOption, bad_option, shorten
from tercet.extras import import_extra

MAX_HITS = 100  # matches of one pattern in one text
# A recipe with more would take long to compile or to search, and a recipe may come from a file of somebody else.
MAX_PATTERNS = 1000
MAX_CHARACTERS = 4096  # of one regex
MAX_TOTAL = 65_536  # characters of all regexes
MAX_PROGRAM = 100_000  # instructions of all regexes after RE2 has compiled them: "a{1000}" has 1000
_SAMPLE = "a b\n0-é".encode()


@registry.register("pattern", "regex")
@dataclass(frozen=True)
class Pattern:
    r"""A regular expression in the syntax of RE2, checked when it is made. The name has no blanks.

    Upper and lower case differ unless it begins with `(?i)`. `^` and `$` are the ends of the text, and with `(?m)` the ends of
    a line. `\w`, `\d`, `\s` and `\b` know ASCII only; `\pL` is any letter. RE2 has no backreferences and no lookaround, because
    these make a search slow. An expression that can match the empty text is refused.

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
        check_regex(f"the pattern {self.name!r}", self.regex)

    @property
    def n_instructions(self) -> int:
        """The size of the compiled regex, which memory and time of a search grow with."""
        return int(_compile(self.regex).programsize)

    def to_dict(self) -> dict[str, Any]:
        """Name and regex, for JSON. `from_dict` reads them back."""
        return asdict(self)

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> Self:
        """
        >>> Pattern.from_dict({"name": "money", "regex": "[$€][0-9]+"})
        Pattern(name='money', regex='[$€][0-9]+')
        """
        if not isinstance(written, Mapping) or set(written) != {"name", "regex"}:
            raise bad_option("a pattern", "a mapping with name and regex", written, "to_dict writes it in this form.")
        return cls(**written)


def check_patterns(value: Any) -> tuple[Pattern, ...]:
    """The patterns, sorted by name. `value` is a mapping from name to regex, a list of Patterns, pairs or written patterns, or
    `"spam"` for `SPAM_PATTERNS`.

    >>> check_patterns({"money": "[$€][0-9]+"})
    (Pattern(name='money', regex='[$€][0-9]+'),)
    """
    if value is None:
        return ()
    if value == "spam":
        value = SPAM_PATTERNS
    if isinstance(value, str | bytes | Pattern) or not isinstance(value, Iterable):
        known = "'spam', a list of Patterns, or a mapping from name to regex"
        raise bad_option("patterns", known, value, "each pattern has a name.")
    patterns: dict[str, Pattern] = {}
    n_characters = n_instructions = 0
    for number, each in enumerate(value.items() if isinstance(value, Mapping) else value, 1):
        if number > MAX_PATTERNS:
            raise InvalidOption(f"there are more than {MAX_PATTERNS} patterns: searching for all takes too long. Use fewer.")
        pattern = _make_pattern(each)
        if pattern.name in patterns:
            raise InvalidOption(
                f"two patterns are named {pattern.name!r}: their matches would be the same term. Rename one of them."
            )
        patterns[pattern.name] = pattern
        n_characters, n_instructions = n_characters + len(pattern.regex), n_instructions + pattern.n_instructions
        if n_characters > MAX_TOTAL or n_instructions > MAX_PROGRAM:
            raise InvalidOption(
                f"the first {number} patterns have {n_characters} characters and {n_instructions} instructions when they are "
                f"compiled: at most {MAX_TOTAL} and {MAX_PROGRAM} are allowed, because searching for all takes too long. "
                "Use fewer patterns, or simpler ones."
            )
    # Sorted, so that JSON with sorted keys gives the same recipe.
    return tuple(pattern for _, pattern in sorted(patterns.items()))


def find_patterns(patterns: Sequence[Pattern], text: str) -> list[tuple[int, int, int]]:
    """The matches as (index of the pattern, start, end) in characters of the text, by pattern and then by position.

    Matches of one pattern don't overlap. At most 100 matches of a pattern in a text are found. The time for one match is linear
    in the length of the text, but the time for all of them can be quadratic, as for `a.*b|a` in aaaa….

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


def search_texts(regexes: Sequence[str], texts: Iterable[str]) -> list[list[bool]]:
    """For each text, whether each of the regexes is found in it.

    >>> search_texts(["[$€][0-9]+", "win"], ["win €100", "you"])
    [[True, True], [False, False]]
    """
    compiled = _compile_all(tuple(regexes))
    return [[each.search(raw) is not None for each in compiled] for raw in map(_encode, texts)]


@lru_cache(maxsize=64)
def _compile_all(regexes: tuple[str, ...]) -> tuple[Any, ...]:
    """The patterns of a recipe, cached together. Cached one by one, more patterns than the cache holds would be compiled again
    for every text."""
    return tuple(map(_compile, regexes))


@lru_cache(maxsize=128)  # so that a copied recipe is not compiled again
def _compile(regex: str) -> Any:
    re2 = import_extra("re2", package="google-re2", extra="patterns", purpose="patterns need")
    options = re2.Options()
    options.never_capture = True  # capturing groups would need a slower engine
    options.log_errors = False
    return re2.compile(regex.encode(), options)


def check_regex(owner: str, regex: Any) -> None:
    """Raises InvalidOption if the regex of this pattern or rule can't be searched quickly, or would be found everywhere."""
    if not isinstance(regex, str):
        raise bad_option(f"the regex of {owner}", "a str", regex, "RE2 compiles it.")

    def refuse(why: str) -> InvalidOption:
        return InvalidOption(f"{owner} has the regex {shorten(repr(regex))}, which {why}")

    if len(regex) > MAX_CHARACTERS:
        raise refuse(f"has {len(regex)} characters: at most {MAX_CHARACTERS} are allowed. Split it.")
    try:
        compiled = _compile(regex)
    except UnicodeEncodeError:
        raise refuse("has a lone surrogate: that is not a character. Leave it out.") from None
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in ("re2", "_re2"):
            raise
        raise refuse(_explain(error)) from None
    if re.search(r"(?<!\\)(\\\\)*\\C", regex):
        raise refuse("has \\C, a single byte: matches would begin inside a character. Use `.` or (?s:.).")
    if any(match.start() == match.end() for sample in (b"", _SAMPLE) for match in compiled.finditer(sample)):
        raise refuse("can match the empty text: it would be found everywhere. Use + for *, for example.")
    if compiled.programsize > MAX_PROGRAM:
        size = f"has {compiled.programsize} instructions when it is compiled"
        raise refuse(f"{size}: at most {MAX_PROGRAM} are allowed. Repeat less.")


def _explain(error: Exception) -> str:
    message = error.args[0].decode("utf-8", "replace") if isinstance(error.args[0], bytes) else str(error)
    if re.search(r"\(\?<?[=!]", message):
        why = "lookaround can't be searched in linear time. Match the text around it, too."
    elif re.search(r"escape sequence: \\[1-9]|\(\?P=?$", message):
        why = "backreferences can't be searched in linear time. Spell it without them."
    else:
        why = "see its syntax at https://github.com/google/re2/wiki/Syntax."
    return f"RE2 refuses ({message}): {why}"


def _make_pattern(value: Any) -> Pattern:
    if isinstance(value, Pattern):
        return value
    if isinstance(value, tuple | list) and len(value) == 2:
        return Pattern(*value)
    if isinstance(value, Mapping):
        pattern: Pattern = registry.read("pattern", value)
        return pattern
    raise bad_option("a pattern", "a Pattern, (name, regex) or a written pattern", value, "it has a name and a regex.")


def _encode(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        # One character for each surrogate, so that positions stay the same.
        return re.sub("[\ud800-\udfff]", "\ufffd", text).encode()


def _count_characters(raw: bytes, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans in bytes as spans in characters, in one pass."""
    counted, last, n_characters = [], 0, 0
    for start, end in spans:
        first = n_characters + len(raw[last:start].decode())
        n_characters = first + len(raw[start:end].decode())
        counted.append((first, n_characters))
        last = end
    return counted


# Phrases of spam in English mails and messages, from name to regex. They become Patterns on first use, when RE2 is loaded.
SPAM_PATTERNS = {
    "money_amount": r"(?i)(?:[$€£¥₹₦] ?|\b(?:usd|eur|gbp|inr|ngn|rs)\.? ?)[0-9][0-9.,]*"
    r"(?: ?(?:k|m|mn|mio|bn|mill?ions?|billions?|thousands?|lakhs?|crores?)\b)?"
    r"|\b[0-9][0-9.,]*(?: ?(?:k|m|mn|mio|bn|mill?ions?|billions?|thousands?)\b\.?)?"
    r" ?(?:[€£¥₹₦$]|(?:(?:us|u\.s\.|united states) )?(?:usd|eur|gbp|inr|ngn|dollars?|euros?|pounds? sterling|rupees?)\b)",
    "millions_of_dollars": r"(?i)\b(?:hundred|thousand|million|billion)s? (?:of )?(?:us |u\.s\. )?(?:dollar|euro|pound)s?\b"
    r"|(?:[$€£¥]|\b(?:usd|eur|gbp) ?)[0-9]{1,3}(?:[.,][0-9]{3}){2,}",
    "guaranteed": r"(?i)\b(?:[0-9]{1,3}|(?:one |a )?hundred) ?(?:%|percent|per cent) "
    r"(?:\w+ )?(?:guarantee[ds]?|free|safe|legal|natural|risk)\b",
    "percent_off": r"(?i)\b[0-9]{1,3} ?(?:%|percent|per cent) (?:off|discount)\b|\bsave (?:up to )?[0-9]{1,3} ?%",
    "loud_word": r"\b[A-Z]{4,}\b",
    "loud_marks": r"[!?][!?]+|\${2,}",
    "dear_winner": r"(?i)\bdear (?:winner|friend|customer|user|beneficiary|sir or madam|valued \w+)\b",
    "you_won": r"(?i)\byou(?:'ve|’ve| have)? (?:just |been )*(?:won|win|selected|chosen)\b|\bcongratulations\b",
    "urgent": r"(?i)\burgent(?:ly)?\b|\bact (?:now|fast|today)\b|\bas soon as possible\b|\bexpires? (?:soon|today)\b",
    "click_here": r"(?i)\bclick (?:here|below|now|(?:on )?th(?:e|is) link)\b",
    "unsubscribe": r"(?i)\bunsubscribe\b|\bopt[ -]?out\b|\bremoved? from (?:our|this|the|my) (?:mailing )?list\b",
    "free_offer": r"(?i)\bfree (?:\w+ )?(?:trial|gift|offer|sample|access|entry|membership|quote)\b|\bfor free\b"
    r"|(?-i:\bFREE\b)",
    "no_risk": r"(?i)\b(?:no|without)(?: any| extra)? (?:risk|obligation|costs?|fees?|credit check|strings attached)\b"
    r"|\brisk[ -]free\b",
    "online_pharmacy": r"(?i)\bon-?line (?:pharmac\w+|drug ?stores?|medicines?|prescriptions?)\b|\bno prescription\b"
    r"|\bprescription drugs?\b",
    # Letters may be replaced by similar signs, or have a mark between them: v1agra, V!@gra, v.i.a.g.r.a, c-i-a-l-i-s.
    "drug_name": r"(?i)\bv[._*^~'-]?[i1!|lí][._*^~'-]?[a@4á][._*^~'-]?g[._*^~'-]?r[._*^~'-]?[a@4á]"
    r"|\bc[._*^~'-]?[i1!|lí][._*^~'-]?[a@4á][._*^~'-]?[l1|][._*^~'-]?[i1!|lí][._*^~'-]?s\b"
    r"|\bv i a g r a\b|\bc i a l i s\b|\b(?:levitra|phentermine|xanax|valium)\b",
    "phone_number": r"(?:\+|\b)[0-9]{1,4}[ .-]?\(?[0-9]{2,5}\)?(?:[ .-]?[0-9]{2,5}){1,3}\b",
    "bank_details": r"(?i)\bbank (?:account|details|transfer)\b|\bcredit card\b|\bwire transfer\b|\bnext of kin\b",
}
