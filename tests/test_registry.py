"""Everything that is written into a file: an example of each registered class is written, read back, and equal."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from test_registry_models import EXAMPLES as MODEL_EXAMPLES

import tercet
from tercet import (
    Analyzer,
    Categorizer,
    Documents,
    LinearSVM,
    MostInformative,
    NaiveBayes,
    Rule,
    Stack,
    TermWeighting,
    WithoutMostFrequent,
    registry,
)
from tercet.errors import InvalidOption
from tercet.estimator import Estimator
from tercet.models.calibration import METHODS
from tercet.text.layout import Layout
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
    "layout": [Layout(["subject", "body"], ["mailer"], fields=True), Layout(categorical=["mailer"])],
    "selector": [
        MostInformative(10),
        MostInformative(3, "ld", domain="source"),
        WithoutMostFrequent(5),
        WithoutMostFrequent(5, keep=("not", "no")),
        WithoutMostFrequent(5, keep="negations"),
    ],
    "weighting": [TermWeighting(), TermWeighting("log", None, None)],
    "rule": [Rule("bad", "spam"), Rule("(?i)good", "ham", name="praise")],
}
each_example = pytest.mark.parametrize(
    ("kind", "value"), [(kind, value) for kind, values in EXAMPLES.items() for value in values], ids=str
)


@pytest.mark.parametrize("kind", EXAMPLES)
def test_every_registered_class_has_an_example(kind: str) -> None:
    assert sorted({registry.name_of(value) for value in EXAMPLES[kind]}) == registry.names(kind)


def test_every_kind_is_tested() -> None:
    assert {*EXAMPLES, *MODEL_EXAMPLES, "weights"} == set(registry.KINDS)


# A categorizer that holds the example. Weights are made from models by `compact`.
MAKE: dict[str, Callable[[Any], Categorizer]] = {
    "word_list": lambda words: Categorizer(Analyzer(stop_words=words)),
    "lemma_list": lambda lemmas: Categorizer(Analyzer(lemmas=lemmas)),
    "lexicon": lambda lexicon: Categorizer(Analyzer(lexicon=lexicon)),
    "pattern": lambda pattern: Categorizer(Analyzer(patterns=[pattern])),
    "layout": lambda layout: Categorizer(Analyzer(layout=layout)),
    "selector": lambda selector: Categorizer(select=selector),
    "rule": lambda rule: Categorizer(rules=[rule]),
    "weighting": lambda weighting: Categorizer(model=LinearSVM(), weighting=weighting),
    "smoothing": lambda smoothing: Categorizer(model=NaiveBayes("multinomial", smoothing)),
    "calibration": lambda calibration: (
        Categorizer(calibrate=calibration.method)
        if calibration.method in METHODS
        else Categorizer(model=Stack(), calibrate="auto")
    ),
    "model": lambda model: Categorizer(model=model),
}
TEXTS = ["so good", "a bad day", "good film", "bad plot", "not bad", "good good"]
LABELS = ["ham", "spam", "ham", "spam", "ham", "spam"]
HELD = [(kind, value) for kind, values in (EXAMPLES | MODEL_EXAMPLES).items() for value in values if kind in MAKE]
HELD.remove(("lexicon", Lexicon({})))


def fit_example(kind: str, value: Any) -> Categorizer:
    prior = getattr(value, "prior", None)
    labels: list[Any] = LABELS
    if isinstance(prior, dict) or isinstance(getattr(value, "class_weight", None), dict):
        names = sorted(prior if isinstance(prior, dict) else {**dict.fromkeys(LABELS), **value.class_weight}, key=str)
        labels = [names[label == "spam"] if set(names) != set(LABELS) else label for label in LABELS]
    return MAKE[kind](value).fit(Documents(TEXTS, labels, columns={"source": ["a", "b"] * 3}))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("kind", "value"), HELD, ids=str)
def test_a_model_that_holds_it_is_saved_and_loaded(kind: str, value: Any, tmp_path: Path) -> None:
    fitted = fit_example(kind, value)
    fitted.save(tmp_path / "one.tercet")
    loaded = tercet.load(tmp_path / "one.tercet")
    loaded.save(tmp_path / "again.tercet")
    assert (tmp_path / "again.tercet").read_bytes() == (tmp_path / "one.tercet").read_bytes()
    assert loaded.predict_proba(TEXTS).tolist() == fitted.predict_proba(TEXTS).tolist()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", MODEL_EXAMPLES["model"], ids=str)
def test_compact_weights_of_every_model_are_saved_and_loaded(model: Any, tmp_path: Path) -> None:
    compact = fit_example("model", model).compact()
    compact.save(tmp_path / "compact.tercet")
    loaded = tercet.load(tmp_path / "compact.tercet")
    assert loaded.predict_proba(TEXTS).tolist() == compact.predict_proba(TEXTS).tolist()


def test_compact_weights_are_of_every_registered_kind() -> None:
    categorizers = [fit_example("model", model) for model in (NaiveBayes(), LinearSVM())]
    categorizers.append(tercet.Categorizer.from_probabilities(["x", "y"], ["hen"], [[0.5], [0.1]], "uniform"))
    made = {registry.name_of(each.scorer().weights) for each in categorizers}
    assert sorted(made) == registry.names("weights")


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
