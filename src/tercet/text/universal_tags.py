"""Parts of speech that all languages share, and how the tags of each tagger become them."""

from tercet.errors import bad_option
from tercet.text.languages import find_language

UNIVERSAL_TAGS = {
    "ADJ": "adjective",
    "ADP": "preposition or postposition",
    "ADV": "adverb",
    "AUX": "auxiliary verb: to be, modal verbs",
    "CCONJ": "conjunction that joins equals",
    "DET": "article and other words that point at a noun",
    "INTJ": "exclamation",
    "NOUN": "noun",
    "NUM": "number",
    "PART": "particle: not, the ending 's, to before a verb",
    "PRON": "pronoun",
    "PROPN": "name",
    "PUNCT": "punctuation",
    "SCONJ": "conjunction that opens a clause",
    "SYM": "symbol",
    "VERB": "verb",
    "X": "anything else, and words of another language",
}

_PENN = {
    "ADJ": "JJ JJR JJS", "ADP": "IN RP", "ADV": "RB RBR RBS WRB", "AUX": "MD", "CCONJ": "CC", "DET": "DT PDT WDT",
    "INTJ": "UH", "NOUN": "NN NNS", "NUM": "CD", "PART": "POS TO", "PRON": "EX PRP PRP$ WP WP$", "PROPN": "NNP NNPS",
    "PUNCT": "`` '' ( ) , . :", "SYM": "SYM $ #", "VERB": "VB VBD VBG VBN VBP VBZ", "X": "FW LS",
}  # fmt: skip
_STTS = {
    "ADJ": "ADJ", "ADP": "APPO APPR APPRART APZR", "ADV": "ADV PROAV PWAV", "AUX": "VA VM", "CCONJ": "KON",
    "DET": "ART PDAT PIAT PPOSAT PRELAT PWAT", "INTJ": "ITJ", "NOUN": "NN NNA NNI", "NUM": "CARD",
    "PART": "PTKA PTKANT PTKNEG PTKVZ PTKZU", "PRON": "PDS PIS PPER PPOSS PRELS PRF PWS", "PROPN": "NE",
    "PUNCT": "$( $, $.", "SCONJ": "KOKOM KOUI KOUS", "SYM": "SYMB URL", "VERB": "VV", "X": "FM TRUNC XY",
}  # fmt: skip
_CGN = {
    "ADJ": "ADJ", "ADP": "VZ", "ADV": "BW", "CCONJ": "VG(neven)", "DET": "LID", "INTJ": "TSW", "NOUN": "N", "NUM": "TW",
    "PRON": "VNW", "PROPN": "N(eigen)", "PUNCT": "LET", "SCONJ": "VG(onder)", "SYM": "SPEC(symb)", "VERB": "WW", "X": "SPEC",
}  # fmt: skip
_SETS = {
    code: {tag: universal for universal, tags in tagset.items() for tag in tags.split()}
    for code, tagset in {"en": _PENN, "de": _STTS, "nl": _CGN}.items()
}
_BE = frozenset(["be", "am", "is", "are", "was", "were", "been", "being", "'m", "'re", "’m", "’re"])
_OPENERS = frozenset(["although", "because", "if", "lest", "once", "than", "though", "unless", "whereas", "whether", "while"])


def to_universal(tag: str, word: str = "", language: str = "en") -> str:
    """The universal tag for a tag that `tag_words` gives in that language: Penn, STTS or CGN.

    Where one tag of Penn is two, the word decides: was is AUX, because is SCONJ. Have and do are verbs always, for as
    auxiliaries they look the same.

    >>> to_universal("VBD", "was"), to_universal("VBD", "ran"), to_universal("IN", "because")
    ('AUX', 'VERB', 'SCONJ')
    """
    code = find_language(language, _SETS, "language")
    found = _find_by_word(tag, word.lower()) if code == "en" else None
    found = found or _find_tag(tag, _SETS[code])
    if found is None:
        raise bad_option("tag", f"a tag of {', '.join(sorted(_SETS[code]))}", tag, "no other has a universal tag.")
    return found


def _find_by_word(tag: str, word: str) -> str | None:
    if tag in ("VB", "VBD", "VBG", "VBN", "VBP", "VBZ") and word in _BE:
        return "AUX"
    if tag == "IN" and word in _OPENERS:
        return "SCONJ"
    return "PART" if tag == "RB" and word in ("not", "n't", "n’t") else None


def _find_tag(tag: str, tagset: dict[str, str]) -> str | None:
    """By the whole tag, by its first feature, or without features: N(eigen,ev,basis), N(eigen), N."""
    name, _, features = tag.partition("(")
    first = f"{name}({features.rstrip(')').partition(',')[0]})"
    return tagset.get(tag) or tagset.get(first) or tagset.get(name)
