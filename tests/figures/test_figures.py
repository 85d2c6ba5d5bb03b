"""Pictures: every one can be read, shows the numbers that it was given, and is the same each time."""

import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.command_line import BAD, BOTH, GOOD
from helpers.picture_texts import find_clashes, list_texts
from helpers.project_scripts import load_script
from matplotlib.figure import Figure

import tercet
from tercet import Categorizer, GaussianBayes, NaiveBayes, evaluate, figures
from tercet.errors import InvalidLabel, InvalidMatrix, InvalidOption, MissingExtra
from tercet.evaluation.confusion import Confusion
from tercet.evaluation.intervals import wilson
from tercet.figures.course_pictures import COURSE
from tercet.figures.normals import trace_ellipse
from tercet.report.explanation.evidence import Evidence
from tercet.report.explanation.explanation import Explanation

DOCS = Path(__file__).parents[2] / "docs"
GALLERY = load_script("make_gallery")


def invent_reviews(n: int = 60) -> tuple[list[str], list[str]]:
    rng = np.random.default_rng(1)
    labels = ["good", "bad"] * (n // 2)
    return [" ".join(rng.choice((GOOD if label == "good" else BAD) + BOTH, 6)) for label in labels], labels


def read(figure: Figure) -> list[str]:
    return [text.get_text() for text in list_texts(figure)]


@pytest.mark.parametrize("name", COURSE)
def test_texts_in_a_picture_of_the_course_do_not_overlap(name: str) -> None:
    assert find_clashes(COURSE[name].draw(*COURSE[name].sample())) == []


@pytest.mark.parametrize("name", GALLERY.PICTURES)
def test_texts_in_a_picture_of_documents_do_not_overlap(name: str) -> None:
    assert find_clashes(GALLERY.PICTURES[name](*invent_reviews())) == []


def test_texts_that_overlap_are_found() -> None:
    figure = Figure()
    figure.text(0.5, 0.5, "hen")
    figure.text(0.51, 0.5, "fox")
    figure.text(0.99, 0.2, "far too long")
    assert find_clashes(figure) == ["hen | fox", "far too long leaves"]


LONG = "a label of forty characters, and some more"
SPARSE = Confusion.from_matrix(np.array([f"{i} {LONG}" for i in range(3)]), np.full((3, 3), 2_345_678.0), 9)
SHORT = Confusion.from_matrix(np.array([f"{i:02}mm" for i in range(17)]), np.eye(17), 17)
STRONG = tuple(Evidence(f"{LONG} {i}", (), (-1) ** i * 1e5 * i) for i in range(1, 15))


CURVES = {f"{LONG} {i}": [wilson(1, 2)] * 9 for i in range(7)}


@pytest.mark.parametrize(
    "draw",
    [
        pytest.param(lambda: figures.confusion_heat_map(SPARSE), id="few long labels"),
        pytest.param(lambda: figures.confusion_heat_map(SHORT), id="many short labels"),
        pytest.param(lambda: figures.evidence_bars(Explanation("", LONG, f"no {LONG}", 1e6, STRONG)), id="long terms"),
        pytest.param(lambda: figures.learning_curve([10**5 * 2**i for i in range(9)], CURVES), id="long names"),
    ],
)
def test_texts_do_not_overlap_however_long_they_are(draw: Callable[[], Figure]) -> None:
    assert find_clashes(draw()) == []


def test_the_gallery_shows_every_picture_and_the_code_that_makes_it() -> None:
    page = (DOCS / "gallery.md").read_text(encoding="utf-8")
    assert page == GALLERY.write_page(), "write it anew with: make gallery"
    films = [f"{name}.gif" for name, figure in COURSE.items() if figure.film]
    for file in [*films, *(f"{name}.svg" for name in [*COURSE, *GALLERY.PICTURES])]:
        assert f"](gallery/{file})" in page
        assert 1000 < (DOCS / "gallery" / file).stat().st_size < 200_000


def test_every_picture_of_the_room_is_in_the_gallery() -> None:
    page = (DOCS / "gallery.md").read_text(encoding="utf-8")
    assert [name for name in figures.__all__ if f"figures.{name}" not in page] == []


def test_no_module_takes_the_place_of_its_picture() -> None:
    assert [name for name, home in figures.HOMES.items() if home.endswith(f".{name}")] == []


def test_pictures_open_no_window_and_matplotlib_comes_with_the_first() -> None:
    code = (
        "import sys, tercet, tercet.figures.course_pictures as course; from tercet import figures\n"
        "figures.two_normals; print('matplotlib' in sys.modules)\n"
        "course.draw_two_normals(*course.sample_normals())\n"
        "print('matplotlib' in sys.modules, 'matplotlib.pyplot' in sys.modules)"
    )
    out = subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, capture_output=True, text=True).stdout
    assert out.split() == ["False", "True", "False"]


def test_without_matplotlib_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtra, match=r"pip install 'tercet\[figures\]'"):
        figures.learning_curve([10], [wilson(1, 2)])


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_the_same_picture_is_the_same_bytes(ending: str, tmp_path: Path) -> None:
    for name in ("a", "b"):
        figures.save_figure(figures.learning_curve([10, 20], [wilson(1, 2), wilson(2, 2)]), tmp_path / f"{name}.{ending}")
    assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()


def test_a_film_is_a_gif_and_nothing_else_is(tmp_path: Path) -> None:
    course = COURSE["perceptron-path"]
    assert course.film is not None
    for name in ("a", "b"):
        figures.save_figure(course.film(*course.sample()), tmp_path / f"{name}.gif", dpi=20)
    assert (tmp_path / "a.gif").read_bytes() == (tmp_path / "b.gif").read_bytes()
    with pytest.raises(InvalidOption, match=r"x\.svg can't hold a film: use \.gif"):
        figures.save_figure(course.film(*course.sample()), tmp_path / "x.svg")
    with pytest.raises(InvalidOption, match=r"x\.gif is the name of a film"):
        figures.save_figure(Figure(), tmp_path / "x.gif")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.gif", "b.gif"]


def test_a_file_that_is_no_picture_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidOption, match=r"x\.txt has no known ending"):
        figures.save_figure(Figure(), tmp_path / "x.txt")
    assert list(tmp_path.iterdir()) == []


def test_letters_that_no_font_has_are_named_once(tmp_path: Path) -> None:
    figure = Figure()
    figure.text(0.5, 0.5, "\U000f0000\U000f0001 hen")  # private: nobody draws them
    with pytest.warns(UserWarning, match="no font here has") as caught:
        figures.save_figure(figure, tmp_path / "x.png")
    assert len(caught) == 1


def test_labels_of_any_script_are_drawn_without_a_warning() -> None:
    points, labels = [[0, 0], [1, 2], [2, 0], [3, 1]], ["日本", "日本", "हिन्दी", "हिन्दी"]
    figures.separating_lines(points, labels)
    figures.word_bars("語", ["日本", "हिन्दी"], [0.5, 0.5], [0.5, 0.5], [0.5, 0.5])


def test_labels_and_terms_are_shown_as_they_are_written() -> None:
    names = ["$5 or $6", "_spam", "the ", "", "x" * 99]
    shown = read(figures.confusion_heat_map(Confusion.of(names, names)))
    assert {r"\$5 or \$6", " _spam", "the␣", "''", "x" * 19 + "…"} <= set(shown)
    curves = {name: [wilson(1, 2)] for name in ("_spam", "ham")}
    assert {" _spam", "ham"} <= set(read(figures.learning_curve([10], curves)))


def test_one_point_has_its_interval_too() -> None:
    bar, _ = figures.learning_curve([10], [wilson(1, 2)]).axes[0].collections
    assert bar.get_segments()[0][:, 1].tolist() == [wilson(1, 2).low, wilson(1, 2).high]


def test_the_shaded_area_is_the_error_of_the_rule() -> None:
    points, labels = [[-1.0], [1.0], [1.0], [3.0]], ["a", "a", "b", "b"]  # normals of variance 1, two apart; a tie is an "a"
    title = read(figures.two_normals(GaussianBayes().fit(points, labels), points, labels))
    assert f"errors: {0.5 * math.erfc(1 / math.sqrt(2)):.1%} of the area, 1 of 4 points" in title


def rings(axes: Any) -> Any:
    """The points that are marked as wrong."""
    (found,) = (artist for artist in axes.collections if artist.get_label() == "wrong point")
    return found.get_offsets()


def test_wrong_points_on_a_line_have_rings() -> None:
    points, labels = [[-1.0], [1.0], [1.0], [3.0], [0.5]], ["a", "a", "b", "b", "b"]
    model = GaussianBayes().fit(points[:4], labels[:4])  # the border is 1; a tie is an "a"
    figure = figures.two_normals(model, points, labels, mark_errors=True)
    assert rings(figure.axes[0])[:, 0].tolist() == [1.0, 0.5]
    assert "wrong point" in read(figure)
    assert "wrong point" not in read(figures.two_normals(model, points, labels))
    assert "wrong point" not in read(figures.two_normals(model, [[-1.0]], ["a"], mark_errors=True))


def test_wrong_points_in_the_plane_have_rings_in_each_panel() -> None:
    points, labels = np.random.default_rng(3).normal(size=(40, 2)), np.array(["a", "b"] * 20)
    points[::2] += 1
    models = {name: GaussianBayes(name).fit(points, labels) for name in ("full", "shared")}
    figure = figures.two_bivariate_normals(models, points, labels, mark_errors=True)
    for axes, (name, model) in zip(figure.axes, models.items(), strict=True):
        wrong = points[model.predict(points) != labels]
        assert rings(axes).tolist() == wrong.tolist()
        assert axes.get_title() == f"{name}: {len(wrong)} of 40 wrong"


@pytest.mark.parametrize(
    ("points", "labels", "error", "words"),
    [
        ([[1.0, 2.0]], ["a"], InvalidMatrix, "X has 2 features"),
        ([[math.nan]], ["a"], InvalidMatrix, "points contains NaN"),
        ([[1.0]], ["a", "b"], InvalidLabel, "1 points and 2 labels"),
    ],
)
def test_points_that_do_not_fit_the_line_are_refused(points: Any, labels: Any, error: Any, words: str) -> None:
    model = GaussianBayes().fit([[-1.0], [1.0], [1.0], [3.0]], ["a", "a", "b", "b"])
    with pytest.raises(error, match=words):
        figures.two_normals(model, points, labels)


@pytest.mark.parametrize("covariance", ["diagonal", "full", "shared"])
def test_the_border_is_where_both_labels_are_as_probable(covariance: Any) -> None:
    points, labels = np.random.default_rng(3).normal(size=(40, 2)), ["a", "b"] * 20
    points[::2] += 2
    model = GaussianBayes(covariance).fit(points, labels)
    figure = figures.two_bivariate_normals(model, points, labels)
    (border,) = [one for one in figure.axes[0].collections if one.get_linewidth()[0] == 1.4]
    posterior = model.posterior(np.concatenate([path.vertices for path in border.get_paths()]))
    assert np.abs(posterior - 0.5).max() < 0.02


def test_an_ellipse_is_everywhere_as_many_deviations_away() -> None:
    mean, covariance = np.array([3.0, -1.0]), np.array([[2.0, 0.7], [0.7, 0.5]])
    away = trace_ellipse(mean, covariance, 3) - mean
    assert np.sqrt((away @ np.linalg.inv(covariance) * away).sum(axis=1)) == pytest.approx(3)


def test_models_of_other_columns_are_refused() -> None:
    points, labels = np.random.default_rng(0).normal(size=(9, 3)), list("aaabbbccc")
    model = GaussianBayes().fit(points, labels)
    for draw in (figures.two_normals, figures.two_bivariate_normals):
        with pytest.raises(InvalidMatrix, match="the model has 3 columns"):
            draw(model, points, labels)


def test_a_heat_map_has_the_counts_of_the_matrix() -> None:
    report = evaluate(["a"] * 7 + ["b"] * 5, ["a"] * 4 + ["b"] * 8)
    shown = read(figures.confusion_heat_map(report))
    assert sorted(text for text in shown if text.isdigit()) == ["3", "4", "5"]
    assert read(figures.confusion_heat_map(report.confusion)) == shown


def test_a_heat_map_of_many_labels_shows_those_that_are_mistaken() -> None:
    names = [f"label {i:02}" for i in range(40)]
    predicted = [*names[:38], names[39], names[38]]
    figure = figures.confusion_heat_map(Confusion.of(names, predicted))
    assert {"the 30 most mistaken of 40 labels", "label 38", "label 39"} <= set(read(figure))
    assert find_clashes(figure) == []


def test_reliability_tells_the_error_of_the_report() -> None:
    rng = np.random.default_rng(5)
    sure = rng.uniform(0, 1, 500)
    gold = np.where(rng.random(500) < sure**2, "a", "b")
    report = evaluate(gold, np.where(sure > 0.5, "a", "b"), np.stack([sure, 1 - sure], axis=1))
    shown = read(figures.reliability({"raw": report, "again": report}))
    assert f"raw: calibration error {report.calibration_error.value:.3f}" in shown
    assert {f"{n:g}" for n in report.reliability.counts if n} <= set(shown)


def test_reliability_without_probabilities_is_refused() -> None:
    with pytest.raises(InvalidOption, match="the report has no probabilities"):
        figures.reliability(evaluate(["a", "b"], ["a", "b"]))


def test_the_bars_add_up_to_their_sum() -> None:
    texts, labels = invent_reviews()
    explanation = Categorizer().fit(texts, labels).explain("what a lovely film, and every minute a dull plot")
    figure = figures.evidence_bars(explanation, n=5)
    *parts, total = [bar.get_width() for bar in figure.axes[0].patches]
    assert len(parts) == 1 + 5 + 1
    assert math.fsum(parts) == pytest.approx(total)
    assert total == pytest.approx(explanation.score)


def test_the_bars_of_a_word_are_its_probabilities() -> None:
    texts, labels = invent_reviews()
    found = Categorizer("words", NaiveBayes("multinomial")).fit(texts, labels).word_probabilities("dull")
    figure = figures.word_bars(*found)
    drawn = [[bar.get_width() for bar in axes.patches] for axes in figure.axes]
    assert drawn == [found.prior.tolist(), found.likelihood.tolist(), found.posterior.tolist()]
    assert {"bad", "good", "prior\nP(label)", "likelihood\nP(dull | label)", "posterior\nP(label | dull)"} <= set(read(figure))
    assert find_clashes(figure) == []


def test_of_many_labels_those_with_the_highest_posterior_have_bars() -> None:
    labels = [f"the long name of label {i:02}" for i in range(30)]
    shares = np.arange(30) / np.arange(30).sum()
    figure = figures.word_bars("the", labels, shares, shares, shares)
    assert [bar.get_width() for bar in figure.axes[2].patches] == shares[10:].tolist()
    assert len({text for text in read(figure) if text.startswith("the long")}) == 20
    assert "20 of 30 labels, those with the highest posterior" in read(figure)
    assert find_clashes(figure) == []


def test_infinite_evidence_is_drawn_to_the_edge() -> None:
    evidence = (Evidence("hen", (), -math.inf), Evidence("fox", (), 2.0))
    figure = figures.evidence_bars(Explanation("", "a", "b", math.nan, evidence))
    assert [bar.get_width() for bar in figure.axes[0].patches] == pytest.approx([0, -2.4, 2, 0])
    assert {"-inf", "nan"} <= set(read(figure))
    assert find_clashes(figure) == []


def test_a_curve_needs_an_estimate_for_each_size() -> None:
    with pytest.raises(InvalidOption, match="2 sizes and 1 estimates"):
        figures.learning_curve([10, 20], [wilson(1, 2)])


def test_figures_are_part_of_the_package() -> None:
    assert tercet.figures.two_normals is figures.two_normals
    with pytest.raises(AttributeError, match="no attribute 'pie'"):
        _ = figures.pie
