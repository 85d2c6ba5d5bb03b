"""Figures: each function draws a picture and returns a matplotlib Figure. `save_figure`, or its own `savefig`, writes it.

`perceptron_film` returns a `Film`, which `save_figure` writes as an animated GIF.

matplotlib is imported when the first picture is made. No window is opened, and no state is kept.

`style.py` (colours, sizes) and `plane.py` (points, lines, regions) are what the pictures share, and `saving.py` writes them:
the same picture always gives the same bytes. Each other file has the pictures of one subject. `course_pictures.py` lists
those of the course, for the gallery and `tercet figure`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tercet.figures.bars import evidence_bars, word_bars
    from tercet.figures.border_geometry import margin_geometry
    from tercet.figures.confusion_matrix import confusion_heat_map
    from tercet.figures.learning_curves import learning_curve, smoothing_curve
    from tercet.figures.margins import convex_hulls, maximum_margin, separating_lines
    from tercet.figures.normals import two_bivariate_normals, two_normals
    from tercet.figures.perceptron_steps import perceptron_film, perceptron_path
    from tercet.figures.reliability_diagram import reliability
    from tercet.figures.roc_and_precision_recall_curves import precision_recall, roc
    from tercet.figures.saving import save_figure

__all__ = [
    "confusion_heat_map",
    "convex_hulls",
    "evidence_bars",
    "learning_curve",
    "margin_geometry",
    "maximum_margin",
    "perceptron_film",
    "perceptron_path",
    "precision_recall",
    "reliability",
    "roc",
    "save_figure",
    "separating_lines",
    "smoothing_curve",
    "two_bivariate_normals",
    "two_normals",
    "word_bars",
]

# No module has the name of a picture: an import of the module would replace the picture.
HOMES = {
    "confusion_heat_map": "tercet.figures.confusion_matrix",
    "convex_hulls": "tercet.figures.margins",
    "evidence_bars": "tercet.figures.bars",
    "learning_curve": "tercet.figures.learning_curves",
    "margin_geometry": "tercet.figures.border_geometry",
    "maximum_margin": "tercet.figures.margins",
    "perceptron_film": "tercet.figures.perceptron_steps",
    "perceptron_path": "tercet.figures.perceptron_steps",
    "precision_recall": "tercet.figures.roc_and_precision_recall_curves",
    "reliability": "tercet.figures.reliability_diagram",
    "roc": "tercet.figures.roc_and_precision_recall_curves",
    "save_figure": "tercet.figures.saving",
    "separating_lines": "tercet.figures.margins",
    "smoothing_curve": "tercet.figures.learning_curves",
    "two_bivariate_normals": "tercet.figures.normals",
    "two_normals": "tercet.figures.normals",
    "word_bars": "tercet.figures.bars",
}


def __getattr__(name: str) -> Any:
    """Every picture is imported on first use."""
    if name not in HOMES:
        raise AttributeError(f"module 'tercet.figures' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
