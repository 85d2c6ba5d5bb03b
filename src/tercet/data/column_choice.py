"""Which columns of a table are text, label and weight: as named, or guessed by their names and their cells.

A label is told from other columns by the texts: they say much about a label, and little about an age group.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tercet.data.column_signs import (
    CERTAIN,
    FEATURE,
    KNOWN,
    MIN_CELLS,
    NESTED,
    UNKNOWN,
    ColumnSigns,
    is_numeral,
    score_name,
    spell_cell,
)
from tercet.data.documents import join_columns
from tercet.data.id_labels import describe_unique
from tercet.data.point_columns import choose_point_columns
from tercet.data.raw_rows import NAME_ONE, RawRows
from tercet.data.read_options import ReadOptions
from tercet.data.remembered_columns import ColumnNames
from tercet.errors import BadSource, MissingColumn, shorten, suggest

MAX_TEXTS = 400
MAX_CHARACTERS = 400  # of a text
WORD = re.compile(r"\w+")


def measure_agreement(texts: Sequence[str], labels: Sequence[str]) -> float:
    """By how many standard errors the labels that the words predict agree with the given ones better than by chance.

    Each half of the rows is predicted by the other half, by naive Bayes without a prior. It is about 0 if texts and labels
    have nothing to do with each other, and 0 if there is nothing to compare. Rows without a text or a label are left out.

    >>> texts = ["so good", "good film", "bad film", "so bad"] * 10
    >>> round(measure_agreement(texts, ["+", "+", "-", "-"] * 10), 1)
    6.3
    >>> measure_agreement(texts[:39], ["a", "b", "c"] * 13) < 2
    True
    """
    rows = [(text, label) for text, label in zip(texts, labels, strict=True) if text and label]
    rows = rows[:: max(1, math.ceil(len(rows) / MAX_TEXTS))]
    found = [(list(dict.fromkeys(WORD.findall(text[:MAX_CHARACTERS].casefold()))), label) for text, label in rows]
    # Neighbours often belong together, and rows may alternate: the halves are blocks of three rows.
    halves = [[row for index, row in enumerate(found) if index // 3 % 2 == half] for half in (0, 1)]
    pairs = [pair for half in (0, 1) for pair in _predict(halves[1 - half], halves[half])]
    n = len(pairs)
    given, predicted = Counter(label for label, _ in pairs), Counter(label for _, label in pairs)
    by_chance = sum(given[label] * predicted[label] for label in given) / max(n, 1) ** 2
    agreed = sum(label == other for label, other in pairs)
    return (agreed - n * by_chance) / math.sqrt(n * by_chance * (1 - by_chance)) if 0 < by_chance < 1 else 0.0


def _predict(learned: Sequence[tuple[list[str], str]], asked: Sequence[tuple[list[str], str]]) -> list[tuple[str, str]]:
    """The given and the predicted label of each row that is asked for."""
    totals = Counter(label for _, label in learned)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for words, label in learned:
        for word in words:
            counts[word][label] += 1
    logs = {label: math.log(n + 2) for label, n in totals.items()}
    pairs = []
    for words, label in asked:
        known = [counts[word] for word in words if word in counts]
        scores = {other: -len(known) * log for other, log in logs.items()}
        for seen in known:
            for other, n in seen.items():  # log(0 + 1) is 0 for all others
                scores[other] += math.log(n + 1)
        if scores:
            pairs.append((label, max(scores, key=lambda other: (scores[other], other))))
    return pairs


MAX_SAMPLED_ROWS, MAX_SAMPLED_CELLS = 1000, 200_000  # of a sample
MAX_COLUMNS = 500
MAX_NAMED = 10  # columns in a message
NAME_ANOTHER = "Name one of these."
SEVERAL = "If documents have several labels, give --label-separator ';'; otherwise name another column with --label."
MAX_NAME_LENGTH = 60  # characters of a name in a message
MIN_LEAD = 0.75  # by how much the best column must be better than the next one
MIN_LEAD_OF_FEW = 0.01  # the same for a text in a table of a few rows
GROUPED = 4.0  # the score of a name of labels that may have many values; a rating has few
USUAL = 3.5  # the score of a name that is usual for labels
NAMED = 2.5  # the score of a name that says what the column is
MIN_SENTENCE_WORDS = 5  # words: cells with more are no ids or names, whatever the column is called
MAX_RIVALS = 10  # columns that are compared with the chosen label
NOTHING, MUCH = 2.0, 6.0  # agreement of texts and labels, in standard errors
MAX_SCORED_WORDS = 20  # cells of so many words are texts; more words say no more

Sample = Mapping[str, Sequence[Any]]  # cells of each column, by its name; the rows are the same for all columns


@dataclass(frozen=True)
class Fields(ColumnNames):
    """The names of the columns to use. If there are several text columns, their cells are joined (see `text_columns`).

    Points have no text column.
    """

    columns: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """All names, each once."""
        others = [name for name in (self.label, self.weight) if name is not None]
        return list(dict.fromkeys([*self.texts, *others, *self.columns]))

    def make_rows(self, lines: Sequence[int], column: Callable[[str], list[Any]], bad: dict[int, str]) -> RawRows:
        """The rows, given a function that finds a column by its name."""
        texts: list[Any] = column(self.texts[0]) if self.texts else [""] * len(lines)
        if len(self.texts) > 1:
            texts = join_columns({name: column(name) for name in self.texts}, bad)
        labels = None if self.label is None else column(self.label)
        weights = None if self.weight is None else column(self.weight)
        return RawRows(lines, texts, labels, weights, {name: column(name) for name in self.columns}, bad, self.texts)


def choose_fields(
    source: str, sample: Sample, options: ReadOptions, *, has_header: bool = True, is_partial: bool = False
) -> tuple[Fields, list[str]]:
    """The columns to use, and in words what was guessed about them, from some cells of each column.

    The cells should come from all parts of the source. `is_partial` says that they come from its beginning only.
    """
    check_names(source, sample.keys(), options)
    if options.n_numbers is not None:
        return choose_points(source, sample, options, has_header=has_header)
    columns = tuple(dict.fromkeys([*sample, *options.columns])) if options.all_columns else options.columns
    if options.label_separator is not None:
        sample = take_first_labels(sample, options.label_separator)
    options, words = fill_names(options, sample.keys(), has_header=has_header)
    guess = ColumnGuess(source, sample, options, has_header=has_header, is_partial=is_partial or options.is_part)
    texts = options.text or (() if options.only_labels else guess.choose_text_columns())
    spelled = {name.casefold(): name for name in sample}
    usual = None if options.label else next((spelled[name] for name in options.usual_labels if name in spelled), None)
    words += [f"label: {spell_columns([usual], has_header)}"] if usual else []
    label = options.label or usual or (guess.choose_label_column(texts) if options.labelled else None)
    return Fields(texts, label, options.weight, columns), [*words, *guess.describe(label)]


def take_first_labels(sample: Sample, separator: str) -> Sample:
    """The sample with only the first label of a cell, so that its column looks like one with a single label.

    Lists are cut in all columns, and joined cells in columns that are named like a label: others may be texts.

    >>> take_first_labels({"labels": [["a", "b"], []], "label": ["a; b", ""], "text": ["So; well", "No"]}, ";")
    {'labels': ['a', None], 'label': ['a', ''], 'text': ['So; well', 'No']}
    """
    cut = {}
    for name, cells in sample.items():
        is_label = score_name(name).label >= NAMED
        firsts = [next(iter(cell), None) if isinstance(cell, list) else cell for cell in cells]
        cut[name] = [cell.split(separator)[0] if is_label and isinstance(cell, str) else cell for cell in firsts]
    return cut


def choose_points(source: str, sample: Sample, options: ReadOptions, *, has_header: bool) -> tuple[Fields, list[str]]:
    """The same for a table of points, which has no text."""
    label, numbers = choose_point_columns(source, sample, options)
    words = [] if options.columns else [f"numbers: {spell_columns(numbers, has_header)}"]
    words += [] if options.label else [f"label: {spell_columns([label], has_header)}"]
    return Fields((), label, None, numbers), words


def fill_names(options: ReadOptions, names: Collection[str], *, has_header: bool) -> tuple[ReadOptions, list[str]]:
    """The options with the columns of other data for what is not named, and in words which columns these are.

    >>> fill_names(ReadOptions(label="queue", like=Fields(("subject",), "kind", "n")), ["queue", "subject"], has_header=True)[1]
    ["text: column 'subject', as in the training data", "no column 'n', the weight of the training data: all weights are 1"]
    """
    found: dict[str, list[str]] = {}
    missing = []
    for field, name in options.remembered:
        if name in names:
            found.setdefault(field, []).append(name)
        else:  # a weight: `check_names` refuses other columns
            missing.append(f"no column {name!r}, the {field} of the training data: all weights are 1")
    if not found:
        return options, missing
    texts = tuple(found.get("text", options.text))
    label, weight = (found.get(field, [getattr(options, field)])[0] for field in ("label", "weight"))
    words = ", ".join(f"{field}: {spell_columns(names, has_header)}" for field, names in found.items())
    return replace(options, text=texts, label=label, weight=weight), [f"{words}, as in the training data", *missing]


@dataclass(frozen=True)
class Candidate:
    """A column that may be the text or the label, and how much speaks for it."""

    name: str
    score: float
    signs: ColumnSigns


class ColumnGuess:
    """The guess of the columns that are not named."""

    def __init__(self, source: str, sample: Sample, options: ReadOptions, *, has_header: bool, is_partial: bool) -> None:
        self._source, self._options, self._has_header, self._is_partial = source, options, has_header, is_partial
        self._sample = thin_out(sample) if options.has_guess else sample
        taken = {options.label, options.weight, *options.text, *options.columns}
        possible = self._sample if len(sample) <= MAX_COLUMNS else drop_numbers(self._sample)
        self._signs = {name: ColumnSigns.of(cells) for name, cells in possible.items() if name not in taken}
        self._choices: dict[str, list[Candidate]] = {}  # the chosen columns of a field, and the second choice after them

    def choose_text_columns(self) -> tuple[str, ...]:
        """The text column; several columns only if the file has the form "label","title","text"."""
        if not self._has_header and self._options.label in (None, "1") and is_label_first(self._sample):
            self._choices["texts"] = [Candidate(name, 0, signs) for name, signs in self._signs.items() if name != "1"]
            return tuple(candidate.name for candidate in self._choices["texts"])
        candidates = [Candidate(name, score_text(name, signs), signs) for name, signs in self._signs.items()]
        is_alone = len(candidates) == 1
        return (self._choose("text", [candidate for candidate in candidates if candidate.score > 0 or is_alone]),)

    def choose_label_column(self, texts: tuple[str, ...]) -> str:
        """The label column."""
        rest = {name: signs for name, signs in self._signs.items() if name not in texts}
        candidates = [Candidate(name, self._score_label(name, signs), signs) for name, signs in rest.items()]
        is_alone = len(candidates) == 1 and candidates[0].signs.looks_like_label
        likely = [candidate for candidate in candidates if candidate.score > 0 or is_alone]
        if all(candidate.score < NAMED for candidate in likely):
            self._refuse_odd(candidates)
        if len(likely) == 1 and likely[0].score < UNKNOWN and len(candidates) > 2:
            only = self._show(likely[0])
            why = f"only column {only} could be the label, but a column of this name rarely is"
            raise BadSource(f"{self._source}: {why}: name the label column with --label.")
        label = self._choose("label", likely)
        if texts:
            self._check_agreement(texts[0])
        return label

    def describe(self, label: str | None) -> list[str]:
        """What was guessed, in words: each column with two of its values, and the second choice."""
        words = []
        for field, (best, *others) in self._choices.items():
            if field == "texts":
                words.append(f"text: {spell_columns([candidate.name for candidate in (best, *others)], self._has_header)}")
                continue
            second = next((other for other in others if other.name != label), None)
            parts = [", ".join(map(repr, best.signs.examples)), f"second choice: {self._spell(second)}" if second else ""]
            if field == "text" and second and score_name(second.name).text > UNKNOWN:
                in_order = [name for name in self._sample if name in (best.name, second.name)]
                parts.append(f"to read both: {' '.join(f'--text {name}' for name in in_order)}")
            inside = "; ".join(filter(None, parts))
            words.append(f"{field}: column {self._spell(best)}" + (f" ({inside})" if inside else ""))
        return words

    def _score_label(self, name: str, signs: ColumnSigns) -> float:
        """How much speaks for a label; 0 if it is none."""
        score = score_name(name).label
        is_possible = signs.looks_like_label
        if score >= NAMED:
            is_possible = signs.could_be_label and (score >= GROUPED or signs.n_different <= signs.n / 2 or signs.n < MIN_CELLS)
        if not is_possible and not (score >= CERTAIN and signs.missing == 1):
            return 0
        if signs.is_constant and not self._is_partial:
            return max(score - 2, 0)
        return score - 2 * max(signs.missing - 0.1, 0)

    def _choose(self, field: str, candidates: list[Candidate]) -> str:
        """The best column. Raises BadSource if there is none, or if the next one is too close."""
        if not candidates:
            raise unclear(self._source, field, self._sample)
        best, *others = sorted(candidates, key=lambda candidate: -candidate.score)
        same = [other for other in others if field == "label" and self._say_the_same(best, other)]
        if best.signs.form == "number":  # the names of the labels rather than their numbers
            best = next((other for other in same if other.signs.form is None and best.score - other.score < MIN_LEAD), best)
        others = [other for other in others if other not in same]
        if others and best.score - others[0].score < (
            MIN_LEAD if field == "label" or best.signs.n >= MIN_CELLS else MIN_LEAD_OF_FEW
        ):
            raise self._too_close(field, best, others[0])
        self._choices[field] = [best, *others]
        return best.name

    def _say_the_same(self, a: Candidate, b: Candidate) -> bool:
        """Whether each value of one column always stands beside the same value of the other: a label and its number."""
        n = a.signs.n_different
        if not 1 < n == b.signs.n_different <= len(self._sample[a.name]) / 3:
            return False
        pairs = zip(map(spell_cell, self._sample[a.name]), map(spell_cell, self._sample[b.name]), strict=True)
        return len({pair for pair in pairs if all(pair)}) == n

    def _check_agreement(self, text: str) -> None:
        """Raise BadSource if the texts say nothing about the chosen label, but much about another column that may be one."""
        best, *others = self._choices["label"]
        texts = list(map(spell_cell, self._sample[text]))

        def measure(candidate: Candidate) -> float:
            return measure_agreement(texts, list(map(spell_cell, self._sample[candidate.name])))

        rivals = [other for other in others if other.score >= UNKNOWN][:MAX_RIVALS]
        if rivals and not best.signs.is_constant and measure(best) < NOTHING:
            for other in rivals:
                if measure(other) > MUCH:
                    raise self._too_close("label", best, other)

    def _spell(self, candidate: Candidate) -> str:
        return repr(candidate.name) if self._has_header else candidate.name

    def _show(self, candidate: Candidate) -> str:
        """The column with two of its values."""
        values = ", ".join(map(repr, candidate.signs.examples))
        return self._spell(candidate) + (f" ({values})" if values else "")

    def _too_close(self, field: str, *candidates: Candidate) -> BadSource:
        first, second = map(self._show, candidates)
        why = f"both column {first} and column {second} may be the {field}"
        return BadSource(f"{self._source}: {why}: name one of them with --{field}.")

    def _refuse_odd(self, candidates: list[Candidate]) -> None:
        """Raise BadSource if a column is named like a label, but its cells can't be labels. Another one is hardly meant."""
        for candidate in candidates:
            if score_name(candidate.name).label >= USUAL and candidate.score == 0:
                if candidate.signs.is_unique and candidate.signs.form != NESTED:
                    raise BadSource(f"{self._source}: {describe_unique(candidate.name)}")
                if any(isinstance(cell, list) for cell in self._sample[candidate.name]):
                    why = f"the column {self._show(candidate)} holds lists, and a document has one label"
                    raise BadSource(f"{self._source}: {why}. {SEVERAL if self._options.only_labels else NAME_ONE}")
                why = f"the column {self._show(candidate)} is named like a label, but does not hold labels"
                raise BadSource(f"{self._source}: {why}: name the label column with --label.")


def score_text(name: str, signs: ColumnSigns) -> float:
    """How much speaks for a text; 0 if it is none."""
    score, label = score_name(name)
    is_other = score < UNKNOWN and (score < 0 or label >= NAMED) and signs.words < MIN_SENTENCE_WORDS
    is_possible = score >= CERTAIN or (signs.could_be_text if score >= NAMED else signs.looks_like_text)
    if is_other or not is_possible or signs.missing == 1:
        return 0
    score = max(score, FEATURE)
    return score + 1.5 * math.log10(1 + min(signs.words, MAX_SCORED_WORDS))


def is_label_first(sample: Sample) -> bool:
    """Whether the table has the form of well-known benchmark files: "3","title","text", without a header.

    >>> is_label_first({"1": ["3", "4"], "2": ["Oil up", "Goal!"], "3": ["It rose.", "They won."]})
    True
    """
    first, *others = map(ColumnSigns.of, sample.values())
    are_texts = all(signs.form is None and signs.n_different > signs.n / 2 for signs in others)
    return len(others) > 1 and first.looks_like_label and are_texts


def drop_numbers(sample: Sample) -> Sample:
    """The columns with a usual name or with words, to look at a table of many thousand columns quickly.

    >>> list(drop_numbers({"x1": ["0.5"], "x2": ["so"], "Label": ["3"]}))
    ['x2', 'Label']
    """
    return {
        name: cells
        for name, cells in sample.items()
        if name.casefold() in KNOWN or not all(is_numeral(str(cell)) for cell in cells[:3])
    }


def thin_out(sample: Sample) -> Sample:
    """At most so many rows that all columns can be looked at quickly, from all parts of the sample."""
    most = max(2 * MIN_CELLS, min(MAX_SAMPLED_ROWS, MAX_SAMPLED_CELLS // max(len(sample), 1)))
    return {name: thin_rows(cells, most) for name, cells in sample.items()}


def thin_rows(rows: Sequence[Any], most: int) -> list[Any]:
    """At most so many of the rows, at equal distances.

    >>> thin_rows(range(10), 5), thin_rows("abc", 5)
    ([0, 2, 4, 6, 8], ['a', 'b', 'c'])
    """
    return list(rows[:: max(1, math.ceil(len(rows) / max(most, 1)))])


def check_names(source: str, names: Collection[str], options: ReadOptions) -> None:
    """Raise MissingColumn if a column that is needed or was asked for does not exist. A test does without a weight."""
    for name in options.needed:
        if name not in names:
            fault = f"{source} has no column {name!r}, which the model needs beside the text"
            raise MissingColumn(f"{fault}: it has {spell_names(list(names))}.", name, "Add it to the file.")
    for option, name in [*options.named, *(("columns", name) for name in options.columns)]:
        if name not in names:
            raise missing_column(f"{source} has no column {name!r}", name, names, option)
    for option, name in options.remembered:
        if name not in names and (option != "weight" or options.training):
            fault = f"{source} has no column {name!r}, which was the {option} of the training data"
            raise missing_column(fault, name, names, option)


def missing_column(fault: str, name: str, names: Collection[str], option: str) -> MissingColumn:
    """The error for a column that does not exist, which was named with this option."""
    if option == "text" and "," in name:
        return MissingColumn(f"{fault}: it has {spell_names(list(names))}.", name, "Give --text once for each column.")
    if len(names) == 1:
        return MissingColumn(f"{fault}: {only_column(names)}.", name, "Is the --format right?")
    # Several options of commands name columns to keep.
    remedy = NAME_ANOTHER if option == "columns" else f"Name one of these with --{option}."
    return MissingColumn(f"{fault}: it has {spell_names(list(names))}.{suggest(name, names)}", name, remedy)


def only_column(names: Collection[str]) -> str:
    """The fault of a table that may be written in another format. The only column of a file without a header is "1"."""
    return "only one column was found" + ("" if "1" in names else f", {spell_names(list(names))}")


def check_unique(source: str, names: Sequence[str]) -> None:
    """Raise BadSource if two columns have the same name. Several may have an empty name."""
    found: set[str] = set()
    for name in filter(None, names):
        if name in found:
            raise BadSource(f"{source} has two columns {name!r}: rename one, so that it is clear which is meant.")
        found.add(name)


def unclear(source: str, field: str, sample: Sample) -> BadSource:
    if len(sample) == 1:
        hint = " Without labels: `tercet begin`." if field == "label" else ""
        fault = f"{source} has no column for the {field}: {only_column(sample.keys())}"
        return BadSource(f"{fault}. Is the --format right?{hint}")
    return BadSource(
        f"{source}: it is not clear which column is the {field}: {spell_names(list(sample))}. Name it with --{field}."
    )


def blank_beginning(place: str) -> BadSource:
    """The error for a source whose first block holds only blank lines: a pipe can't be read further just to guess."""
    return BadSource(f"{place}: only blank lines come before it, so the columns are unknown. Remove the blank lines.")


def spell_names(names: Sequence[str]) -> str:
    """The first names, for a message.

    >>> spell_names(["id", "text"]), spell_names([])
    ("'id', 'text'", 'none')
    """
    shown = [shorten(repr(name), MAX_NAME_LENGTH) for name in names[:MAX_NAMED]] + (["…"] if len(names) > MAX_NAMED else [])
    return ", ".join(shown) or "none"


def spell_columns(names: Sequence[str], has_header: bool) -> str:
    """The columns that were chosen, for a message.

    >>> spell_columns(["review"], True), spell_columns(["2", "3"], False)
    ("column 'review'", 'columns 2 and 3')
    """
    spelled = join_names(names) if has_header else " and ".join(names)
    return f"column{'' if len(names) == 1 else 's'} {spelled}"


def join_names(names: Sequence[str]) -> str:
    """
    >>> join_names(["subject", "body"])
    "'subject' and 'body'"
    """
    return " and ".join(map(repr, names))
