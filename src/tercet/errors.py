"""All errors and warnings. Every message says what is wrong, what it got, why that matters and what to do."""

import sys
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any


class TercetError(Exception):
    """The parent of every error that tercet raises on purpose."""


class InvalidOption(TercetError, ValueError):
    """An option has a wrong value."""


class InvalidText(TercetError, ValueError):
    """A text, or the container of texts, has the wrong type."""


class InvalidLabel(TercetError, ValueError):
    """A label, or the container of labels, is wrong."""


class MissingLabel(InvalidLabel, InvalidOption):
    """An option, such as a rule or the prior, needs a label that no document has."""


class InvalidMatrix(TercetError, ValueError):
    """A matrix of counts or numbers has the wrong shape or values."""


class InvalidMatrixType(InvalidMatrix, TypeError):
    """A value that should be a number is not a number."""


class NeverLearned(TercetError, ValueError):
    """A document to be forgotten or left out was never learned. `position` is the first such document, if it is known.

    >>> print(NeverLearned.at(3, "was never learned: nothing is changed."))
    document 3 (counted from 0) was never learned: nothing is changed.
    """

    position: int | None = None
    reason = ""  # the message without the position

    @classmethod
    def at(cls, position: int, reason: str) -> "NeverLearned":
        error = cls(f"document {position} (counted from 0) {reason}")
        error.position, error.reason = position, reason
        return error


class NotConverged(RuntimeWarning):
    """The warning that a model stopped training before it reached the tolerance. `cost` is its C, if it has one."""

    cost: float | None = None


class OutOfDate(RuntimeWarning):
    """The warning that a calibration, a smoothing or margins were fitted before documents were learned or forgotten."""


class StaleMargins(OutOfDate):
    """The same of margins: predictions are those of before."""


def describe_out_of_date(parts: Sequence[str], keeps_documents: bool) -> str:
    """A sentence that says which parts are out of date, and what to do.

    >>> describe_out_of_date(["smoothing", "calibration"], True)
    'its smoothing and calibration are of the documents before the last change: refit() or `tercet refit` works them out anew.'
    """
    is_one = list(parts) in (["smoothing"], ["calibration"])
    are, them = ("is", "it") if is_one else ("are", "them")
    source = "" if keeps_documents else ", from all its documents"
    old = f"its {' and '.join(parts)} {are} of the documents before the last change"
    return f"{old}: refit() or `tercet refit` works {them} out anew{source}."


class NotSeparable(TercetError, ValueError):
    """No border separates the documents of two labels without a mistake."""


class NotSolved(TercetError, ArithmeticError):
    """A quadratic program has a solution, but the solver did not find it: its numbers have too different sizes."""


class NoWeights(TercetError, AttributeError):
    """A model has no weight for each column."""


class NoPrior(TercetError, AttributeError):
    """A model has no prior P(label)."""


class NoEstimate(TercetError, AttributeError):
    """Nothing could check how good a model is."""


class EmptyVocabulary(TercetError, ValueError):
    """There is no term to count."""


class InvalidFile(TercetError, ValueError):
    """A file has wrong content."""


class BadSource(InvalidFile):
    """A source of documents can't be read, or has no documents."""


class MissingColumn(BadSource):
    """A source of documents does not have a column that was asked for.

    >>> print(MissingColumn("a.csv has no column 'x'.", "x", "Name another one with --text."))
    a.csv has no column 'x'. Name another one with --text.
    """

    def __init__(self, fault: str, column: str = "", remedy: str = "") -> None:
        super().__init__(fault, column, remedy)
        self.fault, self.column, self.remedy = fault, column, remedy

    def __str__(self) -> str:
        return f"{self.fault} {self.remedy}".rstrip()


class BadRow(InvalidFile):
    """A row is not a document. The message says where the row is and what is wrong with it.

    >>> print(BadRow("reviews.csv, line 17", "it has no label."))
    reviews.csv, line 17: it has no label.
    """

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(place, reason)
        self.place, self.reason = place, reason

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}"


class BadModelFile(InvalidFile):
    """A file is not a model, or is damaged, or was written by a newer tercet."""


class BadLedger(InvalidFile):
    """A file is no ledger, or its chain of events is broken. `last_good` is the number of the last event before the fault."""

    last_good: int = 0


class NoLedger(BadLedger):
    """There is no ledger at this place."""


class BadAccounts(InvalidFile):
    """A file has no users of a server, or is damaged."""


class ModelGone(TercetError, ValueError):
    """A ledger has documents and no model. `event` is the number of the event that has taken the model away."""

    event: int = 0


class ErasedSince(TercetError, ValueError):
    """A model was made before documents were erased, so it is not published any more."""


class CannotWrite(TercetError, OSError):
    """A file can't be written."""


class FileChanged(CannotWrite):
    """A file is not the one that was read any more, so it is not replaced."""


class NoRoom(TercetError, OSError):
    """There is no space for a temporary file."""


class ModelNotBuilt(TercetError, FileNotFoundError):
    """A model that is built on the user's computer is not there yet."""


class SourceNotFound(TercetError, OSError):
    """Something that a model of languages is built from can't be fetched, or is not what was published."""


class MissingExtra(TercetError, ImportError):
    """An optional package is not installed."""


class ClusterFailed(TercetError, RuntimeError):
    """A job on a cluster failed, and not because of the documents."""


class NotFitted(TercetError, ValueError, AttributeError):
    """An estimator is used before it is fitted."""

    def __reduce__(self) -> Any:
        return _make_not_fitted, self.args


def bad_option(name: str, expected: str, got: object, why: str) -> InvalidOption:
    """
    >>> print(bad_option("min_token_length", "an int >= 1", 0, "every token has a letter."))
    min_token_length must be an int >= 1, got 0: every token has a letter.
    """
    return InvalidOption(f"{name} must be {expected}, got {shorten(repr(got))}: {why}")


MAX_COMPARED = 200  # characters of a name: the comparison of longer ones takes long


def suggest(name: object, known: Iterable[object]) -> str:
    """The known name that is most like this one, as a question; empty if none is like it.

    >>> suggest("ticket", ["Ticket", "Body"]), suggest("ticket", ["id"])
    (" Did you mean 'Ticket'?", '')
    """
    from difflib import get_close_matches

    if len(str(name)) > MAX_COMPARED:
        return ""
    by_fold = {str(other).casefold(): other for other in known}
    near = get_close_matches(str(name).casefold(), by_fold, n=1, cutoff=0.75)
    return f" Did you mean {by_fold[near[0]]!r}?" if near else ""


def shorten(text: str, most: int = 300) -> str:
    """The first line of a text, with the middle left out where it is longer than `most` characters.

    >>> shorten("abcdefghi", 6), shorten("one line\\nmore")
    ('abc…hi', 'one line …')
    """
    first, _, more = text.partition("\n")
    line = f"{first} …" if more else first
    return line if len(line) <= most else f"{line[: most // 2]}…{line[len(line) - (most - 1) // 2 :]}"


def is_missing(value: object) -> bool:
    """Whether it is a missing value: None, NaN, or the NA or NaT of pandas."""
    return value is None or (isinstance(value, float) and value != value) or type(value).__name__ in ("NAType", "NaTType")


def bad_text(position: int, text: object) -> InvalidText:
    """The error for an element that is not text. The kernel raises it, too.

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
    """The error of an estimator that is not fitted yet."""
    message = f"this {type(estimator).__name__} is not fitted yet: call fit first."
    return _make_not_fitted(message)


def _make_not_fitted(message: str) -> NotFitted:
    """The error. If scikit-learn is imported, it is also scikit-learn's NotFittedError."""
    theirs: Any = sys.modules.get("sklearn.exceptions")
    return NotFitted(message) if theirs is None else _not_fitted_for(theirs.NotFittedError)(message)


@cache
def _not_fitted_for(theirs: type) -> type[NotFitted]:
    return type("NotFitted", (NotFitted, theirs), {})
