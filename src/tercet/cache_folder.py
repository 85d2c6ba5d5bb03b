"""The folder for files that tercet can make again: models of languages, and vectors of words."""

import os
import sys
from pathlib import Path

VARIABLE = "TERCET_CACHE"


def choose_folder() -> Path:
    """The folder that TERCET_CACHE names, or else the user's, by the convention of the system."""
    if named := os.environ.get(VARIABLE):
        return Path(named)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "tercet"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "tercet" / "Cache"
    named = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(named) if os.path.isabs(named) else Path.home() / ".cache") / "tercet"  # a relative path is to be ignored
