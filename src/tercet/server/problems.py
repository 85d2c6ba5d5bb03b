"""Errors as clients see them: a status code, a short code, and a sentence."""

from collections.abc import Mapping

import msgspec
from starlette.responses import Response

from tercet.errors import (
    BadLedger,
    BadModelFile,
    CannotWrite,
    FileChanged,
    InvalidLabel,
    InvalidOption,
    MissingExtra,
    NeverLearned,
    NotFitted,
    TercetError,
)
from tercet.server.messages import Failure, Fault

SOON = {"Retry-After": "1"}


class Problem(Exception):
    """A request that can't be answered."""

    def __init__(
        self, status: int, code: str, message: str, headers: Mapping[str, str] | None = None, *, charset: str | None = None
    ) -> None:
        super().__init__(message)
        self.charset = charset
        self.status, self.code, self.message, self.headers = status, code, message, dict(headers or {})

    def to_response(self) -> Response:
        """
        >>> Problem(404, "no_model", "there is no model 'x'.").to_response().body
        b'{"error":{"code":"no_model","message":"there is no model \\'x\\'."}}'
        """
        body = msgspec.json.encode(Failure(Fault(self.code, self.message, self.charset)))
        return Response(body, self.status, self.headers, "application/json")


# The first class that fits gives status and code. All other errors of tercet are about what the client sent.
MEANINGS: tuple[tuple[type[Exception], int, str], ...] = (
    (NeverLearned, 409, "not_learned"),
    (NotFitted, 409, "no_model_yet"),
    (FileChanged, 503, "file_changed"),
    (CannotWrite, 503, "cannot_write"),
    (BadLedger, 503, "bad_ledger"),
    (BadModelFile, 503, "bad_model_file"),
    (MissingExtra, 501, "missing_package"),
    (InvalidLabel, 422, "invalid_label"),
    (InvalidOption, 422, "invalid_option"),
    (TercetError, 422, "invalid"),
)


def explain_error(error: TercetError) -> Problem:
    """The problem that an error of tercet is.

    >>> explain_error(NeverLearned("event 7 was erased.")).status
    409
    """
    status, code = next((status, code) for kind, status, code in MEANINGS if isinstance(error, kind))
    return Problem(status, code, show_text(str(error)))


def show_text(text: str) -> str:
    """A message without lone surrogates, which JSON can't hold."""
    return text.encode("utf-8", "replace").decode()
