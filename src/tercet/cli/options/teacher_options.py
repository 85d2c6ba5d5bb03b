"""The option --teacher: columns of labels that others gave, and files of rules by hand."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from tercet.categorizer.rules import Rule, check_rules
from tercet.cli.options.option_values import ParsedValue, read_rule
from tercet.errors import InvalidOption

SUFFIX = ".toml"  # of a file of rules; all other teachers are columns
# Options that can't go with teachers, and why.
REFUSED = {
    "weight": "the weight of a document follows from what its teachers say",
    "labels": "what the labels are follows from all teachers",
    "folds": "5 folds of the gold documents judge the model",
    "suspects": "the labels of the documents are combined from what teachers say, and not the labels of a file",
    "test_share": "a part of the gold documents judges the model already. --test FILE can test it",
    "dev_share": "a part of the gold documents judges the model already. --test FILE can test it",
    "subject_column": "a ledger begins with the labels of a file, and these are combined from what teachers say",
}


def check_teachers(given: Mapping[str, Any]) -> None:
    """Raise UsageError if an option was given that can't go with teachers."""
    for name, why in REFUSED.items():
        if given.get(name):
            raise click.UsageError(f"--teacher can't go with --{name.replace('_', '-')}: {why}.")
    repeated = next((name for name in given["teacher"] if given["teacher"].count(name) > 1), None)
    if repeated is not None:
        raise click.UsageError(f"--teacher {repeated} is given twice: the teacher would count twice. Give it once.")


def list_columns(teachers: Sequence[str]) -> list[str]:
    """The teachers that are columns.

    >>> list_columns(["llm_label", "rules.toml"])
    ['llm_label']
    """
    return [name for name in teachers if not name.endswith(SUFFIX)]


def read_teachers(teachers: Sequence[str]) -> dict[str, Any]:
    """The column or the rules of each teacher, by its name. A model remembers the name, so it is not that of a file."""
    found: dict[str, Any] = {name: name for name in list_columns(teachers)}
    for path in (name for name in teachers if name.endswith(SUFFIX)):
        name, number = "rules", 2
        while name in found:
            name, number = f"rules {number}", number + 1
        found[name] = read_rule_file(path)
    return found


def read_rule_file(path: str) -> tuple[Rule, ...]:
    """The rules of a TOML file, as --config has them: rules = ["(?i)refund=billing"]."""
    try:
        content = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise click.UsageError(f"{path} can't be read: {error.strerror}. Give a file of rules to --teacher.") from None
    except (ValueError, RecursionError) as error:  # numbers of thousands of digits, and deep lists, are errors of Python
        raise click.UsageError(f'{path} is not TOML: {error}. Write rules = ["(?i)refund=billing"].') from None
    unknown = next((name for name in content if name != "rules"), None)
    if unknown is not None:
        raise click.UsageError(f"{path} sets {unknown!r}: a file of rules for --teacher has only rules. Remove it.")
    rules = content.get("rules", [])
    if not isinstance(rules, list) or not rules:
        raise click.UsageError(f'{path} has no rules, so it says nothing: write rules = ["(?i)refund=billing"].')
    kind = ParsedValue("REGEX=LABEL", read_rule)
    try:
        return check_rules([kind.convert(rule, None, None) for rule in rules])
    except (InvalidOption, click.BadParameter) as error:
        raise click.UsageError(f"{path}: {error}") from None
