"""Build all models of languages into the user's cache folder, or into the folder that TERCET_CACHE names."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tercet.cache_folder import choose_folder
from tercet.errors import CannotWrite
from tercet.languages.building import build_models
from tercet.languages.sources import read_sources
from tercet.store.file_lock import lock_file

MODELS = ("full", "small", "wide")


def name_model_file(name: str, folder: Path | None = None) -> Path:
    """The file of a model: full, small or wide."""
    return (folder or choose_folder()) / f"languages-{name}.tercet"


Say = Callable[[str], None]


class InstalledModels(NamedTuple):
    """The files that were written, and the sources of their content."""

    paths: list[Path]
    sources: tuple[Mapping[str, Any], ...]


def install_models(folder: str | os.PathLike[str] | None = None, say: Say = lambda message: None) -> InstalledModels:
    """Build the models and write them into the folder. What is there already is replaced.

    Raises SourceNotFound if there is no source at all.
    """
    location = Path(folder) if folder is not None else choose_folder()
    try:
        location.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotWrite(f"{location} can't be created ({error.strerror}): name another folder with TERCET_CACHE.") from error
    with lock_file(location / "languages", wait_seconds=None, tell=say):
        sources = read_sources(location, say)
        say("building the models of languages, which takes about two minutes")
        models = build_models(sources, say)
        paths = []
        for name, model in models.items():
            model.save(name_model_file(name, location))
            paths.append(name_model_file(name, location))
    return InstalledModels(paths, sources.describe())
