"""Pictures of borders between two labels: what they draw is what the models say, and any points can be drawn."""

from typing import Any

import numpy as np
import pytest
from helpers.picture_texts import find_clashes
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial import ConvexHull

from tercet import MarginSVM, Perceptron, figures, nearest_hull_points
from tercet.errors import InvalidLabel, InvalidMatrix, NotSeparable, NoWeights
from tercet.figures.border_geometry import compute_foot
from tercet.figures.margins import choose_lines, trace_hull

MIXED = np.array([[0, 0], [1, 1], [0, 1], [1, 0.0]]), np.array(["a", "a", "b", "b"])


def draw_points(seed: int, gap: float = 0.2) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    points, normal = rng.normal(size=(20, 2)), rng.normal(size=2)
    is_b = points @ normal > 0
    return points + np.outer(2 * is_b - 1, gap * normal / np.linalg.norm(normal)), np.where(is_b, "b", "a")


def ringed(axes: Any) -> Any:
    """The points that have a ring."""
    (rings,) = (found for found in axes.collections if found.get_label() in ("support vector", "mistaken"))
    return rings.get_offsets()


def render(figure: Any) -> None:
    figure.draw_without_rendering()


def test_the_path_has_a_line_for_each_mistake_and_a_ring_for_each_mistaken_document() -> None:
    points, labels = draw_points(1)
    model = Perceptron().fit(points, labels)
    axes = figures.perceptron_path(model, points, labels).axes[0]
    assert len(axes.lines) == len(model.path_) + 1
    last = np.array([axes.lines[-1].get_xy1(), axes.lines[-1].get_xy2()])
    np.testing.assert_allclose(model.decision_function(last), 0, atol=1e-9)
    assert ringed(axes).tolist() == points[sorted({mistake.document for mistake in model.path_})].tolist()


@pytest.mark.filterwarnings("ignore:the perceptron still made mistakes")
def test_a_long_path_is_thinned_out_and_says_so() -> None:
    points = np.random.default_rng(0).normal(size=(40, 2))
    labels = np.array(["a", "b"] * 20)
    model = Perceptron(50).fit(points, labels)
    assert len(model.path_) > 500
    axes = figures.perceptron_path(model, points, labels).axes[0]
    assert len(axes.lines) == 61
    assert axes.get_title() == f"60 of {len(model.path_)} borders"


@given(st.integers(0, 10_000), st.integers(1, 40))
def test_each_line_parts_the_labels(seed: int, n_lines: int) -> None:
    points, labels = draw_points(seed)
    signs = np.where(labels == "b", 1.0, -1.0)
    lines = choose_lines(points, signs, n_lines)
    assert len(lines) == n_lines
    assert all((signs * (points @ normal + offset) > 0).all() for normal, offset in lines)


def test_points_that_no_line_parts_have_no_such_picture() -> None:
    assert len(figures.separating_lines(*draw_points(2), n_lines=7).axes[0].lines) == 7
    with pytest.raises(NotSeparable, match="no line separates"):
        figures.separating_lines(*MIXED)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_the_picture_of_the_margin_has_its_border_and_its_support_vectors(kernel: Any) -> None:
    points, labels = draw_points(3)
    model = MarginSVM(10.0, kernel=kernel).fit(points, labels)
    axes = figures.maximum_margin(model, points, labels).axes[0]
    assert ringed(axes).tolist() == model.support_vectors_.tolist()
    drawn = [found for found in axes.collections if hasattr(found, "levels") and not found.filled]
    for contour in drawn:
        for level, parts in zip(contour.levels, contour.allsegs, strict=True):
            heights = model.decision_function(np.concatenate(parts))
            np.testing.assert_allclose(np.abs(heights), abs(level), atol=0.02)
    assert {abs(level) for contour in drawn for level in contour.levels} == {0, 1}
    assert f"margin {model.margin_:.3g}" in axes.get_title()


def test_points_on_the_wrong_side_have_wide_rings() -> None:
    points, labels = draw_points(6, gap=-0.2)
    models = {f"C = {C}": MarginSVM(C).fit(points, labels) for C in (0.1, 10)}
    figure = figures.maximum_margin(models, points, labels, mark_errors=True)
    for axes, model in zip(figure.axes, models.values(), strict=True):
        (rings,) = (found for found in axes.collections if found.get_label() == "wrong point")
        wrong = points[model.predict(points) != labels]
        assert rings.get_offsets().tolist() == wrong.tolist()
        assert f"{len(wrong)} on the wrong side" in axes.get_title()
        assert rings.get_sizes()[0] > 110  # around the rings of the support vectors
    assert find_clashes(figure) == []


@given(st.integers(0, 10_000), st.sampled_from([1e-3, 1.0, 1e3]))
def test_the_foot_is_on_the_border_and_its_distance_is_r(seed: int, size: float) -> None:
    weights, point = size * np.random.default_rng(seed).normal(size=(2, 2))
    foot = compute_foot(weights, 0.5, point)
    away = point - foot
    assert weights @ foot + 0.5 == pytest.approx(0, abs=1e-9 * (1 + size**2))
    assert away[0] * weights[1] == pytest.approx(away[1] * weights[0])  # parallel to the weights
    assert np.linalg.norm(away) == pytest.approx(abs(weights @ point + 0.5) / np.linalg.norm(weights))


def draw_geometry(model: Any, points: Any, labels: Any, **options: Any) -> Any:
    figure = figures.margin_geometry(model, points, labels, **options)
    assert find_clashes(figure) == []
    return figure.axes[0]


@pytest.mark.parametrize("model", [MarginSVM(C=None), MarginSVM(0.01), Perceptron(seed=0)])
def test_the_geometry_shows_the_distance_of_the_farthest_point_or_of_any_other(model: Any) -> None:
    points, labels = draw_points(3)
    model.fit(points, labels)
    axes = draw_geometry(model, points, labels)
    (segment,) = (line for line in axes.lines if line.get_label() == "distance r")
    foot, point = segment.get_xydata()
    distances = np.abs(model.decision_function(points)) / np.linalg.norm(model.weights_)
    assert point.tolist() == points[distances.argmax()].tolist()
    assert np.linalg.norm(point - foot) == pytest.approx(distances.max())
    assert f"= {distances.max():.4g}" in axes.get_title()
    assert axes.get_aspect() == 1  # or right angles would not look right
    (segment,) = (line for line in draw_geometry(model, points, labels, x=[9, 9]).lines if line.get_label() == "distance r")
    assert segment.get_xydata()[1].tolist() == [9, 9]


def test_a_border_without_weights_has_no_geometry() -> None:
    points, labels = draw_points(3)
    with pytest.raises(NoWeights, match="has no weight for each column"):
        figures.margin_geometry(MarginSVM(kernel="rbf").fit(points, labels), points, labels)
    same = np.zeros((4, 2))
    with pytest.raises(InvalidMatrix, match="all weights of the model are 0"):
        figures.margin_geometry(MarginSVM(1.0).fit(same, MIXED[1]), same, MIXED[1])
    with pytest.raises(InvalidMatrix, match="x must be one point of the plane"):
        figures.margin_geometry(MarginSVM().fit(points, labels), points, labels, x=[1, 2, 3])


def test_a_film_has_a_frame_for_each_mistake_and_the_result_at_its_end() -> None:
    points, labels = draw_points(1)
    model = Perceptron().fit(points, labels)
    film = figures.perceptron_film(model, points, labels)
    axes = film.figure.axes[0]
    assert film.n_frames == len(model.path_) + 1
    for number, mistake in enumerate(model.path_, 1):
        film.show(number - 1)
        assert axes.get_title() == f"mistake {number} of {len(model.path_)}"
        *_, ring = axes.collections
        assert ring.get_offsets().tolist() == [points[mistake.document].tolist()]
        *_, border = axes.lines
        ends = np.array([border.get_xy1(), border.get_xy2()])
        np.testing.assert_allclose(ends @ mistake.weights + mistake.bias, 0, atol=1e-9)
        assert find_clashes(film.figure) == []
    film.show(len(model.path_))
    assert axes.get_title() == f"after {len(model.path_)} mistakes no point is on the wrong side"
    assert find_clashes(film.figure) == []


@pytest.mark.filterwarnings("ignore:the perceptron still made mistakes")
def test_a_film_of_a_long_path_is_not_long() -> None:
    points, labels = np.random.default_rng(0).normal(size=(40, 2)), np.array(["a", "b"] * 20)
    model = Perceptron(50).fit(points, labels)
    film = figures.perceptron_film(model, points, labels)
    assert film.n_frames == 41
    film.show(40)
    n_wrong = (model.predict(points) != labels).sum()
    assert f"{n_wrong} of 40 points are on the wrong side" in film.figure.axes[0].get_title()


def test_each_cost_has_a_panel() -> None:
    points, labels = MIXED
    models = {f"C = {C}": MarginSVM(C).fit(points, labels) for C in (0.01, 1, 100)}
    titles = [axes.get_title() for axes in figures.maximum_margin(models, points, labels).axes]
    assert [title.partition(":")[0] for title in titles] == ["C = 0.01", "C = 1", "C = 100"]


@given(hnp.arrays(np.float64, st.tuples(st.integers(1, 12), st.just(2)), elements=st.integers(-3, 3)))
def test_a_hull_turns_left_around_all_points(points: Any) -> None:
    hull = trace_hull(points)
    assert {tuple(corner) for corner in hull} <= {tuple(point) for point in points}
    for a, b in zip(hull, np.roll(hull, -1, axis=0), strict=True):
        sides = (b[0] - a[0]) * (points[:, 1] - a[1]) - (b[1] - a[1]) * (points[:, 0] - a[0])
        assert (sides >= 0).all()


def test_a_hull_is_that_of_scipy() -> None:
    points = np.random.default_rng(4).normal(size=(50, 2))
    theirs = points[ConvexHull(points).vertices]
    assert sorted(trace_hull(points).tolist()) == sorted(theirs.tolist())


def test_the_picture_of_the_hulls_has_their_nearest_points() -> None:
    points, labels = draw_points(5)
    axes = figures.convex_hulls(points, labels).axes[0]
    nearest = nearest_hull_points(points[labels == "b"], points[labels == "a"])
    way = next(line for line in axes.lines if line.get_label() == "nearest points")
    assert way.get_xydata().tolist() == [nearest.a.tolist(), nearest.b.tolist()]
    assert f"distance {nearest.distance:.3g}" in axes.get_title()
    assert "meet" in figures.convex_hulls(*MIXED).axes[0].get_title()


@pytest.mark.parametrize(
    "points",
    [
        [[0, 0], [1, 0], [2, 0], [3, 0]],  # on one line
        [[1, 1], [1, 1], [1, 1], [1, 1]],
        [[0, 0], [0, 0], [1e-9, 1], [1e-9, 1]],
        [[-1e6, 0], [-1e6, 1], [1e6, 0], [1e6, 1e-6]],
    ],
)
def test_hulls_of_any_points_can_be_drawn(points: Any) -> None:
    render(figures.convex_hulls(points, ["a", "a", "b", "b"]))


@pytest.mark.filterwarnings("ignore:the perceptron still made mistakes")
def test_any_models_can_be_drawn() -> None:
    points, labels = MIXED
    render(figures.perceptron_path(Perceptron(30).fit(points, labels), points, labels))
    same = np.zeros((4, 2))
    assert find_clashes(figures.maximum_margin(MarginSVM(1.0).fit(same, labels), same, labels)) == []
    render(figures.separating_lines([[0, 0], [0, 1]], ["$x$", "_y"]))


def test_other_spaces_and_more_labels_have_no_such_picture() -> None:
    for draw in (figures.separating_lines, figures.convex_hulls):
        with pytest.raises(InvalidMatrix, match="3 columns"):
            draw(np.zeros((2, 3)), ["a", "b"])
        with pytest.raises(InvalidLabel, match="3 labels"):
            draw(np.eye(3)[:, :2], ["a", "b", "c"])
    with pytest.raises(InvalidMatrix, match="1 columns"):
        figures.maximum_margin(MarginSVM().fit([[0.0], [1.0]], ["a", "b"]), [[0.0], [1.0]], ["a", "b"])
