"""The recipe from a text to its terms: `Analyzer`, its options and their checks."""

import inspect
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import FrozenInstanceError
from functools import partial
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, NoReturn, Self, get_args

from tercet import registry
from tercet.errors import InvalidOption, InvalidText, bad_option, shorten
from tercet.estimator import Options
from tercet.kernel import engine
from tercet.kernel.text.neutral import MOST_PARTS, NeutralText, find_parts, replace_spans
from tercet.options import Lengths, check_choice, check_count, check_flag, check_lengths, is_int
from tercet.text.layout import Layout
from tercet.text.lexicons import Lexicon, resolve_lexicon
from tercet.text.patterns import Pattern, check_patterns
from tercet.text.presets import PRESETS, translate_b4msa
from tercet.text.recipe import make_recipe
from tercet.text.tags import TAG_SETS, check_tags, require_tagger, tag_text
from tercet.text.word_lists import FrozenValue, WordList, make_word_list, read_word_list, resolve_negation, resolve_stop_words
from tercet.text.wordforms import WORDNET, LemmaList, find_lemma_language, find_stemmer, read_lemma_list, read_wordnet_version

Markup = Literal["keep", "strip"]
Group = Literal["keep", "group", "delete"]
UnicodeForm = Literal["none", "nfc", "nfkc", "nfd"]
TokenKind = Literal["words", "words_and_marks", "regex_words", "tweet_words", "treebank", "whitespace", "characters", "bytes"]
StopWordsMatch = Literal["tokens", "forms"]
Over = Literal["text", "marked_text", "words", "bytes", "word_bytes"]
TagSet = Literal["penn", "universal"]


class Token(NamedTuple):
    """An occurrence: its text after normalisation, and its position in the original text."""

    text: str
    start: int
    end: int


class TaggedToken(NamedTuple):
    """A token as it is written, its part of speech, and what the tag means."""

    token: str
    tag: str
    meaning: str


class Analyzer(Options):
    r"""How a text becomes terms: a value that can be compared, hashed, written as JSON and read back.

    These are its steps, in their order. Steps that change the text:

    - `neutral`: a Path or a list of words that should make no difference. Each becomes `_neutral`, before everything else sees
      the text: patterns, tags, and the measures and rules of a categorizer, too. So texts that differ only in listed words, as
      many of them at the same places, have exactly the same terms. `neutralize` shows the text that the other steps see;
      positions are those of the original text. Words are found as `tokens="words"` splits a text, for every kind of tokens: he
      is replaced in he's, he-man and #he, not in there, he_1 or he2. With `html="strip"` it is not replaced inside markup. A
      listed word with a hyphen or an apostrophe, such as African-American, is replaced as a whole. Upper and lower case are the
      same here even without `lowercase`, because a word at the start of a sentence must be replaced, too. Otherwise words are
      compared as the recipe writes them, for example without accents if `strip_marks` is on.
    - `html="strip"`: tags, comments, scripts and styles become a blank. Tags that end a line become a line break. Entities
      become the characters they stand for. With `header_fields`, the header of an e-mail is not treated as HTML.
    - `unicode_form`: `"nfc"` (one spelling for each accented letter), `"nfkc"` (also ﬁ → fi, ½ → 1⁄2),
      `"nfd"` (letters and accents apart) or `"none"`.
    - `emoticons`, `emoji`, `hashtags`, `numbers`, `urls`, `users`: `"keep"`, `"group"` or `"delete"`. With `"group"`, all of a
      kind become one word: `_emoticon`, `_emoji`, `_htag`, `_num`, `_url`, `_usr`. A family of four or a flag is one emoji. An
      emoticon does not touch a letter or digit. The other four follow b4msa: hashtags, links and users end at the next blank,
      and a number is also replaced inside a word, so iPhone6 becomes `iphone_num`.
    - `lowercase`: letters become lower case.
    - `strip_marks` removes accents: México → Mexico. It removes every mark on a letter. In scripts where marks carry the
      meaning this removes too much: हिन्दी → हिनदी, が → か.
    - `max_repeats=2` makes cooool → cool: no character is repeated more often in a row, except digits and blanks.
    - `punctuation="delete"` removes ; : , . @ \ - " ' / ( ) [ ] { } < > ? ! ~ | ¿ ¡ … “ ” ’ ・ and joins the text on both
      sides. Other characters stay, for example # & * % _ + = $.

    Steps that make tokens and change them:

    - `tokens="words"`: runs of letters, digits and `_`, with the marks on them. Chinese, Japanese, Thai, Khmer, Lao and Burmese
      have no spaces between words. In these scripts each character and each pair of neighbours are tokens.
    - `tokens="words_and_marks"`: also every punctuation mark and symbol, except the apostrophe in didn't. An emoji is one
      token, even if it has several characters.
    - `tokens="regex_words"`: the runs of `\w` that Python's `re` finds. `"tweet_words"`: the words of b4msa. `"whitespace"`:
      the text split at blanks. `"characters"` and `"bytes"`: each of them is a token.
    - `tokens="treebank"`: the tokens of the Penn Treebank, which NLTK's `TreebankWordTokenizer` finds in each of the
      `sentences`: don't → do n't, and straight quotes become `` and ''. They are found before letters become lower case.
    - `header_fields`: words in the header of an e-mail are counted by field, `subject:free`.
    - `negation`: a language (en, es, it, de, fr, pt), several languages, or a list of words. In such a list `n't` stands for
      every word with this ending. Words after a negation word are counted as `NOT_like`, up to the next punctuation mark
      or the end of the paragraph. An apostrophe or a hyphen inside a word is no such mark, unless it is a token of its own.
    - `stop_words`: a language, a Path or a list. These words are left out. `keep_words`: all other words are left out.
    - `stop_words_match="forms"` removes stop words after lemmas and stems: the form of a word is compared with the list, so
      `be` also removes `is`. With `"tokens"` they are removed before: the word itself is compared.
    - `min_token_length` in characters: shorter tokens are left out.
    - `lemmas`: a language, a Path to lines `lemma<TAB>word`, a mapping from word to lemma, or `"wordnet"` for the lemmas of
      WordNet, if its files are installed. `stems`: a language, or `"porter"`. Words are counted in this form.
      `keep_tags=("NOUN", "ADJ")` keeps English words with these parts of speech.

    Words of lists are compared with tokens as the earlier steps left them, and before lemmas and stems (`stop_words_match` can
    change this for stop words). If `lowercase` is off, upper and lower case differ. N-grams are made of the tokens that are not
    left out.

    What is counted:

    - `word_ngrams=(low, high)`: sequences of tokens, joined by a blank; `None` for no words at all. Several ranges are
      possible: `((1, 1), (3, 3))`. `skip_grams=((3, 1),)`: three words, with one word left out between neighbours. A skip-gram
      is the same term as the n-gram of its words.
    - `char_ngrams=(low, high)`: sequences of characters. `char_ngrams_over` says where they are taken from: the `"text"`, in
      which two or more blanks become one; `"marked_text"`, in which each run of blanks is `~`, with a `~` at both ends;
      `"words"`, here everything between blanks, with a blank added on both sides; the `"bytes"` of UTF-8; or `"word_bytes"`,
      the bytes of words. `tokens` and the steps that change tokens have no effect on character n-grams.
    - `lexicon`: lists of words and phrases by name, a `Lexicon`, a Path or `"vader"`. Each word found adds a term
      `LEX:positive`, or `NOT_LEX:positive` after a negation. An entry that ends in `*` stands for all words that begin with it.
    - `patterns`: regular expressions by name. Each match in the original text adds a term `PATTERN:money`.
    - `tag_terms`: `"penn"` or `"universal"`. Each part of speech in an English text adds a term `TAG:NOUN`.

    `layout` names the columns that a text joins, with U+001F between them. Each is analysed on its own, so no term reaches from
    one column into the next. With `fields` each term begins with its column: `subject:refund`, `subject:LEX:positive`. A
    categorical column gives one term: `mailer=mutt`. Missing parts are empty, and further U+001F belong to the last part.
    `Categorizer.fit` sets this option from its documents.

    If a recipe has words and character n-grams, each term begins with its kind: `word:the`, `char:the`.

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
    >>> Analyzer(neutral=["he", "she"], word_ngrams=(1, 2)).terms("She's glad")
    ['_neutral', 's', 'glad', '_neutral s', 's glad']
    >>> Analyzer(stop_words=["the"]).terms("the hen"), Analyzer(keep_words=["the"]).terms("the hen")
    (['hen'], ['the'])
    >>> [Analyzer(lemmas="en", stop_words=["be"], stop_words_match=m).terms("to be is good") for m in ("tokens", "forms")]
    [['to', 'be', 'good'], ['to', 'good']]
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
    >>> layout = Layout(["subject", "body"], ["mailer"], fields=True)
    >>> Analyzer(layout=layout).terms("My refund\x1fWhere is it?\x1fmutt")
    ['subject:my', 'subject:refund', 'body:where', 'body:is', 'body:it', 'mailer=mutt']
    >>> Analyzer(word_ngrams=None, patterns={"loud": "[A-Z]{3,}"}).terms("WIN now, WIN")
    ['PATTERN:loud', 'PATTERN:loud']
    """

    options: Mapping[str, Any]

    def __init__(
        self,
        *,
        neutral: Path | Iterable[str] | None = None,
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
        stop_words_match: StopWordsMatch = "tokens",
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
        layout: Layout | None = None,
    ) -> None:
        vars(self)["options"] = MappingProxyType(check_options(locals()))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenInstanceError(f"an Analyzer can't be changed: analyzer.replace({name}=…) makes a new one.")

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
        """The recipe of this name, with some options changed.

        >>> Analyzer.preset("sklearn", word_ngrams=(1, 2)).terms("I think, therefore")
        ['think', 'therefore', 'think therefore']
        """
        return cls.from_dict(PRESETS[check_choice("preset", name, tuple(PRESETS))] | changes)

    @classmethod
    def from_b4msa(cls, token_list: Iterable[Any] | None = None, **options: Any) -> Self:
        """The recipe that finds the terms of b4msa's `TextModel` with these options, for example `lang="en"` or `"spanish"`.

        b4msa writes a blank in a term as `~`, and `q:` before characters. For the Latin script the terms are the same. In other
        scripts b4msa splits marks and syllables differently. It gives an empty text the term `~`.

        >>> Analyzer.from_b4msa([-1, 3]).terms("¡Sí!")
        ['word:si', 'char:~si', 'char:si~']
        """
        return cls(**translate_b4msa(token_list, **options))

    def tokens(self, text: str) -> list[Token]:
        """The tokens of a text, in order. `text[token.start:token.end]` is the source of a token."""
        return [Token(*token) for token in make_recipe(self).list_tokens(_check_text(text))]

    @staticmethod
    def sentences(text: str) -> list[Token]:
        """The sentences of the original text, the same for every recipe. They contain everything except the white space at
        their edges.

        A sentence ends at . ! ? … with the closing quotes and brackets, at the same marks of other scripts, and at a blank
        line. A full stop does not end a sentence after an abbreviation or an initial, or before a word in lower case. So a text
        in lower case has few sentences.

        >>> Analyzer.sentences("Dr. J. Watson? He left.")
        [Token(text='Dr. J. Watson?', start=0, end=14), Token(text='He left.', start=15, end=23)]
        """
        return [Token(text[start:end], start, end) for start, end in engine.split_sentences(_check_text(text))]

    def tags(self, text: str) -> list[TaggedToken]:
        """The tokens of an English text with their parts of speech, each with its meaning.

        Tags are those of the Penn Treebank, or universal tags with `tag_terms="universal"`. The tokens are those of the Penn
        Treebank, as they are written: a tagger needs capitals and punctuation. With `html="strip"`, markup is left out.

        >>> Analyzer().tags("She sang.")
        [TaggedToken(token='She', tag='PRP', meaning='personal pronoun: she, it, myself'),
         TaggedToken(token='sang', tag='VBD', meaning='verb, past: saw'),
         TaggedToken(token='.', tag='.', meaning='end of a sentence: . ! ?')]
        """
        options = self.options
        kind = options["tag_terms"] or "penn"
        seen = self._replace_neutral(text)
        tagged = (
            (slice(*seen.locate((start, end))), {"penn": penn, "universal": universal}[kind])
            for start, end, penn, universal in tag_text(seen.text, options["html"], options["header_fields"])
        )
        return [TaggedToken(text[span], tag, TAG_SETS[kind][tag]) for span, tag in tagged]

    def neutralize(self, text: str) -> str:
        """The text in which each word of `neutral` is replaced by `_neutral`: what all other steps see.

        >>> Analyzer(neutral=["he", "she"]).neutralize("She's glad. Is HE there?")
        "_neutral's glad. Is _neutral there?"
        """
        return self._replace_neutral(text).text

    def _replace_neutral(self, text: str) -> NeutralText:
        spans = [] if self.neutral is None else make_recipe(self).list_neutral(_check_text(text))
        return NeutralText(replace_spans(_check_text(text), spans), spans)

    def terms(self, text: str) -> list[str]:
        """The terms of a text, as they are counted: words by length of n-gram and then by position, then characters."""
        return [term for term, _ in self.located_terms(text)]

    def located_terms(self, text: str) -> list[tuple[str, list[tuple[int, int]]]]:
        """The terms, with the position of each token in a term.

        >>> Analyzer(word_ngrams=(2, 2)).located_terms("So bitter")
        [('so bitter', [(0, 2), (3, 9)])]
        """
        return make_recipe(self).list_terms(_check_text(text))

    def replace(self, **changes: Any) -> Self:
        """The same recipe with some options changed."""
        return self.from_dict({**self.options, **changes})

    __replace__ = replace

    def to_dict(self) -> dict[str, Any]:
        """The options by name, for JSON. `from_dict` reads them back.

        Word lists are written in full, so that another machine finds the same terms without the package of the list.
        """
        return {name: _write_option(value) for name, value in self.options.items()}

    @classmethod
    def from_dict(cls, options: Mapping[str, Any]) -> Self:
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

    @property
    def signature(self) -> str:
        """The options that differ from the default, in one line, with the versions of the packages they use. It is printed
        beside the numbers that the recipe leads to.

        Word lists, lexicons and patterns are too long for a line. They are shown by name, size and a digest.

        >>> Analyzer(word_ngrams=(1, 2), negation="en").signature
        'negation=en:...:...+word_ngrams=(1,2)+unicode=15.1.0'
        """
        changed = {name: value for name, value in self.options.items() if value != DEFAULTS[name]}
        parts = [f"{name}={_show_option(value)}" for name, value in changed.items()]
        used = {package for name, value in changed.items() for package in _list_packages(name, value)}
        versions = [f"{package}={_find_version(package)}" for package in sorted(used)]
        return "+".join([*parts, f"unicode={engine.unicode_version}", *versions])

    @property
    def identity(self) -> str:
        """All options as JSON, the same for equal recipes: the names of word lists, which are not compared, are left out."""
        return json.dumps(dict(self.options), default=_identify_value, sort_keys=True)

    def __repr__(self) -> str:
        changed = {name: value for name, value in self.options.items() if value != DEFAULTS[name]}
        return f"Analyzer({', '.join(f'{name}={value!r}' for name, value in changed.items())})"


DEFAULTS: dict[str, Any] = {name: option.default for name, option in inspect.signature(Analyzer).parameters.items()}


def resolve_analyzer(analyzer: Analyzer | str) -> Analyzer:
    """The analyzer itself, or the preset of this name."""
    if isinstance(analyzer, str):
        return Analyzer.preset(analyzer)
    if not isinstance(analyzer, Analyzer):
        raise bad_option("analyzer", "an Analyzer or the name of a preset", analyzer, "it finds the terms of a text.")
    return analyzer


def _check_text(text: object) -> str:
    if not isinstance(text, str):
        raise InvalidText(f"a text must be a str, got {type(text).__name__}: this takes one text, not a list of them.")
    return text


# Options in files and in signatures.

# The packages that give an option its meaning: another version may find other terms.
PACKAGES = {"lemmas": "simplemma", "stems": "PyStemmer", "keep_tags": "HanTa", "tag_terms": "HanTa", "patterns": "google-re2"}


def _write_option(value: Any) -> Any:
    if isinstance(value, tuple) and value and isinstance(value[0], Pattern):
        return [registry.write(pattern) for pattern in value]
    return registry.write(value) if isinstance(value, FrozenValue) else value


def _show_option(value: Any) -> str:
    if isinstance(value, Layout):
        return str(value)
    written = _write_option(value)
    if written is value:
        return str(value).replace(" ", "")
    digest = sha256(json.dumps(written, sort_keys=True).encode()).hexdigest()[:8]
    size = len(value) if hasattr(value, "__len__") else len(value.content)
    return ":".join([*filter(None, [getattr(value, "name", None)]), str(size), digest])


def _identify_value(value: FrozenValue | Pattern) -> Any:
    return value.content if isinstance(value, FrozenValue) else vars(value)


def _list_packages(name: str, value: Any) -> tuple[str, ...]:
    """The packages that an option with this value needs."""
    if value == WORDNET:
        return "nltk", WORDNET
    return (PACKAGES[name],) if name in PACKAGES and not isinstance(value, LemmaList) else ()


def _find_version(package: str) -> str:
    if package == WORDNET:
        return read_wordnet_version()
    from importlib.metadata import PackageNotFoundError, version  # slow to import, and rarely needed

    try:
        return version(package)
    except PackageNotFoundError:
        return ""


# The check of each option, which makes its value one that can be hashed and compared.

MAX_SKIP_GRAMS = 100
TERM_OPTIONS = ("word_ngrams", "skip_grams", "char_ngrams", "lexicon", "patterns", "tag_terms")
WORD_OPTIONS = ("negation", "stop_words", "keep_words", "stems", "lemmas", "keep_tags", "lexicon")


def check_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """The values of all options, each checked by itself and then against the others."""
    options = {name: check(name, given[name]) for name, check in CHECKS.items()}
    if not any(options[name] for name in TERM_OPTIONS):
        raise InvalidOption(f"{', '.join(TERM_OPTIONS)} are all None: a text would have no terms. Set one of them.")
    if options["negation"] is not None and options["punctuation"] == "delete":
        raise InvalidOption(
            "negation reaches to the next punctuation mark, and punctuation='delete' leaves none: everything after the "
            "first “not” would be negated. Keep the punctuation; words don't contain it anyway."
        )
    if options["tokens"] == "bytes":
        if options["min_token_length"] != 1:
            raise bad_option("min_token_length", "1 with tokens='bytes'", given["min_token_length"], "a byte is one byte long.")
        for name in WORD_OPTIONS:
            if options[name] is not None:
                raise bad_option(name, "None with tokens='bytes'", given[name], "a byte is not a word.")
        if options["header_fields"]:
            raise InvalidOption("header_fields=True needs words, and tokens='bytes' has none. Take another kind of tokens.")
        if options["layout"] is not None and options["layout"].fields:
            raise InvalidOption("fields=True needs words, and tokens='bytes' has none. Take another kind of tokens.")
    return options


def _or_none(check: Callable[[str, Any], Any]) -> Callable[[str, Any], Any]:
    return lambda name, value: None if value is None else check(name, value)


def _choose(choices: Any) -> Callable[[str, Any], str]:
    return partial(check_choice, choices=get_args(choices))


def _check_skip_grams(name: str, value: Any) -> tuple[tuple[int, int], ...] | None:
    """(words, gap) pairs, sorted."""
    if not isinstance(value, list | tuple) or not all(map(_is_skip_gram, value)):
        raise bad_option(name, "(words, gap) pairs", value, "((3, 1),) takes every other word, three of them.")
    if len(value) > MAX_SKIP_GRAMS:
        raise bad_option(name, f"at most {MAX_SKIP_GRAMS} pairs", value, "each pair gives as many terms as a text has words.")
    return tuple(sorted({(int(size), int(gap)) for size, gap in value})) or None


def _is_skip_gram(pair: Any) -> bool:
    is_pair = isinstance(pair, list | tuple) and len(pair) == 2 and all(map(is_int, pair))
    return is_pair and 2 <= pair[0] <= 1000 and 1 <= pair[1] <= 1000


def _resolve_kept_words(value: Any) -> WordList | None:
    if value is None:
        return None
    return make_word_list(read_word_list(value) if isinstance(value, Path) else value, "keep_words")


def _resolve_neutral_words(value: Any) -> WordList | None:
    if value is None:
        return None
    words = make_word_list(read_word_list(value) if isinstance(value, Path) else value, "neutral")
    for word in words:
        parts = find_parts(word)
        if not parts or (parts[0][0], parts[-1][1]) != (0, len(word)):
            raise InvalidOption(
                f"neutral holds {word!r}, which does not begin and end with a letter or a digit: only words are replaced. "
                "Leave it out."
            )
        if len(parts) > MOST_PARTS:
            raise InvalidOption(
                f"neutral holds {shorten(repr(word))}, which has {len(parts)} parts: at most {MOST_PARTS} are compared. "
                "Split it."
            )
    return words


def _check_lemmas(name: str, value: Any) -> str | LemmaList:
    if isinstance(value, Path):
        return read_lemma_list(value)
    if isinstance(value, Mapping):
        is_written = isinstance(value.get("lemmas"), Mapping)  # a lemma would be a str
        lemmas: LemmaList = registry.read("lemma_list", value) if is_written else LemmaList(value)
        return lemmas
    return value if isinstance(value, LemmaList) else find_lemma_language(value)


def _check_tag_set(name: str, value: Any) -> str:
    require_tagger()
    return check_choice(name, value, get_args(TagSet))


def _check_layout(name: str, value: Any) -> Layout:
    layout = registry.read("layout", value) if isinstance(value, Mapping) else value
    if not isinstance(layout, Layout):
        raise bad_option(name, "None or a Layout", value, "it names the columns that a text joins.")
    return layout


def _word_list(find: Callable[[Any], WordList | None]) -> Callable[[str, Any], WordList | None]:
    """The check of an option that takes words; it also takes a word list as `to_dict` writes it."""
    return lambda _, value: find(registry.read("word_list", value) if isinstance(value, Mapping) else value)


CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "neutral": _word_list(_resolve_neutral_words),
    "html": _choose(Markup),
    "unicode_form": _choose(UnicodeForm),
    "emoticons": _choose(Group),
    "emoji": _choose(Group),
    "hashtags": _choose(Group),
    "lowercase": check_flag,
    "numbers": _choose(Group),
    "urls": _choose(Group),
    "users": _choose(Group),
    "strip_marks": check_flag,
    "max_repeats": _or_none(check_count),
    "punctuation": _choose(Literal["keep", "delete"]),
    "tokens": _choose(TokenKind),
    "min_token_length": check_count,
    "header_fields": check_flag,
    "negation": _word_list(resolve_negation),
    "stop_words": _word_list(resolve_stop_words),
    "stop_words_match": _choose(StopWordsMatch),
    "keep_words": _word_list(_resolve_kept_words),
    "lemmas": _or_none(_check_lemmas),
    "stems": _or_none(lambda _, value: find_stemmer(value)),
    "keep_tags": _or_none(check_tags),
    "word_ngrams": check_lengths,
    "skip_grams": _or_none(_check_skip_grams),
    "char_ngrams": check_lengths,
    "char_ngrams_over": _choose(Over),
    "lexicon": lambda _, value: resolve_lexicon(value),
    "patterns": lambda _, value: check_patterns(value) or None,
    "tag_terms": _or_none(_check_tag_set),
    "layout": _or_none(_check_layout),
}
