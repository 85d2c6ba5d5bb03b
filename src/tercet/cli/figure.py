"""tercet figure"""

from typing import Any

import click

from tercet.cli.command import define_command
from tercet.cli.evaluate import evaluate_stream
from tercet.cli.explain import explain_text
from tercet.cli.outputs import OutputFile
from tercet.cli.progress import show_progress
from tercet.cli.reading import open_stream, reading_options, tell_bad_rows
from tercet.cli.talk import say
from tercet.figures.course import COURSE

OF_MODELS = ("confusion", "reliability", "evidence", "learning", "smoothing")


class PictureFile(OutputFile):
    """A file whose name tells which kind of picture it is."""

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
@click.argument("picture", type=click.Choice([*OF_MODELS, *COURSE]), metavar="PICTURE")
@click.argument("model", type=click.Path(), required=False)
@click.argument("subject", metavar="[DATA|TEXT]", required=False)
@click.option("-o", "--output", required=True, type=PictureFile(), help="Where to write it: .png, .svg or .pdf.")
@reading_options
def command(picture: str, model: str | None, subject: str | None, output: str, **reading: Any) -> None:
    """Draw a picture of a model or of the course.

    \b
    confusion    which labels the MODEL takes for which, in labelled DATA
    reliability  how sure it is, and how often it is right
    evidence     what speaks for and against the label of a TEXT, or of `-`, standard input
    learning     how good its recipe becomes, the more of DATA it learns
    smoothing    which smoothing suits DATA best with its recipe

    The pictures of the course need neither model nor data: {course}.
    """
    from tercet.figures import save_figure
    from tercet.figures.style import import_matplotlib

    import_matplotlib()  # an error before the work, not after it
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
        raise click.UsageError(f"{picture} is a picture of a model: name its file, and {_name_subject(picture)} behind it.")
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
        raise click.ClickException("a compact model has no recipe to learn by: ask the full one.")
    columns = [*reading["columns"], *([model.domain_] if model.domain_ else [])]
    stream = open_stream(data, **reading | {"columns": columns, "numbers": model.columns_})
    measure: Any = measure_learning_curve if picture == "learning" else measure_smoothing_curve
    with show_progress(stream, "reading"):
        curve = measure(model, stream)
    tell_bad_rows(stream)
    return figures.learning_curve(*curve) if picture == "learning" else figures.smoothing_curve(*curve)
