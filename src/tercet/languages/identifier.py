"""`LanguageIdentifier`: texts → languages.

The numbers in SETTINGS turn costs into calibrated probabilities, and say when a text is in no known language. They were fitted
to the training half of the sentences of lingua, and to single words and pairs of words from them:
`python benchmarks/languages.py --fit` does that again.

A short text, of one to four words, says little about its language. Then it counts how many people write a language, and which
words are common in it, unless the prior is uniform.
"""

import os
from collections.abc import Iterable
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.cache_folder import choose_folder
from tercet.errors import InvalidOption, ModelNotBuilt, bad_option, bad_text, suggest
from tercet.kernel import engine
from tercet.kernel.batches import batches
from tercet.languages.answers import LabelNames, Language, Languages, Segment
from tercet.languages.codes import ALIASES, GROUPS, shorten_label
from tercet.languages.common_words import list_common_words
from tercet.languages.installing import MODELS, name_model_file
from tercet.languages.model import LanguageModel
from tercet.languages.writers import weigh_labels
from tercet.options import check_choice, check_count, check_flag, n_threads

# spread, spread_per_letter, doubt, doubt_short, refusal, refusal_short, margin, margin_short, tie, switch_cost: see
# kernel/languages/language_identifier.hpp
SETTINGS = {
    "full": (0.919, 0.09, 0.4, 1.0, 0.8, 2.7, 0.0, 1.2, 0.8, 10.0),
    "small": (1.116, 0.0599, 0.4, 1.0, 0.8, 2.7, 0.0, 1.2, 0.8, 10.0),
    "wide": (0.916, 0.0528, 0.4, 1.0, 0.8, 2.7, 0.0, 1.2, 0.8, 10.0),
}


def find_settings(model: str) -> Floats:
    return np.array(SETTINGS[model])


FULL, WIDE = "full", "wide"
WRITERS, UNIFORM = "writers", "uniform"
PRIORS = (WRITERS, UNIFORM)

# The prior of a short text is this power of the number of people who write a language. With the whole number, many German and
# Finnish words would be English.
PRIOR_POWER = 0.5


class LanguageIdentifier:
    """Says which language a text is in.

    `model` is "full" or "small", which know about a hundred languages, or "wide", which knows several hundred. `only` has the
    codes of the languages that come into question. With `strict` a group of close languages is never answered. With
    unknown=False the best language is answered even if the text seems to be in none of them; only a text without letters is
    unknown then. In a text of one to four words, `prior="writers"` prefers languages that many people write, and knows common
    words and greetings. With "uniform" all languages are equal, and only the letters count. The first million characters of a
    text are read. `folder` is where the models are, by default the user's cache folder.
    """

    def __init__(
        self,
        model: str = FULL,
        *,
        only: Iterable[str] | None = None,
        strict: bool = False,
        unknown: bool = True,
        prior: str = WRITERS,
        folder: str | os.PathLike[str] | None = None,
    ) -> None:
        codes = None if only is None else _list_codes(only)
        self._options: dict[str, Any] = {
            "only": codes, "strict": strict, "unknown": unknown, "prior": prior, "folder": folder
        }  # fmt: skip
        self.model = check_choice("model", model, MODELS)
        check_flag("strict", strict)
        check_flag("unknown", unknown)
        check_choice("prior", prior, PRIORS)
        location = Path(folder) if folder is not None else choose_folder()
        known = load_model(self.model, location)
        wide = load_model(WIDE, location) if unknown and model != WIDE and name_model_file(WIDE, location).exists() else None
        self._labels = known.model.labels
        self._n_repeated = max(count_repeated(system.labels, self._labels) for system in known.model.systems)
        self._names = LabelNames.of(
            (*known.model.labels, *GROUPS), (*known.model.names, *(name for name, _ in GROUPS.values()))
        )
        self._kernel = engine.LanguageIdentifier(
            known.scorer,
            None if wide is None else wide.scorer,
            find_known(wide.model.labels if wide else (), known.model.labels),
            number_groups(known.model.labels),
            known.model.typical,
            find_settings(self.model),
            choose_labels(codes, known.model.labels, known.model.names),
            unknown,
            choose_folded(strict),
            find_handicaps(known.model.labels, prior),
            list_words(known.model.labels) if prior == WRITERS else [],
        )
        self._ask, self._facts = self._kernel.identify_one, self._names.facts

    @property
    def codes(self) -> list[str]:
        """The codes of the languages that it knows."""
        return sorted({shorten_label(label) for label in self._labels})

    @property
    def labels(self) -> list[str]:
        """The languages that it knows, with their scripts."""
        return list(self._labels)

    def identify(self, texts: Any, *, top: int = 1, threads: int | None = None) -> Languages:
        """The language of each text of a list, a Series, an Arrow array or another iterable; the `top` best of each."""
        n, n_threads_used = min(check_count("top", top), len(self._labels)), n_threads(threads)
        n_answers = n if n == 1 else n + self._n_repeated
        parts = [self._kernel.identify(batch, n_answers, n_threads_used) for batch in batches(texts)]
        return Languages.join(self._names, parts, n_answers, n)

    def identify_one(self, text: str) -> Language:
        """The language of one text."""
        try:
            number, probability = self._ask(text)
        except TypeError:
            raise bad_text(0, text) from None
        code, name, label = self._facts[number]  # the same as `make`, without a call: this is asked for every text
        return Language(code, name, probability, label)

    def segment(self, text: str) -> list[Segment]:
        """The parts of a mixed text, each in one language, in their order.

        A part goes from the first letter of its first word to the end of its last word. Blanks, numbers and signs between two
        parts belong to none.
        """
        try:
            found = self._kernel.segment(text)
        except TypeError:
            raise bad_text(0, text) from None
        return [Segment(start, end, self._names.make(number, probability)) for start, end, number, probability in found]

    def __reduce__(self) -> Any:
        """Another process loads the models itself."""
        return partial(LanguageIdentifier, self.model, **self._options), ()

    def __repr__(self) -> str:
        return f"LanguageIdentifier({self.model!r}, {len(self.codes)} languages)"


class LoadedModel:
    """A model and the scorer that the kernel has made of it."""

    def __init__(self, path: Path) -> None:
        self.model, self.scorer = LanguageModel.load_with_scorer(path)


def load_model(name: str, folder: Path) -> LoadedModel:
    """The model in this folder. It is read again only if the file has changed."""
    path = name_model_file(name, folder)
    try:
        state = path.stat()
    except OSError:
        raise ModelNotBuilt(
            f"the {name} model of languages is not in {folder}: it is built on your computer, once, in about two minutes. Run: "
            f"pip install 'tercet[languages]' && tercet languages --build"
        ) from None
    return _load_version(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=8)
def _load_version(path: Path, _time: int, _size: int) -> LoadedModel:
    return LoadedModel(path)


def number_groups(labels: tuple[str, ...]) -> Any:
    """The number of the group of each label, or -1."""
    numbers = {label: number for number, (_, members) in enumerate(GROUPS.values()) for label in members}
    return np.array([numbers.get(label, -1) for label in labels], np.int64)


def count_repeated(numbers: Integers, labels: tuple[str, ...]) -> int:
    """How many labels of a writing system have the language of another one: 1 if Chinese is there in both scripts.

    >>> count_repeated(np.array([0, 1, 2]), ("jpn_Jpan", "zho_Hans", "zho_Hant"))
    1
    """
    return len(numbers) - len({shorten_label(labels[number]) for number in numbers.tolist()})


def choose_folded(strict: bool) -> Any:
    """1 for each group that may be answered. Chinese is a group of two scripts, but one language: it may, even if strict."""
    return np.array([not strict or len(set(map(shorten_label, members))) == 1 for _, members in GROUPS.values()], np.uint8)


def find_handicaps(labels: tuple[str, ...], prior: str) -> Floats:
    """How far each label is behind the first one in a short text, in nats."""
    weights = weigh_labels(labels)
    return PRIOR_POWER * (weights.max() - weights) if prior == WRITERS else np.zeros(len(labels))


def list_words(labels: tuple[str, ...]) -> list[tuple[int, str]]:
    """The common words of each label, as one text."""
    found = list_common_words()
    return [(number, " ".join(found[label])) for number, label in enumerate(labels) if label in found]


def find_known(labels: tuple[str, ...], known: tuple[str, ...]) -> Any:
    """The index of each language among the known labels, or -1. The script may be another one.

    >>> find_known(("bos_Cyrl", "haw_Latn"), ("deu_Latn", "bos_Latn")).tolist()
    [1, -1]
    """
    indices = {label.partition("_")[0]: index for index, label in enumerate(known)}
    return np.array([indices.get(label.partition("_")[0], -1) for label in labels], np.int64)


def choose_labels(only: tuple[str, ...] | None, labels: tuple[str, ...], names: tuple[str, ...] = ()) -> Any:
    """1 for each label that is among these codes: `de`, `deu`, `deu_Latn`, or the code of a group.

    The names of the languages are for the error that says which code was meant.

    >>> choose_labels(("de", "hbs"), ("deu_Latn", "fra_Latn", "hrv_Latn")).tolist()
    [1, 0, 1]
    """
    if only is None:
        return np.ones(len(labels), np.uint8)
    chosen = np.zeros(len(labels), np.uint8)
    for code in only:
        found = find_code(code, labels)
        if not found:
            known = sorted({shorten_label(label) for label in labels})
            by_name = {name.casefold(): shorten_label(label) for label, name in zip(labels, names, strict=False)}
            meant = suggest(by_name.get(str(code).casefold(), code), known)
            raise InvalidOption(
                f"only has {code!r}, which is no code of a language that this model knows: it could never be answered.{meant} "
                f"It knows {', '.join(known)}."
            )
        chosen[found] = 1
    if not chosen.any():
        raise bad_option("only", "at least one code", list(only), "nothing could be answered.")
    return chosen


def find_code(code: str, labels: tuple[str, ...]) -> list[int]:
    """The indices of the labels that a code means."""
    if code in GROUPS:
        return [index for index, label in enumerate(labels) if label in GROUPS[code][1]]
    name = ALIASES.get(code, code)
    return [index for index, label in enumerate(labels) if name in (label, shorten_label(label), label.partition("_")[0])]


def identify_languages(
    texts: Any,
    *,
    only: Iterable[str] | None = None,
    model: str = FULL,
    strict: bool = False,
    unknown: bool = True,
    prior: str = WRITERS,
    top: int = 1,
    threads: int | None = None,
) -> Languages:
    """The language of each text of a list, a Series of pandas or polars, an Arrow array or another iterable.

    The options are those of `LanguageIdentifier`, which is quicker for many calls with one text each. With `top`, the
    result's `ranked` has so many languages for each text.
    """
    identifier = _get_identifier(model, None if only is None else _list_codes(only), strict, unknown, prior, choose_folder())
    return identifier.identify(texts, top=top, threads=threads)


def _list_codes(only: Iterable[str]) -> tuple[str, ...]:
    if isinstance(only, str):
        raise bad_option("only", "a list of codes of languages", only, f"write only={only.split(',')}.")
    return tuple(only)


@lru_cache(maxsize=8)
def _make_identifier(
    model: str, only: tuple[str, ...] | None, strict: bool, unknown: bool, prior: str, folder: Path, _versions: Any
) -> LanguageIdentifier:
    return LanguageIdentifier(model, only=only, strict=strict, unknown=unknown, prior=prior, folder=folder)


def _get_identifier(
    model: str, only: tuple[str, ...] | None, strict: bool, unknown: bool, prior: str, folder: Path
) -> LanguageIdentifier:
    """An identifier that was made before, unless a file has changed since."""
    check_choice("model", model, MODELS)
    check_choice("prior", prior, PRIORS)
    versions = tuple(_read_file_version(name_model_file(name, folder)) for name in (model, WIDE))
    return _make_identifier(model, only, strict, unknown, prior, folder, versions)


def _read_file_version(path: Path) -> tuple[int, int] | None:
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_mtime_ns, state.st_size
