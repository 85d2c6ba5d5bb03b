"""Files with one document on each line: plain text, and the format of fastText."""

import re
from collections.abc import Iterator

from tercet.data.lines import LineReader
from tercet.data.raw_rows import NOTHING_YET, RawRows, Reader
from tercet.data.read_options import ReadOptions
from tercet.data.source import Source
from tercet.errors import BadSource

# The blanks of ASCII. Others, such as a no-break space or U+2028, are part of a text or of a label.
BLANKS = " \t\n\v\f\r"
SEPARATOR = re.compile(f"[{BLANKS}]+")


class TextReader(Reader):
    """Every line is a text without a label. A blank line is an empty text, so there are as many predictions as lines.

    If only labels are wanted, every line is a label.
    """

    def __init__(self, source: Source, options: ReadOptions) -> None:
        self._lines = LineReader(source, options.encoding)
        self._are_labels = options.only_labels
        if options.labelled and not self._are_labels:
            raise BadSource(
                f"{source.name} has no labels if each of its lines is a text: give a table with a column of labels, "
                f"lines of fastText ({options.prefix}spam Buy now), or a folder of such files, one for each label."
            )
        self.place = f"{source.name}, line "
        self.guess: list[str] = []

    def read_rows(self) -> Iterator[RawRows]:
        for numbers, texts, bad in read_lines(self._lines):
            rows = RawRows(numbers, texts, labels=list(texts) if self._are_labels else None, bad=bad)
            yield rows if texts else NOTHING_YET


class FastTextReader(Reader):
    """The first words of a line that begin with the prefix are its labels. The rest of the line is its text.

    A line with several labels gives one document for each label. A line without a label is bad, and a blank line is skipped.
    If labels are not wanted, they are removed, and each line is one document. If a document may have several labels, each line
    that is not blank is one document with all its labels.
    """

    def __init__(self, source: Source, options: ReadOptions) -> None:
        self.place = f"{source.name}, line "
        self.guess: list[str] = []
        self._lines = LineReader(source, options.encoding)
        self._prefix, self._labelled = options.prefix, options.labelled
        self._has_sets = options.label_separator is not None
        first, _ = self._lines.peek().decode(self._lines.encoding)
        n_several = sum(len(split_labels(line, self._prefix)[0]) > 1 for line in first)
        if n_several and self._labelled and not self._has_sets:
            have = "has" if n_several == 1 else "have"
            self.guess.append(f"{n_several} of the first {len(first)} lines {have} several labels: one document for each")

    def read_rows(self) -> Iterator[RawRows]:
        for numbers, lines, bad in read_lines(self._lines):
            rows = [split_labels(line, self._prefix) for line in lines]
            if self._labelled and self._has_sets:
                yield self._make_sets(numbers, rows, bad)
            elif self._labelled:
                yield self._make_labelled(numbers, rows, bad)
            else:
                yield RawRows(numbers, [text for _, text in rows], bad=bad)

    def _make_sets(self, numbers: list[int], rows: list[tuple[list[str], str]], undecoded: dict[int, str]) -> RawRows:
        kept = [k for k, (labels, text) in enumerate(rows) if labels or text or k in undecoded]
        bad = {position: undecoded[k] for position, k in enumerate(kept) if k in undecoded}
        labels, texts = [rows[k][0] for k in kept], [rows[k][1] for k in kept]
        return RawRows([numbers[k] for k in kept], texts, labels, bad=bad)

    def _make_labelled(self, numbers: list[int], rows: list[tuple[list[str], str]], undecoded: dict[int, str]) -> RawRows:
        made = RawRows([], [], [])
        line_numbers: list[int] = []
        labelled: list[str] = []
        for position, (labels, text) in enumerate(rows):
            if position in undecoded or (not labels and text):
                made.bad[len(line_numbers)] = undecoded.get(position, f"its first word does not begin with {self._prefix}.")
                labels = [self._prefix]
            line_numbers += [numbers[position]] * len(labels)
            labelled += labels
            made.texts += [text] * len(labels)
        made.lines, made.labels = line_numbers, labelled
        return made


def read_lines(lines: LineReader) -> Iterator[tuple[list[int], list[str], dict[int, str]]]:
    """Line numbers, lines without their line ends, and what is wrong with lines that can't be decoded."""
    for chunk in lines:
        texts, bad = chunk.decode(lines.encoding)
        yield list(range(chunk.first, chunk.first + len(texts))), [strip_end(text) for text in texts], bad


def strip_end(line: str) -> str:
    """The line without its line end.

    >>> strip_end("a \\r\\n"), strip_end("a\\r")
    ('a ', 'a')
    """
    return line.removesuffix("\n").removesuffix("\r")


def split_labels(line: str, prefix: str) -> tuple[list[str], str]:
    """The labels of a line, and its text.

    >>> split_labels("__label__spam __label__ad Buy now", "__label__")
    (['spam', 'ad'], 'Buy now')
    """
    labels = []
    line = line.strip(BLANKS)
    while line.startswith(prefix):
        word, *rest = SEPARATOR.split(line, 1)
        labels.append(word.removeprefix(prefix))
        line = rest[0] if rest else ""
    return labels, line
