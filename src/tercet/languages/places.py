"""Where the models of languages are: in the user's cache folder, or in the folder that TERCET_CACHE names."""

import os
import sys
from pathlib import Path

VARIABLE = "TERCET_CACHE"
MODELS = ("full", "small", "wide")


def find_folder() -> Path:
    """The folder of the models, by the convention of the system."""
    if named := os.environ.get(VARIABLE):
        return Path(named)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "tercet"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "tercet" / "Cache"
    named = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(named) if os.path.isabs(named) else Path.home() / ".cache") / "tercet"  # a relative path is to be ignored


def find_model(name: str, folder: Path | None = None) -> Path:
    """The file of a model: full, small or wide."""
    return (folder or find_folder()) / f"languages-{name}.tercet"
