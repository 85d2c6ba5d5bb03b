"""Languages by ISO code or English name."""

from collections.abc import Collection

from tercet.errors import bad_option

NAMES = {
    "af": "afrikaans", "ar": "arabic", "ast": "asturian", "bg": "bulgarian", "bn": "bengali", "br": "breton",
    "ca": "catalan", "cs": "czech", "cy": "welsh", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "enm": "middle english", "eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian",
    "fi": "finnish", "fr": "french", "ga": "irish", "gd": "scottish gaelic", "gl": "galician", "grc": "ancient greek",
    "gu": "gujarati", "gv": "manx", "ha": "hausa", "hbs": "serbo-croatian", "he": "hebrew", "hi": "hindi",
    "hr": "croatian", "hu": "hungarian", "hy": "armenian", "id": "indonesian", "is": "icelandic", "it": "italian",
    "ja": "japanese", "ka": "georgian", "ko": "korean", "ku": "kurdish", "la": "latin", "lb": "luxembourgish",
    "lt": "lithuanian", "lv": "latvian", "mk": "macedonian", "ml": "malayalam", "mr": "marathi", "ms": "malay",
    "nb": "bokmål", "ne": "nepali", "nl": "dutch", "nn": "nynorsk", "no": "norwegian", "pl": "polish",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "se": "northern sami", "sk": "slovak", "sl": "slovene",
    "so": "somali", "sq": "albanian", "sr": "serbian", "st": "sesotho", "sv": "swedish", "sw": "swahili", "ta": "tamil",
    "th": "thai", "tl": "tagalog", "tr": "turkish", "uk": "ukrainian", "ur": "urdu", "vi": "vietnamese", "yi": "yiddish",
    "yo": "yoruba", "zh": "chinese", "zu": "zulu",
}  # fmt: skip
CODES = {name: code for code, name in NAMES.items()}


def find_language(name: object, known: Collection[str], option: str, expected: str = "a language") -> str:
    """The ISO code of a language, given by code or English name; InvalidOption if it is not one of the known codes.

    `expected` says in the message what the option takes.

    >>> find_language("German", ["de", "en"], "stems")
    'de'
    >>> find_language("latin", ["de", "en"], "stems")
    Traceback (most recent call last):
    tercet.errors.InvalidOption: stems must be a language, got 'latin': as languages there are de (german), en (english).
    """
    if isinstance(name, str):
        code = CODES.get(name.lower(), name.lower())
        if code in known:
            return code
    shown = ", ".join(f"{code} ({NAMES[code]})" if code in NAMES else code for code in sorted(known))
    raise bad_option(option, expected, name, f"as languages there are {shown}.")
