"""tercet figure"""

from typing import Any

import click

from tercet.cli.commands import define_command
from tercet.cli.evaluate import evaluate_stream
from tercet.cli.explain import explain_text
from tercet.cli.messages import say
from tercet.cli.output import OutputFile
from tercet.cli.progress import show_progress
from tercet.cli.reading_options import open_stream, reading_options, report_bad_rows
from tercet.figures.course import COURSE

MODEL_FIGURES = ("confusion", "reliability", "evidence", "learning", "smoothing")


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
    'tercet figure evidence reviews.tercet "not a bad film" -o why.png',
    "tercet figure learning reviews.tercet reviews.csv -o learning.pdf",
    "tercet figure smoothing reviews.tercet reviews.csv -o smoothing.png",
    "tercet figure two-normals -o normals.svg",
)
@click.argument("picture", type=click.Choice([*MODEL_FIGURES, *COURSE]), metavar="PICTURE")
@click.argument("model", type=click.Path(), required=False)
@click.argument("subject", metavar="[DATA|TEXT]", required=False)
@click.option("-o", "--output", required=True, type=PictureFile(), help="File to write: .png, .svg or .pdf.")
@reading_options
def command(picture: str, model: str | None, subject: str | None, output: str, **reading: Any) -> None:
    """Draw a figure of a model or for the course.

    PICTURE is one of these:

    \b
    confusion    which labels of labelled DATA the MODEL confuses
    reliability  whether its probabilities are right: confidence against accuracy
    evidence     the evidence for and against the label of a TEXT (`-` for standard input)
    learning     learning curve: how good its recipe is after more and more of DATA
    smoothing    how good its recipe is on DATA with different smoothings

    Or it is a figure for teaching, which needs no model and no data: {course}.
    """
    from tercet.figures import save_figure
    from tercet.figures.style import import_matplotlib

    import_matplotlib()  # fail before the work, not after it
    save_figure(_draw(picture, model, subject, reading), output)
    say(f"written: {output}")


command.help = (command.help or "").format(course=", ".join(COURSE))


def _draw(picture: str, model: str | None, subject: str | None, reading: dict[str, Any]) -> Any:
    from tercet import figures, load

    if picture in COURSE:
        if model is not None:
            raise click.UsageError(f"{picture} is a picture of the course: it takes neither model nor data.")
        return COURSE[picture]()
    if model is None or subject is None:
        raise click.UsageError(f"{picture} is a picture of a model: give its file, and {_name_subject(picture)} after it.")
    found = load(model)
    if picture == "evidence":
        return figures.evidence_bars(explain_text(found, subject))
    if picture in ("learning", "smoothing"):
        return _draw_curve(picture, found, subject, reading)
    report = evaluate_stream(found, open_stream(subject, **reading | {"numbers": found.columns_}))
    return figures.confusion_heat_map(report) if picture == "confusion" else figures.reliability(report)


def _name_subject(picture: str) -> str:
    return "a text" if picture == "evidence" else "labelled documents"


def _draw_curve(picture: str, model: Any, data: str, reading: dict[str, Any]) -> Any:
    from tercet import Categorizer, figures, measure_learning_curve, measure_smoothing_curve

    if not isinstance(model, Categorizer):
        raise click.ClickException("a compact model has no recipe to train with: use the full model.")
    columns = [*reading["columns"], *([model.domain_] if model.domain_ else [])]
    stream = open_stream(data, **reading | {"columns": columns, "numbers": model.columns_})
    measure: Any = measure_learning_curve if picture == "learning" else measure_smoothing_curve
    with show_progress(stream, "reading"):
        curve = measure(model, stream)
    report_bad_rows(stream)
    return figures.learning_curve(*curve) if picture == "learning" else figures.smoothing_curve(*curve)
