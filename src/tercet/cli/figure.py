"""tercet figure"""

from typing import TYPE_CHECKING, Any

import click

from tercet.cli.commands import define_command
from tercet.cli.evaluate import evaluate_stream
from tercet.cli.inputs import STRING, DocumentChoice, read_one_document
from tercet.cli.options.reading_options import open_stream, reading_options, report_bad_rows, start_stream
from tercet.cli.output import OutputFile
from tercet.cli.talk import say, show_progress
from tercet.figures.course_pictures import COURSE
from tercet.report.tables import pluralize

if TYPE_CHECKING:
    from tercet.data.points import Points

MAX_POINTS = 4000  # more would be one area, and a margin would take minutes
# Figures of a model, and what each needs beside it.
MODEL_FIGURES = {
    "confusion": "labelled documents",
    "reliability": "labelled documents",
    "precision-recall": "labelled documents",
    "roc": "labelled documents",
    "evidence": "a text",
    "word": "a word",
    "learning": "labelled documents",
    "smoothing": "labelled documents",
}


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
    "tercet figure roc reviews.tercet test.csv -o roc.svg",
    'tercet figure evidence reviews.tercet "not a bad film" -o why.png',
    "tercet figure word a.tercet lovely -o word.svg",
    "tercet figure learning reviews.tercet reviews.csv -o learning.pdf",
    "tercet figure smoothing a.tercet reviews.csv -o smoothing.png",
    "tercet figure two-normals -o normals.svg",
    "tercet figure maximum-margin points.csv -o margin.svg",
    "tercet figure perceptron-path points.csv -o path.gif",
)
@click.argument("name", type=click.Choice([*MODEL_FIGURES, *COURSE]), metavar="FIGURE")
@click.argument("model", metavar="[MODEL|POINTS]", type=click.Path(), required=False)
@click.argument("subject", metavar="[DATA|TEXT|WORD]", required=False)
@click.option("-o", "--output", required=True, type=PictureFile(), help="File to write: .png, .svg or .pdf; .gif for a film.")
@reading_options
def command(name: str, model: str | None, subject: str | None, output: str, **reading: Any) -> None:
    """Draw a figure of a model, or one for teaching.

    FIGURE is one of these:

    \b
    confusion         which labels of labelled DATA the MODEL confuses
    reliability       whether its probabilities are right: confidence against accuracy
    precision-recall  how many documents of a label it finds, and how many of these answers are right
    roc               how many documents of a label it finds, and how many others it mistakes for them
    evidence          the evidence for and against the label of a TEXT (`-` for standard input)
    word              prior, likelihood and posterior of each label for one WORD
    learning          learning curve: how good its recipe is after more and more of DATA
    smoothing         how good its recipe is on DATA with different smoothings

    Or it is a figure for teaching: {course}. Without POINTS it shows an example. POINTS is a table with a column of labels,
    of which there are two, and two columns of numbers (for two-normals one). --columns and --label name the columns, if they
    are not clear. perceptron-path is a film if the file ends in .gif.
    """
    from tercet.figures import save_figure
    from tercet.figures.saving import GIF, check_ending
    from tercet.figures.style import import_matplotlib

    import_matplotlib()  # fail before the work, not after it
    ending = check_ending(output, moves=None if name in COURSE and COURSE[name].film else False)
    if name in COURSE:
        figure = _draw_course(name, model, subject, reading, moves=ending == GIF)
    else:
        figure = _draw(name, model, subject, reading)
    save_figure(figure, output)
    say(f"written: {output}")


command.help = (command.help or "").format(course=", ".join(COURSE))


def _draw_course(name: str, source: str | None, subject: str | None, reading: dict[str, Any], *, moves: bool) -> Any:
    from tercet.errors import NotSeparable
    from tercet.figures.plane import name_axes
    from tercet.figures.saving import Film

    if subject is not None:
        raise click.UsageError(f"{name} is a figure for teaching: it takes points, and no model or text.")
    course = COURSE[name]
    draw: Any = course.film if moves else course.draw
    if source is None:
        return draw(*course.sample())
    points = _read_points(source, course.n_columns, reading)
    try:
        figure = draw(points.numbers, points.labels)
    except NotSeparable:
        raise NotSeparable(f"no line separates the two labels of {source}, which {name} needs: try soft-margin.") from None
    name_axes(figure.figure if isinstance(figure, Film) else figure, points.names)
    return figure


def _read_points(source: str, n_columns: int, reading: dict[str, Any]) -> "Points":
    from tercet.data.column_choice import spell_names
    from tercet.data.points import collect_points, open_points
    from tercet.errors import BadSource, InvalidLabel

    for option in ("text", "weight"):
        if reading[option]:
            raise click.UsageError(f"points have no {option}: leave --{option} out. --columns names the columns of numbers.")
    stream = start_stream(open_points(source, n_columns, **reading), reading["on_error"])
    points = collect_points(stream)
    report_bad_rows(stream)
    if (n_points := len(points.labels)) > MAX_POINTS:
        raise BadSource(f"{stream.name} has {n_points} points, but a figure shows {MAX_POINTS} at most: take some of them.")
    different = sorted(set(points.labels))
    if len(different) != 2:
        n = pluralize(len(different), "label")
        raise InvalidLabel(
            f"{stream.name} has {n} ({spell_names(different)}), but the figure compares two: keep the rows of two labels."
        )
    return points


def _draw(name: str, model: str | None, subject: str | None, reading: dict[str, Any]) -> Any:
    from tercet import figures, load

    if model is None or subject is None:
        raise click.UsageError(f"{name} is a figure of a model: give its file, and {MODEL_FIGURES[name]} after it.")
    found: Any = load(model)
    if name == "evidence":
        kind = None if subject == "-" else STRING
        return figures.evidence_bars(found.explain(read_one_document(found, subject, kind, DocumentChoice(), reading)))
    if name == "word":
        return figures.word_bars(*found.word_probabilities(subject))
    if name in ("learning", "smoothing"):
        return _draw_curve(name, found, subject, reading)
    report = evaluate_stream(found, open_stream(subject, like=found, **reading))
    draw: dict[str, Any] = {
        "confusion": figures.confusion_heat_map,
        "reliability": figures.reliability,
        "precision-recall": figures.precision_recall,
        "roc": figures.roc,
    }
    return draw[name](report)


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
