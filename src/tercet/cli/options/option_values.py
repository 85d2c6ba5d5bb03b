"""How the value of an option is written on the command line, and how it is parsed."""

import csv
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import click

from tercet.categorizer.rules import Rule
from tercet.counts.selection import NEGATIONS, Criterion, MostInformative, Selector, WithoutMostFrequent
from tercet.counts.weighting import TermWeighting
from tercet.errors import InvalidOption, TercetError

NONE = "none"
WITHOUT = "without_most_frequent"
WEIGHTINGS = ("tf", "idf", "norm", "blocks")
USUAL_WEIGHTING = "tf=log,idf=smooth,norm=l2"  # the default of a categorizer


class ParsedValue(click.ParamType[Any]):
    """Parses a value with a function. `none` is None. A value that is not a string comes from a TOML file and is kept."""

    def __init__(self, metavar: str, read: Callable[[str], Any]) -> None:
        self.name = metavar
        self._read = read

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return self.name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return None if value == NONE else self._read(value)
        except TercetError as error:
            self.fail(str(error), param, ctx)
        except ValueError:
            self.fail(f"{value!r} is not of the form {self.name}.", param, ctx)


class Share(click.FloatRange):
    """A share of the documents that is held out."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            why = "there must be documents to learn from and documents to test with. Try 0.2."
            self.fail(f"{value!r} is not a number > 0 and < 1: {why}", param, ctx)


SHARE = Share(0, 1, min_open=True, max_open=True)


def read_lengths(written: str) -> Any:
    """One range of lengths, or several.

    >>> read_lengths("1-2"), read_lengths("3"), read_lengths("1,3-4")
    ((1, 2), (3, 3), ((1, 1), (3, 4)))
    """
    ranges = []
    for part in written.split(","):
        low, _, high = part.partition("-")
        ranges.append((int(low), int(high or low)))
    return ranges[0] if len(ranges) == 1 else tuple(ranges)


def read_pairs(written: str) -> tuple[tuple[int, ...], ...]:
    """Pairs of numbers.

    >>> read_pairs("3:1,2:2")
    ((3, 1), (2, 2))
    """
    return tuple(tuple(int(number) for number in pair.split(":")) for pair in written.split(","))


def read_names(written: str) -> list[str]:
    """Names separated by commas.

    >>> read_names("NOUN, ADJ")
    ['NOUN', 'ADJ']
    """
    return [name.strip() for name in written.split(",")]


def read_labels(written: str) -> list[str]:
    """Labels separated by commas. A label that contains a comma is in double quotes.

    >>> read_labels('ham, spam'), read_labels('"food, drink",other')
    (['ham', 'spam'], ['food, drink', 'other'])
    """
    labels = [label.strip() for label in next(csv.reader([written], skipinitialspace=True), [])]
    if not labels or not all(labels):
        raise ValueError
    return labels


def read_weighting(written: str) -> TermWeighting:
    """The options of a weighting that are named; the others are those of a categorizer.

    >>> read_weighting("tf=raw,idf=none"), read_weighting("tf=raw,norm=None")
    (TermWeighting(idf=None), TermWeighting(norm=None))
    """
    options = dict(part.strip().partition("=")[::2] for part in [*USUAL_WEIGHTING.split(","), *written.split(",")])
    if unknown := next((name for name in options if name not in WEIGHTINGS), None):
        raise InvalidOption(f"a weighting has no {unknown!r}: it has {', '.join(WEIGHTINGS)}, as in {USUAL_WEIGHTING}.")
    return TermWeighting.from_dict({name: None if value.lower() == NONE else value for name, value in options.items()})


def write_weighting(weighting: TermWeighting) -> str:
    """The weighting as an option names it.

    >>> write_weighting(read_weighting("idf=none,blocks=kinds"))
    'tf=log,idf=none,norm=l2,blocks=kinds'
    """
    options = weighting.to_dict()
    shown = {name: value for name, value in options.items() if value is not None or name != "blocks"}
    return ",".join(f"{name}={NONE if value is None else value}" for name, value in shown.items())


def read_name_or_names(written: str) -> Any:
    """One name as a string, or several as a list.

    >>> read_name_or_names("en"), read_name_or_names("en,it")
    ('en', ['en', 'it'])
    """
    names = read_names(written)
    return names[0] if len(names) == 1 else names


def read_name_or_file(written: str) -> Any:
    """A path if there is such a file, otherwise a name."""
    return Path(written) if os.path.isfile(written) else written


def read_file_or_names(written: str) -> Any:
    """A path if there is such a file, otherwise a list of names. A name of a file that does not exist is an error."""
    if os.path.isfile(written):
        return Path(written)
    if "," not in written and (os.path.dirname(written) or written.endswith(".txt")):
        raise InvalidOption(f"there is no file {written!r}, and it is not a word. Check the name of the file.")
    return read_names(written)


def read_assignments(written: str) -> Any:
    """A dictionary, or the string itself if it has no "=".

    >>> read_assignments("spam=0.2,ham=0.8"), read_assignments("uniform")
    ({'spam': '0.2', 'ham': '0.8'}, 'uniform')
    """
    if "=" not in written:
        return written
    return dict(part.rpartition("=")[::2] for part in written.split(","))


def read_assignment(written: str) -> tuple[str, float]:
    """A label and its number. The label may contain "=" itself.

    >>> read_assignment("spam=0.99")
    ('spam', 0.99)
    """
    label, equals, number = written.rpartition("=")
    if not equals:
        raise ValueError
    return label, float(number)


def read_prior(written: str) -> Any:
    """A probability for each label, or the name of a prior.

    >>> read_prior("spam=0.2,ham=0.8"), read_prior("uniform")
    ({'spam': 0.2, 'ham': 0.8}, 'uniform')
    """
    given = read_assignments(written)
    return given if isinstance(given, str) else {label: float(share) for label, share in given.items()}


def read_class_weight(written: str) -> Any:
    """A weight for each label, or "balanced".

    >>> read_class_weight("spam=5,ham=1"), read_class_weight("balanced")
    ({'spam': 5.0, 'ham': 1.0}, 'balanced')
    """
    weights = read_prior(written)
    if weights != "balanced" and (isinstance(weights, str) or not all(0 <= w < math.inf for w in weights.values())):
        raise ValueError
    return weights


def read_patterns(written: str) -> Any:
    """One pattern by name. A regex may contain commas, so several patterns must be given in a TOML file.

    >>> read_patterns("money=[$€][0-9]{1,3}"), read_patterns("spam")
    ({'money': '[$€][0-9]{1,3}'}, 'spam')
    """
    name, equals, regex = written.partition("=")
    return {name: regex} if equals else written


def read_rule(written: str) -> Rule:
    """A rule. Its regex may contain "=" itself.

    >>> read_rule("(?i)refund=billing")
    Rule(regex='(?i)refund', label='billing', name='(?i)refund')
    """
    regex, equals, label = written.rpartition("=")
    if not equals:
        raise ValueError
    return Rule(regex, label)


def write_rule(rule: Rule) -> Any:
    """The rule as an option; or as a table of a TOML file, if it has a name of its own, or a label that contains "=".

    >>> write_rule(Rule("(?i)refund", "billing")), write_rule(Rule("refund", "billing", name="money"))
    ('(?i)refund=billing', {'regex': 'refund', 'label': 'billing', 'name': 'money'})
    """
    if rule.name == rule.regex and isinstance(rule.label, str) and "=" not in rule.label:
        return f"{rule.regex}={rule.label}"
    return {"regex": rule.regex, "label": rule.label, "name": rule.name}


def read_selector(written: str) -> Selector:
    """The selector of terms that an option names.

    >>> read_selector("chi2:500"), read_selector("without_most_frequent:100")
    (MostInformative(k=500, by='chi2', domain=None), WithoutMostFrequent(k=100, keep=()))
    >>> read_selector("without_most_frequent:100:negations"), read_selector("without_most_frequent:100:not,no")
    (WithoutMostFrequent(k=100, keep='negations'), WithoutMostFrequent(k=100, keep=('not', 'no')))
    """
    by, _, rest = written.partition(":")
    k, _, more = rest.partition(":")
    if by == WITHOUT:
        return WithoutMostFrequent(int(k), NEGATIONS if more == NEGATIONS else tuple(filter(None, more.split(","))))
    if by not in (known := get_args(Criterion)):
        raise InvalidOption(
            f"{by!r} is not a way to select terms: there are {', '.join(known)} and {WITHOUT}, as in chi2:1000."
        )
    return MostInformative(int(k), by, more or None)  # type: ignore[arg-type]  # it is checked above


def write_selector(selector: Any) -> str:
    """The selector as an option names it.

    >>> [write_selector(read_selector(w)) for w in ("ld:500:source", "without_most_frequent:9:not,no")]
    ['ld:500:source', 'without_most_frequent:9:not,no']
    """
    if isinstance(selector, WithoutMostFrequent):
        if selector.keep == (NEGATIONS,):
            return f"{WITHOUT}:{selector.k}:{NEGATIONS},"  # the word itself
        kept = selector.keep if selector.keep == NEGATIONS else ",".join(selector.keep)
        return f"{WITHOUT}:{selector.k}" + (f":{kept}" if kept else "")
    return f"{selector.by}:{selector.k}" + ("" if selector.domain is None else f":{selector.domain}")
