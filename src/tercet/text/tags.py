"""Parts of speech: the tag of each word, by the tagger HanTa. Its models are in its package.

The English model gives tags of the British National Corpus (C5), which become Penn tags here. Tags of any language become
universal tags.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

from tercet.errors import InvalidText, bad_option
from tercet.extras import import_extra
from tercet.kernel import engine
from tercet.text.language_names import find_language

# The tags of the Penn Treebank for English, each with its meaning.
PENN_TAGS = {
    "CC": "coordinating conjunction: and, but, or",
    "CD": "number: two, 1984",
    "DT": "determiner: the, a, this, every",
    "EX": "there, as in there is",
    "FW": "word of another language, or unknown",
    "IN": "preposition or subordinating conjunction: of, in, because",
    "JJ": "adjective, also ordinal numbers: green, first",
    "JJR": "adjective, comparative: greener",
    "JJS": "adjective, superlative: greenest",
    "LS": "list item marker: a), 1.",
    "MD": "modal verb: can, would, must",
    "NN": "noun, singular or mass: dog, snow",
    "NNS": "noun, plural: dogs",
    "NNP": "name, singular: Florence",
    "NNPS": "name, plural: Alps",
    "PDT": "predeterminer: all the, such a",
    "POS": "possessive ending: 's",
    "PRP": "personal pronoun: she, it, myself",
    "PRP$": "possessive pronoun: her, my",
    "RB": "adverb, also not: quickly, very, not",
    "RBR": "adverb, comparative: sooner, more",
    "RBS": "adverb, superlative: soonest, most",
    "RP": "particle of a verb: up, as in give up",
    "SYM": "symbol: %, +, an emoji",
    "TO": "to",
    "UH": "exclamation: oh, yes, wow",
    "VB": "verb, base form: see",
    "VBD": "verb, past: saw",
    "VBG": "verb, -ing form: seeing",
    "VBN": "verb, past participle: seen",
    "VBP": "verb, present, not third person singular: (I) see",
    "VBZ": "verb, present, third person singular: sees",
    "WDT": "question word before a noun, or relative word: which",
    "WP": "question word for a person or thing: who, what",
    "WP$": "whose",
    "WRB": "question word for circumstances: where, when, how",
    "$": "currency sign",
    "#": "number sign",
    "``": "opening quotation mark",
    "''": "closing quotation mark",
    "(": "opening bracket",
    ")": "closing bracket",
    ",": "comma",
    ".": "end of a sentence: . ! ?",
    ":": "other punctuation: : ; - …",
}

# The universal tags, which all languages share, each with its meaning.
UNIVERSAL_TAGS = {
    "ADJ": "adjective",
    "ADP": "preposition or postposition",
    "ADV": "adverb",
    "AUX": "auxiliary verb: to be, modal verbs",
    "CCONJ": "coordinating conjunction",
    "DET": "determiner: articles, this, every",
    "INTJ": "exclamation",
    "NOUN": "noun",
    "NUM": "number",
    "PART": "particle: not, the ending 's, to before a verb",
    "PRON": "pronoun",
    "PROPN": "name",
    "PUNCT": "punctuation",
    "SCONJ": "subordinating conjunction",
    "SYM": "symbol",
    "VERB": "verb",
    "X": "anything else, and words of another language",
}

TAG_SETS = {"penn": PENN_TAGS, "universal": UNIVERSAL_TAGS}

Tagger = Callable[[str], list[tuple[int, int, str]]]
SplitText = Callable[[str], Iterable[Sequence[tuple[str, int, int]]]]  # from a text to its sentences

_MODELS = {"en": "morphmodel_en.pgz", "de": "morphmodel_ger.pgz", "nl": "morphmodel_dutch.pgz"}
_CONTRACTION = re.compile(r"(?i)(?<=\w)(?:n['’]t|['’](?:s|m|re|ve|ll|d))$")
_SHORTENED = {"ca": "can", "wo": "will", "sha": "shall", "ai": "is"}
# The tagger's time grows with the square of a word's length: 18 s for 3000 letters. The last letters are enough.
_MAX_LENGTH = 40


def check_tags(name: str, value: Any) -> tuple[str, ...]:
    """The tags to keep, Penn or universal, sorted.

    >>> check_tags("keep_tags", ["NOUN", "JJ"])
    ('JJ', 'NOUN')
    """
    tags = [value] if isinstance(value, str) else list(value) if isinstance(value, Iterable) else []
    if not tags or not all(isinstance(tag, str) and (tag in UNIVERSAL_TAGS or tag in PENN_TAGS) for tag in tags):
        known = f"{', '.join(UNIVERSAL_TAGS)}, or {', '.join(PENN_TAGS)}"
        raise bad_option(name, "a list of tags", value, f"there are {known}.")
    require_tagger()
    return tuple(sorted(set(tags)))


def tag_words(sentences: Sequence[Sequence[str]], language: str = "en") -> list[list[str]]:
    """The tag of each word in each sentence: Penn for English, STTS for German, CGN for Dutch.

    Pass words as they are written: a capital letter shows a name. The tagger does about 30,000 words a second if it has seen
    most of them before. For a word that its model does not know, it tries every division: only 300 to 1,800 such words a
    second, and fewer if they are long. `keep_tags` and `tag_terms` of an Analyzer treat every text as English.

    >>> tag_words([["The", "very", "first", "run", "was", "unsuccessful", "."]])
    [['DT', 'RB', 'JJ', 'NN', 'VBD', 'JJ', '.']]
    """
    code = find_language(language, _MODELS, "tags")
    tagger = load_tagger(code)
    return [_tag_sentence(words, code, tagger) for words in sentences]


def make_span_tagger(split: SplitText, language: str = "en") -> Tagger:
    """The function from a text to (start, end, tag) of its tokens. `split` gives the sentences of a text.

    A sentence is a list of (token, start, end). The tagger sees the text from start to end, with its capitals.

    >>> tagger = make_span_tagger(lambda text: [[("she", 0, 3), ("sang", 4, 8)]])
    >>> tagger("She sang")
    [(0, 3, 'PRP'), (4, 8, 'VBD')]
    """

    def tag_spans(text: str) -> list[tuple[int, int, str]]:
        spans = [[(start, end) for _, start, end in sentence if start < end] for sentence in split(text)]
        tags = tag_words([[text[start:end] for start, end in sentence] for sentence in spans], language)
        paired = zip((span for sentence in spans for span in sentence), (tag for row in tags for tag in row), strict=True)
        return [(start, end, tag) for (start, end), tag in paired]

    return tag_spans


def tag_text(text: str, html: str, header_fields: bool) -> list[tuple[int, int, str, str]]:
    """(start, end, Penn tag, universal tag) of each word of an English text. With html="strip", markup is not tagged."""
    if html == "keep":
        return [(start, end, tag, to_universal(tag, text[start:end])) for start, end, tag in _tag_spans(text)]
    read = [(c, *spans[0]) for c, spans in _characters(header_fields).list_terms(text)]
    seen = "".join(c for c, _, _ in read)
    return [(read[start][1], read[end - 1][2], tag, to_universal(tag, seen[start:end])) for start, end, tag in _tag_spans(seen)]


def require_tagger() -> None:
    """Raises MissingExtra if the tagger is not installed. Call it early, because loading the tagger takes a while."""
    if find_spec("HanTa") is None:
        _load_package()


@lru_cache(maxsize=4)
def load_tagger(code: str) -> Any:
    """HanTa's tagger for a language. Its models are pickles, and are read only from its own package."""
    tagger = _load_package().HanoverTagger(_MODELS[code])
    # The possible tags of a word depend only on the word, and finding them takes nearly all the time.
    tagger.analyze_forward = lru_cache(maxsize=100_000)(tagger.analyze_forward)
    return tagger


def _load_package() -> Any:
    return import_extra("HanTa.HanoverTagger", package="HanTa", extra="forms", purpose="tags need")


def _tag_sentence(words: Sequence[str], code: str, tagger: Any) -> list[str]:
    if not all(words):
        raise InvalidText(f"a sentence to tag has an empty word, at {list(words).index('')}: it has no part of speech.")
    short = [(_strip_contraction(word) if code == "en" else word)[-_MAX_LENGTH:] for word in words]
    tags = tagger.tag_sent(short, taglevel=0) if short else []
    return [to_penn(tag, word) for tag, word in zip(tags, short, strict=True)] if code == "en" else list(tags)


def _strip_contraction(word: str) -> str:
    """The word without a contraction at its end: don't is tagged as do, and she's as she."""
    bare = _CONTRACTION.sub("", word)
    return _SHORTENED.get(bare.lower(), bare) if bare != word else word


@lru_cache(maxsize=2)
def _characters(header_fields: bool) -> engine.Recipe:
    """The recipe that lists the characters of a text without markup, with their positions."""
    options: dict[str, Any] = {"form": "none", "lowercase": False, "word_ngrams": [], "char_ngrams": [(1, 1)]}
    return engine.Recipe(html="strip", header_fields=header_fields, **options)


@lru_cache(maxsize=1)
def _treebank() -> engine.Recipe:
    return engine.Recipe(form="none", lowercase=False, tokens="treebank")


def _split_tokens(text: str) -> Iterator[list[tuple[str, int, int]]]:
    for start, end in engine.split_sentences(text):
        tokens = _treebank().list_tokens(text[start:end])
        yield [(token, start + first, start + last) for token, first, last in tokens]


_tag_spans = make_span_tagger(_split_tokens)


# From C5 to Penn tags.

_C5_TO_PENN = {
    "AJ0": "JJ", "AJC": "JJR", "AJS": "JJS", "AT0": "DT", "AV0": "RB", "AVP": "RP", "AVQ": "WRB", "CJC": "CC", "CJS": "IN",
    "CJT": "IN", "CRD": "CD", "DPS": "PRP$", "DT0": "DT", "DTQ": "WDT", "EX0": "EX", "IN": "IN", "ITJ": "UH", "NN": "NN",
    "NN0": "NN", "NN1": "NN", "NN2": "NNS", "NP0": "NNP", "ORD": "JJ", "PNI": "NN", "PNP": "PRP", "PNQ": "WP", "PNX": "PRP",
    "POS": "POS", "PRF": "IN", "PRP": "IN", "TO0": "TO", "VM0": "MD", "XX0": "RB", "ZZ0": "NN",
}  # fmt: skip
_C5_VERBS = {"B": "VBP", "D": "VBD", "G": "VBG", "I": "VB", "N": "VBN", "Z": "VBZ"}
_C5_WORDS = {
    (c5, word): penn
    for (c5, penn), words in {
        ("AV0", "RBR"): "more less better worse further farther sooner later earlier faster longer",
        ("AV0", "RBS"): "most least best worst",
        ("CJS", "WRB"): "when where why how whenever wherever",
        ("DT0", "JJ"): "many much few several little such own same",
        ("DT0", "JJR"): "more fewer less",
        ("DT0", "JJS"): "most fewest least",
        ("DTQ", "WP"): "what whatever",
        ("DTQ", "WP$"): "whose",
        ("PNQ", "WDT"): "that which",
        ("PRP", "TO"): "to",
        ("VBB", "VB"): "be",
    }.items()
    for word in words.split()
}
_PUNCTUATION = {",": ",", ".": ".", "!": ".", "?": ".", "#": "#", "``": "``", "''": "''", "%": "SYM", "&": "CC"}
_CATEGORIES = {
    "Pi": "``",
    "Pf": "''",
    "Ps": "(",
    "Pe": ")",
    "Sc": "$",
    "So": "SYM",
    "Sm": "SYM",
    "Sk": "SYM",
    "Nd": "CD",
}


def to_penn(tag: str, word: str) -> str:
    """The Penn tag for a C5 tag. If several Penn tags are possible, the word decides.

    >>> to_penn("VVD", "ran"), to_penn("DT0", "many"), to_penn("PUN", ";")
    ('VBD', 'JJ', ':')
    """
    if not any(letter.isalnum() for letter in word):
        return "POS" if tag == "POS" else _tag_punctuation(word)
    found = _C5_WORDS.get((tag, word.lower())) or _C5_TO_PENN.get(tag)
    if found is None and tag[:2] in ("VB", "VD", "VH", "VV"):
        found = _C5_VERBS.get(tag[2:])
    return found or ("CD" if word[0].isdecimal() else "FW" if tag == "UNC" else "NN")


def _tag_punctuation(word: str) -> str:
    if word in _PUNCTUATION or not word:
        return _PUNCTUATION.get(word, "SYM")
    if word in ('"', "'"):
        return "''"
    category = unicodedata.category(word[0])
    return _CATEGORIES.get(category, ":" if category.startswith("P") and len(set(word)) == 1 else "SYM")


# From the tags of each language to universal tags.

_PENN_TO_UNIVERSAL = {
    "ADJ": "JJ JJR JJS", "ADP": "IN RP", "ADV": "RB RBR RBS WRB", "AUX": "MD", "CCONJ": "CC", "DET": "DT PDT WDT",
    "INTJ": "UH", "NOUN": "NN NNS", "NUM": "CD", "PART": "POS TO", "PRON": "EX PRP PRP$ WP WP$", "PROPN": "NNP NNPS",
    "PUNCT": "`` '' ( ) , . :", "SYM": "SYM $ #", "VERB": "VB VBD VBG VBN VBP VBZ", "X": "FW LS",
}  # fmt: skip
_STTS_TO_UNIVERSAL = {
    "ADJ": "ADJ", "ADP": "APPO APPR APPRART APZR", "ADV": "ADV PROAV PWAV", "AUX": "VA VM", "CCONJ": "KON",
    "DET": "ART PDAT PIAT PPOSAT PRELAT PWAT", "INTJ": "ITJ", "NOUN": "NN NNA NNI", "NUM": "CARD",
    "PART": "PTKA PTKANT PTKNEG PTKVZ PTKZU", "PRON": "PDS PIS PPER PPOSS PRELS PRF PWS", "PROPN": "NE",
    "PUNCT": "$( $, $.", "SCONJ": "KOKOM KOUI KOUS", "SYM": "SYMB URL", "VERB": "VV", "X": "FM TRUNC XY",
}  # fmt: skip
_CGN_TO_UNIVERSAL = {
    "ADJ": "ADJ", "ADP": "VZ", "ADV": "BW", "CCONJ": "VG(neven)", "DET": "LID", "INTJ": "TSW", "NOUN": "N", "NUM": "TW",
    "PRON": "VNW", "PROPN": "N(eigen)", "PUNCT": "LET", "SCONJ": "VG(onder)", "SYM": "SPEC(symb)", "VERB": "WW", "X": "SPEC",
}  # fmt: skip
_TO_UNIVERSAL = {
    code: {tag: universal for universal, tags in tagset.items() for tag in tags.split()}
    for code, tagset in {"en": _PENN_TO_UNIVERSAL, "de": _STTS_TO_UNIVERSAL, "nl": _CGN_TO_UNIVERSAL}.items()
}
_BE = frozenset(["be", "am", "is", "are", "was", "were", "been", "being", "'m", "'re", "’m", "’re"])
_OPENERS = frozenset(["although", "because", "if", "lest", "once", "than", "though", "unless", "whereas", "whether", "while"])


def to_universal(tag: str, word: str = "", language: str = "en") -> str:
    """The universal tag for a tag that `tag_words` gives in this language: Penn, STTS or CGN.

    If two universal tags are possible for a Penn tag, the word decides: was is AUX, because is SCONJ. Have and do are always
    verbs, because as auxiliaries they look the same.

    >>> to_universal("VBD", "was"), to_universal("VBD", "ran"), to_universal("IN", "because")
    ('AUX', 'VERB', 'SCONJ')
    """
    code = find_language(language, _TO_UNIVERSAL, "language")
    found = _choose_by_word(tag, word.lower()) if code == "en" else None
    found = found or _find_tag(tag, _TO_UNIVERSAL[code])
    if found is None:
        known = ", ".join(sorted(_TO_UNIVERSAL[code]))
        raise bad_option("tag", f"a tag of {known}", tag, "no other tag has a universal tag.")
    return found


def _choose_by_word(tag: str, word: str) -> str | None:
    if tag in ("VB", "VBD", "VBG", "VBN", "VBP", "VBZ") and word in _BE:
        return "AUX"
    if tag == "IN" and word in _OPENERS:
        return "SCONJ"
    return "PART" if tag == "RB" and word in ("not", "n't", "n’t") else None


def _find_tag(tag: str, tagset: dict[str, str]) -> str | None:
    """Try the whole tag, then its name with the first feature, then its name: N(eigen,ev,basis), N(eigen), N."""
    name, _, features = tag.partition("(")
    first = f"{name}({features.rstrip(')').partition(',')[0]})"
    return tagset.get(tag) or tagset.get(first) or tagset.get(name)
