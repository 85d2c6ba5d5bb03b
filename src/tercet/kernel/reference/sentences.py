"""Text → sentences: where each begins and ends.

A sentence ends behind a mark that ends sentences, with all closing quotes and brackets behind it, and at a blank line.
Marks of scripts that never use them otherwise (。 ؟ ।) end it wherever they stand; the others before white only, and not

- before a word that begins in lower case; after ! and ? only when a quote or bracket closes there (“Go!” he said);
- before , ; : or another mark that ends sentences;
- after an abbreviation, an initial or the number of a list item.

It is the case of letters that tells, so this reads a text before it is lower-cased. No white character is at the edge of a
sentence, and every other character is in one.
"""

from functools import lru_cache

from tercet.kernel.reference.abbreviations import (
    AFTER_ORDINALS,
    LONGEST,
    MAYBE_LAST,
    NEVER_LAST,
    NUMBERED,
    SENTENCE_STARTERS,
)
from tercet.kernel.reference.tokenize import is_mark, is_word

STOPS = ".…．"
CRIES = "!?‼⁇⁈⁉‽\u037e"
SURE = "。！？｡︒︕︖؟۔։।॥။។៕።፧፨᠃᠉"
ENDERS = frozenset(STOPS + CRIES + SURE)
CLOSERS = frozenset("\"')]}>’”»›」』）］｝】〉》〕｣﹂﹄＂＇")
EITHER = frozenset("“‘«‹")  # these close in German or Danish and open elsewhere
OPENERS = frozenset("\"'`([{<“‘«‹„‚»›¿¡*_-–—「『（［｛【〈《〔｢")
DIGITS = frozenset("0123456789")


def split_sentences(text: str) -> list[tuple[int, int]]:
    """The span of each sentence, in order.

    >>> [text[a:b] for text in ["Dr. Who? He left.  Then… nothing."] for a, b in split_sentences(text)]
    ['Dr. Who?', 'He left.', 'Then… nothing.']
    """
    spans = []
    i = begin = white_end(text, 0)
    while i < len(text):
        end = i if text[i].isspace() else cluster_end(text, i) if text[i] in ENDERS else 0
        if not end:
            i += 1
            continue
        after = white_end(text, end)
        if after == len(text) or is_blank_line(text[end:after]) or ends_sentence(text, begin, i, end, after):
            spans.append((begin, end))
            begin = after
        i = after
    return [*spans, (begin, len(text))] if begin < len(text) else spans


def white_end(text: str, i: int) -> int:
    while i < len(text) and text[i].isspace():
        i += 1
    return i


def is_blank_line(white: str) -> bool:
    return white.count("\n") > 1 or white.count("\r") > 1 or "\u2029" in white


def cluster_end(text: str, i: int) -> int:
    """The end of the marks that begin with an ender: more of them, closing quotes and brackets, variation selectors."""
    sure = False
    while i < len(text):
        c = text[i]
        sure = sure or c in SURE
        if not (c in ENDERS or c in CLOSERS or is_mark(c) or (c in EITHER and not sure)):
            break
        i += 1
    return i


def ends_sentence(text: str, begin: int, i: int, end: int, after: int) -> bool:
    """Whether the marks text[i:end] end the sentence that began at `begin`; `after` is where the text goes on."""
    cluster = text[i:end]
    if not cluster or text[after] in ENDERS:
        return False
    if any(c in SURE for c in cluster):
        return True
    if after == end or text[after] in ",;:":
        return False
    first = skip_openers(text, after)
    lower = first < len(text) and is_lower(text[first])
    if any(c in CRIES for c in cluster):
        return not (lower and cluster[-1] not in ENDERS)
    return not lower and not (cluster == "." and is_abbreviated(text, begin, i, after))


def skip_openers(text: str, i: int) -> int:
    while i < len(text) and text[i] in OPENERS:
        i += 1
    return i


@lru_cache(maxsize=10_000)
def is_lower(c: str) -> bool:
    """Whether a sentence would hardly begin with this letter. Georgian has capitals, but begins no sentence with them."""
    cased = (c + "Σ").lower()[-1] == "ς"  # Python's own test of a cased letter, which it does not show
    return cased and c.lower() == c and not "ა" <= c <= "ჿ"


def is_abbreviated(text: str, begin: int, dot: int, after: int) -> bool:
    """Whether the full stop at `dot` belongs to its word, and the sentence goes on."""
    word = word_before(text, begin, dot)
    key = lower_each(word)
    if word in NEVER_LAST or key in NEVER_LAST:
        return True
    if key in NUMBERED and text[after] in DIGITS:
        return True
    if word and all(c in DIGITS for c in word):
        is_item = len(word) <= 3 and dot - len(word) == begin
        return is_item or (len(word) <= 2 and word_after(text, after) in AFTER_ORDINALS)
    if key in MAYBE_LAST or is_initials(word):
        return word_after(text, after) not in SENTENCE_STARTERS
    return False


def word_before(text: str, begin: int, end: int) -> str:
    """The word that ends here, with full stops inside it; none when it is longer than any abbreviation."""
    i = end
    while i > begin and (is_word(text[i - 1]) or is_mark(text[i - 1]) or text[i - 1] == "."):
        i -= 1
        if end - i > LONGEST:
            return ""
    return text[i:end]


def word_after(text: str, i: int) -> str:
    """The next word in lower case; none when it is long, or itself has a full stop."""
    begin = i = skip_openers(text, i)
    while i < len(text) and (is_word(text[i]) or is_mark(text[i])):
        i += 1
        if i - begin > LONGEST:
            return ""
    return "" if text[i : i + 1] == "." else lower_each(text[begin:i])


def is_initials(word: str) -> bool:
    """Whether this is J, or U.S, a.m, Ph.D: pieces of one or two letters."""
    pieces = word.split(".")
    if len(pieces) == 1:
        return len(word) == 1 and word.lower() != word
    return all(0 < len(piece) <= 2 and not DIGITS & set(piece) for piece in pieces)


def lower_each(word: str) -> str:
    return "".join(c.lower() for c in word)
