"""The recipe from a text to its terms."""

import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import FrozenInstanceError
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, NoReturn, Self

from tercet.errors import InvalidOption, InvalidText, bad_option
from tercet.estimator import Options
from tercet.kernel import engine
from tercet.options import Lengths, check_choice
from tercet.text.analyzer_options import Group, Markup, Over, TagSet, TokenKind, UnicodeForm, check_options
from tercet.text.b4msa import translate_b4msa
from tercet.text.lemma_lists import LemmaList
from tercet.text.lexicons import Lexicon
from tercet.text.patterns import Pattern
from tercet.text.presets import PRESETS
from tercet.text.recipe import make_recipe
from tercet.text.signature import sign_recipe


class Token(NamedTuple):
    """An occurrence: its text after normalisation, and where it stands in the original text."""

    text: str
    start: int
    end: int


class Analyzer(Options):
    r"""How a text becomes terms: a value that can be compared, hashed, written as JSON and read back.

    The steps, in their order. What happens to the text:

    - `html="strip"`: tags, comments, scripts and styles become a blank, those that end a line a line break, and entities the
      characters they stand for. The header of an e-mail is no HTML, with `header_fields`.
    - `unicode_form`: `"nfc"` (one spelling for each accented letter), `"nfkc"` (also ﬁ → fi, ½ → 1⁄2),
      `"nfd"` (letters and accents apart) or `"none"`.
    - `emoticons`, `emoji`, `hashtags`, `numbers`, `urls`, `users`: `"keep"`, `"group"` or `"delete"`. Grouped, all of them are
      one word: `_emoticon`, `_emoji`, `_htag`, `_num`, `_url`, `_usr`. A family of four or a flag is one emoji; an emoticon
      touches no letter or digit. The other four are replaced where they stand, as b4msa does it: hashtags, links and users
      reach to the next blank, and the 6 of iPhone6 makes it `iphone_num`.
    - `lowercase`.
    - `strip_marks` drops accents: México → Mexico. It drops every mark that stands on a letter, so in scripts
      where marks carry the meaning it takes too much: हिन्दी → हिनदी, が → か.
    - `max_repeats=2` makes cooool → cool: no character stands more often in a row, digits and blanks excepted.
    - `punctuation="delete"` drops ; : , . @ \ - " ' / ( ) [ ] { } < > ? ! ~ | ¿ ¡ … “ ” ’ ・ and joins what they part; the
      others, # & * % _ + = $ among them, stay.

    What happens to its tokens:

    - `tokens`: `"words"` are runs of letters, digits and `_`, with the marks on them; Chinese, Japanese, Thai, Khmer, Lao
      and Burmese have no spaces between words, so there each character and each two neighbours are tokens.
      `"words_and_marks"` also makes every punctuation mark and symbol a token, but for the apostrophe in didn't; an emoji is
      one token, however many characters it has.
      `"regex_words"` are the runs of `\w` that Python's `re` finds, `"tweet_words"` what b4msa takes for words,
      `"treebank"` those of the Penn Treebank, which NLTK's `TreebankWordTokenizer` finds in each of the `sentences`:
      don't → do n't, and straight quotes become `` and ''. They are found before letters are lower-cased.
      `"whitespace"` splits at blanks; `"characters"` and `"bytes"` take them one by one.
    - `header_fields`: words in the header of an e-mail are counted by field, `subject:free`.
    - `negation`: a language (en, es, it, de, fr, pt), several, or a list of words, of which `n't` is every word that ends so;
      what follows such a word, up to the next mark that ends a clause or the end of the paragraph, is counted as `NOT_like`.
    - `stop_words`: a language, a Path or a list; those words are left out. `keep_words`: all others are.
    - `min_token_length` in characters; shorter tokens are left out.
    - `lemmas`: a language, a Path to lines `lemma<TAB>word`, or a mapping from word to lemma; `stems`: a language, or
      `"porter"`. Words are counted in that form. `keep_tags=("NOUN", "ADJ")` keeps English words with these parts of speech.

    Entries of lists are compared with the tokens as the steps before have left them, by case where `lowercase` is off, and
    before they get another form. What is left out is no part of an n-gram.

    What is counted:

    - `word_ngrams=(low, high)`: sequences of tokens, joined by a blank; `None` for no words at all. Several ranges are
      possible: `((1, 1), (3, 3))`. `skip_grams=((3, 1),)`: three words, each time with one left out between them;
      a skip-gram is the same term as the n-gram of its words.
    - `char_ngrams=(low, high)`: sequences of characters. `char_ngrams_over` tells of what: the `"text"`, in which two or more
      blanks become one; `"marked_text"`, in which they become `~`, with one at either end; `"words"`, here all that
      stands between blanks, padded with a blank on both sides; the `"bytes"` of UTF-8, or `"word_bytes"`, those of words.
      `tokens` and what happens to them do not concern character n-grams.
    - `lexicon`: lists of words and phrases by name, a `Lexicon`, a Path or `"vader"`; each hit counts for a term,
      `LEX:positive`, or `NOT_LEX:positive`.
    - `patterns`: regular expressions by name; each hit in the text as it was counts for a term, `PATTERN:money`.
    - `tag_terms`: `"penn"` or `"universal"`; each part of speech of an English text counts for a term, `TAG:NOUN`.

    A recipe with words and character n-grams marks each term with its kind: `word:the`, `char:the`.

    >>> analyzer = Analyzer(word_ngrams=(1, 2))
    >>> analyzer.terms("Midway upon the journey")
    ['midway', 'upon', 'the', 'journey', 'midway upon', 'upon the', 'the journey']
    >>> Analyzer(strip_marks=True).tokens("¡Così è!")
    [Token(text='cosi', start=1, end=5), Token(text='e', start=6, end=7)]
    >>> Analyzer(tokens="words_and_marks", negation="en").terms("didn't like this movie, but I")
    ["didn't", 'NOT_like', 'NOT_this', 'NOT_movie', ',', 'but', 'i']
    >>> Analyzer(lexicon={"positive": ["good"]}, negation="en", tokens="words").terms("Good, not good")
    ['good', 'not', 'NOT_good', 'LEX:positive', 'NOT_LEX:positive']
    >>> Analyzer(html="strip").terms("AT&amp;T <b>bold</b>"), Analyzer(unicode_form="nfkc").terms("ﬁne ½")
    (['at', 't', 'bold'], ['fine', '1', '2'])
    >>> Analyzer(emoticons="group", emoji="delete").terms("good :-)) 😂"), Analyzer(hashtags="delete").terms("so #good")
    (['good', '_emoticon'], ['so'])
    >>> Analyzer(users="group", urls="group", numbers="group").terms("@dante wrote 3.5 at http://example.org/3")
    ['_usr', 'wrote', '_num', 'at', '_url']
    >>> Analyzer(max_repeats=2, lowercase=False).terms("Coooool"), Analyzer(punctuation="delete").terms("don't")
    (['Cool'], ['dont'])
    >>> [Analyzer(tokens=t).terms(text) for t, text in [("treebank", "can't."), ("tweet_words", "#hen's"), ("bytes", "é")]]
    [['ca', "n't", '.'], ['#hen', 's'], ['\\xc3', '\\xa9']]
    >>> Analyzer(stop_words=["the"]).terms("the hen"), Analyzer(keep_words=["the"]).terms("the hen")
    (['hen'], ['the'])
    >>> Analyzer(stems="porter", min_token_length=3).terms("a pony running"), Analyzer(lemmas="en").terms("ponies ran")
    (['poni', 'run'], ['pony', 'run'])
    >>> Analyzer(header_fields=True).terms("Subject: Win\nTo: me\n\nHi")
    ['subject:subject', 'subject:win', 'to:to', 'to:me', 'hi']
    >>> Analyzer(word_ngrams=None, skip_grams=((2, 1),)).terms("midway upon the journey")
    ['midway the', 'upon journey']
    >>> Analyzer(word_ngrams=None, char_ngrams=(3, 3), char_ngrams_over="marked_text").terms("To be")
    ['~to', 'to~', 'o~b', '~be', 'be~']
    >>> Analyzer(keep_tags=["NOUN", "ADJ"]).terms("The very first run was unsuccessful.")
    ['first', 'run', 'unsuccessful']
    >>> Analyzer(word_ngrams=None, tag_terms="penn").terms("The very first run")
    ['TAG:DT', 'TAG:RB', 'TAG:JJ', 'TAG:NN']
    >>> Analyzer(word_ngrams=None, patterns={"loud": "[A-Z]{3,}"}).terms("WIN now, WIN")
    ['PATTERN:loud', 'PATTERN:loud']
    """

    options: Mapping[str, Any]

    def __init__(
        self,
        *,
        html: Markup = "keep",
        unicode_form: UnicodeForm = "nfc",
        emoticons: Group = "keep",
        emoji: Group = "keep",
        hashtags: Group = "keep",
        lowercase: bool = True,
        numbers: Group = "keep",
        urls: Group = "keep",
        users: Group = "keep",
        strip_marks: bool = False,
        max_repeats: int | None = None,
        punctuation: Literal["keep", "delete"] = "keep",
        tokens: TokenKind = "words",
        min_token_length: int = 1,
        header_fields: bool = False,
        negation: str | Iterable[str] | None = None,
        stop_words: str | Path | Iterable[str] | None = None,
        keep_words: Path | Iterable[str] | None = None,
        lemmas: str | Path | Mapping[str, str] | LemmaList | None = None,
        stems: str | None = None,
        keep_tags: Iterable[str] | None = None,
        word_ngrams: Lengths = (1, 1),
        skip_grams: Sequence[tuple[int, int]] | None = None,
        char_ngrams: Lengths = None,
        char_ngrams_over: Over = "text",
        lexicon: Lexicon | Mapping[str, Iterable[str]] | Path | str | None = None,
        patterns: Mapping[str, str] | Iterable[Pattern] | None = None,
        tag_terms: TagSet | None = None,
    ) -> None:
        vars(self)["options"] = MappingProxyType(check_options(locals()))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenInstanceError(f"an Analyzer can't be changed: analyzer.replace({name}=…) makes another one.")

    def __delattr__(self, name: str) -> NoReturn:
        self.__setattr__(name, None)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in vars(self).get("options", ()):
            raise AttributeError(f"an Analyzer has no attribute {name!r}.", name=name, obj=self)
        return self.options[name]

    def __eq__(self, other: object) -> bool:
        return self.options == other.options if isinstance(other, Analyzer) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self.options.values()))

    def __reduce__(self) -> tuple[Any, ...]:
        return Analyzer.from_dict, (self.to_dict(),)

    def __deepcopy__(self, memo: object) -> Self:
        return self

    @classmethod
    def preset(cls, name: str, **changes: Any) -> Self:
        """The recipe of that name, with some options changed.

        >>> Analyzer.preset("sklearn", word_ngrams=(1, 2)).terms("I think, therefore")
        ['think', 'therefore', 'think therefore']
        """
        return cls.from_dict(PRESETS[check_choice("preset", name, tuple(PRESETS))] | changes)

    @classmethod
    def from_b4msa(cls, token_list: Iterable[Any] | None = None, **options: Any) -> Self:
        """The recipe that finds the terms of b4msa's `TextModel` with these options, `lang="en"` or `"es"` among them.

        b4msa writes a blank in a term as `~`, and `q:` before characters. The terms are the same for the Latin script; it takes
        marks and syllables of others apart in its own way, and gives an empty text the term `~`.

        >>> Analyzer.from_b4msa([-1, 3]).terms("¡Sí!")
        ['word:si', 'char:~si', 'char:si~']
        """
        return cls(**translate_b4msa(token_list, **options))

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
        """The options by name, for JSON: `from_dict` reads them back. Word lists are written out, so that another machine
        finds the same terms without the package that they came from."""
        return {name: _to_json(value) for name, value in self.options.items()}

    @property
    def signature(self) -> str:
        """What differs from the default, in one line: it stands beside the numbers that a recipe leads to.

        >>> Analyzer(word_ngrams=(1, 2), negation="en").signature
        'negation=en:...:...+word_ngrams=(1,2)+unicode=15.1.0'
        """
        return sign_recipe(self.options, DEFAULTS, self.to_dict())

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
        changed = {name: value for name, value in self.options.items() if value != DEFAULTS[name]}
        return f"Analyzer({', '.join(f'{name}={value!r}' for name, value in changed.items())})"


def _to_json(value: Any) -> Any:
    if isinstance(value, tuple) and value and isinstance(value[0], Pattern):
        return {pattern.name: pattern.regex for pattern in value}
    return value.to_dict() if hasattr(value, "to_dict") else value


DEFAULTS: dict[str, Any] = {name: option.default for name, option in inspect.signature(Analyzer).parameters.items()}


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
