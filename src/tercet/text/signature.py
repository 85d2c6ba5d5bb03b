"""A recipe in one line, to stand beside a number: what differs from the default, and whose knowledge is in it."""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from tercet.kernel import engine
from tercet.text.lemma_lists import LemmaList
from tercet.text.values import Value

PACKAGES = {"lemmas": "simplemma", "stems": "PyStemmer", "keep_tags": "HanTa", "tag_terms": "HanTa", "patterns": "google-re2"}


def sign_recipe(options: Mapping[str, Any], defaults: Mapping[str, Any], written: Mapping[str, Any]) -> str:
    """The options that differ from the default; `written` has them as JSON does.

    Word lists, lexicons and patterns are too long for a line: their name, their size and a digest of them stand for them.
    """
    changed = [name for name, value in options.items() if value != defaults[name]]
    parts = [f"{name}={_show(options[name], written[name])}" for name in changed]
    packages = {PACKAGES[name] for name in changed if name in PACKAGES and not isinstance(options[name], LemmaList)}
    return "+".join([*parts, f"unicode={engine.unicode_version}", *(f"{name}={_version(name)}" for name in sorted(packages))])


def identify_recipe(options: Mapping[str, Any]) -> str:
    """All options as JSON, the same for equal recipes: names of word lists, which are not compared, are left out."""
    return json.dumps(dict(options), default=lambda value: getattr(value, "content", None) or vars(value), sort_keys=True)


def _show(value: Any, written: Any) -> str:
    if isinstance(value, Value) or isinstance(written, Mapping):
        digest = sha256(json.dumps(written, sort_keys=True).encode()).hexdigest()[:8]
        size = len(value) if hasattr(value, "__len__") else len(value.content)
        return ":".join([*filter(None, [getattr(value, "name", None)]), str(size), digest])
    return str(value).replace(" ", "")


def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version  # slow to import, and rarely needed

    try:
        return version(package)
    except PackageNotFoundError:
        return ""
