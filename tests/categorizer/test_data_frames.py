"""Results as data frames: of pandas or of polars, with the numbers of the result."""

import subprocess
import sys
from typing import Any

import pandas as pd
import pytest

from tercet import Categorizer, compare, evaluate
from tercet.data_frames import make_frame
from tercet.errors import MissingExtra

GOLD, PREDICTED = ["ham", "spam"] * 20, ["ham", "spam", "spam", "spam"] * 10


def test_a_report_has_a_row_for_each_metric_and_for_each_label() -> None:
    report = evaluate(GOLD, PREDICTED)
    frame = report.to_frame().set_index(["metric", "label"])
    assert len(frame) == len(report.estimates) + 3 * len(report.labels)
    recall = report["recall:ham"]
    assert frame.loc[("recall", "ham"), ["value", "low", "high"]].tolist() == [recall.value, recall.low, recall.high]
    assert frame.loc[("accuracy", None), "value"].item() == report.accuracy.value


def test_a_comparison_has_a_row_for_each_pair() -> None:
    comparison = compare(GOLD, {"a": GOLD, "b": PREDICTED, "c": ["ham"] * 40})
    frame = comparison.to_frame()
    assert isinstance(frame, pd.DataFrame)  # it is imported here
    assert list(zip(frame["first"], frame["second"], strict=True)) == [(row.first, row.second) for row in comparison.rows]
    assert frame["difference"].tolist() == [row.difference.estimate.value for row in comparison.rows]
    assert frame["adjusted_p"].tolist() == [row.adjusted_p for row in comparison.rows]


def test_held_out_documents_have_a_row_each() -> None:
    texts, labels = ["to be", "to be so", "or not", "be or be"], ["x", "x", "y", "y"]
    held_out = Categorizer("words").fit(texts, labels).leave_one_out(texts, labels)
    frame = held_out.to_frame()
    assert frame["gold"].tolist() == labels
    assert frame["predicted"].tolist() == held_out.predicted.tolist()
    assert frame["probability"].tolist() == held_out.probabilities.max(axis=1).tolist()
    own = [held_out.probabilities[i, held_out.labels.tolist().index(label)] for i, label in enumerate(labels)]
    assert frame["gold_probability"].tolist() == pytest.approx(own)


def run_python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize(
    ("imports", "library"),
    [("", "pandas"), ("import pandas", "pandas"), ("import polars", "polars"), ("import polars, pandas", "pandas")],
)
def test_the_library_that_is_imported_already_makes_the_frame(imports: str, library: str) -> None:
    code = "from tercet import evaluate; print(type(evaluate(['a', 'b'], ['a', 'b']).to_frame()).__module__.split('.')[0])"
    assert run_python(f"{imports}\n{code}") == library


def test_neither_library_is_an_error_that_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> Any:
        raise ModuleNotFoundError(name=name)

    monkeypatch.setattr("tercet.data_frames.import_module", fail)
    with pytest.raises(MissingExtra, match="needs pandas or polars, and neither is installed: pip install pandas"):
        make_frame({"a": [1]})


def test_a_lone_surrogate_is_replaced() -> None:
    frame = Categorizer("words").fit(["hen", "fox"], ["\ud800", "b"]).parameters().to_frame()
    assert sorted(frame["label"].unique()) in (["b", "\ufffd"], ["b", "\ud800"])  # older versions of pandas can hold it
