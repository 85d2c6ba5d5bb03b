"""`Seeds`: what is known of labels before any text has one: names, descriptions, words, and words that speak against."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Self

from tercet.categorizer.model.vector_member import find_name_words
from tercet.categorizer.unlabelled import MAX_LABELLED
from tercet.data.column_choice import spell_names
from tercet.errors import InvalidFile, InvalidOption, bad_option, suggest
from tercet.options import is_list
from tercet.text.analyzer import Analyzer

MAX_LABELS = 250  # with more of them, word vectors are left out, and a pool has too few texts for each
MAX_SEEDS = 1000  # words of a label
MAX_WORDS = 2000  # of all labels: each is counted in each text
MAX_LENGTH, MAX_DESCRIPTION = 500, 10_000  # characters of a label, name or word, and of a description
MAX_PHRASE = 10  # words of a phrase
MAX_BYTES = 1 << 24  # of a file
KEYS = ("name", "description", "words", "counter_words")
FORM = 'a table for each label, such as [sports] and below it words = ["game", "team"]'


@dataclass(frozen=True)
class LabelSeeds:
    """What is known of one label. A word may be a phrase of several words."""

    label: str
    name: str  # in words, such as "credit limit" for the label credit_limit; empty if the label has no words
    description: str = ""
    words: tuple[str, ...] = ()
    counter_words: tuple[str, ...] = ()

    @property
    def phrases(self) -> tuple[str, ...]:
        """All that speaks for the label: its name, its description and its words."""
        return tuple(filter(None, (self.name, self.description, *self.words)))

    def to_dict(self) -> dict[str, Any]:
        """Values for JSON and TOML. A name that is that of the label itself is left out."""
        given = {
            "name": "" if self.name == spell_name(self.label) else self.name,
            "description": self.description,
            "words": list(self.words),
            "counter_words": list(self.counter_words),
        }
        return {key: value for key, value in given.items() if value}


@dataclass(frozen=True)
class Seeds:
    """The seeds of all labels, sorted by label. Labels are text.

    >>> seeds = Seeds.of({"sports": ["game", "team"], "credit_limit": []})
    >>> [(each.label, each.name, each.words) for each in seeds.labels]
    [('credit_limit', 'credit limit', ()), ('sports', 'sports', ('game', 'team'))]
    >>> Seeds.of({"sports": ["game"], "arts": ["game"]})
    Traceback (most recent call last):
    tercet.errors.InvalidOption: the word 'game' is a seed of 'arts' and of 'sports': it can't tell them apart. Strike it ...
    """

    labels: tuple[LabelSeeds, ...]

    @classmethod
    def of(cls, given: Any) -> Self:
        """From a list of names, from words by label, from a mapping as TOML has it, or from other seeds."""
        if isinstance(given, Seeds):
            return cls(given.labels)
        if isinstance(given, Mapping):
            return cls.check(read_label(label, own) for label, own in given.items())
        if not is_list(given):
            expected = "a list of names, or a mapping from label to words"
            raise bad_option("labels", expected, given, "each label needs a name. Try ['sports', 'business'].")
        names = [check_label(label) for label in given]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise InvalidOption(f"the label {twice!r} is named twice: name each label once.")
        return cls.check(read_label(name, ()) for name in names)

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Self:
        """The seeds of a TOML file, which has a table for each label: name, description, words, counter_words."""
        location = Path(path)
        try:
            written = tomllib.loads(read_whole(location).decode())
        except OSError as error:
            raise InvalidFile(f"{location.name} can't be read: {error.strerror}. Give a file of seeds: {FORM}.") from None
        except (ValueError, RecursionError) as error:  # numbers of thousands of digits are errors of Python
            why = "it is nested too deeply" if isinstance(error, RecursionError) else error
            raise InvalidFile(f"{location.name} is not TOML: {why}. It has {FORM}.") from None
        try:
            return cls.of(written)
        except InvalidOption as error:
            raise InvalidFile(f"{location.name}: {error}") from None

    @classmethod
    def check(cls, labels: Iterable[LabelSeeds]) -> Self:
        """The seeds of these labels. Raises InvalidOption if labels are too few or too many, or share a word."""
        ordered = tuple(sorted(labels, key=lambda own: own.label))
        if len(ordered) < 2:
            have = f"there is only the label {ordered[0].label!r}" if ordered else "there are no labels"
            raise InvalidOption(
                f"{have}: a model needs at least two to tell apart. Put a comma between labels, or add one, such as 'other'."
            )
        if len(ordered) > MAX_LABELS:
            raise InvalidOption(
                f"there are {len(ordered)} labels: without labelled texts, at most {MAX_LABELS} can be told apart. Begin with "
                "the most frequent labels, or join some of them."
            )
        spellings: dict[str, str] = {}
        for own in ordered:
            if (folded := own.label.casefold()) in spellings:
                why = "are written with other capital letters or blanks"
                raise InvalidOption(f"the labels {spellings[folded]!r} and {own.label!r} {why}: keep one of them.")
            spellings[folded] = own.label
        if (n_words := sum(len(own.words) + len(own.counter_words) for own in ordered)) > MAX_WORDS:
            raise InvalidOption(f"there are {n_words} words: at most {MAX_WORDS} are taken for all labels. Keep the best.")
        owners: dict[str, str] = {}
        for own in ordered:
            for word in own.words:
                other = owners.setdefault(word.casefold(), own.label)
                if other != own.label:
                    raise InvalidOption(
                        f"the word {word!r} is a seed of {other!r} and of {own.label!r}: it can't tell them apart. Strike it "
                        "in one of them."
                    )
        return cls(ordered)

    @property
    def names(self) -> list[str]:
        """The labels, sorted."""
        return [own.label for own in self.labels]

    def fill(self, labels: Sequence[Any]) -> "Seeds":
        """The seeds of exactly these labels, in their order. A label without seeds has its name."""
        known = {own.label: own for own in self.labels}
        return Seeds(tuple(known.get(str(label)) or read_label(str(label), ()) for label in labels))

    def __str__(self) -> str:
        n_words = sum(len(own.words) for own in self.labels)
        return f"{len(self.labels)} labels, {n_words} word{'s' * (n_words != 1)}"

    def add(self, label: str, words: Sequence[str]) -> "Seeds":
        """The seeds with more words of a label."""
        changed = {own.label: own for own in self.labels}
        own = changed[label]
        changed[label] = replace(own, words=tuple(dict.fromkeys((*own.words, *check_words(label, "words", words)))))
        return Seeds.check(changed.values())

    def strike(self, words: Iterable[str]) -> "Seeds":
        """The seeds without these words."""
        gone = {word.casefold() for word in words}
        kept = [replace(own, words=tuple(word for word in own.words if word.casefold() not in gone)) for own in self.labels]
        return Seeds.check(kept)

    def to_dict(self) -> dict[str, Any]:
        """A mapping as `of` takes it, for JSON."""
        return {own.label: own.to_dict() for own in self.labels}

    def to_toml(self) -> str:
        """The text of a file as `read` takes it.

        >>> print(Seeds.of({"arts": ["stage"], "sports": {"description": 'What "teams" do', "words": ["game"]}}).to_toml())
        ["arts"]
        words = ["stage"]
        <BLANKLINE>
        ["sports"]
        description = "What \\"teams\\" do"
        words = ["game"]
        <BLANKLINE>
        """
        return "\n".join(write_table(own) for own in self.labels)


def read_whole(path: Path) -> bytes:
    """The bytes of a small file. Raises ValueError if it is larger."""
    with path.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise ValueError(f"it has more than {MAX_BYTES / 1e6:.0f} MB")
    return content


class SeedChoice(NamedTuple):
    """Whether seeds are used, and sentences about what is left out."""

    is_used: bool
    said: tuple[str, ...] = ()


def choose_seeds(seeds: Seeds, words: Analyzer | None, labels: Sequence[Any], n_documents: int) -> SeedChoice:
    """Whether to use seeds beside so many documents, which have these labels. `words` is the recipe of their words."""
    if words is None:
        return SeedChoice(False, ("the recipe does not count words as they are written: the seeds are left out",))
    if n_documents > MAX_LABELLED:
        return SeedChoice(False, (f"{n_documents} labelled documents say more than seeds, which are left out",))
    if len(labels) > MAX_LABELS:
        return SeedChoice(False, (f"there are {len(labels)} labels, too many for seeds: they are left out",))
    unknown = [name for name in seeds.names if name not in set(map(str, labels))]
    if not unknown:
        return SeedChoice(True)
    return SeedChoice(True, (f"labels that have seeds but no document, and are never predicted: {spell_names(unknown)}",))


def write_table(own: LabelSeeds) -> str:
    """The table of a label in TOML."""
    lines = [f"{key} = {_quote_value(value)}" for key, value in own.to_dict().items()]
    return "\n".join([f"[{_quote(own.label)}]", *lines, ""])


def _quote_value(value: str | list[str]) -> str:
    return _quote(value) if isinstance(value, str) else f"[{', '.join(map(_quote, value))}]"


def _quote(text: str) -> str:
    """A basic string of TOML. JSON has the same escapes, but TOML also escapes the character DEL."""
    import json

    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def read_label(label: Any, given: Any) -> LabelSeeds:
    """The seeds of one label: a list of words, or a mapping with some of name, description, words and counter_words."""
    label = check_label(label)
    if not isinstance(given, Mapping):
        return LabelSeeds(label, spell_name(label), words=check_words(label, "words", given))
    unknown = next((key for key in given if key not in KEYS), None)
    if unknown is not None:
        raise InvalidOption(
            f"the label {label!r} has {unknown!r}: only {', '.join(KEYS)} are known.{suggest(str(unknown), KEYS)}"
        )
    texts = {key: given.get(key, "") for key in ("name", "description")}
    for key, value in texts.items():
        if not isinstance(value, str):
            raise bad_option(f"the {key} of {label!r}", "text", value, "it says what the label means.")
        check_length(f"the {key} of a label", value, MAX_LENGTH if key == "name" else MAX_DESCRIPTION)
    words, against = (check_words(label, key, given.get(key, ())) for key in ("words", "counter_words"))
    both = {word.casefold() for word in words} & {word.casefold() for word in against}
    if both:
        raise InvalidOption(f"the word {min(both)!r} speaks for {label!r} and against it: strike it in one of the lists.")
    return LabelSeeds(label, texts["name"].strip() or spell_name(label), texts["description"].strip(), words, against)


def check_label(label: Any) -> str:
    if not isinstance(label, str) or not label.strip():
        raise bad_option("a label", "text", label, "its name says what the label means. Try 'sports'.")
    check_length("a label", label, MAX_LENGTH)
    return label.strip()


def check_length(what: str, value: str, most: int) -> None:
    """Raise InvalidOption if a text is too long, or has a broken character."""
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise InvalidOption(f"{what} has a broken character: {value[:20]!r}. Type it again, in UTF-8.")
    if len(value) > most:
        raise InvalidOption(
            f"{what} has {len(value):,} characters, and begins with {value[:20]!r}: at most {most:,} are taken."
        )


def check_words(label: str, key: str, words: Any) -> tuple[str, ...]:
    """The words without blanks around them, each once."""
    if not is_list(words):
        raise bad_option(f"{key} of {label!r}", "a list of words", words, f"write {key} = ['game', 'team'].")
    checked = []
    for word in words:
        if not isinstance(word, str) or not word.strip():
            raise bad_option(f"a word of {label!r}", "text", word, "it is looked for in the texts. Strike it.")
        check_length(f"a word of {label!r}", word, MAX_LENGTH)
        if (n_words := len(word.split())) > MAX_PHRASE:
            raise InvalidOption(f"a seed of {label!r} is a phrase of {n_words} words: at most {MAX_PHRASE} are looked for.")
        checked.append(" ".join(word.split()))
    if len(checked) > MAX_SEEDS:
        raise InvalidOption(f"the label {label!r} has {len(checked)} words: at most {MAX_SEEDS} are taken. Keep the best.")
    return tuple(dict.fromkeys(checked))


def spell_name(label: str) -> str:
    """The name of a label in words.

    >>> spell_name("credit_limit"), spell_name("w2"), spell_name("1")
    ('credit limit', 'w2', '')
    """
    others = [part for part in label.replace("_", " ").split() if any(map(str.isalpha, part))]
    return " ".join(find_name_words(label) or others)
