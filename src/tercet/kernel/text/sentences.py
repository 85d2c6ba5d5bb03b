"""Text → sentences: where each begins and ends.

A sentence ends at a blank line, and after an end mark with the closing quotes and brackets that follow it. Some end marks
(。 ؟ ।) have no other use and always end a sentence. The others end it only if white space follows, and not in these cases:

- the next word begins in lower case (after ! and ? this counts only if a quote or bracket closes there: “Go!” he said);
- one of , ; : or another end mark follows;
- the mark belongs to an abbreviation, an initial or the number of a list item.

The rules need the case of the letters, so sentences are split before the text is lower-cased. White space at the edges is
not part of a sentence. Every other character is in exactly one sentence.
"""

from functools import lru_cache

from tercet.kernel.text.abbreviations import (
    AFTER_ORDINALS,
    LONGEST,
    MAYBE_LAST,
    NEVER_LAST,
    NUMBERED,
    SENTENCE_STARTERS,
)
from tercet.kernel.text.tokenize import is_mark, is_word

STOPS = ".…．"
CRIES = "!?‼⁇⁈⁉‽\u037e"
SURE = "。！？｡︒︕︖؟۔։।॥။។៕።፧፨᠃᠉"
ENDERS = frozenset(STOPS + CRIES + SURE)
CLOSERS = frozenset("\"')]}>’”»›」』）］｝】〉》〕｣﹂﹄＂＇")
EITHER = frozenset("“‘«‹")  # these close a quotation in German or Danish, and open it in other languages
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
    """The end of the run that starts with an end mark: more end marks, closing quotes and brackets, variation selectors."""
    sure = False
    while i < len(text):
        c = text[i]
        sure = sure or c in SURE
        if not (c in ENDERS or c in CLOSERS or is_mark(c) or (c in EITHER and not sure)):
            break
        i += 1
    return i


def ends_sentence(text: str, begin: int, i: int, end: int, after: int) -> bool:
    """Whether the marks text[i:end] end the sentence that began at `begin`. `after` is the place where the text continues."""
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
    """Whether this letter is unlikely to begin a sentence. Georgian has capitals, but sentences do not begin with them."""
    cased = (c + "Σ").lower()[-1] == "ς"  # uses the test for cased letters that Python has but does not expose
    return cased and c.lower() == c and not "ა" <= c <= "ჿ"


def is_abbreviated(text: str, begin: int, dot: int, after: int) -> bool:
    """Whether the full stop at `dot` belongs to its word and the sentence continues."""
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
    """The word that ends here, with the full stops inside it. Empty if it is longer than every abbreviation."""
    i = end
    while i > begin and (is_word(text[i - 1]) or is_mark(text[i - 1]) or text[i - 1] == "."):
        i -= 1
        if end - i > LONGEST:
            return ""
    return text[i:end]


def word_after(text: str, i: int) -> str:
    """The next word in lower case. Empty if it is long or if a full stop follows it."""
    begin = i = skip_openers(text, i)
    while i < len(text) and (is_word(text[i]) or is_mark(text[i])):
        i += 1
        if i - begin > LONGEST:
            return ""
    return "" if text[i : i + 1] == "." else lower_each(text[begin:i])


def is_initials(word: str) -> bool:
    """Whether the word consists of initials: J, U.S, a.m, Ph.D. Each piece has one or two letters."""
    pieces = word.split(".")
    if len(pieces) == 1:
        return len(word) == 1 and word.lower() != word
    return all(0 < len(piece) <= 2 and not DIGITS & set(piece) for piece in pieces)


def lower_each(word: str) -> str:
    return "".join(c.lower() for c in word)
