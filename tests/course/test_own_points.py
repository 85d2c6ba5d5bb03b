"""The figures of the course on points of the user: any table, and one clear error for each table that does not fit."""

import json
from pathlib import Path

import pandas as pd
import pytest
from helpers.command_line import Shell
from PIL import Image

from tercet.figures.course_pictures import COURSE

POINTS = [(1.0, 2.0, "no"), (1.5, 2.5, "no"), (0.5, 1.0, "no"), (4.0, 5.0, "yes"), (4.5, 4.0, "yes"), (5.0, 5.5, "yes")]


def write_table(path: str, rows: list[tuple[object, ...]]) -> None:
    Path(path).write_text("".join(",".join(map(str, row)) + "\n" for row in rows))


@pytest.mark.parametrize("name", COURSE)
def test_every_figure_of_the_course_takes_points(name: str, shell: Shell) -> None:
    columns = "--columns width" if COURSE[name].n_columns == 1 else ""
    shell.do(f"tercet figure {name} points.csv {columns} -o a.svg")
    shell.do(f"tercet figure {name} -o b.svg")
    drawn, example = (Path(f"{letter}.svg").read_text() for letter in "ab")
    assert "<!-- yes -->" in drawn
    assert "<!-- sad -->" in example
    assert "yes" not in example


def test_the_axes_have_the_names_of_the_columns(shell: Shell) -> None:
    shell.do("tercet figure maximum-margin points.csv -o a.svg")
    assert "= width -->" in Path("a.svg").read_text()
    assert "= height -->" in Path("a.svg").read_text()


def test_an_axis_is_not_called_x_is_x(shell: Shell) -> None:
    Path("one.csv").write_text("x,kind\n1,a\n2,a\n4,b\n6,b\n")
    shell.do("tercet figure two-normals one.csv -o one.svg")
    assert "x = x" not in Path("one.svg").read_text()


def test_the_columns_are_found_or_named(shell: Shell) -> None:
    write_table("plain.csv", POINTS)
    write_table("more.csv", [("id", "x", "y", "kind"), *((n, *row) for n, row in enumerate(POINTS))])
    write_table("codes.csv", [("x", "y", "label"), *((x, y, int(kind == "yes")) for x, y, kind in POINTS)])
    lines = [json.dumps({"x": x, "y": y, "kind": kind == "yes"}) for x, y, kind in POINTS]
    Path("points.jsonl").write_text("\n".join(lines) + "\n")
    for given, words in {
        "plain.csv": "no header, numbers: columns 1 and 2, label: column 3",
        "more.csv --columns x,y": "label: column 'kind'",
        "codes.csv": "numbers: columns 'x' and 'y', label: column 'label'",
        "points.jsonl --label kind": "numbers: columns 'x' and 'y'",
    }.items():
        outcome = shell.do(f"tercet figure convex-hulls {given} -o a.png")
        assert outcome.err.splitlines()[0].endswith(words)


@pytest.mark.parametrize("ending", ["parquet", "xlsx", "csv.gz"])
def test_points_come_from_any_table(ending: str, shell: Shell) -> None:
    frame = pd.DataFrame(POINTS, columns=["x", "y", "kind"])
    if ending == "xlsx":
        frame.to_excel("table.xlsx", index=False)
    else:
        getattr(frame, f"to_{ending.removesuffix('.gz')}")(f"table.{ending}", index=False)
    outcome = shell.do(f"tercet figure maximum-margin table.{ending} -o a.png")
    assert "numbers: columns 'x' and 'y', label: column 'kind'" in outcome.err


def test_rows_without_a_number_are_left_out_on_request(shell: Shell) -> None:
    write_table("gaps.csv", [("x", "y", "kind"), *POINTS, (3, "", "yes")])
    outcome = shell.do("tercet figure maximum-margin gaps.csv --on-error skip -o a.svg")
    assert "1 of 7 rows of gaps.csv was skipped" in outcome.err


HEAD = ("x", "y", "kind")
BAD = {
    "three": ([HEAD, *POINTS, (3, 3, "maybe")], "bad.csv has 3 labels ('maybe', 'no', 'yes'), but the figure compares two"),
    "one": ([HEAD, *POINTS[:3]], "bad.csv has 1 label ('no'), but the figure compares two"),
    "gap": ([HEAD, *POINTS, (3, "", "yes")], "bad.csv, line 8: its 'y' is '', not a number. --on-error skip"),
    "infinite": ([HEAD, *POINTS, (3, "inf", "yes")], "bad.csv, line 8: its 'y' is 'inf', not a number."),
    "unlabelled": ([HEAD, *POINTS, (3, 3, "")], "bad.csv, line 8: it has no label."),
    "short row": ([HEAD, *POINTS, (3, "yes")], "bad.csv, line 8: it has 2 cells, but the first row has 3."),
    "few": ([HEAD[1:], *(row[1:] for row in POINTS)], "bad.csv has 1 column of numbers ('y'), but this needs 2: add a column."),
    "many": (
        [("z", *HEAD), *((1, *row) for row in POINTS)],
        "3 columns of numbers ('z', 'x', 'y'), but this needs 2: name",
    ),
    "no labels": ([HEAD[:2], *(row[:2] for row in POINTS)], "bad.csv has no column of labels: 'x', 'y' hold numbers."),
    "mixed": ([HEAD, *POINTS, (4.2, 4.8, "no")], "no line separates the two labels of bad.csv, which maximum-margin needs"),
    "crowd": ([HEAD, *POINTS * 1000], "bad.csv has 6000 points, but a figure shows 4000 at most: take some of them."),
    "two labels": (
        [("kin", *HEAD), *(("abc"[k % 3], *row) for k, row in enumerate(POINTS))],
        "it is not clear which column is the label: 'kin', 'kind'. Name it with --label.",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_points_that_do_not_fit_are_one_error(case: str, shell: Shell) -> None:
    rows, words = BAD[case]
    write_table("bad.csv", rows)
    before = sorted(shell.folder.iterdir())
    outcome = shell("tercet figure maximum-margin bad.csv -o a.svg --quiet")
    assert outcome.code == 2
    assert len(outcome.err.splitlines()) == 1
    assert words in outcome.err
    assert sorted(shell.folder.iterdir()) == before


LINES = {
    "two-normals points.csv -o a.svg": "points.csv has 2 columns of numbers ('width', 'height'), but this needs 1",
    "maximum-margin texts.txt -o a.svg": "texts.txt has no labels",
    "maximum-margin missing.csv -o a.svg": "missing.csv does not exist",
    "maximum-margin points.csv --text width -o a.svg": "points have no text: leave --text out.",
    "maximum-margin points.csv --columns width,depth -o a.svg": "points.csv has no column 'depth'",
    "maximum-margin points.csv --columns width,kind --label kind -o a.svg": "'kind' is named as the label and as a number",
    "maximum-margin points.csv -o a.gif": "a.gif is the name of a film, but this figure does not move",
    "roc m.tercet test.csv -o a.gif": "a.gif is the name of a film, but this figure does not move",
    "word m.tercet -o a.svg": "word is a figure of a model: give its file, and a word after it.",
    "word a.tercet unheard -o a.svg": "the model does not know the word 'unheard'",
    "word a.tercet 'lovely film' -o a.svg": "'lovely film' is 2 terms for this model",
    "word margins.tercet lovely -o a.svg": "is not a language model",
}


@pytest.mark.parametrize("line", LINES)
def test_what_can_not_be_drawn_is_refused(line: str, shell: Shell) -> None:
    before = sorted(shell.folder.iterdir())
    outcome = shell(f"tercet figure {line}")
    assert outcome.code == 2
    assert LINES[line] in outcome.err.splitlines()[-1]
    assert sorted(shell.folder.iterdir()) == before


def test_the_path_of_the_perceptron_is_a_film_if_the_file_is_one(shell: Shell) -> None:
    shell.do("tercet figure perceptron-path points.csv -o path.gif")
    with Image.open("path.gif") as film:
        assert film.n_frames > 2
        assert film.info["loop"] == 0  # for ever


@pytest.mark.parametrize("name", ["perceptron-path", "separating-lines", "convex-hulls", "maximum-margin"])
def test_points_that_are_too_far_away_are_refused(name: str, shell: Shell) -> None:
    write_table("far.csv", [("x", "y", "kind"), (1e300, -1e300, "a"), (-1e300, 1e300, "b")])
    outcome = shell(f"tercet figure {name} far.csv -o far.svg")
    assert outcome.code == 2
    assert "scale the columns" in outcome.err.lower()
    assert not Path("far.svg").exists()


def test_a_line_far_from_zero_is_drawn(shell: Shell) -> None:
    write_table("far.csv", [("x", "y", "kind"), (0, 1.4e27, "b"), (6e-5, 0, "a"), (1.4e27, 0, "b")])
    shell.do("tercet figure convex-hulls far.csv -o far.svg")
