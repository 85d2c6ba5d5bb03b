"""The rules by which readers turn the spellings of labels in a file into labels.

`fit` takes labels as they are given. `tercet.train` stores the rules of the reader beside the model, so that more documents are
read by the same rules.
"""

import csv
import os
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tercet.cached import cached_property
from tercet.errors import BadSource, InvalidOption, bad_option
from tercet.options import check_flag

# Characters without width that are no blanks for Python, soft hyphens, and marks of the direction of writing.
INVISIBLE = "\u00ad\u200b\u200e\u200f\u2060\ufeff" + "".join(map(chr, [*range(0x202A, 0x202F), *range(0x2066, 0x206A)]))
JOINERS = "\u200c\u200d"  # inside a word they mean something
BLANKS = "".join(c for c in map(chr, range(0x3001)) if c.isspace()) + INVISIBLE + JOINERS
SEPARATORS = re.compile(r"[\s_\-\u2010-\u2015\u2212]+")
COLUMNS = ("from", "to")  # of a file for --map-labels
DELIMITERS = (",", ";", "\t")

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class LabelRules:
    """What a reader does to labels: remove blanks at both ends (`strip`), then replace labels (`mapping`), then join spellings.

    With `fold=True` labels that `fold_label` makes equal are joined under their most frequent spelling. The reader finds it
    in a first pass over all labels, and then `fold` is the tuple of these spellings. A spelling that comes later is joined to
    them, too. Applying the rules twice is the same as applying them once.

    >>> rules = LabelRules(mapping={"Biling": "Billing"}, fold=("Billing", "Spam"))
    >>> [rules.apply(label) for label in (" Spam\\xa0", "Biling", "BILLING", "SPAM", "Refund")]
    ['Spam', 'Billing', 'Billing', 'Spam', 'Refund']
    """

    strip: bool = True
    mapping: Pairs | Mapping[str, str] = ()  # sorted pairs afterwards
    fold: bool | tuple[str, ...] = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "strip", check_flag("strip", self.strip))
        object.__setattr__(self, "mapping", _check_mapping(self.mapping, BLANKS if self.strip else ""))
        object.__setattr__(self, "fold", _check_fold(self.fold))
        if self.fold is not False and not self.strip:
            raise bad_option("strip", "True if fold is given", self.strip, "spellings that differ by blanks are joined.")
        for spelling, label in dict(self.mapping).items():
            if self._join(self._replace(label)) != self._join(label):
                raise InvalidOption(
                    f"the label {spelling!r} is replaced by {label!r}, which is itself replaced by {self.apply(label)!r}: "
                    "it would depend on the order. Replace each spelling by its last label."
                )

    def apply(self, label: str) -> str:
        """The label that this spelling stands for; it is empty if the spelling is blank."""
        return self._join(self._replace(label.strip(BLANKS) if self.strip else label))

    def apply_all(self, labels: Iterable[str]) -> list[str]:
        """The labels that these spellings stand for. Each distinct spelling is looked at once."""
        listed = list(labels)
        known = {label: self.apply(label) for label in set(listed)}
        return [known[label] for label in listed]

    def choose_spellings(self, counts: Mapping[str, float]) -> "LabelRules":
        """The rules with a spelling for each of these labels, given how many documents have them; the same if fold=False.

        Of spellings that are equally frequent, the first in sorted order is chosen. Spellings that were chosen before stay.

        >>> rules = LabelRules(fold=True).choose_spellings({"spam": 2, "Spam": 3, "ham": 1})
        >>> rules.fold, rules.choose_spellings({"SPAM": 5, "NEWS": 1, "news": 2}).fold
        (('Spam', 'ham'), ('Spam', 'ham', 'news'))
        """
        if self.fold is False:
            return self
        joined: dict[str, float] = {}
        for label, n in counts.items():
            replaced = self._replace(label)
            joined[replaced] = joined.get(replaced, 0) + n
        groups = [group for group in group_spellings(joined) if fold_label(min(group)) not in self._spellings]
        return replace(self, fold=(*self._spellings.values(), *map(choose_spelling, groups)))

    def has_spellings(self, labels: Iterable[str]) -> bool:
        """Whether the spelling of each of these labels is chosen already. They were read by these rules."""
        return isinstance(self.fold, tuple) and set(self.fold).issuperset(labels)

    def to_dict(self) -> dict[str, Any]:
        """Values for JSON."""
        return {"strip": self.strip, "mapping": dict(self.mapping), "fold": _list_fold(self.fold)}

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> "LabelRules":
        """The rules that `to_dict` has written, checked."""
        if not isinstance(written, Mapping) or set(written) != {"strip", "mapping", "fold"}:
            raise bad_option("label_rules", "strip, mapping and fold", written, "readers apply them to labels.")
        mapping, fold = written["mapping"], written["fold"]
        if not isinstance(mapping, Mapping) or not (fold is False or isinstance(fold, list)):
            raise bad_option("label_rules", "a mapping of labels, and False or a list of labels", written, "they are definite.")
        return cls(written["strip"], mapping, tuple(fold) if isinstance(fold, list) else False)

    def _replace(self, label: str) -> str:
        """The label that the mapping has for this one. If spellings are joined, any spelling of it will do."""
        exact, by_key = self._mapped
        return exact[label] if label in exact else by_key.get(fold_label(label), label) if by_key else label

    def _join(self, label: str) -> str:
        return self._spellings.get(fold_label(label), label) if self._spellings else label

    @cached_property
    def _mapped(self) -> tuple[dict[str, str], dict[str, str]]:
        """The mapping by the exact spelling, and, if spellings are joined, by what `fold_label` makes of it."""
        exact = dict(self.mapping)
        if self.fold is False:
            return exact, {}
        targets: dict[str, set[str]] = {}
        for spelling, label in dict(self.mapping).items():
            targets.setdefault(fold_label(spelling), set()).add(label)
        return exact, {key: labels.pop() for key, labels in targets.items() if len(labels) == 1}

    @cached_property
    def _spellings(self) -> dict[str, str]:
        return {fold_label(label): label for label in self.fold} if isinstance(self.fold, tuple) else {}


def merge_rules(a: LabelRules | None, b: LabelRules | None) -> LabelRules | None:
    """The rules that documents of both are read by. If they differ, only the removal of blanks is left.

    >>> merge_rules(LabelRules(fold=("Spam",)), LabelRules(mapping={"a": "b"}))
    LabelRules(strip=True, mapping=(), fold=False)
    """
    if a is None or b is None or a == b:
        return a if a == b else None
    return LabelRules(strip=a.strip and b.strip)


def fold_label(label: str) -> str:
    """What spellings of one label have in common: they differ only by case, Unicode form, blanks, hyphens and underscores.

    Between letters, blanks, hyphens and underscores are left out. Next to a digit they count as one blank. At the beginning and
    the end, hyphens and underscores stay, and so does a minus after a blank: they may mean something.

    >>> [fold_label(label) for label in ("E-mail", "e mail", "ＥＭＡＩＬ", "Covid_19", "COVID-19")]
    ['email', 'email', 'email', 'covid 19', 'covid 19']
    >>> [fold_label(label) for label in ("-1", "1", "A-", "1-2", "12", "temp -1", "temp 1")]
    ['-1', '1', 'a-', '1 2', '12', 'temp -1', 'temp 1']
    """
    visible = label.translate(dict.fromkeys(map(ord, INVISIBLE)))
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", visible).casefold()).strip(BLANKS)
    return SEPARATORS.sub(_fold_separators, text)


def _fold_separators(found: re.Match[str]) -> str:
    text, run = found.string, found[0]
    if found.start() == 0 or found.end() == len(text):
        return run
    before, after = text[found.start() - 1], text[found.end()]
    if all(unicodedata.category(c)[0] in "LM" for c in (before, after)):
        return ""
    is_minus = len(run) > 1 and run[-1] not in "_" + BLANKS and after.isdigit()
    return " -" if is_minus else " "


def group_spellings(counts: Mapping[str, float]) -> list[dict[str, float]]:
    """The labels with their counts, in groups that `fold_label` makes equal. Labels and groups are sorted.

    >>> group_spellings({"spam": 2, "Spam": 3, "ham": 1})
    [{'Spam': 3, 'spam': 2}, {'ham': 1}]
    """
    groups: dict[str, dict[str, float]] = {}
    for label in sorted(counts):
        groups.setdefault(fold_label(label), {})[label] = counts[label]
    return list(groups.values())


def choose_spelling(group: Mapping[str, float]) -> str:
    """The most frequent spelling; of equally frequent ones the first in sorted order."""
    return min(group, key=lambda label: (-group[label], label))


def read_label_map(path: str | os.PathLike[str]) -> dict[str, str]:
    """The mapping of a CSV file with the columns `from` and `to`. Other columns are ignored.

    Blanks at both ends are removed from both. Cells may also be separated by semicolons or tabs, as some spreadsheets do.
    """
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            header = file.readline()
            file.seek(0)
            rows = csv.DictReader(file, delimiter=next((c for c in DELIMITERS if c in header), ","), strict=True)
            if not set(COLUMNS) <= set(rows.fieldnames or ()):
                raise BadSource(f"{path} is no map of labels: its first line must be from,to. Each other line is a spelling.")
            return _collect_map(path, ((rows.line_num, row) for row in rows))
    except OSError as error:
        raise BadSource(f"{path} can't be opened: {os.strerror(error.errno or 0)}.") from error
    except (csv.Error, UnicodeDecodeError) as error:
        raise BadSource(f"{path} is no CSV file in UTF-8: {error}. Save it as such a file.") from error


def _collect_map(path: str | os.PathLike[str], rows: Iterable[tuple[int, Mapping[str, Any]]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for line, row in rows:
        spelling, label = ((row[name] or "").strip(BLANKS) for name in COLUMNS)
        if not spelling or not label:
            raise BadSource(f"{path}, line {line}: a label is missing: each line needs a spelling and the label for it.")
        if found.setdefault(spelling, label) != label:
            both = f"{found[spelling]!r} and by {label!r}"
            raise BadSource(f"{path}, line {line}: {spelling!r} is to be replaced by {both}: keep one of the lines.")
    if not found:
        raise BadSource(f"{path} has no line below from,to: there is nothing to replace. Add a line or leave --map-labels out.")
    return found


def _check_mapping(given: Any, blanks: str) -> Pairs:
    pairs = list(given.items()) if isinstance(given, Mapping) else given
    if not isinstance(pairs, list | tuple) or not all(isinstance(p, tuple | list) and len(p) == 2 for p in pairs):
        raise bad_option("mapping", "a mapping of labels", given, "it replaces one label by another.")
    if not all(isinstance(label, str) and label.strip(blanks) for pair in pairs for label in pair):
        raise bad_option("mapping", "a mapping of labels that are not blank", given, "a blank label is a missing one.")
    pairs = [(spelling.strip(blanks), label.strip(blanks)) for spelling, label in pairs]
    if len({spelling for spelling, _ in pairs}) < len(pairs):
        raise bad_option("mapping", "one label for each spelling", given, "it would not be clear which label is meant.")
    return tuple(sorted((spelling, label) for spelling, label in pairs if spelling != label))


def _check_fold(given: Any) -> bool | tuple[str, ...]:
    if not isinstance(given, tuple):
        return check_flag("fold", given)
    if not all(isinstance(label, str) and label and label == label.strip(BLANKS) for label in given):
        raise bad_option("fold", "True, False or a tuple of labels", given, "other spellings are joined to these labels.")
    if len(set(map(fold_label, given))) < len(given):
        raise bad_option("fold", "one spelling of each label", given, "it would not be clear which spelling is meant.")
    return tuple(sorted(given))


def _list_fold(fold: bool | tuple[str, ...]) -> bool | list[str]:
    return list(fold) if isinstance(fold, tuple) else fold
