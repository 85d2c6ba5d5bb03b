"""Text → its language: the languages with the highest probabilities, or none if the text is in none of them.

P(label) is proportional to exp(-cost / (spread + spread_per_letter · n)), for a text of n letters and ends of words: the
letters of a text depend on each other, so a long text says less than the sum of its letters.

A short text says little, so there it counts how common a language is: P is multiplied by exp(-handicap). If all words of a
short text are common words of some languages, the others are exp(-4) as probable. If it is a single word, its letters do not
matter any more among the languages that list it: sentences, which the costs are made of, have few greetings.

A text is in no known language if it has no letters or is a program. If it is not made of common words, it is also in none if it
has very few letters and no language is probable, if its letters are too surprising for the language that they fit best, or if
a second scorer that knows many more languages finds one of those to be better by a margin. The second one is asked only about
texts that are more surprising than most, and reads only their beginning.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.kernel.base.documents import Texts
from tercet.kernel.languages.common_words import CommonWords
from tercet.kernel.languages.language_scorer import Allowed, LanguageScorer
from tercet.kernel.languages.language_segments import Segment, split_words
from tercet.kernel.languages.letters import Word, read_words
from tercet.kernel.languages.ngram_rows import LanguageCosts

UNKNOWN, NOTHING = -1, -2
COST_UNIT, SURPRISE_UNIT = 32.0, 16.0
LETTERS_PER_SIGN = 16  # a text has fewer signs of programs
MOST_CHARACTERS = 1 << 20  # of a text that are read: they say enough
N_SHORT, HALF = 3, 0.5  # a text that is not longer needs a language or a group with half of the probability
N_ASKED = 64  # letters that the second scorer is asked about
MOST_WORDS, MOST_LETTERS = 4, 48  # of a short text. The letters count by their weights.
UNLISTED = 4.0  # nats of a language that does not list the words of a short text
NEGLIGIBLE = 16.0  # exp(-16) adds nothing that is seen to a probability

Answer = tuple[int, float]  # label, probability


class Costs(NamedTuple):
    """What the letters of a text say: the costs, the lowest cost of an allowed label, and this label."""

    total: LanguageCosts
    lowest: int
    nearest: int


class Settings(NamedTuple):
    """Limits are for the mean surprise of a letter above that which is typical of the language, in nats.

    A text of n letters has the limit a + b / √n.
    """

    spread: float  # of probabilities
    spread_per_letter: float
    doubt: float  # above this limit, the second scorer is asked
    doubt_short: float
    refusal: float  # above this one, the text is in no known language
    refusal_short: float
    margin: float  # nats by which the second scorer must find another language better: margin · n + margin_short · √n
    margin_short: float
    tie: float  # a label of a group needs this share of the probability of its group
    switch_cost: float  # of a change of the language inside a text, in nats


class LanguageIdentifier:
    def __init__(
        self,
        scorer: LanguageScorer,
        wide: LanguageScorer | None,
        known: Integers,
        groups: Integers,
        typical: Floats,
        settings: Floats,
        allowed: Allowed,
        refuse: bool,
        folded: Allowed,
        handicaps: Floats,
        common: Sequence[tuple[int, str]],
    ) -> None:
        if not len(groups) == len(typical) == scorer.n_labels:
            raise ValueError("each label needs a group")
        if len(allowed) != scorer.n_labels:
            raise ValueError("each label is allowed or not")
        if len(handicaps) != scorer.n_labels:
            raise ValueError("each label needs a handicap")
        if any(group >= len(folded) for group in groups.tolist()):
            raise ValueError("each group is folded or not")
        if len(known) != (0 if wide is None else wide.n_labels):
            raise ValueError("each label of the second scorer needs a label")
        if len(settings) != len(Settings._fields):
            raise ValueError("there are ten settings")
        self._scorer, self._wide, self._known = scorer, wide, known.tolist()
        self._groups, self._typical = groups.tolist(), typical.tolist()
        self._settings, self._allowed = Settings(*settings.tolist()), allowed
        self._refuse, self._folded, self._handicaps = refuse, folded.tolist(), handicaps.tolist()
        self._common = CommonWords(common, scorer.letters, scorer.n_labels)

    def identify(self, texts: Texts, top: int, threads: int = 1) -> tuple[Integers, Floats]:
        answers = [self._answer(text, top) for text in texts.texts]
        padded = [[*found, *[(NOTHING, 0.0)] * (top - len(found))] for found in answers]
        labels = np.array([[label for label, _ in row] for row in padded], np.int64).reshape(len(padded), top)
        return labels, np.array([[p for _, p in row] for row in padded], np.float64).reshape(len(padded), top)

    def identify_one(self, text: str) -> Answer:
        if not isinstance(text, str):
            raise TypeError("a text is a str")
        return self._answer(text, 1)[0]

    def segment(self, text: str) -> list[tuple[int, int, int, float]]:
        if not isinstance(text, str):
            raise TypeError("a text is a str")
        words, _ = read_words(text, self._scorer.letters)
        switch_cost = self._settings.switch_cost * COST_UNIT
        parts = split_words(words, self._scorer, self._allowed, switch_cost)
        return [self._answer_segment(part, len(parts) == 1) for part in parts]

    def _answer_segment(self, part: Segment, is_whole: bool) -> tuple[int, int, int, float]:
        """The answer for a part of a text. It is never short, unless it is the whole."""
        own = [word for word in part.words if word.system == part.system]
        _, _, ranked = self._rank(own, part.system, 1, is_short=is_whole and self._is_short(own))
        return part.words[0].begin, part.words[-1].end, *self._list_answers(ranked)[0]

    def _answer(self, whole: str, top: int) -> list[Answer]:
        text = whole[:MOST_CHARACTERS]
        words, n_signs = read_words(text, self._scorer.letters)
        system = self._scorer.choose_system(words, self._allowed, forced=not self._refuse)
        n_letters = sum(len(word.symbols) + 1 for word in words)
        is_program = self._refuse and n_signs > 1 and n_signs * LETTERS_PER_SIGN > n_letters
        if is_program or not self._scorer.has_label(system, self._allowed):
            return [(UNKNOWN, 1.0)]
        own = [word for word in words if word.system == system]
        costs, is_common, ranked = self._rank(own, system, top, is_short=self._is_short(words))
        if self._refuse and self._is_unknown(text, costs, is_common, ranked):
            return [(UNKNOWN, 1.0)]
        return self._list_answers(ranked)[:top]

    def _is_short(self, words: Sequence[Word]) -> bool:
        n_letters = sum(len(word.symbols) * self._scorer.find_weight(word.system) for word in words)
        return len(words) <= MOST_WORDS and n_letters <= MOST_LETTERS

    def _rank(self, words: Sequence[Word], system: int, top: int, *, is_short: bool) -> tuple[Costs, bool, list[Answer]]:
        """The costs, whether a short text is made of common words, and the allowed labels, the best first."""
        total = self._scorer.tables[system - 1].add_words(words)
        pairs = zip(total.costs.tolist(), self._scorer.labels[system - 1], strict=True)
        allowed = [(cost, label) for cost, label in pairs if self._allowed[label]]
        lowest = min(cost for cost, _ in allowed)
        nearest = next(label for cost, label in allowed if cost == lowest)
        scale = 1 / ((self._settings.spread + self._settings.spread_per_letter * total.n_events) * COST_UNIT)
        distances = [(scale * (cost - lowest), label) for cost, label in allowed]
        listed = self._common.find(words) & {label for _, label in allowed} if is_short else set()
        if is_short:
            distances = self._expect_common(distances, listed, len(words))
        return Costs(total, lowest, nearest), bool(listed), compute_probabilities(sorted(distances), top)

    def _expect_common(self, distances: Sequence[tuple[float, int]], listed: set[int], n_words: int) -> list[tuple[float, int]]:
        """Add what is expected of a short text: its language is common, and so are its words."""
        added = []
        for distance, label in distances:
            own = distance + UNLISTED if listed and label not in listed else distance
            own = 0.0 if label in listed and n_words == 1 else own
            added.append((own + self._handicaps[label], label))
        nearest = min(distance for distance, _ in added)
        return [(distance - nearest, label) for distance, label in added]

    def _is_unknown(self, text: str, costs: Costs, is_common: bool, ranked: Sequence[Answer]) -> bool:
        settings, n = self._settings, costs.total.n_events
        if is_common and n > 2:  # a single letter is no word
            return False
        if not n or (n <= N_SHORT and self._add_group(ranked, self._groups[ranked[0][0]])[0] < HALF):
            return True
        excess = (costs.total.surprise / SURPRISE_UNIT + costs.lowest / COST_UNIT) / n - self._typical[costs.nearest]
        if excess > settings.refusal + settings.refusal_short / math.sqrt(n):
            return True
        is_doubtful = excess > settings.doubt + settings.doubt_short / math.sqrt(n)
        return self._wide is not None and is_doubtful and self._is_another(text, self._wide)

    def _is_another(self, text: str, wide: LanguageScorer) -> bool:
        """Whether the second scorer finds a language that the first one does not know."""
        words, every = cut_words(read_words(text, wide.letters)[0]), np.ones(wide.n_labels, np.uint8)
        system = wide.choose_system(words, every, forced=False)
        if not wide.has_label(system, every):
            return True
        total = wide.tables[system - 1].add_words(word for word in words if word.system == system)
        costs = list(zip(total.costs.tolist(), wide.labels[system - 1], strict=True))
        same = [cost for cost, label in costs if self._known[label] >= 0]
        other = [cost for cost, label in costs if self._known[label] < 0]
        if not same or not other:
            return not same
        n, lead = total.n_events, (min(same) - min(other)) / COST_UNIT
        return bool(lead > self._settings.margin * n + self._settings.margin_short * math.sqrt(n))

    def _list_answers(self, ranked: Sequence[Answer]) -> list[Answer]:
        """The labels with their probabilities. Members of a group that tie are one answer."""
        group = self._groups[ranked[0][0]]
        group = group if group >= 0 and self._folded[group] else -1
        of_group, n_members = self._add_group(ranked, group)
        if n_members < 2 or ranked[0][1] >= self._settings.tie * of_group:
            return list(ranked)
        others = [(label, p) for label, p in ranked if self._groups[label] != group]
        return [(self._scorer.n_labels + group, of_group), *others]

    def _add_group(self, ranked: Sequence[Answer], group: int) -> tuple[float, int]:
        """The probability and the number of the members of the best label's group: only that label if it is in none."""
        if group < 0:
            return ranked[0][1], 1
        members = [probability for label, probability in ranked if self._groups[label] == group]
        of_group = 0.0
        for probability in members:  # not `sum`, which rounds in another way since Python 3.12
            of_group += probability
        return of_group, len(members)


def compute_probabilities(ordered: Sequence[tuple[float, int]], top: int) -> list[Answer]:
    """The labels with their probabilities, from their distances. At least `top` labels, and all that are likely."""
    n_likely = sum(distance < NEGLIGIBLE for distance, _ in ordered)
    kept = ordered[:n_likely] if n_likely >= top else ordered
    shares = [math.exp(-distance) for distance, _ in kept]
    whole = 0.0
    for share in shares[:n_likely]:
        whole += share
    return [(label, share / whole) for (_, label), share in zip(kept, shares, strict=True)]


def cut_words(words: Sequence[Word]) -> list[Word]:
    """The first words of a text: it takes long to compare several hundred languages."""
    kept, n = [], 0
    for word in words:
        if n >= N_ASKED:
            break
        kept.append(word)
        n += len(word.symbols) + 1
    return kept
