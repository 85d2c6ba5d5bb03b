"""tercet figure"""

from typing import Any

import click

from tercet.cli.commands import define_command
from tercet.cli.evaluate import evaluate_stream
from tercet.cli.inputs import STRING, DocumentChoice, read_one_document
from tercet.cli.messages import say
from tercet.cli.output import OutputFile
from tercet.cli.progress import show_progress
from tercet.cli.reading_options import open_stream, reading_options, report_bad_rows
from tercet.figures.course import COURSE

MODEL_FIGURES = ("confusion", "reliability", "precision-recall", "evidence", "learning", "smoothing")


class PictureFile(OutputFile):
    """A file whose suffix says which kind of picture it is."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from tercet.figures.saving import check_ending

        check_ending(value)
        return super().convert(value, param, ctx)


@define_command(
    "figure",
    "tercet figure confusion reviews.tercet test.csv -o confusion.png",
    "tercet figure reliability reviews.tercet test.csv -o reliability.svg",
    "tercet figure precision-recall reviews.tercet test.csv -o curves.svg",
    'tercet figure evidence reviews.tercet "not a bad film" -o why.png',
    "tercet figure learning reviews.tercet reviews.csv -o learning.pdf",
    "tercet figure smoothing careful.tercet reviews.csv -o smoothing.png",
    "tercet figure two-normals -o normals.svg",
)
@click.argument("name", type=click.Choice([*MODEL_FIGURES, *COURSE]), metavar="FIGURE")
@click.argument("model", type=click.Path(), required=False)
@click.argument("subject", metavar="[DATA|TEXT]", required=False)
@click.option("-o", "--output", required=True, type=PictureFile(), help="File to write: .png, .svg or .pdf.")
@reading_options
def command(name: str, model: str | None, subject: str | None, output: str, **reading: Any) -> None:
    """Draw a figure of a model, or one for teaching.

    FIGURE is one of these:

    \b
    confusion         which labels of labelled DATA the MODEL confuses
    reliability       whether its probabilities are right: confidence against accuracy
    precision-recall  how many documents of a label it finds, and how many of these answers are right
    evidence          the evidence for and against the label of a TEXT (`-` for standard input)
    learning          learning curve: how good its recipe is after more and more of DATA
    smoothing         how good its recipe is on DATA with different smoothings

    Or it is a figure for teaching, which needs neither a model nor data: {course}.
    """
    from tercet.figures import save_figure
    from tercet.figures.style import import_matplotlib

    import_matplotlib()  # fail before the work, not after it
    save_figure(_draw(name, model, subject, reading), output)
    say(f"written: {output}")


command.help = (command.help or "").format(course=", ".join(COURSE))


def _draw(name: str, model: str | None, subject: str | None, reading: dict[str, Any]) -> Any:
    from tercet import figures, load

    if name in COURSE:
        if model is not None:
            raise click.UsageError(f"{name} is a figure for teaching: it takes neither model nor data.")
        return COURSE[name]()
    if model is None or subject is None:
        raise click.UsageError(f"{name} is a figure of a model: give its file, and {_name_subject(name)} after it.")
    found = load(model)
    if name == "evidence":
        kind = None if subject == "-" else STRING
        return figures.evidence_bars(found.explain(read_one_document(found, subject, kind, DocumentChoice(), reading)))
    if name in ("learning", "smoothing"):
        return _draw_curve(name, found, subject, reading)
    report = evaluate_stream(found, open_stream(subject, like=found, **reading))
    draw: dict[str, Any] = {
        "confusion": figures.confusion_heat_map,
        "reliability": figures.reliability,
        "precision-recall": figures.precision_recall,
    }
    return draw[name](report)


def _name_subject(name: str) -> str:
    return "a text" if name == "evidence" else "labelled documents"


def _draw_curve(name: str, model: Any, data: str, reading: dict[str, Any]) -> Any:
    from tercet import Categorizer, figures, measure_learning_curve, measure_smoothing_curve

    if not isinstance(model, Categorizer):
        raise click.ClickException("a compact model has no recipe to train with: use the full model.")
    stream = open_stream(data, like=model, training=True, **reading)
    measure: Any = measure_learning_curve if name == "learning" else measure_smoothing_curve
    with show_progress(stream, "reading"):
        curve = measure(model, stream)
    report_bad_rows(stream)
    return figures.learning_curve(*curve) if name == "learning" else figures.smoothing_curve(*curve)
