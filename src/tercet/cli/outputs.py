"""Files to be written: what can be known to fail is an error before the work, not after it."""

import os
from pathlib import Path
from typing import Any

import click


class OutputFile(click.Path):
    """A file in a folder that exists."""

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return "FILE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = Path(value)
        if path.is_dir():
            self.fail(f"{value} is a folder: name a file in it.", param, ctx)
        if path.exists() and not path.is_file():
            self.fail(f"{value} is no regular file: name another one.", param, ctx)
        if not path.parent.is_dir():
            self.fail(f"there is no folder {path.parent}: make it first.", param, ctx)
        if not os.access(path.parent, os.W_OK):
            self.fail(f"nothing can be written to the folder {path.parent}: permission denied.", param, ctx)
        return value
