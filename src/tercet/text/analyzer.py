"""The recipe from a text to its terms."""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, Literal, NamedTuple, Self, get_args

from tercet.errors import InvalidOption, InvalidText, bad_option
from tercet.estimator import Options
from tercet.kernel import engine
from tercet.options import Lengths, check_choice, check_count, check_flag, check_lengths
from tercet.text.presets import PRESETS

UnicodeForm = Literal["none", "nfc", "nfkc"]
TokenKind = Literal["words", "words_and_marks", "regex_words", "whitespace", "treebank", "characters", "bytes"]
Over = Literal["text", "words", "bytes"]


class Token(NamedTuple):
    """An occurrence: its text after normalisation, and where it stands in the original text."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, init=False, repr=False)
class Analyzer(Options):
    r"""How a text becomes terms: a value that can be compared, hashed, written as JSON and read back.

    The steps, in their order:

    - `unicode_form`: `"nfc"` (one spelling for each accented letter), `"nfkc"` (also ﬁ → fi, ½ → 1⁄2) or `"none"`.
    - `lowercase`; `strip_marks` drops accents: México → Mexico. It drops every mark that stands on a letter, so in scripts
      where marks carry the meaning it takes too much: हिन्दी → हिनदी, が → か.
    - `tokens`: `"words"` are runs of letters, digits and `_`, with the marks on them; Chinese, Japanese, Thai, Khmer, Lao
      and Burmese have no spaces between words, so there each character and each two neighbours are tokens.
      `"words_and_marks"` also makes every punctuation mark and symbol a token. `"regex_words"` are the runs of `\w` that
      Python's `re` finds. `"whitespace"` splits at blanks; `"characters"` and `"bytes"` take them one by one.
      `"treebank"` are those of the Penn Treebank, which NLTK's `TreebankWordTokenizer` finds in each of the `sentences`:
      don't → do n't, and straight quotes become `` and ''. They are found before letters are lower-cased.
    - `min_token_length` in characters; shorter tokens are left out before n-grams are formed.
    - `word_ngrams=(low, high)`: sequences of tokens, joined by a blank; `None` for no words at all.
    - `char_ngrams=(low, high)`: sequences of characters. `char_ngrams_over` tells of what: the `"text"`, in which two or more
      blanks become one; `"words"`, here all that stands between blanks, padded with a blank on both sides; or the `"bytes"`
      of UTF-8. `tokens` and `min_token_length` do not concern them.

    A recipe with words and character n-grams marks each term with its kind: `word:the`, `char:the`.

    >>> analyzer = Analyzer(word_ngrams=(1, 2))
    >>> analyzer.terms("Midway upon the journey")
    ['midway', 'upon', 'the', 'journey', 'midway upon', 'upon the', 'the journey']
    >>> Analyzer(strip_marks=True).tokens("¡Così è!")
    [Token(text='cosi', start=1, end=5), Token(text='e', start=6, end=7)]
    """

    lowercase: bool
    unicode_form: UnicodeForm
    strip_marks: bool
    token_kind: TokenKind  # the option `tokens`; a method has that name
    min_token_length: int
    word_ngrams: Lengths
    char_ngrams: Lengths
    char_ngrams_over: Over

    def __init__(
        self,
        *,
        lowercase: bool = True,
        unicode_form: UnicodeForm = "nfc",
        strip_marks: bool = False,
        tokens: TokenKind = "words",
        min_token_length: int = 1,
        word_ngrams: Lengths = (1, 1),
        char_ngrams: Lengths = None,
        char_ngrams_over: Over = "text",
    ) -> None:
        values = {
            "lowercase": check_flag("lowercase", lowercase),
            "unicode_form": check_choice("unicode_form", unicode_form, get_args(UnicodeForm)),
            "strip_marks": check_flag("strip_marks", strip_marks),
            "token_kind": check_choice("tokens", tokens, get_args(TokenKind)),
            "min_token_length": check_count("min_token_length", min_token_length),
            "word_ngrams": check_lengths("word_ngrams", word_ngrams),
            "char_ngrams": check_lengths("char_ngrams", char_ngrams),
            "char_ngrams_over": check_choice("char_ngrams_over", char_ngrams_over, get_args(Over)),
        }
        if values["word_ngrams"] is None and values["char_ngrams"] is None:
            raise InvalidOption("word_ngrams and char_ngrams are both None: a text would have no terms. Set one of them.")
        if values["token_kind"] == "bytes" and values["min_token_length"] != 1:
            raise bad_option("min_token_length", "1 with tokens='bytes'", min_token_length, "a byte is one byte long.")
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @classmethod
    def preset(cls, name: str, **changes: Any) -> Self:
        """The recipe of that name, with some options changed.

        >>> Analyzer.preset("sklearn", word_ngrams=(1, 2)).terms("I think, therefore")
        ['think', 'therefore', 'think therefore']
        """
        return cls.from_dict(PRESETS[check_choice("preset", name, tuple(PRESETS))] | changes)

    def tokens(self, text: str) -> list[Token]:
        """The tokens of a text, in order; `text[token.start:token.end]` is what a token was made from."""
        return [Token(*token) for token in make_recipe(self).list_tokens(_check_text(text))]

    @staticmethod
    def sentences(text: str) -> list[Token]:
        """The sentences of a text as it was given, whatever the recipe: no white at their edges, all else in one of them.

        They end at . ! ? … with the quotes and brackets that close there, at the marks of other scripts, and at a blank line.
        A full stop after an abbreviation or an initial ends none, nor one before a word in lower case: case is what tells, so
        a text in lower case alone has few sentences.

        >>> Analyzer.sentences("Dr. J. Watson? He left.")
        [Token(text='Dr. J. Watson?', start=0, end=14), Token(text='He left.', start=15, end=23)]
        """
        return [Token(text[start:end], start, end) for start, end in engine.split_sentences(_check_text(text))]

    def terms(self, text: str) -> list[str]:
        """The terms of a text, as they are counted: words by length of n-gram and then by place, then characters."""
        return [term for term, _ in self.located_terms(text)]

    def located_terms(self, text: str) -> list[tuple[str, list[tuple[int, int]]]]:
        """The same with the place of each token in a term.

        >>> Analyzer(word_ngrams=(2, 2)).located_terms("So bitter")
        [('so bitter', [(0, 2), (3, 9)])]
        """
        return make_recipe(self).list_terms(_check_text(text))

    def replace(self, **changes: Any) -> Self:
        """The same recipe with some options changed."""
        return self.from_dict(self.to_dict() | changes)

    __replace__ = replace

    def to_dict(self) -> dict[str, Any]:
        """The options by name, for JSON: `from_dict` reads them back."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {("tokens" if name == "token_kind" else name): value for name, value in values.items()}

    @classmethod
    def from_dict(cls, options: dict[str, Any]) -> Self:
        """
        >>> Analyzer.from_dict({"tokens": "whitespace", "word_ngrams": [1, 2]})
        Analyzer(tokens='whitespace', word_ngrams=(1, 2))
        """
        if not isinstance(options, Mapping):
            raise bad_option("options", "a mapping from name to value", options, "each option has a name.")
        unknown = set(options) - set(DEFAULTS)
        if unknown:
            raise InvalidOption(f"an Analyzer has no option {', '.join(sorted(unknown))}: it has {', '.join(DEFAULTS)}.")
        return cls(**options)

    def __repr__(self) -> str:
        changed = {name: value for name, value in self.to_dict().items() if value != DEFAULTS[name]}
        return f"Analyzer({', '.join(f'{name}={value!r}' for name, value in changed.items())})"


DEFAULTS: dict[str, Any] = {name: option.default for name, option in inspect.signature(Analyzer).parameters.items()}


@lru_cache(maxsize=256)
def make_recipe(analyzer: Analyzer) -> engine.Recipe:
    """The analyzer as the kernel knows it."""
    options = analyzer.to_dict()
    return engine.Recipe(form=options.pop("unicode_form"), **options)


def find_analyzer(analyzer: Analyzer | str) -> Analyzer:
    """The analyzer itself, or the preset of that name."""
    if isinstance(analyzer, str):
        return Analyzer.preset(analyzer)
    if not isinstance(analyzer, Analyzer):
        raise bad_option("analyzer", "an Analyzer or the name of a preset", analyzer, "it tells how to find the terms.")
    return analyzer


def _check_text(text: object) -> str:
    if not isinstance(text, str):
        raise InvalidText(f"a text must be a str, got {type(text).__name__}: this takes one text, not a list of them.")
    return text
