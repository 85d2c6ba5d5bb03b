"""Options of the model: how counts become probabilities, and which terms take part."""

from collections.abc import Callable
from typing import Any

import click

from tercet.cli import values
from tercet.cli.command import Option
from tercet.cli.values import Written
from tercet.counts.selection import MostInformative, Selector, WithoutMostFrequent
from tercet.errors import InvalidOption
from tercet.models.calibration import WAYS
from tercet.models.smoothing import AbsoluteDiscount, Additive, Dirichlet, JelinekMercer, Smoothing

SECTION = "The model"
SMOOTHINGS: dict[str, Callable[[float], Smoothing]] = {
    "additive": Additive,
    "jelinek_mercer": JelinekMercer,
    "dirichlet": Dirichlet,
    "absolute_discount": AbsoluteDiscount,
}
WITHOUT = "without_most_frequent"


def read_smoothing(written: str) -> Any:
    """
    >>> read_smoothing("auto"), read_smoothing("0.1"), read_smoothing("dirichlet:200")
    ('auto', 0.1, Dirichlet(mass=200.0))
    """
    name, _, value = written.partition(":")
    if written in ("auto", "table"):
        return written
    if not value:
        return float(written)
    if name not in SMOOTHINGS:
        raise InvalidOption(f"{name!r} is no smoothing: there are {', '.join(SMOOTHINGS)}.")
    return SMOOTHINGS[name](float(value))


def write_smoothing(smoothing: Any) -> Any:
    """
    >>> write_smoothing(AbsoluteDiscount(0.9)), write_smoothing("auto"), write_smoothing(0.1)
    ('absolute_discount:0.9', 'auto', 0.1)
    """
    return f"{smoothing.name}:{smoothing.value!r}" if isinstance(smoothing, Smoothing) else smoothing


def read_selector(written: str) -> Selector:
    """
    >>> read_selector("chi2:500"), read_selector("without_most_frequent:100")
    (MostInformative(k=500, by='chi2', domain=None), WithoutMostFrequent(k=100, keep=None))
    """
    by, _, rest = written.partition(":")
    k, colon, more = rest.partition(":")
    if by == WITHOUT:
        return WithoutMostFrequent(int(k), tuple(filter(None, more.split(","))) if colon else None)
    return MostInformative(int(k), by, more or None)  # type: ignore[arg-type]  # it is checked there


def write_selector(selector: Any) -> str:
    """
    >>> [write_selector(read_selector(w)) for w in ("ld:500:source", "without_most_frequent:9:not,no")]
    ['ld:500:source', 'without_most_frequent:9:not,no']
    """
    if isinstance(selector, WithoutMostFrequent):
        return f"{WITHOUT}:{selector.k}" + ("" if selector.keep is None else ":" + ",".join(selector.keep))
    return f"{selector.by}:{selector.k}" + ("" if selector.domain is None else f":{selector.domain}")


OPTIONS: list[tuple[str, dict[str, Any]]] = [
    (
        "--model",
        {
            "type": click.Choice(["bayes", "nbsvm", "svm", "logistic"]),
            "help": "Naive Bayes, the default, which can learn and forget; or a margin, trained on all documents at once: "
            "NB-SVM, often the most accurate, a linear SVM or logistic regression on tf-idf.",
        },
    ),
    ("--cost", {"type": click.FLOAT, "metavar": "C", "help": "Of margins: the price of a mistake; 1 by default."}),
    (
        "--kind",
        {
            "type": click.Choice(["multinomial", "binary", "bernoulli", "complement"]),
            "help": "Of Bayes: how terms are counted; binary, if a preset does not say otherwise.",
        },
    ),
    (
        "--smoothing",
        {
            "type": Written("auto|table|NUMBER|NAME:NUMBER", read_smoothing),
            "help": "Of Bayes: what unseen terms get. auto, the default, is the best for the labels when each document in "
            "turn is left out; table for the counts alone; a number is added to each count; or "
            + ", ".join(f"{name}:NUMBER" for name in SMOOTHINGS if name != "additive")
            + ".",
        },
    ),
    (
        "--prior",
        {
            "type": Written("empirical|uniform|LABEL=SHARE,…", values.read_prior),
            "help": "How frequent labels are: as in the data (the default), all alike, or as told.",
        },
    ),
    ("--vocabulary", {"type": click.Choice(["union", "shared"]), "help": "Terms of any label, or those that all have."}),
    ("--unknown", {"type": click.Choice(["ignore", "unk"]), "help": "Ignore unknown terms, or count them as one."}),
    ("--min-documents", {"type": click.INT, "help": "Leave out terms that fewer documents have."}),
    ("--max-terms", {"type": click.INT, "help": "Keep the terms that are counted most often."}),
    (
        "--select",
        {
            "type": Written("WAY:NUMBER", read_selector),
            "multiple": True,
            "help": "Use so many terms, the best by information_gain, chi2 or ld (with :COLUMN), or all but the "
            f"{WITHOUT}. Several are applied in order.",
        },
    ),
    (
        "--calibrate",
        {
            "type": click.Choice(["auto", *WAYS]),
            "help": "Make the probabilities mean what they say, by what is said of documents that are left out. auto is the "
            "way that suits them best, and the default for margins.",
        },
    ),
    (
        "--numeric",
        {"multiple": True, "metavar": "COLUMN", "help": "A column of numbers that takes part, or a measure of the text."},
    ),
]


def model_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator: the function gets each by its name. None of them has a default: a preset may give one."""
    for flag, settings in reversed(OPTIONS):
        function = click.option(flag, cls=Option, section=SECTION, **settings)(function)
    return function
