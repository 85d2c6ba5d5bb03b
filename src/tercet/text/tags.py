"""The part of speech of each word, by a tagger whose models come in its package."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

from tercet.errors import InvalidText
from tercet.extras import import_extra
from tercet.text.claws_tags import to_penn
from tercet.text.languages import find_language

Tagger = Callable[[str], list[tuple[int, int, str]]]
Sentences = Callable[[str], Iterable[Sequence[tuple[str, int, int]]]]

_MODELS = {"en": "morphmodel_en.pgz", "de": "morphmodel_ger.pgz", "nl": "morphmodel_dutch.pgz"}
_CONTRACTION = re.compile(r"(?i)(?<=\w)(?:n['’]t|['’](?:s|m|re|ve|ll|d))$")
_SHORTENED = {"ca": "can", "wo": "will", "sha": "shall", "ai": "is"}
# The tagger takes the square of a word's length, 18 s for 3000 letters; the ending tells the most.
_MAX_LENGTH = 40


def tag_words(sentences: Sequence[Sequence[str]], language: str = "en") -> list[list[str]]:
    """The tag of each word in each sentence: of Penn for English; for German STTS, for Dutch CGN, as the models give them.

    Words are wanted as they are written: a capital tells a name. About 30,000 words a second where most were met before; a
    word that the model does not know is taken apart in every way, so of such there are only 300 to 1,800 a second, the fewer
    the longer they are. `keep_tags` and `tag_terms` of an Analyzer take every text for English.

    >>> tag_words([["The", "very", "first", "run", "was", "unsuccessful", "."]])
    [['DT', 'RB', 'JJ', 'NN', 'VBD', 'JJ', '.']]
    """
    code = find_language(language, _MODELS, "tags")
    tagger = load_tagger(code)
    return [_tag_sentence(words, code, tagger) for words in sentences]


def make_span_tagger(sentences: Sentences, language: str = "en") -> Tagger:
    """The function from a text to (start, end, tag) of its tokens, given one from a text to its sentences.

    A sentence is a list of (token, start, end). What is tagged is the text from start to end, in its own case.

    >>> tagger = make_span_tagger(lambda text: [[("she", 0, 3), ("sang", 4, 8)]])
    >>> tagger("She sang")
    [(0, 3, 'PRP'), (4, 8, 'VBD')]
    """

    def tag_spans(text: str) -> list[tuple[int, int, str]]:
        spans = [[(start, end) for _, start, end in sentence if start < end] for sentence in sentences(text)]
        tags = tag_words([[text[start:end] for start, end in sentence] for sentence in spans], language)
        paired = zip((span for sentence in spans for span in sentence), (tag for row in tags for tag in row), strict=True)
        return [(start, end, tag) for (start, end), tag in paired]

    return tag_spans


def require_tagger() -> None:
    """MissingExtra where there is no tagger; to be asked early, since loading it takes a while."""
    if find_spec("HanTa") is None:
        _load_package()


@lru_cache(maxsize=4)
def load_tagger(code: str) -> Any:
    """HanTa's tagger for a language; its models are pickles, and read from its own package only."""
    tagger = _load_package().HanoverTagger(_MODELS[code])
    # What a word can be depends on the word alone, and takes nearly all the time.
    tagger.analyze_forward = lru_cache(maxsize=100_000)(tagger.analyze_forward)
    return tagger


def _load_package() -> Any:
    return import_extra("HanTa.HanoverTagger", package="HanTa", extra="forms", purpose="tags need")


def _tag_sentence(words: Sequence[str], code: str, tagger: Any) -> list[str]:
    if not all(words):
        raise InvalidText(f"a sentence to tag has an empty word, at {list(words).index('')}: it has no part of speech.")
    short = [(_bare(word) if code == "en" else word)[-_MAX_LENGTH:] for word in words]
    tags = tagger.tag_sent(short, taglevel=0) if short else []
    return [to_penn(tag, word) for tag, word in zip(tags, short, strict=True)] if code == "en" else list(tags)


def _bare(word: str) -> str:
    """The word without a contraction at its end: don't is tagged as do, she's as she."""
    bare = _CONTRACTION.sub("", word)
    return _SHORTENED.get(bare.lower(), bare) if bare != word else word
