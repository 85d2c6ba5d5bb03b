"""The languages of texts: one answer, the answers for many texts, and the parts of a mixed text."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, overload

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.data_frames import make_frame
from tercet.languages.codes import UNKNOWN, shorten_label

NOTHING = -2  # there are no more answers


class Language(NamedTuple):
    """A language with the probability that a text is in it.

    `code` is ISO 639-1, or 639-3 if that has none: `de`, `gsw`. It is a group such as `hbs` if a text may be in any of several
    close languages, and `und` if it is in no known language. `label` has the script, too: `deu_Latn`.
    """

    code: str
    name: str
    probability: float
    label: str

    def to_dict(self) -> dict[str, Any]:
        return self._asdict()


class Segment(NamedTuple):
    """A part of a text in one language: `text[start:end]`."""

    start: int
    end: int
    language: Language

    def to_dict(self) -> dict[str, Any]:
        return {"start": self.start, "end": self.end, **self.language.to_dict()}


@dataclass(frozen=True)
class LabelNames:
    """What the numbers of answers mean: the labels of a model, then its groups. -1 is an unknown language."""

    labels: tuple[str, ...]
    names: tuple[str, ...]
    codes: tuple[str, ...]
    facts: tuple[tuple[str, str, str], ...]  # code, name and label

    @classmethod
    def of(cls, labels: Sequence[str], names: Sequence[str]) -> "LabelNames":
        """The unknown language is the last, so -1 finds it."""
        all_labels, all_names = (*labels, UNKNOWN), (*names, "unknown")
        codes = tuple(map(shorten_label, all_labels))
        return cls(all_labels, all_names, codes, tuple(zip(codes, all_names, all_labels, strict=True)))

    def make(self, number: int, probability: float) -> Language:
        code, name, label = self.facts[number]
        return Language(code, name, probability, label)


class Languages(Sequence[Language]):
    """The language of each of many texts, in their order.

    `codes`, `names`, `labels` and `probabilities` are columns, for a data frame: `frame["language"] =
    tercet.identify_languages(frame["text"]).codes`. `ranked(i)` has the best languages of text i, as many as were asked for.
    """

    def __init__(self, names: LabelNames, numbers: Integers, probabilities: Floats, top: int = 1) -> None:
        self._names = names
        self._numbers = numbers  # texts × answers
        self._probabilities = probabilities
        self._top = top  # languages that were asked for

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> Language: ...
    @overload
    def __getitem__(self, index: slice) -> "Languages": ...
    def __getitem__(self, index: int | slice) -> "Language | Languages":
        if isinstance(index, slice):
            return Languages(self._names, self._numbers[index], self._probabilities[index], self._top)
        return self._names.make(int(self._numbers[index, 0]), float(self._probabilities[index, 0]))

    def __iter__(self) -> Iterator[Language]:
        numbers, probabilities = self._numbers[:, 0].tolist(), self._probabilities[:, 0].tolist()
        return map(self._names.make, numbers, probabilities)

    def ranked(self, place: int, *, scripts: bool = False) -> list[Language]:
        """The best languages of one text, the best first. Each is there once; with `scripts`, once for each of its scripts."""
        pairs = zip(self._numbers[place].tolist(), self._probabilities[place].tolist(), strict=True)
        found = [self._names.make(number, probability) for number, probability in pairs if number != NOTHING]
        keys = [language.label if scripts else language.code for language in found]
        return [language for i, language in enumerate(found) if keys[i] not in keys[:i]][: self._top]

    @property
    def codes(self) -> list[str]:
        return self._list(self._names.codes)

    @property
    def names(self) -> list[str]:
        return self._list(self._names.names)

    @property
    def labels(self) -> list[str]:
        return self._list(self._names.labels)

    @property
    def probabilities(self) -> Floats:
        return self._probabilities[:, 0]

    def _list(self, values: tuple[str, ...]) -> list[str]:
        return [values[number] for number in self._numbers[:, 0].tolist()]

    def to_frame(self) -> Any:
        """A data frame of pandas or polars with the columns `language`, `name` and `probability`."""
        return make_frame({"language": self.codes, "name": self.names, "probability": self.probabilities})

    def to_dict(self) -> list[dict[str, Any]]:
        return [language.to_dict() for language in self]

    def __repr__(self) -> str:
        shown = ", ".join(self.codes[:8]) + (", …" if len(self) > 8 else "")
        return f"Languages({len(self)}: {shown})" if len(self) else "Languages(0)"

    @classmethod
    def join(cls, names: LabelNames, parts: Sequence[tuple[Integers, Floats]], n_answers: int, top: int) -> "Languages":
        """Answers for several batches of texts, one after another."""
        numbers = [np.zeros((0, n_answers), np.int64), *(numbers for numbers, _ in parts)]
        probabilities = [np.zeros((0, n_answers)), *(probabilities for _, probabilities in parts)]
        return cls(names, np.concatenate(numbers), np.concatenate(probabilities), top)
