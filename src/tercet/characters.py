"""Any text made safe to show: control characters, surrogates and line breaks are written as escapes such as \\x1b."""

import unicodedata
from collections.abc import Collection, Sequence, Set
from itertools import accumulate, count

# Terminals obey control characters. Bidirectional controls make a text look like another one.
_CONTROLS = [code for code in range(0xA0) if code < 0x20 or code >= 0x7F]
_SURROGATES = range(0xD800, 0xE000)  # UTF-8 cannot encode them
_BIDIRECTIONAL = [0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
_INVISIBLE = [0x00AD, 0x200B, 0x2060, 0xFEFF, *range(0xE0000, 0xE0080)]  # with them, two different labels would look equal
_LINE_BREAKS = [0x2028, 0x2029]


def _escape(code: int) -> str:
    wide = f"\\U{code:08x}" if code > 0xFFFF else f"\\u{code:04x}"
    return {0x09: "\\t", 0x0A: "\\n", 0x0D: "\\r"}.get(code) or (f"\\x{code:02x}" if code < 0x100 else wide)


_IN_LINES = {code: _escape(code) for code in (*_CONTROLS, *_SURROGATES, *_BIDIRECTIONAL, *_INVISIBLE, *_LINE_BREAKS)}
_IN_TEXTS = {code: escape for code, escape in _IN_LINES.items() if code not in (0x09, 0x0A, *_INVISIBLE, *_LINE_BREAKS)}
MAX_NAME_LENGTH = 1000  # characters of a name that are compared with another name
MAX_CUTS = 5  # how often names that look equal are cut anew
_REPLACED = dict.fromkeys(_SURROGATES, 0xFFFD)


def show_text(text: str) -> str:
    r"""The text with each control character, bidirectional control and surrogate written as an escape.

    Line feeds and tabs stay. The result is for people: a text that has such an escape itself looks the same.

    >>> print(show_text("a\tb\x1b[31m\ud800\u202e"))
    a	b\x1b[31m\ud800\u202e
    """
    return text.translate(_IN_TEXTS)


def replace_surrogates(text: str) -> str:
    r"""The text with each surrogate replaced by U+FFFD, so that UTF-8 can encode it. The length stays the same.

    >>> replace_surrogates("\ud83d\ude00 \x1b")
    '�� \x1b'
    """
    return text.translate(_REPLACED)


def show_line(name: object, width: int = 40) -> str:
    r"""A term or a label in one line of at most `width` characters, with leading and trailing blanks made visible.

    >>> print(show_line("the "), show_line("hen\n"), show_line(True), show_line(""), show_line("a" * 50, width=5))
    the␣ hen\n True '' aaaa…
    """
    line = (str(name) or "''")[: width + 1].translate(_IN_LINES)
    line = line if len(line) <= width else line[: width - 1] + "…"
    inner = line.strip(" ")
    n_leading = len(line) - len(line.lstrip(" "))
    return "␣" * n_leading + inner + "␣" * (len(line) - n_leading - len(inner))


def show_lines(names: Sequence[object], width: int = 40) -> list[str]:
    """Different names, each as in `show_line`. If two would look equal, they show the part in which they differ, or a number.

    >>> show_lines(["talk.politics.mideast", "talk.politics.misc", "sci.med"], width=16)
    ['talk.pol…mideast', 'talk.pol…misc', 'sci.med']
    """
    lines = [show_line(name, width) for name in names]
    for _ in range(MAX_CUTS):
        for indices in _group_equal(lines):
            cut = _cut_to_difference([show_line(names[index], MAX_NAME_LENGTH) for index in indices], width)
            for index, line in zip(indices, cut, strict=True):
                lines[index] = line
    taken = set(lines)
    for indices in _group_equal(lines):
        for index in indices:
            lines[index] = _add_number(lines[index], width, taken)
            taken.add(lines[index])
    return lines


def _group_equal(lines: Sequence[str]) -> list[list[int]]:
    """The positions of lines that are equal.

    >>> _group_equal(["a", "b", "a", "c"])
    [[0, 2]]
    """
    indices: dict[str, list[int]] = {}
    for index, line in enumerate(lines):
        indices.setdefault(line, []).append(index)
    return [own for own in indices.values() if len(own) > 1]


def _cut_to_difference(names: list[str], width: int) -> list[str]:
    """Each name as its beginning, …, and what comes after the part that all of them share, from the beginning of a word."""
    most = width - width // 3 - 1
    start = n_shared = _count_shared(names)
    while start > width // 3 and names[0][start - 1].isalnum() and n_shared - start < most - 2:
        start -= 1
    tails = [name[start:] if len(name) - start <= most else f"{name[start : start + most - 1]}…" for name in names]
    n_head = width - 1 - max(map(len, tails))
    return [f"{name[:n_head]}…{tail}" for name, tail in zip(names, tails, strict=True)]


def _count_shared(names: Sequence[str]) -> int:
    """With how many characters all names begin.

    >>> _count_shared(["misc", "mideast", "middle"])
    2
    """
    first, last = min(names), max(names)
    return next((index for index, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))


def _add_number(line: str, width: int, taken: Set[str]) -> str:
    """The line with a number at its end, so that it is not one of those that are taken."""
    numbered = (f"{line[: width - 1 - len(str(n))]} {n}" for n in count(1))
    return next(line for line in numbered if line not in taken)


def measure_columns(line: str) -> int:
    """The number of terminal columns that a line takes.

    >>> measure_columns("così"), measure_columns("日本"), measure_columns("e\u0301")
    (4, 4, 1)
    """
    return sum(_columns(c) for c in line)


def cut_line(line: str, n_columns: int) -> str:
    """The line, cut so that it takes at most so many terminal columns.

    >>> cut_line("one · two", 9), cut_line("one · two", 8), cut_line("日本語", 5)
    ('one · two', 'one · t…', '日本…')
    """
    if measure_columns(line) <= n_columns:
        return line
    ends = accumulate(map(_columns, line))
    return line[: sum(end < n_columns for end in ends)] + "…"


def align_columns(lines: Sequence[Sequence[str]], flush_right: Collection[int]) -> str:
    """Lines of cells as text in columns. The columns at the indices in `flush_right` are flush right, the others flush left.

    >>> print(align_columns([("term", "count"), ("日本", "7")], [1]))
    term  count
    日本      7
    """
    widths = [max(map(measure_columns, cells)) for cells in zip(*lines, strict=True)]

    def align(line: Sequence[str]) -> str:
        padded = (_pad(cell, width, k in flush_right) for k, (cell, width) in enumerate(zip(line, widths, strict=True)))
        return "  ".join(padded).rstrip()

    return "\n".join(map(align, lines))


def _pad(cell: str, width: int, to_right: bool) -> str:
    blanks = " " * (width - measure_columns(cell))
    return blanks + cell if to_right else cell + blanks


def _columns(c: str) -> int:
    if unicodedata.category(c) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(c) in "WF" else 1
