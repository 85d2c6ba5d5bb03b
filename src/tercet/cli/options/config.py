"""Options → a categorizer, and back; the same options as a TOML file for `train --config` and `inspect --config`."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

import tercet
from tercet.categorizer.categorizer import Categorizer
from tercet.categorizer.fitting import WORDS_AND_PAIRS
from tercet.categorizer.rules import check_rules
from tercet.categorizer.settings import MODELS as PRESET_MODELS
from tercet.cli.options.model_options import (
    DEFAULT_CALIBRATION,
    DEFAULT_MODEL,
    MODELS,
    check_fit,
    check_weighting,
    choose_keeping,
    choose_model_name,
    name_model,
)
from tercet.cli.options.option_values import NONE, USUAL_WEIGHTING, write_rule, write_selector, write_weighting
from tercet.cli.output import RECIPE_FILES
from tercet.counts.selection import check_selectors
from tercet.models.naive_bayes import NaiveBayes
from tercet.models.smoothing import write_smoothing
from tercet.text.analyzer import DEFAULTS, Analyzer, resolve_analyzer

CATEGORIZER_OPTIONS = ("min_documents", "max_terms", "select", "numeric", "categorical", "fields", "weighting", "rules")
NOT_IN_A_RECIPE = ("config", "data", "output", "wait_seconds", "quiet", "help")


def list_given(context: click.Context) -> dict[str, Any]:
    """The options that were given, on the command line or in a recipe file; their values may be None."""
    default = click.core.ParameterSource.DEFAULT
    return {name: value for name, value in context.params.items() if context.get_parameter_source(name) != default}


def make_categorizer(given: dict[str, Any], threads: int | None = None) -> Categorizer:
    """A categorizer with these options; a preset sets the options that are not given.

    >>> make_categorizer({"word_ngrams": (1, 1), "smoothing": 0.5, "min_documents": 2})
    Categorizer(analyzer=Analyzer(), model=NaiveBayes(kind='binary', smoothing=0.5), min_documents=2, calibrate='auto')
    """
    preset, name = given.get("preset"), choose_model_name(given)
    check_weighting(name, given)
    analyzer = Analyzer.preset(preset) if preset else choose_default_analyzer(name)
    if changes := {name: value for name, value in given.items() if name in DEFAULTS}:
        analyzer = analyzer.replace(**changes)
    options = {name: given[name] for name in CATEGORIZER_OPTIONS if name in given}
    calibrate = given.get("calibrate", DEFAULT_CALIBRATION)
    options["calibrate"] = None if calibrate == NONE else calibrate
    options["keep_documents"] = choose_keeping(name, given.get("documents"))
    options["vectors"] = choose_word_vectors(name, given.get("vectors"))
    options["seeds"] = None if given.get("seeds") is None else read_seeds(given["seeds"])
    return Categorizer(analyzer, make_model(given), **options, threads=threads)


def read_seeds(path: str) -> Any:
    """The seeds of a TOML file."""
    from tercet.categorizer.seeds.seeds import Seeds  # on first use: most models have none

    return Seeds.read(path)


def choose_word_vectors(name: str, given: str | None) -> Any:
    """The word vectors of this model: by default those of the encoder, if it is installed, for `auto`.

    >>> choose_word_vectors("auto", None), choose_word_vectors("bayes", None), choose_word_vectors("auto", "none")
    ('auto', None, None)
    """
    if given is None:
        return "auto" if name == "auto" else None
    if given == NONE:
        return None
    return tercet.WordVectors() if given == "auto" else tercet.WordVectors.read(given)


def choose_default_analyzer(name: str) -> Analyzer:
    """The analyzer of this model if no recipe is given."""
    if name != "auto":
        return WORDS_AND_PAIRS
    from tercet.categorizer.auto import WORDS  # on first use: it imports the models

    return WORDS


def make_model(given: dict[str, Any]) -> Any:
    """The model that is asked for, with its options.

    >>> make_model({"model": "nbsvm", "cost": 0.5})
    NBSVM(C=0.5)
    """
    name = choose_model_name(given)
    check_fit(name, given)
    if name == "auto":
        return name
    choice, preset = MODELS[name], PRESET_MODELS.get(given.get("preset") or "")
    options = preset.get_params() if preset is not None and name_model(preset) == name else dict(choice.defaults)
    options |= {parameter: given[option] for option, parameter in choice.parameters.items() if option in given}
    return getattr(tercet, choice.class_name)(**options)  # imported on first use


def list_recipe(categorizer: Categorizer) -> dict[str, Any]:
    """The options that make the same categorizer, as a TOML file has them.

    >>> list_recipe(make_categorizer({"word_ngrams": None, "char_ngrams": (1, 4), "smoothing": 0.5}))
    {'model': 'bayes', 'kind': 'binary', 'smoothing': 0.5, 'word_ngrams': 'none', 'char_ngrams': (1, 4)}
    """
    recipe = _list_model(NaiveBayes() if categorizer.model is None else categorizer.model)
    given, fresh = categorizer.get_params(deep=False), Categorizer().get_params(deep=False)
    recipe |= {name: given[name] for name in CATEGORIZER_OPTIONS if given[name] and given[name] != fresh[name]}
    if categorizer.calibrate != DEFAULT_CALIBRATION:
        recipe["calibrate"] = categorizer.calibrate or NONE
    if categorizer.keep_documents != choose_keeping(categorizer.model or NaiveBayes(), None):
        recipe["documents"] = categorizer.keep_documents
    if "select" in recipe:
        recipe["select"] = [write_selector(selector) for selector in check_selectors(recipe["select"])]
    if "weighting" in recipe:
        recipe["weighting"] = write_weighting(recipe["weighting"])
    if recipe.get("weighting") == USUAL_WEIGHTING:
        del recipe["weighting"]
    if "rules" in recipe:
        recipe["rules"] = [write_rule(rule) for rule in check_rules(recipe["rules"])]
    if hasattr(categorizer, "table_") and categorizer.text_columns_:
        recipe["text"] = categorizer.text_columns_
    usual_analyzer = choose_default_analyzer(recipe.get("model", DEFAULT_MODEL))
    analyzer = usual_analyzer if categorizer.analyzer is None else resolve_analyzer(categorizer.analyzer)
    options, usual = analyzer.to_dict(), usual_analyzer.to_dict()
    changed = {name: value for name, value in options.items() if value != usual[name]}
    return recipe | {name: NONE if value is None else value for name, value in changed.items()}


def _list_model(model: Any) -> dict[str, Any]:
    """The options of the model that differ from the defaults of its class, and those for which the command line has its own."""
    name = name_model(model)
    if name == "auto":
        return {}
    if isinstance(model, NaiveBayes):
        model = model.copy_checked()  # the file has no word for None
    choice, values, usual = MODELS[name], model.get_params(), type(model)().get_params()
    recipe = {} if name == DEFAULT_MODEL else {"model": name}
    return recipe | {
        option: write_smoothing(values[parameter])
        for option, parameter in choice.parameters.items()
        if parameter in choice.defaults or values[parameter] != usual[parameter]
    }


def use_recipe_file(context: click.Context, parameter: click.Parameter, path: str | None) -> None:
    """Make the values in a TOML file the defaults of the options that it names. The command line overrides them."""
    if path is None:
        return
    import tomllib  # few users have such a file

    context.meta[RECIPE_FILES] = [path]

    try:
        recipe = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:  # numbers of thousands of digits, and deep lists, are errors of Python
        raise click.BadParameter(f"{path} is not TOML: {error}.", context, parameter) from None
    recipe = {name.replace("-", "_"): value for name, value in recipe.items()}
    known = [str(option.name) for option in context.command.params if option.name not in NOT_IN_A_RECIPE]
    if unknown := [name for name in recipe if name not in known]:
        raise click.BadParameter(f"{path} sets {unknown[0]!r}, and there is no such option.", context, parameter)
    several = {option.name for option in context.command.params if option.multiple}
    context.default_map = {
        name: [value] if name in several and isinstance(value, str) else value for name, value in recipe.items()
    }


def write_toml(recipe: Mapping[str, Any]) -> str:
    """The recipe as TOML.

    >>> print(write_toml({"kind": "binary", "word_ngrams": (1, 2), "lexicon": {"so good": ["a"]}}))
    kind = "binary"
    word_ngrams = [1, 2]
    lexicon = {"so good" = ["a"]}
    """
    return "\n".join(f"{name} = {_write_value(value)}" for name, value in recipe.items())


def _write_value(value: Any) -> str:
    if isinstance(value, Mapping):
        known = {str(name): one for name, one in value.items() if one is not None}  # TOML has no word for None
        return "{" + ", ".join(f"{_write_value(name)} = {_write_value(one)}" for name, one in known.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_write_value, value)) + "]"
    # Strings, numbers and truth values are written as in JSON, except that TOML wants DEL escaped.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
