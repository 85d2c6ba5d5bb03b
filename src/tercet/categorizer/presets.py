"""Which model goes with which recipe: what a Categorizer is made from by name."""

from typing import Any

from tercet.errors import InvalidOption
from tercet.models.naive_bayes import NaiveBayes
from tercet.options import check_choice
from tercet.text.analyzer import DEFAULTS, Analyzer
from tercet.text.presets import PRESETS

# The default model goes with the others: whether a term occurs, not how often.
MODELS: dict[str, NaiveBayes] = {
    # Short texts, of which b4msa's figures are known.
    "tweets": NaiveBayes("multinomial", 0.1),
    # Few texts with few words each: a word that no training text has is one of many that could have been there.
    "lemmas": NaiveBayes("multinomial", 1.0, unknown="unk"),
}


def find_preset(name: str, **changes: Any) -> dict[str, Any]:
    """The parameters of the Categorizer of that name, with these changed; an option of its analyzer is none of them."""
    check_choice("preset", name, tuple(PRESETS))
    if option := next((key for key in changes if key.removeprefix("analyzer__") in DEFAULTS), None):
        wanted = f"analyzer=Analyzer.preset({name!r}, {option.removeprefix('analyzer__')}=...)"
        raise InvalidOption(f"a Categorizer has no parameter {option}: it is an option of its analyzer. Pass {wanted}.")
    model = MODELS.get(name)
    return {"analyzer": Analyzer.preset(name), "model": model and NaiveBayes(**model.get_params(deep=False))} | changes
