"""Checks for copies: equal and nearly equal texts within the data, within the test documents, and between the two."""

from collections.abc import Iterator

import numpy as np

from tercet.arrays import Integers
from tercet.audit.examined import Examined, ExaminedPart
from tercet.audit.kinds import CONTRADICTION, COPY, LEAKED_TEXT
from tercet.audit.text_checks import is_blank
from tercet.evaluation.leaks import group_copies
from tercet.report.diagnosis import Finding, name_places


def find_copies(examined: Examined) -> Iterator[Finding]:
    """A finding for each text that several documents of a part have: a contradiction if their labels differ."""
    for part in examined.parts:
        for positions in list_groups(group_copies(part.texts)):
            if not is_blank(part.texts[positions[0]]):
                yield describe_copies(part, positions, CONTRADICTION, COPY, "the same text")


def describe_copies(part: ExaminedPart, positions: list[int], contradiction: str, copy: str, words: str) -> Finding:
    """The finding that these documents have the same text, or nearly."""
    first, *others = positions
    places = [part.place(position) for position in others]
    labels = [] if part.labels is None else [part.labels[position] for position in positions]
    if len(set(labels)) < 2:
        return part.find(copy, first, f"{words.capitalize()} is in {name_places(places)}.", places)
    counts = {label: labels.count(label) for label in sorted(set(labels), key=str)}
    spelled = ", ".join(f"{label!r} {n} times" if n > 1 else f"{label!r} once" for label, n in counts.items())
    return part.find(contradiction, first, f"{words.capitalize()} is in {name_places(places)}. The label is {spelled}.", places)


def find_leaked_texts(examined: Examined) -> Iterator[Finding]:
    """A finding for each test document whose text is in the data; one for all if every test text is."""
    data, test = examined.data, examined.test
    assert test is not None
    leaks = list_leaks(examined)
    if len(leaks) == len(test) > 1:
        place = data.place(leaks[0][0])
        yield test.find(
            LEAKED_TEXT,
            0,
            f"Every one of the {len(test)} test texts is in the data, this one in {place}. Is the test file the training file?",
            [place],
        )
        return
    for in_data, in_test in leaks:
        place, labels = data.place(in_data), (data.labels, test.labels)
        differs = None not in labels and labels[0][in_data] != labels[1][in_test]  # type: ignore[index]
        more = f", with the label {labels[0][in_data]!r}" if differs else ""  # type: ignore[index]
        yield test.find(LEAKED_TEXT, in_test, f"The same text is in {place}{more}.", [place])


def list_leaks(examined: Examined) -> list[tuple[int, int]]:
    """The positions of equal texts: the first in the data, and each one in the test documents."""
    from tercet.evaluation.leaks import find_leaks

    assert examined.test is not None
    pairs = find_leaks(examined.data.texts, examined.test.texts).tolist()
    return [(in_data, in_test) for in_data, in_test in pairs if not is_blank(examined.test.texts[in_test])]


def list_groups(codes: Integers) -> list[list[int]]:
    """The positions of equal codes that occur more than once, in the order of their first positions.

    >>> list_groups(np.array([0, 1, 0, 2, 1]))
    [[0, 2], [1, 4]]
    """
    order = np.argsort(codes, kind="stable")
    ends = np.flatnonzero(np.diff(codes[order])) + 1
    groups = [group.tolist() for group in np.split(order, ends) if len(group) > 1]
    return sorted(groups)
