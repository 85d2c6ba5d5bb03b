"""Files to be written: what can be known to fail is an error before the work, not after it."""

from pathlib import Path

import click


class OutputFile(click.ParamType[str]):
    """A file in a folder that exists."""

    name = "FILE"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        path = Path(value)
        if path.is_dir():
            self.fail(f"{value} is a folder: name a file in it.", param, ctx)
        if not path.parent.is_dir():
            self.fail(f"there is no folder {path.parent}: make it first.", param, ctx)
        return value
