"""A model file that somebody crafted, with a right checksum, is refused when it is loaded, or behaves like a model.

`attacks/crafted_files.py` makes such files by the thousand. Here is a sample of them, and one file for each kind of damage.
"""

import importlib.util
import math
import warnings
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tercet
from tercet.errors import BadModelFile, InvalidOption
from tercet.models.smoothing import AbsoluteDiscount, Additive, Dirichlet, JelinekMercer
from tercet.store.model_file import write_model

ATTACK = Path(__file__).parents[2] / "attacks" / "crafted_files.py"
N_FILES = 150
N_SLOW = 9  # patterns and moments


def load_attack() -> Any:
    spec = importlib.util.spec_from_file_location("crafted_files", ATTACK)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


crafted_files = load_attack()


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return crafted_files.make_models(tmp_path_factory.mktemp("good"))


@pytest.fixture(autouse=True)
def _quiet() -> Any:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def test_what_is_not_changed_works(models: Any, tmp_path: Path) -> None:
    for name in ("everything", "numeric", "calibrated isotonic", "compact svm", "compact bernoulli", "surrogate"):
        assert crafted_files.try_file(crafted_files.write_file(*models[name], lambda header: header), tmp_path) == "works"


def test_any_crafted_file_is_refused_or_behaves_finitely(models: Any, tmp_path: Path, capfd: Any) -> None:
    for number in range(N_FILES):
        what, data = crafted_files.make_mutant(models, number, crafted_files.SEED)
        try:
            crafted_files.try_file(data, tmp_path)
        except crafted_files.Wrong as error:
            raise AssertionError(f"file {number}, {what}") from error
    assert capfd.readouterr() == ("", "")


def test_no_crafted_file_is_slow_or_loud(models: Any, tmp_path: Path, capfd: Any) -> None:
    for what, data in islice(crafted_files.list_slow(models), N_SLOW):
        assert crafted_files.try_file(data, tmp_path) == "refused", what
    assert capfd.readouterr() == ("", "")


def put(*path: Any) -> Callable[[Any, Any], None]:
    """Put the last of these into the description, at the path that the others name."""
    *steps, key, value = path

    def change(content: Any, arrays: Any) -> None:
        for step in steps:
            content = content[step]
        content[key] = value

    return change


def put_number(name: str, value: Any) -> Callable[[Any, Any], None]:
    """Put a number into the first place of an array."""

    def change(content: Any, arrays: Any) -> None:
        arrays[name] = arrays[name].copy()
        arrays[name].flat[0] = value

    return change


def cut(name: str) -> Callable[[Any, Any], None]:
    return lambda content, arrays: arrays.update({name: arrays[name][:-1]})


REFUSED: list[tuple[str, Callable[[Any, Any], None]]] = [
    ("compact svm", put_number("weights/0.values", -128)),
    ("compact svm", put_number("weights/0.scales", math.nan)),
    ("compact svm", put_number("weights/0.scales", -1.0)),
    ("compact svm", put_number("weights/0.largest", math.inf)),
    ("compact svm", put_number("weights/0.largest", -1.0)),
    ("compact svm", put_number("weights/0.factor_book", -1.0)),
    ("compact svm", put_number("weights/0.factor_codes", 200)),
    ("compact svm", put_number("weights/codes", 200)),
    ("compact svm", put_number("terms/ngrams.children", 200)),
    ("compact svm", put_number("terms/ngrams.last", 100)),
    ("compact svm", put_number("terms/words.lengths", 100)),
    ("compact svm", cut("terms/words.lengths")),
    ("compact svm", put_number("weights/bias", math.inf)),
    ("svm", put_number("trained/0.factors", math.nan)),
    ("svm", put_number("trained/0.values", -math.inf)),
    ("svm", cut("trained/bias")),
    ("compact binary", put_number("weights/of_term", math.nan)),
    ("compact binary", put_number("weights/values", math.inf)),
    ("compact binary", put_number("weights/labels", 200)),
    ("compact binary", put_number("weights/codes", 200)),
    ("compact binary", put_number("weights/of_label", 1e308)),
    ("compact bernoulli", put_number("weights/offset", math.nan)),
    ("compact binary", put_number("weights/prior", math.nan)),
    ("compact binary", put_number("weights/prior", 1.0)),
    ("compact binary", cut("weights/prior")),
    ("compact numeric", put_number("means", math.nan)),
    ("compact numeric", put_number("deviations", -1.0)),
    ("compact numeric", cut("means")),
    ("compact numeric", put("numeric", 7)),
    ("compact numeric", put("is_current", 1)),
    ("compact numeric", put("measured", ["no measure"])),
    ("compact everything", put_number("terms/words.bytes", 0xFF)),
    ("everything", put_number("table/words.bytes", 0xFF)),
    ("everything", put_number("table/characters.ends", 2**40)),
    ("everything", put_number("table/ngrams.pairs", 2**31 - 1)),
    ("everything", put_number("table/words.seed", 1)),
    ("everything", put_number("table/words.slots", 0)),
    ("pruned", put("settings", "pruned", 1)),
    ("pruned", put("settings", "pruned", False)),
    ("domains", put("settings", "pruned", True)),
    ("recorded 1", put("record", "columns", "texts", ["title", "text"])),
    ("recorded 2", put("record", "columns", "texts", ["text", "title"])),
    ("compact recorded 2", put("record", "columns", "texts", ["text"])),
    ("compact recorded 1", put("record", "columns", "label", "title")),
    ("bernoulli", put("settings", "model", "smoothing", "auto")),
    ("bernoulli", put("settings", "model", "prior", [])),
    ("bernoulli", put_number("table/documents", 200)),
    ("bernoulli", put_number("table/documents", 0)),
    ("everything", lambda content, arrays: arrays.pop("table/lengths")),
    ("numeric", put("moments", "n", "units", 0, "-1")),
    ("numeric", put("moments", "products", "units", 0, "-ff")),
    ("numeric", put("moments", "sums", "units", 0, "f" * 1100)),
    ("numeric", put("moments", "sums", "shape", [2, 1])),
    ("numeric", put("moments", None)),
    ("numeric", put("settings", "is_auto", True)),
    ("domains", put("domains", None)),
    ("calibrated isotonic", put("calibrator", "calibration", "steps", 0, 1, 0, -0.5)),
    ("calibrated isotonic", put("calibrator", "calibration", "steps", [])),
    ("calibrated isotonic", put("calibrator", "calibration", "documents", -1)),
    ("calibrated isotonic", put("calibrator", "sets", "probabilities", 0, -1)),
    ("calibrated isotonic", put("calibrator", "error_after", 2)),
    ("calibrated platt", put("calibrator", "calibration", "offsets", [0.0])),
    ("calibrated platt", put("calibrator", "calibration", "factor", 10**400)),
    ("calibrated length", put("calibrator", "calibration", "growth", 1e9)),
    ("calibrated temperature", put("calibrator", "calibration", "factor", True)),
    ("calibrated temperature", put("calibrator", "sets", None)),
    ("integers", put("labels", "values", [False, True])),
    ("integers", put("labels", "type", "1" * 5000)),
    ("booleans", put("labels", "type", "<i8")),
    ("floats", put("labels", "values", [0, 1])),
    ("auto", put("trained", "smoothing", {"type": "additive", "value": "0"})),
    ("bernoulli", put("trained", "smoothing", {"type": "dirichlet", "value": 20.0})),
    ("integers", put("settings", "model", "prior", "values", [0.5, 2.0])),
    ("everything", put("analyzer", "skip_grams", [[2, n] for n in range(1, 102)])),
    ("everything", put("analyzer", "char_ngrams", [1, 2**31 - 1])),
    ("binary", put("kind", {})),
    ("forgetful", put("settings", "model", "smoothing", "value", 5e-324)),
    ("forgetful", put("settings", "model", "prior", None)),
    ("complement", put("settings", "model", "prior", [[[]]])),
    ("nbsvm", put("settings", "model", "smoothing", {"type": "x"})),
    ("logistic", put("settings", "model", "class_weight", "values", ["nan", 1.0])),
]


@pytest.mark.parametrize(("name", "change"), REFUSED)
def test_damage_is_refused_when_the_file_is_loaded(models: Any, tmp_path: Path, name: str, change: Any) -> None:
    content, arrays = crafted_files.copy.deepcopy(models[name][0]), dict(models[name][1])
    change(content, arrays)
    write_model(tmp_path / "bad", content, arrays)
    with pytest.raises(BadModelFile) as caught:
        tercet.load(tmp_path / "bad")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_numbers_that_are_not_finite_are_refused_in_the_description(models: Any, tmp_path: Path, number: str) -> None:
    content, arrays = crafted_files.copy.deepcopy(models["calibrated platt"][0]), models["calibrated platt"][1]
    content["calibrator"]["calibration"]["offsets"][0] = 0.123
    data = crafted_files.write_file(content, arrays, lambda header: header.replace(b"0.123", number.encode()))
    (tmp_path / "bad").write_bytes(data)
    with pytest.raises(BadModelFile, match="can't be read"):
        tercet.load(tmp_path / "bad")
    with pytest.raises(ValueError, match="JSON"):
        write_model(tmp_path / "new", {"number": float(number)}, {})


def test_a_key_that_is_there_twice_is_refused(models: Any, tmp_path: Path) -> None:
    twice = b'{\\"kind\\":\\"compact\\",\\"kind\\":'
    data = crafted_files.write_file(*models["binary"], lambda header: header.replace(b'{\\"kind\\":', twice))
    (tmp_path / "bad").write_bytes(data)
    with pytest.raises(BadModelFile, match="can't be read"):
        tercet.load(tmp_path / "bad")


@pytest.mark.parametrize("smoothing", [JelinekMercer, Dirichlet, AbsoluteDiscount])
def test_a_smoothing_is_refused_where_probabilities_would_not_be_finite(smoothing: Any) -> None:
    """Also in Python: with a share of 5e-324 all probabilities were nan."""
    for value in (5e-324, 1e-300, 1e300 if smoothing is Dirichlet else 9e-101):
        with pytest.raises(InvalidOption, match="from 1e-100 to 1e\\+100"):
            smoothing(value)
    with pytest.raises(InvalidOption, match="from 0 to 1e"):
        Additive(1e300)
    model = tercet.NaiveBayes("multinomial", smoothing(1e-100))
    assert np.isfinite(tercet.Categorizer(model=model).fit(["a b", "c"], ["x", "y"]).predict_proba(["a", "c d"])).all()


def test_an_analyzer_has_the_same_bounds_as_a_file() -> None:
    with pytest.raises(InvalidOption, match="more than 1000 patterns"):
        tercet.Analyzer(patterns={f"p{i}": "a" for i in range(1001)})
    with pytest.raises(InvalidOption, match="at most 4096 are allowed"):
        tercet.Analyzer(patterns={"long": "a" * 4097})
    with pytest.raises(InvalidOption, match="at most 100000 are allowed"):
        tercet.Analyzer(patterns={"large": r"(?i)(\pL{1,30}x?){1,9}"})
    with pytest.raises(InvalidOption, match="the first 17 patterns have 68000 characters"):
        tercet.Analyzer(patterns={f"p{i}": f"{i:02}" + "a" * 3998 for i in range(20)})
    with pytest.raises(InvalidOption, match="at most 1000 are allowed"):
        tercet.Analyzer(lexicon={f"l{i}": ["a"] for i in range(1001)})
    with pytest.raises(InvalidOption, match="at most 20"):
        tercet.Categorizer(select=[tercet.MostInformative(1)] * 21).fit(["a", "b"], ["x", "y"])
