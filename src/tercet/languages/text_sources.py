"""Texts in many languages from packages that are installed: gflanguages, Django and Babel."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from tercet.errors import MissingExtra
from tercet.extras import import_extra
from tercet.languages.codes import make_label
from tercet.languages.writing_systems import SCRIPTS, detect_main_system, find_system

MAX_CHARACTERS = 50_000  # characters of a label from one source: more would only make it unlike the others

# Fields of a language in gflanguages that hold texts.
FIELDS = ("styles", "tester", "specimen_48", "specimen_36", "specimen_32", "specimen_21", "specimen_16")

# Parts of CLDR whose values are words of the language. In the long form only, where there are several.
CLDR_PARTS = (
    "territories", "languages", "scripts", "variants", "currency_names", "unit_display_names", "unit_patterns", "date_fields",
    "meta_zones", "months", "days", "quarters", "eras", "day_periods", "time_zones",
)  # fmt: skip
SHORT_FORMS = frozenset({"short", "narrow", "abbreviated", "abbreviation"})

# What programs write into texts: %(name)s, {name}, <b>, &nbsp;, https://…
_MARKUP = re.compile(r"%\(\w+\)[a-z]|%[a-z]|\{[^{}]*\}|<[^<>]*>|&\w+;|\w+://\S+|\\[a-z]")


class Texts(NamedTuple):
    """The texts of one label, each once."""

    label: str
    texts: list[str]


class TextSource(NamedTuple):
    """A package that has texts: its name, version and licence, and the texts."""

    name: str
    version: str
    licence: str
    labels: list[Texts]


def read_text_sources() -> tuple[list[TextSource], list[str]]:
    """All sources that are installed, and the error of each that is not."""
    found, missing = [], []
    for read in (read_declaration, read_catalogues, read_locales):
        try:
            found.append(read())
        except MissingExtra as error:
            missing.append(str(error))
    return found, missing


def read_declaration() -> TextSource:
    """The Universal Declaration of Human Rights in the samples of gflanguages."""
    package: Any = _import("gflanguages", "gflanguages", "samples of several hundred languages are read from")
    found: dict[str, list[str]] = {}
    for _, language in sorted(package.LoadLanguages().items()):
        if language.HasField("sample_text"):
            lines = (line for field in FIELDS for line in getattr(language.sample_text, field).splitlines())
            found.setdefault(make_label(language.language, language.script), []).extend(lines)
    return TextSource("gflanguages", _version("gflanguages"), "OFL-1.1 and Apache-2.0", _clean(found, set()))


def read_catalogues() -> TextSource:
    """The translations of Django's messages."""
    import gettext

    django: Any = _import("django", "Django", "translated messages are read from")
    catalogues: dict[str, dict[str, str]] = {}
    for path in sorted(Path(django.__file__).parent.rglob("locale/*/LC_MESSAGES/django*.mo")):
        with path.open("rb") as file:
            messages: Mapping[Any, str] = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
        for key, text in messages.items():
            message = key[0] if isinstance(key, tuple) else key
            if message and text != message:  # an untranslated message is English
                catalogues.setdefault(path.parent.parent.name, {})[str(key)] = text
    english = {text for name, texts in catalogues.items() if name.startswith("en") for text in texts.values()}
    found: dict[str, list[str]] = {}
    for name, texts in sorted(catalogues.items()):
        found.setdefault(_label_locale(name, texts.values()), []).extend(texts.values())
    return TextSource("Django", _version("Django"), "BSD-3-Clause", _clean(found, english))


def read_locales() -> TextSource:
    """The names of countries, languages, currencies and units in CLDR, from Babel."""
    data: Any = _import("babel.localedata", "Babel", "names of countries and languages are read from")
    english = set(_list_words(data.load("en")))
    found: dict[str, list[str]] = {}
    for name in sorted(data.locale_identifiers()):
        if name.count("_") <= 1 and (name.count("_") == 0 or name[-4:].istitle()):  # a language, or one in another script
            texts = list(_list_words(data.load(name, merge_inherited=False)))
            if texts:
                found.setdefault(_label_locale(name, texts), []).extend(texts)
    found.pop("eng_Latn", None)
    return TextSource("Babel (CLDR)", _version("babel"), "Unicode-3.0 and BSD-3-Clause", _clean(found, english))


def _import(module: str, package: str, purpose: str) -> Any:
    return import_extra(module, package=package, extra="languages", purpose=purpose)


def _version(package: str) -> str:
    from importlib.metadata import version

    return version(package)


def _label_locale(name: str, texts: Iterable[str]) -> str:
    """The label of a locale. If it names no script, that of its texts is taken.

    >>> _label_locale("sr_Latn", []), _label_locale("pt_BR", ["Olá"]), _label_locale("ja", ["日本語"])
    ('srp_Latn', 'por_Latn', 'jpn_Jpan')
    """
    code, _, rest = name.partition("_")
    script = rest if len(rest) == 4 and rest.istitle() else _name_script(code, detect_main_system(" ".join(texts)))
    return make_label(code, script)


def _name_script(code: str, system: str) -> str:
    if system == "HAN":
        return {"ja": "Jpan", "zh": "Hans", "yue": "Hant"}.get(code, "Hani")
    return SCRIPTS.get(system, "Zzzz")


def _list_words(data: Any) -> Iterator[str]:
    """The words in the parts of a locale of CLDR."""
    for part in CLDR_PARTS:
        if part in data:
            yield from _list_strings(data[part])


def _list_strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):  # an alias, and what differs from it
        for each in value:
            yield from _list_strings(each)
    elif hasattr(value, "items"):
        for key, each in value.items():
            if key not in SHORT_FORMS:
                yield from _list_strings(each)


def _clean(found: Mapping[str, Iterable[str]], english: set[str]) -> list[Texts]:
    """Texts without markup, in the main writing system of their label, each once, and none that is English."""
    cleaned = []
    for label, lines in sorted(found.items()):
        once = dict.fromkeys(" ".join(_MARKUP.sub(" ", line).split()) for line in lines if line not in english)
        texts = _keep_system([text for text in _drop_parts(list(once)) if text])
        if texts:
            cleaned.append(Texts(label, texts))
    return cleaned


def _drop_parts(texts: list[str]) -> list[str]:
    """The texts that do not begin another one: samples repeat their beginning."""
    ordered = sorted(texts)
    kept = {text for text, after in pairwise([*ordered, ""]) if not after.startswith(text)}
    return [text for text in texts if text in kept]


def _keep_system(texts: list[str]) -> list[str]:
    """The texts in the writing system of most of them, up to a limit of characters for all."""
    system = detect_main_system(" ".join(texts))
    kept, n_characters = [], 0
    for text in texts:
        if system and detect_main_system(text) == system and n_characters < MAX_CHARACTERS:
            kept.append("".join(c if find_system(c) in (system, "") else " " for c in text))
            n_characters += len(text)
    return kept
