"""Names that are cut to a width: different names stay different."""

from hypothesis import given
from hypothesis import strategies as st

from tercet.characters import show_line, show_lines

names = st.lists(st.text("ab .…1", max_size=30), max_size=20, unique=True)


@given(names, st.integers(8, 24))
def test_different_names_stay_different_and_short(given_names: list[str], width: int) -> None:
    lines = show_lines(given_names, width)
    assert len(set(lines)) == len(given_names)
    assert all(len(line) <= width for line in lines)


@given(names)
def test_names_that_differ_when_they_are_cut_are_cut_as_always(given_names: list[str]) -> None:
    plain = [show_line(name, 12) for name in given_names]
    lines = show_lines(given_names, 12)
    assert all(line == alone for line, alone in zip(lines, plain, strict=True) if plain.count(alone) == 1)


def test_names_show_where_they_differ() -> None:
    rooms = [f"room on the {floor} floor of the north building" for floor in ("first", "second", "third")]
    assert show_lines(rooms, 12) == ["room…first …", "room…second…", "room…third …"]


def test_names_that_differ_too_late_are_numbered() -> None:
    first, second = show_lines(["a" * 1500, "a" * 1501], 12)
    assert (first[-2:], second[-2:]) == (" 1", " 2")
    assert len(first) == len(second) == 12
