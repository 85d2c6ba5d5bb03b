"""Negation words in six languages: they reverse the meaning of the words after them."""

from collections.abc import Iterable
from functools import cache

from tercet.errors import InvalidOption, bad_option
from tercet.text.languages import find_language
from tercet.text.word_lists import WordList, make_word_list

# `n't` stands for every word with this ending. The words after it are contractions written without the apostrophe, and the
# part before the apostrophe if a tokenizer splits there. Don, won and haven are left out, because they are words themselves.
_ENGLISH = """
not no never none nobody nothing neither nor nowhere noone without cannot nope nay naught nought
hardly scarcely barely rarely seldom lack lacks lacked lacking n't
aint arent cant couldnt darent didnt doesnt dont hadnt hasnt havent isnt mightnt mustnt neednt oughtnt shant shouldnt wasnt
werent wont wouldnt ain aren couldn didn doesn hadn hasn isn mightn mustn needn oughtn shouldn wasn weren wouldn
"""
_SPANISH = """
no ni nunca jamás jamas nada nadie ningún ningun ninguno ninguna ningunos ningunas tampoco sin apenas
"""
_ITALIAN = """
non no né nè ne' neppure nemmeno neanche manco mai niente nulla nessuno nessuna nessun nessun' senza mica affatto
"""
_GERMAN = """
nicht nich nichts nix nie niemals nimmer nimmermehr nein nee niemand niemanden niemandem niemandes kein keine keinen keinem
keiner keines keins keinerlei keinesfalls keineswegs mitnichten nirgends nirgendwo nirgendwohin nirgendwoher weder ohne kaum
"""
# Left out: plus and personne. They negate only together with ne, and are everyday words without it.
_FRENCH = """
ne n n' n’ pas non ni jamais rien aucun aucune aucuns aucunes aucunement nul nulle nuls nulles nullement guère guere sans
"""
_PORTUGUESE = """
não nao nem nunca jamais nada ninguém ninguem nenhum nenhuma nenhuns nenhumas tampouco sem
"""
_LISTS = {"en": _ENGLISH, "es": _SPANISH, "it": _ITALIAN, "de": _GERMAN, "fr": _FRENCH, "pt": _PORTUGUESE}

LANGUAGES = tuple(_LISTS)
_EXPECTED = "None, a language, a list of languages, or a list of words"


def find_negation(value: str | Iterable[str] | WordList | None) -> WordList | None:
    """The negation words of a language or of several, or of a list of words; None for None.

    >>> find_negation("english")
    WordList('en', 64 words)
    >>> find_negation(["en", "es"])
    WordList('en+es', 79 words)
    >>> find_negation(["not", "no"])
    WordList(2 words)
    """
    if value is None:
        return None
    if isinstance(value, WordList):
        return make_word_list(value, "negation")
    if isinstance(value, str):
        return list_negation(find_language(value, _LISTS, "negation", _EXPECTED))
    if not isinstance(value, Iterable):
        raise bad_option("negation", _EXPECTED, value, "it gives the words that negate.")
    words = list(value)
    languages = [word for word in words if _is_language(word)]
    if not languages:
        return make_word_list(words, "negation")
    if len(languages) < len(words):
        raise InvalidOption(
            f"negation must be languages or words, got {words!r}: {languages[0]!r} is a language and others are not. "
            "Pass a WordList if all of them are words."
        )
    codes = sorted({find_language(word, _LISTS, "negation") for word in words})
    return WordList((word for code in codes for word in list_negation(code)), name="+".join(codes))


@cache
def list_negation(code: str) -> WordList:
    """The negation words of a language by its code; an empty list for a language without one here."""
    return WordList(_LISTS.get(code, "").split(), name=code)


def name_negation(words: WordList) -> list[str]:
    """The words that negate in one language, the language that has most of them. Single letters alone are not enough.

    >>> name_negation(WordList(["der", "nicht", "kein", "no"]))
    ['kein', 'nicht']
    """
    found = ([word for word in words if is_negation(word, list_negation(code))] for code in _LISTS)
    best = max(found, key=len)
    return best if any(len(word) > 1 for word in best) else []


def is_negation(word: str, words: WordList) -> bool:
    """Whether a word is in the list, or ends in n't and the list has n't.

    >>> is_negation("wasn't", find_negation("en"))
    True
    """
    return word in words or ("n't" in words and word.endswith(("n't", "n’t")))


def _is_language(word: object) -> bool:
    try:
        return bool(find_language(word, _LISTS, "negation"))
    except InvalidOption:
        return False
