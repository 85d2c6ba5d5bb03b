"""The columns of a text that joins several: where each part begins and ends."""

SEPARATOR = "\x1f"  # U+001F, the unit separator: no text needs it


def split_columns(text: str, n: int) -> list[tuple[int, int]]:
    """Begin and end of each of the n parts. Missing parts are empty, and the last part has all further separators.

    >>> split_columns("Hi\\x1fSee you\\x1fsoon", 2), split_columns("Hi", 2)
    ([(0, 2), (3, 15)], [(0, 2), (2, 2)])
    """
    spans, begin = [], 0
    for _ in range(n - 1):
        end = text.find(SEPARATOR, begin)
        end = len(text) if end < 0 else end
        spans.append((begin, end))
        begin = min(end + 1, len(text))
    return [*spans, (begin, len(text))]
