"""Numbers → pictures: each function returns a matplotlib Figure, which `save_figure` or its own `savefig` writes.

matplotlib is imported when the first picture is made. No window is opened and no state is kept: these are plain Figures.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tercet.figures.saving import save_figure

__all__ = [
    "save_figure",
]

HOMES = {
    "save_figure": "tercet.figures.saving",
}


def __getattr__(name: str) -> Any:
    """Every picture is imported on first use."""
    if name not in HOMES:
        raise AttributeError(f"module 'tercet.figures' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
