"""The record of the training in the model file: columns, documents, estimate."""

import pickle
import random
from pathlib import Path
from typing import Any

import pytest

import tercet
from tercet.categorizer.files.record import ColumnNames, TrainingRecord
from tercet.data.label_rules import merge_rules

TEXTS = ["a lovely film", "lovely and warm", "so dull", "a dull film", "dull and cold", "warm", "a film", "a film"]
LABELS = ["good", "good", "bad", "bad", "bad", "good", "good", "good"]


def write_table(folder: Path, order: list[int]) -> Path:
    path = folder / f"{order[0]}.csv"
    path.write_text("id,review,verdict\n" + "".join(f"{i},{TEXTS[i]},{LABELS[i]}\n" for i in order))
    return path


def train(path: Path, **options: Any) -> tercet.Categorizer:
    threads = options.pop("threads", None)
    stream = tercet.read(path, text="review", label="verdict")
    return tercet.train(stream, categorizer=tercet.Categorizer(threads=threads), **options).categorizer


def test_train_records_columns_documents_and_estimate(tmp_path: Path) -> None:
    trained = tercet.train(tercet.read(write_table(tmp_path, list(range(8))), text="review", label="verdict"))
    record = trained.categorizer.record_
    assert record is not None
    assert record.columns == ColumnNames(("review",), "verdict")
    assert (record.n_documents, record.version) == (8, tercet.__version__)
    assert record.estimate == {"accuracy": trained.estimate.accuracy, "macro_f1": trained.estimate.macro_f1}
    assert record.signature == trained.estimate.signature


def test_lists_have_no_columns_and_fit_has_no_record() -> None:
    record = tercet.train(TEXTS, LABELS).categorizer.record_
    assert record is not None
    assert record.columns is None
    assert tercet.Categorizer().fit(TEXTS, LABELS).record_ is None
    c = tercet.train(TEXTS, LABELS).categorizer
    assert c.fit(TEXTS, LABELS).record_ is None


@pytest.mark.parametrize("folds", [None, 3])
def test_neither_the_order_nor_the_threads_change_the_file(tmp_path: Path, folds: int | None) -> None:
    files = set()
    for seed in range(4):
        order = random.Random(seed).sample(range(8), 8)
        path = tmp_path / f"{seed}.tercet"
        train(write_table(tmp_path, order), folds=folds, threads=1 + seed % 2).save(path)
        files.add(path.read_bytes())
    assert len(files) == 1


def test_learn_then_forget_restores_the_file_and_the_estimate(tmp_path: Path) -> None:
    c = tercet.train(TEXTS, LABELS).categorizer
    c.save(tmp_path / "a.tercet")
    assert c.is_current_
    c.learn(["more"], ["good"])
    assert not c.is_current_
    c.forget(["more"], ["good"])
    assert c.is_current_
    c.save(tmp_path / "b.tercet")
    assert (tmp_path / "a.tercet").read_bytes() == (tmp_path / "b.tercet").read_bytes()


def test_without_fingerprints_the_totals_tell_that_documents_changed(tmp_path: Path) -> None:
    tercet.train(TEXTS, LABELS).categorizer.save(tmp_path / "a.tercet", fingerprints=False)
    c = tercet.load(tmp_path / "a.tercet")
    assert c.is_current_
    assert not c.learn(["more"], ["good"]).is_current_


def test_the_record_survives_files_pickles_copies_and_compacting(tmp_path: Path) -> None:
    c = train(write_table(tmp_path, list(range(8))))
    c.save(tmp_path / "a.tercet")
    c.compact().save(tmp_path / "b.tercet")
    for other in (
        tercet.load(tmp_path / "a.tercet"),
        tercet.load(tmp_path / "b.tercet"),
        pickle.loads(pickle.dumps(c)),
        pickle.loads(pickle.dumps(c.compact())),
        c.restrict(["good", "bad"]),
    ):
        assert (other.record_, other.is_current_) == (c.record_, True)
    c.learn(["more"], ["good"]).compact().save(tmp_path / "b.tercet")
    for changed in (c, c.compact(), tercet.load(tmp_path / "b.tercet"), pickle.loads(pickle.dumps(c.compact()))):
        assert changed.is_current_ is False
        assert "estimate, of the documents before the last change" in changed._repr_html_()
    fitted = tercet.Categorizer().fit(TEXTS, LABELS)
    assert fitted.is_current_ is fitted.compact().is_current_ is None


def test_a_sum_keeps_the_columns_that_both_have_and_no_estimate(tmp_path: Path) -> None:
    a, b = (train(write_table(tmp_path, order)) for order in ([0, 1, 2, 3], [4, 5, 6, 7]))
    total, reverse = a + b, b + a
    assert total.record_ == reverse.record_
    assert total.record_.columns == ColumnNames(("review",), "verdict")
    assert (total.record_.n_documents, total.record_.estimate) == (8, {})
    assert not total.is_current_
    assert (a + tercet.Categorizer().fit(TEXTS, LABELS)).record_ is None


def test_a_sum_keeps_the_rules_for_labels_that_both_have() -> None:
    rules = [tercet.LabelRules(), tercet.LabelRules(fold=("a",)), tercet.LabelRules(strip=False), None]
    merged = {(a, b): merge_rules(rules[a], rules[b]) for a in range(4) for b in range(4)}
    assert all(merged[a, b] == merged[b, a] for a, b in merged)
    assert [merged[a, a] for a in range(4)] == rules
    assert [merged[a, b] for a, b in ((0, 1), (0, 2), (0, 3))] == [rules[0], rules[2], None]


def test_the_record_has_the_rules_by_which_labels_were_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(
        "".join(f'{{"text": "a text {i}", "label": {label}}}\n' for i, label in enumerate(['" x"', '"X"', '"\\ud800"']))
    )
    rules = tercet.LabelRules(mapping=(("y", "x"),), fold=True)
    c = tercet.train(tercet.read(path, text="text", label="label", label_rules=rules)).categorizer
    assert c.record_.label_rules == tercet.LabelRules(mapping=(("y", "x"),), fold=("X", "\ud800"))
    c.save(tmp_path / "a.tercet")
    assert tercet.load(tmp_path / "a.tercet").record_ == c.record_
    assert tercet.train(TEXTS, LABELS).categorizer.record_.label_rules is None


def test_an_estimate_that_is_undefined_is_written_and_read(tmp_path: Path) -> None:
    c = tercet.train(["one", "two"], ["x", "x"]).categorizer
    c.save(tmp_path / "a.tercet")
    assert tercet.load(tmp_path / "a.tercet").record_.estimate["accuracy"].value == 1.0


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_documents", -1),
        ("n_documents", True),
        ("n_documents", "8"),
        ("data", 7),
        ("version", "x" * 100_000),
        ("columns", {"texts": [], "label": None, "weight": None}),
        ("columns", {"texts": ["a", "a"], "label": None, "weight": None}),
        ("columns", {"texts": [1], "label": None, "weight": None}),
        ("columns", {"texts": ["a"], "label": 3, "weight": None}),
        ("columns", {"texts": ["a"], "label": "a", "weight": None}),
        ("columns", {"texts": ["a"], "label": "b", "weight": "a"}),
        ("label_rules", []),
        ("label_rules", {"strip": True}),
        ("label_rules", {"strip": 1, "mapping": {}, "fold": False}),
        ("label_rules", {"strip": True, "mapping": {"a": 1}, "fold": False}),
        ("label_rules", {"strip": True, "mapping": {"a": "b", "b": "c"}, "fold": False}),
        ("label_rules", {"strip": True, "mapping": {}, "fold": True}),
        ("label_rules", {"strip": True, "mapping": {}, "fold": ["a", "A"]}),
        ("label_rules", {"strip": True, "mapping": {}, "fold": [3]}),
        ("label_rules", {"strip": False, "mapping": {}, "fold": ["a"]}),
        ("label_rules", {"strip": True, "mapping": {}, "fold": False, "more": 1}),
        ("estimate", {"kappa": {}}),
        ("estimate", []),
        ("estimate", {"accuracy": {"value": 2.0, "low": 0.0, "high": 1.0, "confidence": 0.95, "method": "", "note": ""}}),
        ("estimate", {"accuracy": {"value": 0.5, "low": 0.0, "high": 1.0, "confidence": 1.5, "method": "", "note": ""}}),
        ("estimate", {"accuracy": {"value": 0.5, "low": 0.7, "high": 0.6, "confidence": 0.95, "method": "", "note": ""}}),
    ],
)
def test_a_record_that_no_training_writes_is_refused(name: str, value: Any) -> None:
    written = tercet.train(TEXTS, LABELS).categorizer.record_.to_dict()
    assert TrainingRecord.from_dict(written).to_dict() == written
    with pytest.raises((ValueError, TypeError)):
        TrainingRecord.from_dict(written | {name: value})


def test_inspect_shows_a_dash_where_an_interval_is_undefined() -> None:
    from tercet.cli.inspect import _list_record

    record = tercet.train(TEXTS, LABELS).categorizer.record_.to_dict() | {"is_current": True}
    record["estimate"]["accuracy"] |= {"low": None, "high": None}
    assert _list_record(record)["held-out accuracy"].endswith(" [–, –]")
