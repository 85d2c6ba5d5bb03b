"""One class for each thing that can go wrong. Every message says what, what it got, why it matters and what to do."""

import sys
from functools import cache
from typing import Any


class TercetError(Exception):
    """The parent of every error that tercet raises on purpose."""


class InvalidOption(TercetError, ValueError):
    """An option has a value that makes no sense."""


class InvalidText(TercetError, ValueError):
    """A text, or what should hold texts, is of the wrong type."""


class InvalidLabel(TercetError, ValueError):
    """A label, or what should hold labels, makes no sense."""


class InvalidMatrix(TercetError, ValueError):
    """A matrix of counts or numbers has the wrong shape or values."""


class InvalidMatrixType(InvalidMatrix, TypeError):
    """What should be a number is something else."""


class NeverLearned(TercetError, ValueError):
    """Something is to be forgotten that was never learned; `position` is the first such document's, where that is known."""

    position: int | None = None


class NotConverged(RuntimeWarning):
    """The warning that a model stopped learning before it was as good as asked for."""


class StaleMargins(RuntimeWarning):
    """The warning that margins were trained before documents were learned or forgotten."""


class NotSeparable(TercetError, ValueError):
    """No border parts the documents of two labels without a mistake."""


class NotSolved(TercetError, ArithmeticError):
    """A program that has a solution was not solved: its numbers are of too different sizes."""


class NoWeights(TercetError, AttributeError):
    """A model has no weight for each column."""


class EmptyVocabulary(TercetError, ValueError):
    """No term is left to count."""


class InvalidFile(TercetError, ValueError):
    """A file does not hold what it should."""


class BadSource(InvalidFile):
    """Where documents should come from can't be read, or no documents can be found in it."""


class BadRow(InvalidFile):
    """A row that is no document: where it stands and what is wrong with it.

    >>> print(BadRow("reviews.csv, line 17", "it has no label."))
    reviews.csv, line 17: it has no label.
    """

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(place, reason)
        self.place, self.reason = place, reason

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}"


class BadModelFile(InvalidFile):
    """A file is no model, or a damaged one, or one of a newer tercet."""


class CannotWrite(TercetError, OSError):
    """A file can't be written where it should be."""


class FileChanged(CannotWrite):
    """A file is not the one that was read any more, so it is not replaced."""


class NoRoom(TercetError, OSError):
    """There is no room for a temporary file."""


class MissingExtra(TercetError, ImportError):
    """A package that is needed for this alone is not installed."""


class NotFitted(TercetError, ValueError, AttributeError):
    """An estimator is asked before it has learned."""

    def __reduce__(self) -> Any:
        return _make_not_fitted, self.args


def bad_option(name: str, expected: str, got: object, why: str) -> InvalidOption:
    """
    >>> print(bad_option("min_token_length", "an int >= 1", 0, "every token has a letter."))
    min_token_length must be an int >= 1, got 0: every token has a letter.
    """
    return InvalidOption(f"{name} must be {expected}, got {got!r}: {why}")


def is_missing(value: object) -> bool:
    """Whether it stands for no value: None, NaN, or the NA of pandas."""
    return value is None or (isinstance(value, float) and value != value) or type(value).__name__ == "NAType"


def bad_text(position: int, text: object) -> InvalidText:
    """The error about an element that is no text; the kernel raises it too.

    >>> print(bad_text(3, None))
    text 3 (counted from 0) is None, not a str: there is nothing to count in it. Fill it with "" or drop the row.
    """
    where = f"text {position} (counted from 0)"
    if isinstance(text, bytes):
        try:
            text.decode()
        except UnicodeDecodeError as error:
            return InvalidText(
                f"{where} is bytes that are not UTF-8 (byte {error.start} is 0x{text[error.start]:02x}): their letters "
                'are unknown. Decode them first, for example by text.decode("latin-1").'
            )
    if is_missing(text):
        return InvalidText(f'{where} is {text}, not a str: there is nothing to count in it. Fill it with "" or drop the row.')
    try:
        shown = repr(text)
    except Exception:
        shown = "that can't be shown"
    shown = shown if len(shown) <= 60 else shown[:57] + "..."
    if isinstance(text, bytearray | memoryview):
        return InvalidText(f"{where} is {type(text).__name__} {shown}, not a str: decode it, or pass bytes(value).")
    return InvalidText(
        f"{where} is {type(text).__name__} {shown}, not a str: only text has terms. Pass one str for each document, "
        "or str(value) if that is what you mean."
    )


def not_fitted(estimator: object) -> NotFitted:
    """The error of an estimator that has not learned yet."""
    message = f"this {type(estimator).__name__} is not fitted yet: call fit first."
    return _make_not_fitted(message)


def _make_not_fitted(message: str) -> NotFitted:
    """scikit-learn's own error, too, where that is imported; so its class is made only then."""
    theirs: Any = sys.modules.get("sklearn.exceptions")
    return NotFitted(message) if theirs is None else _not_fitted_for(theirs.NotFittedError)(message)


@cache
def _not_fitted_for(theirs: type) -> type[NotFitted]:
    return type("NotFitted", (NotFitted, theirs), {})
