"""Everything that is written into a file: an example of each registered class is written, read back, and equal."""

import json
from typing import Any

import pytest

from tercet import MostInformative, TermWeighting, WithoutMostFrequent, registry
from tercet.errors import InvalidOption
from tercet.estimator import Estimator
from tercet.text.lexicons import Lexicon
from tercet.text.patterns import Pattern
from tercet.text.word_lists import WordList
from tercet.text.wordforms import LemmaList

# Examples of each kind. A registered class without an example fails the first test. A value that is compared by its parameters
# (an Estimator) needs no `__eq__`.
EXAMPLES: dict[str, list[Any]] = {
    "word_list": [WordList(["the", "Σ"], name="mine"), WordList([])],
    "lemma_list": [LemmaList({"went": "go"}, name="mine"), LemmaList({})],
    "lexicon": [Lexicon({"joy": ["glad", "very glad"], "type": ["words"]}), Lexicon({})],
    "pattern": [Pattern("money", "[$€][0-9]+")],
    "selector": [
        MostInformative(10),
        MostInformative(3, "ld", domain="source"),
        WithoutMostFrequent(5),
        WithoutMostFrequent(5, keep=("not", "no")),
        WithoutMostFrequent(5, keep=()),
    ],
    "weighting": [TermWeighting(), TermWeighting("log", None, None)],
}
each_example = pytest.mark.parametrize(
    ("kind", "value"), [(kind, value) for kind, values in EXAMPLES.items() for value in values], ids=str
)


@pytest.mark.parametrize("kind", registry.KINDS)
def test_every_registered_class_has_an_example(kind: str) -> None:
    assert sorted({registry.name_of(value) for value in EXAMPLES.get(kind, [])}) == registry.names(kind)


@each_example
def test_a_written_value_is_read_back_equal(kind: str, value: Any) -> None:
    written = json.loads(json.dumps(registry.write(value), allow_nan=False))
    again = registry.read(kind, written)
    assert type(again) is type(value)
    assert again.get_params() == value.get_params() if isinstance(value, Estimator) else again == value
    assert json.loads(json.dumps(registry.write(again))) == written


@each_example
def test_an_unknown_option_in_a_file_is_refused(kind: str, value: Any) -> None:
    with pytest.raises(InvalidOption):
        registry.read(kind, registry.write(value) | {"surprise": 1})


@pytest.mark.parametrize("written", [{}, {"type": 3}, {"type": "surprise"}, {"k": 3}, ["most_informative"], None])
def test_a_value_without_a_known_type_is_refused(written: Any) -> None:
    with pytest.raises(InvalidOption):
        registry.read("selector", written)


@pytest.mark.parametrize("written", [{"type": "most_informative"}, {"type": "most_informative", "k": "many"}])
def test_a_written_selector_is_checked(written: Any) -> None:
    with pytest.raises(InvalidOption, match="k"):
        registry.read("selector", written)


def test_a_class_that_is_not_registered_can_not_be_written() -> None:
    class Unregistered(WordList):
        pass

    with pytest.raises(InvalidOption, match=r"Unregistered is not registered.*@register"):
        registry.write(Unregistered(["the"]))
