"""Which writing system each letter belongs to, by the names that Unicode gives to characters.

A writing system is a set of letters that are used together: Chinese characters and Kana are one. Most writing systems are
used by one language or by few, so the letters of a text decide much before any n-gram is read.
"""

import unicodedata
from collections import Counter
from functools import cache

# The first word of the names of its characters, and the ISO 15924 code of the script.
SCRIPTS = {
    "LATIN": "Latn", "CYRILLIC": "Cyrl", "ARABIC": "Arab", "DEVANAGARI": "Deva", "HAN": "Hani", "HANGUL": "Kore",
    "GREEK": "Grek", "HEBREW": "Hebr", "ARMENIAN": "Armn", "GEORGIAN": "Geor", "BENGALI": "Beng", "GUJARATI": "Gujr",
    "GURMUKHI": "Guru", "TAMIL": "Taml", "TELUGU": "Telu", "KANNADA": "Knda", "MALAYALAM": "Mlym", "ORIYA": "Orya",
    "SINHALA": "Sinh", "THAI": "Thai", "LAO": "Laoo", "TIBETAN": "Tibt", "MYANMAR": "Mymr", "KHMER": "Khmr",
    "ETHIOPIC": "Ethi", "CHEROKEE": "Cher", "CANADIAN": "Cans", "MONGOLIAN": "Mong", "THAANA": "Thaa", "SYRIAC": "Syrc",
    "NKO": "Nkoo", "TIFINAGH": "Tfng", "YI": "Yiii", "VAI": "Vaii", "ADLAM": "Adlm", "OL": "Olck", "MEETEI": "Mtei",
    "LISU": "Lisu", "JAVANESE": "Java", "BALINESE": "Bali", "SUNDANESE": "Sund", "CHAKMA": "Cakm", "COPTIC": "Copt",
    "BUGINESE": "Bugi", "LIMBU": "Limb", "LEPCHA": "Lepc", "CHAM": "Cham", "KAYAH": "Kali", "SAURASHTRA": "Saur",
}  # fmt: skip

JOINED = {"CJK": "HAN", "HIRAGANA": "HAN", "KATAKANA": "HAN", "KATAKANA-HIRAGANA": "HAN", "IDEOGRAPHIC": "HAN"}
JOINED |= {"MODIFIER": "LATIN", "FULLWIDTH": "LATIN", "KELVIN": "LATIN", "ANGSTROM": "LATIN", "HALFWIDTH": "HAN", "COMMON": ""}

# Here a word is written without its vowel signs, or they are composed with the letter: a mark is no letter.
WITHOUT_MARKS = frozenset({"LATIN", "CYRILLIC", "ARABIC", "HEBREW", "GREEK", "ARMENIAN", "GEORGIAN", "HAN", "HANGUL"})

# How much a letter says, in letters of an alphabet. A character that is a syllable or a word says more.
WEIGHTS = {"HAN": 3, "HANGUL": 2, "ETHIOPIC": 2, "YI": 3, "VAI": 2, "CANADIAN": 2, "CHEROKEE": 2}

LAST_LETTER = 0x323AF  # after it there are no letters


@cache
def find_system(character: str) -> str:
    """The writing system of a letter. Empty for a character that is no letter.

    >>> find_system("ß"), find_system("か"), find_system("語"), find_system("!"), find_system("\u0301")
    ('LATIN', 'HAN', 'HAN', '', '')
    """
    category = unicodedata.category(character)
    if category[0] not in "LM":
        return ""
    first = unicodedata.name(character, "").partition(" ")[0]
    system = JOINED.get(first, first)
    return "" if category[0] == "M" and (system in WITHOUT_MARKS or system == "COMBINING") else system


def detect_main_system(text: str) -> str:
    """The writing system of most letters of a text. Empty if it has no letters.

    >>> detect_main_system("das Wort мир")
    'LATIN'
    """
    counted = Counter(filter(None, map(find_system, text)))
    return max(sorted(counted), key=counted.__getitem__) if counted else ""


def fold_case(character: str) -> str:
    """The small letter of a letter. One character, always.

    >>> fold_case("Ä"), fold_case("İ"), fold_case("ß")
    ('ä', 'i', 'ß')
    """
    return character.lower()[0]


@cache
def list_letters() -> tuple[tuple[int, str, str], ...]:
    """The code, the writing system and the small letter of every letter."""
    systems = ((code, find_system(chr(code))) for code in range(LAST_LETTER + 1))
    return tuple((code, system, fold_case(chr(code))) for code, system in systems if system)
