"""The presets of Categorizer: a text recipe and a model for each name."""

from typing import Any

from tercet.errors import InvalidOption
from tercet.models.naive_bayes import NaiveBayes
from tercet.options import check_choice
from tercet.text.analyzer import DEFAULTS, Analyzer
from tercet.text.presets import PRESETS

# All other presets use the default model: whether a term occurs, not how often.
MODELS: dict[str, NaiveBayes] = {
    # Short texts, for which results of b4msa are published.
    "tweets": NaiveBayes("multinomial", 0.1),
    # Few texts with few words each: many words of new texts are unknown.
    "lemmas": NaiveBayes("multinomial", 1.0, unknown="unk"),
}


def find_preset(name: str, **changes: Any) -> dict[str, Any]:
    """The parameters of the preset with these changes. Raises InvalidOption for an option of the analyzer."""
    check_choice("preset", name, tuple(PRESETS))
    if option := next((key for key in changes if key.removeprefix("analyzer__") in DEFAULTS), None):
        wanted = f"analyzer=Analyzer.preset({name!r}, {option.removeprefix('analyzer__')}=...)"
        raise InvalidOption(f"a Categorizer has no parameter {option}: it is an option of its analyzer. Pass {wanted}.")
    model = MODELS.get(name)
    return {"analyzer": Analyzer.preset(name), "model": model and NaiveBayes(**model.get_params(deep=False))} | changes
