"""Packages that only some steps need: imported on first use, and the error says how to get them."""

from importlib import import_module
from typing import Any

from tercet.errors import MissingExtra


def import_extra(module: str, *, package: str, extra: str, purpose: str) -> Any:
    """The module; MissingExtra with the command that installs it where it is not there.

    >>> import_extra("no_such_module", package="NoSuch", extra="forms", purpose="stems need")
    Traceback (most recent call last):
    tercet.errors.MissingExtra: stems need NoSuch, which is not installed: pip install 'tercet[forms]'
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        # Another module that this one lacks, or a broken build of it, is another trouble: let that be seen.
        if error.name is not None and error.name.partition(".")[0] != module.partition(".")[0]:
            raise
        message = f"{purpose} {package}, which is not installed: pip install 'tercet[{extra}]'"
        raise MissingExtra(message, name=module) from None
