"""Checks for copies: equal and nearly equal texts within the data, within the test documents, and between the two."""

from collections.abc import Iterator

import numpy as np

from tercet.arrays import Integers
from tercet.auditing.doctor.diagnosis import (
    CONTRADICTION,
    COPY,
    LEAKED_TEXT,
    NEAR_CONTRADICTION,
    NEAR_COPY,
    NEAR_LEAK,
    Finding,
    name_places,
)
from tercet.auditing.doctor.examined import Examined, ExaminedPart, is_blank
from tercet.counts.near_copies import find_near_copies, find_near_leaks, group_copies


def find_copies(examined: Examined) -> Iterator[Finding]:
    """A finding for each text that several documents of a part have: a contradiction if their labels differ."""
    for part in examined.parts:
        for positions in list_groups(group_copies(part.texts)):
            if not is_blank(part.texts[positions[0]]):
                kind = CONTRADICTION if _list_labels(part, positions) else COPY
                yield describe_copies(part, positions, kind, "The same text")


def find_near(examined: Examined) -> Iterator[Finding]:
    """A finding for each group of documents of a part whose texts are nearly equal, but not all equal."""
    for part in examined.parts:
        near = find_near_copies(part.texts)
        groups = near.groups()
        similarity = np.zeros(len(part))
        for (i, j), similar in zip(near.pairs.tolist(), near.similarity.tolist(), strict=True):
            if part.texts[i] != part.texts[j]:
                similarity[groups[i]] = max(similarity[groups[i]], similar)
        for positions in list_groups(groups):
            if len({part.texts[position] for position in positions}) > 1:
                kind = NEAR_CONTRADICTION if _list_labels(part, positions) else NEAR_COPY
                strength = float(similarity[groups[positions[0]]])
                yield describe_copies(part, positions, kind, f"A near copy (similarity {strength:.2f})", strength)


def describe_copies(part: ExaminedPart, positions: list[int], kind: str, words: str, strength: float = 1.0) -> Finding:
    """The finding that these documents have the same text, or nearly."""
    first, *others = positions
    places = [part.place(position) for position in others]
    sentence = f"{words} is in {name_places(places, part.place(first))}.{_list_labels(part, positions)}"
    return part.make_finding(kind, first, sentence, places, strength=strength)


def _list_labels(part: ExaminedPart, positions: list[int]) -> str:
    """A sentence with the labels of these documents; empty if all have the same label."""
    labels = [] if part.labels is None else [part.labels[position] for position in positions]
    if len(set(labels)) < 2:
        return ""
    counts = {label: labels.count(label) for label in sorted(set(labels), key=str)}
    return f" The labels are {', '.join(f'{label!r} ({n})' for label, n in counts.items())}."


def find_leaked_texts(examined: Examined) -> Iterator[Finding]:
    """A finding for each test document whose text is in the data; one for all if every test text is."""
    data, test = examined.data, examined.test
    assert test is not None
    n_texts = sum(not is_blank(text) for text in test.texts)
    if len(examined.leaks) == n_texts > 1:
        in_data, in_test = examined.leaks[0]
        place = data.place(in_data)
        sentence = f"Every test text ({n_texts}) is in the data, this one in {place}. Is the test file the training file?"
        yield test.make_finding(LEAKED_TEXT, in_test, sentence, [place])
        return
    for in_data, in_test in examined.leaks:
        place, other = data.place(in_data), _name_other_label(examined, in_data, in_test)
        yield test.make_finding(LEAKED_TEXT, in_test, f"The same text is in {place}{other}.", [place])


def find_near_leaked(examined: Examined) -> Iterator[Finding]:
    """A finding for each test document whose text is nearly in the data."""
    data, test = examined.data, examined.test
    assert test is not None
    leaked = {in_test for _, in_test in examined.leaks}
    near = find_near_leaks(data.texts, test.texts)
    for (in_data, in_test), similarity in zip(near.pairs.tolist(), near.similarity.tolist(), strict=True):
        if in_test not in leaked and not is_blank(test.texts[in_test]):
            place, other = data.place(in_data), _name_other_label(examined, in_data, in_test)
            sentence = f"A near copy (similarity {similarity:.2f}) is in {place}{other}."
            yield test.make_finding(NEAR_LEAK, in_test, sentence, [place], strength=similarity)


def _name_other_label(examined: Examined, in_data: int, in_test: int) -> str:
    """The label of the document in the data, if the test document has another one."""
    known, asked = examined.data.labels, examined.test.labels if examined.test else None
    if known is None or asked is None or known[in_data] == asked[in_test]:
        return ""
    return f", with the label {known[in_data]!r}"


def list_groups(codes: Integers) -> list[list[int]]:
    """The positions of equal codes that occur more than once, in the order of their first positions.

    >>> list_groups(np.array([0, 1, 0, 2, 1]))
    [[0, 2], [1, 4]]
    """
    order = np.argsort(codes, kind="stable")
    ends = np.flatnonzero(np.diff(codes[order])) + 1
    return sorted(group.tolist() for group in np.split(order, ends) if len(group) > 1)
