"""Writes docs/gallery.md and its pictures:  python scripts/make_gallery.py

Each picture is made by a function. The page shows its docstring as the description and its body as the code. The functions for
the course are in tercet.figures.course. Those below draw models of documents, the phrases of `tercet demo` in twelve languages.
"""

import inspect
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING, Any

import tercet
from tercet import Categorizer, figures, measure_learning_curve, measure_smoothing_curve
from tercet.cli.demo import read_declaration
from tercet.figures.course import COURSE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DOCS = Path(__file__).parents[1] / "docs"
LANGUAGES = (
    *("Afrikaans", "Danish", "Dutch", "English", "Galician", "Italian"),
    *("Norwegian Bokmål", "Papiamento", "Polish", "Scots", "Spanish", "Swedish"),
)
HEAD = """# Gallery

Every picture is made by a function of `tercet.figures` that returns a matplotlib `Figure`. `pip install 'tercet[figures]'`
installs matplotlib. `figures.save_figure` writes PNG, SVG or PDF. The colours are those of Okabe and Ito, which colour-blind
people can distinguish, and each label has its own marker and kind of line. `make gallery` writes this page.
"""
OF_DOCUMENTS = """## Pictures of models

`texts` and `labels` are phrases of the Universal Declaration of Human Rights in twelve languages, which `tercet demo` uses too.
"""


def draw_confusion(texts: Sequence[str], labels: Sequence[str]) -> "Figure":
    """Which labels are confused with which. Blue is right, orange is wrong. A stronger colour is a larger share of the row."""
    held_out = Categorizer("words").cross_validate(texts, labels)
    return figures.confusion_heat_map(held_out.report)


def draw_reliability(texts: Sequence[str], labels: Sequence[str]) -> "Figure":
    """The probability of the answers, their accuracy, and the number of documents in each bin.

    Naive Bayes treats each n-gram as new evidence, so its probabilities are too high. Calibration makes them much better.
    """
    before = Categorizer.preset("languages").cross_validate(texts, labels)
    after = Categorizer.preset("languages", calibrate="auto").cross_validate(texts, labels)
    return figures.reliability({"before": before.report, "calibrated": after.report})


def draw_evidence(texts: Sequence[str], labels: Sequence[str]) -> "Figure":
    """The evidence for the label of a text against the second best label. The sum of the bars is the log-odds."""
    categorizer = Categorizer("words").fit(texts, labels)
    return figures.evidence_bars(categorizer.explain("All men hae the same rights and the richt tae life"))


def draw_learning(texts: Sequence[str], labels: Sequence[str]) -> "Figure":
    """The accuracy of two recipes, with its interval, for growing numbers of training documents."""
    characters = measure_learning_curve(Categorizer.preset("languages"), texts, labels)
    words = measure_learning_curve(Categorizer("words"), texts, labels)
    return figures.learning_curve(words.sizes, {"characters": characters.estimates, "words": words.estimates})


def draw_smoothing(texts: Sequence[str], labels: Sequence[str]) -> "Figure":
    """How much to add to each count: log-likelihood and accuracy when each document is left out."""
    curve = measure_smoothing_curve(Categorizer("words"), texts, labels)
    return figures.smoothing_curve(*curve)


PICTURES: dict[str, Callable[[Sequence[str], Sequence[str]], "Figure"]] = {
    "confusion": draw_confusion,
    "reliability": draw_reliability,
    "evidence": draw_evidence,
    "learning": draw_learning,
    "smoothing": draw_smoothing,
}


def write_page() -> str:
    """The whole page."""
    course = [_write_section(name, draw, f"tercet figure {name} -o {name}.svg") for name, draw in COURSE.items()]
    documents = [
        _write_section(name, draw, f"tercet figure {name} MODEL {'TEXT' if name == 'evidence' else 'DATA'} -o {name}.svg")
        for name, draw in PICTURES.items()
    ]
    return "\n".join([HEAD, "## Pictures of the course\n", *course, OF_DOCUMENTS, *documents])


def _write_section(name: str, draw: Callable[..., Any], command: str) -> str:
    title, words = name.replace("-", " ").capitalize(), inspect.getdoc(draw)
    picture = f"![{title}](gallery/{name}.svg)"
    return f"### {title}\n\n{words}\n\n{picture}\n\n```python\n{_show_body(draw)}\n```\n\n`{command}`\n"


def _show_body(draw: Callable[..., Any]) -> str:
    """The imports, and the lines after the docstring."""
    _, _, body = inspect.getsource(draw).split('"""', 2)
    code = dedent(body).strip().replace("return ", "figure = ")
    names = [name for name in tercet.__all__ if re.search(rf"\b{name}\b", code)]
    numpy = "import numpy as np\n\n" if "np." in code else ""
    return f"{numpy}from tercet import {', '.join(names)}\n\n{code}"


def main() -> None:
    phrases = read_declaration()
    texts, labels = zip(*((text, name) for name in LANGUAGES for text in phrases[name]), strict=True)
    (DOCS / "gallery").mkdir(exist_ok=True)
    made = {name: draw() for name, draw in COURSE.items()} | {name: draw(texts, labels) for name, draw in PICTURES.items()}
    for name, figure in made.items():
        figures.save_figure(figure, DOCS / "gallery" / f"{name}.svg")
    (DOCS / "gallery.md").write_text(write_page(), encoding="utf-8")


if __name__ == "__main__":
    main()
