"""What was asked for by options → a categorizer, and back."""

from typing import Any

import click

from tercet.categorizer.categorizer import Categorizer
from tercet.categorizer.categorizer_options import DISCOUNTED, WORDS_AND_PAIRS
from tercet.categorizer.presets import MODELS
from tercet.cli.model_options import write_selector, write_smoothing
from tercet.counts.selector import check_selectors
from tercet.models.naive_bayes import NaiveBayes
from tercet.text.analyzer import DEFAULTS, Analyzer, find_analyzer

OF_MODEL = ("kind", "smoothing", "prior", "vocabulary", "unknown")
OF_CATEGORIZER = ("min_documents", "max_terms", "select", "numeric", "calibrate")


def list_given(context: click.Context) -> dict[str, Any]:
    """The options that somebody gave, on the command line or in a file; None may be one of their values."""
    default = click.core.ParameterSource.DEFAULT
    return {name: value for name, value in context.params.items() if context.get_parameter_source(name) != default}


def make_categorizer(given: dict[str, Any], threads: int | None = None) -> Categorizer:
    """Of the preset, if there is one, with what else is given changed.

    >>> make_categorizer({"word_ngrams": (1, 1), "smoothing": 0.5, "min_documents": 2})
    Categorizer(analyzer=Analyzer(), model=NaiveBayes(kind='binary', smoothing=0.5), min_documents=2)
    """
    preset = given.get("preset")
    analyzer = Analyzer.preset(preset) if preset else WORDS_AND_PAIRS
    analyzer = analyzer.replace(**{name: value for name, value in given.items() if name in DEFAULTS})
    model = MODELS.get(preset or "")
    options = model.get_params() if model else DISCOUNTED.get_params() | {"smoothing": "auto"}
    options |= {name: given[name] for name in OF_MODEL if name in given}
    more = {name: given[name] for name in OF_CATEGORIZER if name in given}
    return Categorizer(analyzer, NaiveBayes(**options), **more, threads=threads)


def list_recipe(categorizer: Categorizer) -> dict[str, Any]:
    """The options that make the same categorizer, as a TOML file has them.

    >>> list_recipe(make_categorizer({"word_ngrams": None, "char_ngrams": (1, 4), "smoothing": 0.5}))
    {'kind': 'binary', 'smoothing': 0.5, 'word_ngrams': 'none', 'char_ngrams': (1, 4)}
    """
    model = (categorizer.model or DISCOUNTED).get_params()
    usual = NaiveBayes().get_params() | {"kind": None, "smoothing": None}
    recipe = {name: model[name] for name in OF_MODEL if model[name] != usual[name]}
    recipe["smoothing"] = write_smoothing(recipe["smoothing"])
    given, fresh = categorizer.get_params(deep=False), Categorizer().get_params(deep=False)
    recipe |= {name: given[name] for name in OF_CATEGORIZER if given[name] and given[name] != fresh[name]}
    if "select" in recipe:
        recipe["select"] = [write_selector(one) for one in check_selectors(recipe["select"])]
    options, usual = find_analyzer(categorizer.analyzer).to_dict(), WORDS_AND_PAIRS.to_dict()
    changed = {name: value for name, value in options.items() if value != usual[name]}
    return recipe | {name: "none" if value is None else value for name, value in changed.items()}
