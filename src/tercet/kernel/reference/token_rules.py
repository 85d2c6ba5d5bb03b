"""What a token is beyond its spelling; it depends on the token alone."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from tercet.kernel.reference.lexicon import Lexicon

FindForms = Callable[[list[str]], list[str | None]]
Span = tuple[int, int]


@dataclass
class TokenRules:
    """All lists are of tokens after normalisation."""

    stop_words: frozenset[str] = frozenset()
    kept_words: frozenset[str] | None = None  # no others are words
    negation: frozenset[str] | None = None
    nt_negates: bool = False  # didn't, and whatever else ends so
    lexicon: Lexicon = field(default_factory=Lexicon)
    n_lists: int = 0
    find_forms: FindForms | None = None  # stems and lemmas; an empty one leaves the token out

    def is_left_out(self, token: str) -> bool:
        return token in self.stop_words or (self.kept_words is not None and token not in self.kept_words)

    def find_form(self, token: str) -> str:
        return token if self.find_forms is None else self.find_forms([token])[0] or ""


def lies_in(place: int, spans: Iterable[Span]) -> bool:
    """Whether the first span that ends behind this place begins at it or before.

    >>> lies_in(3, [(0, 2), (3, 5)]), lies_in(2, [(0, 2), (3, 5)])
    (True, False)
    """
    return next((start <= place for start, end in spans if end > place), False)
