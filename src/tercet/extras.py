"""Optional packages: they are imported on first use, and the error says how to install them."""

from importlib import import_module
from typing import Any

from tercet.errors import MissingExtra


def import_extra(module: str, *, package: str, extra: str, purpose: str) -> Any:
    """The module. Raises MissingExtra, with the command that installs it, if it is not installed.

    >>> import_extra("no_such_module", package="NoSuch", extra="forms", purpose="stems need")
    Traceback (most recent call last):
    tercet.errors.MissingExtra: stems need NoSuch, which is not installed: pip install 'tercet[forms]'
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        # If another module is missing, or the build is broken, show the original error.
        if error.name is not None and error.name.partition(".")[0] != module.partition(".")[0]:
            raise
        message = f"{purpose} {package}, which is not installed: pip install 'tercet[{extra}]'"
        raise MissingExtra(message, name=module) from None
