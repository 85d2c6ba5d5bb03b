"""Writes docs/gallery.md and its pictures:  python scripts/make_gallery.py

Each picture is made by a function: its docstring is what the page says of it, its body the code that the page shows. Those of
the course are in tercet.figures.course; those below are made of documents, the phrases of `tercet demo` in twelve languages.
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

Every picture is a function of `tercet.figures` that returns a matplotlib `Figure`; `pip install 'tercet[figures]'` brings
matplotlib. `figures.save_figure` writes PNG, SVG or PDF. The colours are Okabe and Ito's, which the colour-blind can tell
apart, and each label has a mark and a kind of line of its own. This page is written by `make gallery`.
"""
OF_DOCUMENTS = """## Pictures of models

`texts` and `labels` are phrases of the Universal Declaration of Human Rights in twelve languages, as `tercet demo` has them.
"""


def draw_confusion(texts: Sequence[str], labels: Sequence[str]) -> "Figure":
    """Which labels are taken for which. Blue is right, orange is wrong, and the stronger, the larger the share of its row."""
    held_out = Categorizer("words").cross_validate(texts, labels)
    return figures.confusion_heat_map(held_out.report)


def draw_reliability(texts: Sequence[str], labels: Sequence[str]) -> "Figure":
    """How sure the answers are, how often they are right, and of how many documents that is said.

    Naive Bayes takes each n-gram for new evidence and is too sure of itself; much less so when it is calibrated.
    """
    before = Categorizer.preset("languages").cross_validate(texts, labels)
    after = Categorizer.preset("languages", calibrate="auto").cross_validate(texts, labels)
    return figures.reliability({"before": before.report, "calibrated": after.report})


def draw_evidence(texts: Sequence[str], labels: Sequence[str]) -> "Figure":
    """What speaks for the label of a text and against the runner-up. The bars add up to the log-odds of the decision."""
    categorizer = Categorizer("words").fit(texts, labels)
    return figures.evidence_bars(categorizer.explain("All men hae the same rights and the richt tae life"))


def draw_learning(texts: Sequence[str], labels: Sequence[str]) -> "Figure":
    """How good two recipes become, the more they learn, with the interval of each accuracy."""
    characters = measure_learning_curve(Categorizer.preset("languages"), texts, labels)
    words = measure_learning_curve(Categorizer("words"), texts, labels)
    return figures.learning_curve(words.sizes, {"characters": characters.estimates, "words": words.estimates})


def draw_smoothing(texts: Sequence[str], labels: Sequence[str]) -> "Figure":
    """How much to add to each count: how likely the labels are, and how many are found, when each document is left out."""
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
    """The lines behind the docstring, and before them what they import."""
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
