"""From the tags of the British National Corpus (C5), which the English model of the tagger gives, to those of Penn."""

import unicodedata

_PENN = {
    "AJ0": "JJ", "AJC": "JJR", "AJS": "JJS", "AT0": "DT", "AV0": "RB", "AVP": "RP", "AVQ": "WRB", "CJC": "CC", "CJS": "IN",
    "CJT": "IN", "CRD": "CD", "DPS": "PRP$", "DT0": "DT", "DTQ": "WDT", "EX0": "EX", "IN": "IN", "ITJ": "UH", "NN": "NN",
    "NN0": "NN", "NN1": "NN", "NN2": "NNS", "NP0": "NNP", "ORD": "JJ", "PNI": "NN", "PNP": "PRP", "PNQ": "WP", "PNX": "PRP",
    "POS": "POS", "PRF": "IN", "PRP": "IN", "TO0": "TO", "VM0": "MD", "XX0": "RB", "ZZ0": "NN",
}  # fmt: skip
_VERBS = {"B": "VBP", "D": "VBD", "G": "VBG", "I": "VB", "N": "VBN", "Z": "VBZ"}
_WORDS = {
    (claws, word): penn
    for (claws, penn), words in {
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
_MARKS = {",": ",", ".": ".", "!": ".", "?": ".", "#": "#", "``": "``", "''": "''", "%": "SYM", "&": "CC"}
_CATEGORIES = {"Pi": "``", "Pf": "''", "Ps": "(", "Pe": ")", "Sc": "$", "So": "SYM", "Sm": "SYM", "Sk": "SYM", "Nd": "CD"}


def to_penn(tag: str, word: str) -> str:
    """The Penn tag for a C5 tag; where one C5 tag is several, the word decides.

    >>> to_penn("VVD", "ran"), to_penn("DT0", "many"), to_penn("PUN", ";")
    ('VBD', 'JJ', ':')
    """
    if not any(letter.isalnum() for letter in word):
        return "POS" if tag == "POS" else _tag_mark(word)
    found = _WORDS.get((tag, word.lower())) or _PENN.get(tag)
    if found is None and tag[:2] in ("VB", "VD", "VH", "VV"):
        found = _VERBS.get(tag[2:])
    return found or ("CD" if word[0].isdecimal() else "FW" if tag == "UNC" else "NN")


def _tag_mark(word: str) -> str:
    if word in _MARKS or not word:
        return _MARKS.get(word, "SYM")
    if word in ('"', "'"):
        return "''"
    category = unicodedata.category(word[0])
    return _CATEGORIES.get(category, ":" if category.startswith("P") and len(set(word)) == 1 else "SYM")
