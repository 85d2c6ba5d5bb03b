"""What teachers say: the cells of a column, or rules by hand → votes, rows × labels."""

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tercet.arrays import Flags, Integers
from tercet.arrow_columns import list_cells
from tercet.categorizer.rules import Rule, check_rules, first_rules, match_rules
from tercet.counts.labels import Labels, encode_labels
from tercet.data.documents import Documents
from tercet.data.id_labels import looks_like_ids
from tercet.data.label_rules import LabelRules
from tercet.data.raw_rows import spell_label
from tercet.errors import InvalidLabel, InvalidOption, bad_option, is_missing, shorten, suggest
from tercet.options import is_list, is_number
from tercet.text.analyzer import Analyzer

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

TOLERANCE = 0.01  # by which the sum of probabilities may differ from 1
MAX_SHARE = 1e6  # what is no probability, but may be a weight: the sum says so
MAX_SHOWN = 5  # labels in a message
EXPECTED = "names of columns, or a mapping from the name of a teacher to its answers or its rules"

Ballot = tuple[tuple[str, float], ...]  # labels as they are spelled, with shares that add up to 1; empty if it abstains
NamePlace = Callable[[int], str]


class Teacher(NamedTuple):
    """What one teacher says of each row: shares of the labels, rows × labels. A row of zeros says nothing."""

    name: str
    votes: "csr_matrix"

    @property
    def has_voted(self) -> Flags:
        """Which rows it has labelled."""
        return np.diff(self.votes.indptr) > 0

    def list_answers(self) -> Integers:
        """The label with the largest share for each row, the first of equal ones; -1 where it abstains."""
        voted = np.flatnonzero(self.has_voted)
        answers = np.full(self.votes.shape[0], -1, np.int64)
        # Not argmax of scipy, which is a loop in Python.
        rows = np.repeat(np.arange(len(answers)), np.diff(self.votes.indptr))
        order = np.lexsort((self.votes.indices, -self.votes.data, rows))
        answers[voted] = self.votes.indices[order][self.votes.indptr[voted]]
        return answers


@dataclass(frozen=True, eq=False)
class TaughtRows:
    """Rows with what teachers say of them, and their gold labels as codes; -1 where there is none."""

    labels: Labels
    gold: Integers
    teachers: tuple[Teacher, ...]

    @property
    def is_gold(self) -> Flags:
        return np.asarray(self.gold >= 0, np.bool_)

    @property
    def is_labelled(self) -> Flags:
        """Which rows have a gold label, or a label of at least one teacher."""
        voted = [teacher.has_voted for teacher in self.teachers]
        return np.asarray(np.logical_or.reduce([self.is_gold, *voted]), np.bool_)

    def pick(self, rows: Integers) -> "TaughtRows":
        """These rows."""
        teachers = tuple(teacher._replace(votes=teacher.votes[rows]) for teacher in self.teachers)
        return replace(self, gold=self.gold[rows], teachers=teachers)


def name_document(position: int) -> str:
    return f"document {position} (counted from 0)"


def read_votes(
    documents: Documents,
    teachers: Any,
    analyzer: Analyzer,
    *,
    rules: LabelRules | None = None,
    name_place: NamePlace = name_document,
) -> TaughtRows:
    """The votes of all teachers and the gold labels of the documents, which may be missing.

    `rules` are applied to the labels of teachers, as a reader has applied them to gold labels. `name_place` says in messages
    where a document stands.

    >>> columns = {"old": ["x", "y", ""], "votes": ['["y", "x"]', "y", "x"]}
    >>> found = read_votes(Documents(["a", "b", "c"], ["x", None, None], columns=columns), ["old", "votes"], Analyzer())
    >>> found.labels.tolist(), found.gold.tolist(), [teacher.list_answers().tolist() for teacher in found.teachers]
    (['x', 'y'], [0, -1, -1], [[0, 1, -1], [0, 1, 0]])
    """
    given = name_teachers(documents, teachers)
    spell = BallotReader(LabelRules(strip=False) if rules is None else rules, name_place)
    gold = spell.read_gold(documents)
    ballots: dict[str, list[Ballot]] = {}
    for name, answers in given.items():
        is_rules = isinstance(answers, tuple)
        ballots[name] = spell.match(answers, documents, analyzer) if is_rules else spell.read_all(name, answers)
        check_ballots(name, ballots[name], gold, is_rules=is_rules)
    labels = choose_labels(gold, ballots)
    codes = {label: code for code, label in enumerate(labels)}
    found = tuple(Teacher(name, _make_matrix(own, codes)) for name, own in ballots.items())
    return _sort([spell.values[label] for label in labels], [codes.get(label, -1) for label in gold], found)


def name_teachers(documents: Documents, teachers: Any) -> dict[str, Any]:
    """The cells of each teacher, by its name; or its rules, in a tuple."""
    given = teachers if isinstance(teachers, Mapping) else list(teachers) if is_list(teachers) else ()
    if not given:
        raise bad_option("teachers", EXPECTED, teachers, "each has labelled documents. Try ['llm_label'].")
    if isinstance(given, list) and len(set(map(str, given))) < len(given):
        raise bad_option("teachers", "names, each once", teachers, "a teacher would count twice.")
    columns = given if isinstance(given, Mapping) else {str(name): str(name) for name in given}
    found: dict[str, Any] = {}
    for name, answers in columns.items():
        cells = _find_column(documents, answers) if isinstance(answers, str) else answers
        found[str(name)] = _check_answers(str(name), cells, len(documents.texts))
    return found


def _find_column(documents: Documents, name: str) -> Any:
    if name not in documents.columns:
        known = ", ".join(map(repr, documents.columns)) or "none"
        near = suggest(name, [*documents.columns])
        raise InvalidOption(f"the documents have no column {name!r} of a teacher: there is {known}.{near} Name one of these.")
    return documents.columns[name]


def _check_answers(name: str, answers: Any, n: int) -> list[Any] | tuple[Rule, ...]:
    """The cells, one for each of n documents; or the rules."""
    if isinstance(answers, Mapping) or (is_list(answers) and len(answers) and all(isinstance(each, Rule) for each in answers)):
        return check_rules(answers)
    if not is_list(answers):
        raise bad_option(f"the teacher {name!r}", "a list of answers, or rules", answers, "each document has an answer.")
    cells = list_cells(answers, f"the answers of {name!r}", InvalidLabel)
    if len(cells) != n:
        raise InvalidLabel(f"the teacher {name!r} has {len(cells)} answers for {n} documents: give one for each, or None.")
    return cells


class BallotReader:
    """Reads cells. `values` has the label for each spelling: labels keep the type that they came with."""

    def __init__(self, rules: LabelRules, name_place: NamePlace) -> None:
        self.values: dict[str, Any] = {}
        self._rules, self._name_place = rules, name_place

    def read_gold(self, documents: Documents) -> list[str]:
        """The gold label of each document as it is spelled; empty if there is none."""
        if documents.labels is None:
            return [""] * len(documents.texts)
        cells = list_cells(documents.labels, "the labels", InvalidLabel)
        if len(cells) != len(documents.texts):
            raise InvalidLabel(
                f"there are {len(cells)} gold labels for {len(documents.texts)} documents: give one, or None, each."
            )
        return ["" if _is_blank(cell) else self._spell(cell) for cell in cells]

    def read_all(self, name: str, cells: Sequence[Any]) -> list[Ballot]:
        """What a teacher says of each document."""
        known: dict[str, Ballot] = {}
        found = []
        for position, cell in enumerate(cells):
            if isinstance(cell, str) and cell in known:
                found.append(known[cell])
                continue
            ballot = self._read(cell, f"the teacher {name!r}, {self._name_place(position)}")
            if isinstance(cell, str):
                known[cell] = ballot
            found.append(ballot)
        return found

    def match(self, rules: Sequence[Rule], documents: Documents, analyzer: Analyzer) -> list[Ballot]:
        """What rules say: the label of the first rule that is found in a text."""
        labels = encode_labels([rule.label for rule in rules])[0]
        which = first_rules(rules, match_rules(rules, documents.texts, analyzer), labels).tolist()
        spelled = [self._spell(rule.label) for rule in rules]
        return [((spelled[number], 1.0),) if number >= 0 else () for number in which]

    def _read(self, cell: Any, where: str) -> Ballot:
        if not isinstance(cell, Mapping) and not is_list(cell) and _is_blank(cell):
            return ()
        if isinstance(cell, str) and cell not in self.values and cell.lstrip().startswith(("{", "[")):
            cell = _read_json(cell, where)
        if isinstance(cell, Mapping):
            return self._read_shares(cell, where)
        return self._read_votes(cell, where) if is_list(cell) else ((self._spell(cell), 1.0),)

    def _read_shares(self, cell: Mapping[Any, Any], where: str) -> Ballot:
        """Probabilities. Raises InvalidLabel unless they are numbers from 0 on that add up to 1."""
        given = {label: share for label, share in cell.items() if share is not None}  # Arrow fills missing keys with None
        for label, share in given.items():
            if not is_number(share) or not 0 <= share <= MAX_SHARE:
                raise InvalidLabel(
                    f"{where}: the probability of {label!r} is {share!r}: write numbers from 0 to 1, such as "
                    f'{{"spam": 0.9, "ham": 0.1}}.'
                )
        total = math.fsum(given.values())
        if abs(total - 1) > TOLERANCE:
            raise InvalidLabel(
                f"{where}: the probabilities add up to {total:.3g}, so it is not clear what they are shares of: divide them by "
                "their sum, or write the label alone."
            )
        return self._join((label, float(share) / total) for label, share in given.items() if share > 0)

    def _read_votes(self, cell: Iterable[Any], where: str) -> Ballot:
        """Votes of several people: how many of them gave each label."""
        votes = [vote for vote in cell if isinstance(vote, Mapping) or is_list(vote) or not _is_blank(vote)]
        if any(isinstance(vote, Mapping) or is_list(vote) for vote in votes):
            raise InvalidLabel(f'{where}: a vote is not a label: write a list of labels, such as ["spam", "ham", "spam"].')
        return self._join((vote, 1 / len(votes)) for vote in votes)

    def _join(self, pairs: Iterable[tuple[Any, float]]) -> Ballot:
        shares: dict[str, float] = {}
        for label, share in pairs:
            spelled = self._spell(label)
            shares[spelled] = shares.get(spelled, 0.0) + share
        return tuple(sorted(shares.items()))

    def _spell(self, label: Any) -> str:
        """The label as a string. Keys of JSON are strings, so a value of another type is preferred to them."""
        value = label.item() if hasattr(label, "item") else label
        spelled = self._rules.apply(spell_label(value))
        if not isinstance(value, str):
            self.values[spelled] = value
        self.values.setdefault(spelled, spelled)
        return spelled


def _is_blank(cell: Any) -> bool:
    return is_missing(cell) or (isinstance(cell, str) and not cell.strip())


def _read_json(cell: str, where: str) -> Any:
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):  # a number of thousands of digits is a ValueError
        shown = shorten(cell)
        raise InvalidLabel(
            f'{where}: {shown!r} begins like JSON, but can\'t be read: write {{"spam": 0.9, "ham": 0.1}}, ["spam", "ham"], '
            "or a label alone."
        ) from None


def check_ballots(name: str, ballots: Sequence[Ballot], gold: Sequence[str], *, is_rules: bool) -> None:
    """Raise InvalidLabel if the teacher says nothing, always the same, just the gold labels, or what looks like ids."""
    different = Counter(ballot for ballot in ballots if ballot)
    if not different:
        what = "no rule is found in any text" if is_rules else "all its cells are empty"
        raise InvalidLabel(f"the teacher {name!r} says nothing: {what}. Name another teacher, or leave it out.")
    if len(different) == 1:
        (((said, _), *_),) = different
        remedy = "Add rules for other labels: a last rule '.=LABEL' speaks for all other texts" if is_rules else "Leave it out"
        raise InvalidLabel(
            f"the teacher {name!r} always says {said!r} where it says anything, so it can't tell labels apart. {remedy}."
        )
    if all(ballot == (((label, 1.0),) if label else ()) for ballot, label in zip(ballots, gold, strict=True)):
        raise InvalidLabel(
            f"the teacher {name!r} says exactly the gold labels, and nothing where there is none: it is the column of the gold "
            "labels, or has copied it. Leave it out."
        )
    n_voted, n_labels = different.total(), len({label for ballot in different for label, _ in ballot})
    if looks_like_ids(n_voted, n_labels):
        raise InvalidLabel(
            f"the teacher {name!r} has {n_labels} different labels for {n_voted} documents: they look like ids. Name another "
            "column."
        )


def choose_labels(gold: Sequence[str], ballots: Mapping[str, Sequence[Ballot]]) -> list[str]:
    """The labels, as they are spelled. With gold labels, a label that only one teacher knows is refused."""
    said = {name: {label for ballot in set(own) for label, _ in ballot} for name, own in ballots.items()}
    known = {label for label in gold if label}
    n_teachers = Counter(label for own in said.values() for label in own)
    if known:
        shared = known | {label for label, n in n_teachers.items() if n > 1}
        for name, own in said.items():
            _refuse_unknown(name, sorted(own - shared), sorted(shared))
        known = shared
    else:
        known = set(n_teachers)
    if len(known) < 2:
        raise InvalidLabel(f"there is only the label {next(iter(known))!r}, so there is nothing to decide: two are needed.")
    return sorted(known)


def _refuse_unknown(name: str, unknown: Sequence[str], known: Sequence[str]) -> None:
    if not unknown:
        return
    shown = ", ".join(map(repr, unknown[:MAX_SHOWN])) + (f" and {len(unknown) - MAX_SHOWN} more" if unknown[MAX_SHOWN:] else "")
    near = suggest(unknown[0], known) if len(unknown) == 1 else ""
    raise InvalidLabel(
        f"the teacher {name!r} says {shown}, which no gold label and no other teacher says: known are "
        f"{shorten(', '.join(map(repr, known)))}.{near} Replace {'it' if len(unknown) == 1 else 'them'} (--map-labels FILE), "
        f"empty such cells, or add a gold label of {'it' if len(unknown) == 1 else 'each'}."
    )


def _make_matrix(ballots: Sequence[Ballot], codes: Mapping[str, int]) -> "csr_matrix":
    from scipy.sparse import csr_matrix  # on first use: import tercet stays quick

    starts = np.cumsum([0, *map(len, ballots)])
    columns = [codes[label] for ballot in ballots for label, _ in ballot]
    shares = [share for ballot in ballots for _, share in ballot]
    return csr_matrix((shares, columns, starts), shape=(len(ballots), len(codes)), dtype=np.float64)


def _sort(values: Sequence[Any], gold: Sequence[int], teachers: Sequence[Teacher]) -> TaughtRows:
    """The rows with the labels in the order of their values: 2 before 10, not "10" before "2"."""
    labels, places = encode_labels(list(values))
    order = np.argsort(places)
    codes = np.append(places, -1)[np.asarray(gold, np.int64)]
    return TaughtRows(labels, codes, tuple(teacher._replace(votes=teacher.votes[:, order]) for teacher in teachers))
