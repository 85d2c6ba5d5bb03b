"""What the attacks share: a line for each check, and the exit code."""

import sys
from argparse import ArgumentParser
from collections.abc import Iterable


def wants_all() -> bool:
    """Whether --full is given: all counts, not the reduced ones."""
    parser = ArgumentParser()
    parser.add_argument("--full", action="store_true", help="take the full counts, which need several minutes")
    return bool(parser.parse_args().full)


def report(checks: Iterable[tuple[str, bool]]) -> None:
    """Print each check with its result as it comes, then how many passed, and exit with 1 if one failed."""
    n = {True: 0, False: 0}
    for line, is_passed in checks:
        n[is_passed] += 1
        print(f"{'passed' if is_passed else 'FAILED'}  {line}", flush=True)
    print(f"{n[True]} passed, {n[False]} failed")
    sys.exit(1 if n[False] else 0)
