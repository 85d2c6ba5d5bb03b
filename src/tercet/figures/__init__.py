"""Numbers → pictures: each function returns a matplotlib Figure, which `save_figure` or its own `savefig` writes.

matplotlib is imported when the first picture is made. No window is opened and no state is kept: these are plain Figures.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tercet.figures.bars import evidence_bars
    from tercet.figures.heat_map import confusion_heat_map
    from tercet.figures.hull_points import convex_hulls
    from tercet.figures.learning import learning_curve
    from tercet.figures.line_normals import two_normals
    from tercet.figures.many_borders import separating_lines
    from tercet.figures.margin import maximum_margin
    from tercet.figures.mistakes import perceptron_path
    from tercet.figures.plane_normals import two_bivariate_normals
    from tercet.figures.reliability_diagram import reliability
    from tercet.figures.saving import save_figure
    from tercet.figures.smoothing import smoothing_curve

__all__ = [
    "confusion_heat_map",
    "convex_hulls",
    "evidence_bars",
    "learning_curve",
    "maximum_margin",
    "perceptron_path",
    "reliability",
    "save_figure",
    "separating_lines",
    "smoothing_curve",
    "two_bivariate_normals",
    "two_normals",
]

# No module has the name of its picture: importing it would put the module in the picture's place.
HOMES = {
    "confusion_heat_map": "tercet.figures.heat_map",
    "convex_hulls": "tercet.figures.hull_points",
    "evidence_bars": "tercet.figures.bars",
    "learning_curve": "tercet.figures.learning",
    "maximum_margin": "tercet.figures.margin",
    "perceptron_path": "tercet.figures.mistakes",
    "reliability": "tercet.figures.reliability_diagram",
    "save_figure": "tercet.figures.saving",
    "separating_lines": "tercet.figures.many_borders",
    "smoothing_curve": "tercet.figures.smoothing",
    "two_bivariate_normals": "tercet.figures.plane_normals",
    "two_normals": "tercet.figures.line_normals",
}


def __getattr__(name: str) -> Any:
    """Every picture is imported on first use."""
    if name not in HOMES:
        raise AttributeError(f"module 'tercet.figures' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
