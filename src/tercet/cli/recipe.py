"""What was asked for by options → a categorizer, and back."""

from typing import Any

import click

from tercet.categorizer.categorizer import Categorizer
from tercet.categorizer.categorizer_options import DISCOUNTED, WORDS_AND_PAIRS
from tercet.categorizer.presets import MODELS
from tercet.cli.model_options import write_selector, write_smoothing
from tercet.counts.selection import check_selectors
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
    model = make_model(given)
    # The folds that a margin is judged by can calibrate it, too.
    more: dict[str, Any] = {} if isinstance(model, NaiveBayes) else {"calibrate": "auto"}
    more |= {name: given[name] for name in OF_CATEGORIZER if name in given}
    return Categorizer(analyzer, model, **more, threads=threads)


def make_model(given: dict[str, Any]) -> Any:
    """
    >>> make_model({"model": "nbsvm", "cost": 0.5})
    NBSVM(C=0.5)
    """
    of_bayes = [name for name in OF_MODEL if name in given]
    if given.get("model", "bayes") == "bayes":
        if "cost" in given:
            raise click.UsageError("--cost is for margins: give --model nbsvm, svm or logistic, too.")
        model = MODELS.get(given.get("preset") or "")
        options = model.get_params() if model else DISCOUNTED.get_params() | {"smoothing": "auto"}
        return NaiveBayes(**options | {name: given[name] for name in of_bayes})
    if of_bayes:
        raise click.UsageError(f"--{of_bayes[0]} is for naive Bayes: leave it out, or leave out --model {given['model']}.")
    from tercet.categorizer.margin_options import MARGINS  # the command line starts at once without

    return MARGINS[given["model"]](**({"C": given["cost"]} if "cost" in given else {}))


def list_recipe(categorizer: Categorizer) -> dict[str, Any]:
    """The options that make the same categorizer, as a TOML file has them.

    >>> list_recipe(make_categorizer({"word_ngrams": None, "char_ngrams": (1, 4), "smoothing": 0.5}))
    {'kind': 'binary', 'smoothing': 0.5, 'word_ngrams': 'none', 'char_ngrams': (1, 4)}
    """
    recipe = _list_model(categorizer.model or DISCOUNTED)
    given, fresh = categorizer.get_params(deep=False), Categorizer().get_params(deep=False)
    recipe |= {name: given[name] for name in OF_CATEGORIZER if given[name] and given[name] != fresh[name]}
    if "select" in recipe:
        recipe["select"] = [write_selector(one) for one in check_selectors(recipe["select"])]
    options, usual = find_analyzer(categorizer.analyzer).to_dict(), WORDS_AND_PAIRS.to_dict()
    changed = {name: value for name, value in options.items() if value != usual[name]}
    return recipe | {name: "none" if value is None else value for name, value in changed.items()}


def _list_model(model: Any) -> dict[str, Any]:
    options = model.get_params()
    if not isinstance(model, NaiveBayes):
        from tercet.categorizer.margin_options import name_margin

        return {"model": name_margin(model)} | ({} if options["C"] == 1 else {"cost": options["C"]})
    usual = NaiveBayes().get_params() | {"kind": None, "smoothing": None}
    recipe = {name: options[name] for name in OF_MODEL if options[name] != usual[name]}
    return recipe | {"smoothing": write_smoothing(recipe["smoothing"])}
