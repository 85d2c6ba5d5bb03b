"""Training and predicting on a real session of Spark. `make test-spark` runs these tests; they need pyspark and Java."""

import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tercet
from tercet import Analyzer, Categorizer, Documents, MostInformative, NaiveBayes, WithoutMostFrequent
from tercet.errors import (
    BadModelFile,
    CannotWrite,
    ClusterFailed,
    InvalidLabel,
    InvalidMatrix,
    InvalidOption,
    InvalidText,
    MissingColumn,
    MissingExtra,
    TercetError,
)
from tercet.models.smoothing import AbsoluteDiscount, Dirichlet, JelinekMercer

if os.environ.get("TERCET_SPARK") != "1":
    pytest.skip("make test-spark runs the tests on Spark", allow_module_level=True)
pytest.importorskip("pyspark", reason="pyspark is not installed: pip install 'tercet[spark]'")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("Spark needs Java 17 or newer, which is not installed", allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("ignore")  # warnings of pyspark itself
WORDS = ["the", "hen", "Hen", "fox", "sat", "and", "é", "你好", "good", "bad", "film", "!", "7"]
N = 120
TYPES = "text string, subject string, label string, number int, flag boolean, weight double, stars double, mailer string, "
TYPES += "place string, empty string"


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2,4]").appName("tercet")  # a task that fails is tried four times
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "3",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.showConsoleProgress": "false",
        "spark.python.worker.reuse": "true",
    }.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


def make_rows() -> list[tuple[Any, ...]]:
    rng = np.random.default_rng(3)
    rows: list[tuple[Any, ...]] = []
    for _ in range(N):
        text, subject = (" ".join(rng.choice(WORDS, rng.integers(0, 9))) for _ in range(2))
        label = "good" if "good" in text and rng.random() < 0.9 else str(rng.choice(["bad", "so so"]))
        number = {"good": 2, "bad": -1, "so so": 40}[label]
        weight = float(rng.choice([1.0, 2.0, 0.0, 1 / 3, 0.1]))
        stars, mailer = float(rng.normal()) + number, rng.choice(["mutt", "pine", ""])
        rows.append(
            (text, subject, label, number, number > 0, weight, stars, str(mailer) or None, str(rng.choice(["x", "y"])), None)
        )
    return [*rows, *rows[:7]]  # some copies


ROWS = make_rows()
NAMES = [part.split()[0] for part in TYPES.split(", ")]


@pytest.fixture(scope="session")
def df(spark: Any) -> Any:
    return spark.createDataFrame(ROWS, TYPES).repartition(4).cache()


def column(name: str) -> list[Any]:
    return [row[NAMES.index(name)] for row in ROWS]


def documents(label: str = "label", weight: str | None = None, **more: Any) -> Documents:
    columns = {name: column(name) for name in ("stars", "mailer", "place")}
    weights = None if weight is None else column(weight)
    if texts := more.get("text"):
        return Documents.join({name: column(name) for name in texts}, column(label), weights, columns)
    return Documents(column("text"), column(label), weights, columns)


def bytes_of(model: Any, folder: Path, **options: Any) -> bytes:
    path = folder / "model.tercet"
    path.unlink(missing_ok=True)
    model.save(path, **options)
    return path.read_bytes()


PRIOR = {"good": 0.5, "bad": 0.25, "so so": 0.25}
CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "default": ({}, {}),
    "words": ({"analyzer": "words"}, {}),
    "characters": ({"analyzer": Analyzer(word_ngrams=None, char_ngrams=(1, 4))}, {}),
    "words and characters": ({"analyzer": Analyzer(word_ngrams=(1, 3), char_ngrams=(2, 3))}, {}),
    "multinomial": ({"model": NaiveBayes("multinomial")}, {}),
    "bernoulli": ({"model": NaiveBayes("bernoulli", 0.5)}, {"weight": "weight"}),
    "complement": ({"model": NaiveBayes("complement", 1.0)}, {}),
    "binary, Dirichlet": ({"model": NaiveBayes("binary", Dirichlet(3.0))}, {}),
    "Jelinek-Mercer": ({"model": NaiveBayes("multinomial", JelinekMercer(0.3), vocabulary="shared")}, {}),
    "smoothing by the table": ({"model": NaiveBayes("multinomial", "table")}, {"weight": "weight"}),
    "smoothing auto": ({"model": NaiveBayes("multinomial", "auto")}, {}),
    "smoothing auto, weights": ({"model": NaiveBayes("binary", "auto"), "remember": False}, {"weight": "weight"}),
    "prior": ({"model": NaiveBayes(smoothing=AbsoluteDiscount(0.5), prior=PRIOR)}, {}),
    "weights": ({}, {"weight": "weight"}),
    "numeric": ({"numeric": ["stars", "n_words"]}, {"weight": "weight"}),
    "categorical": ({"categorical": ["mailer"]}, {}),
    "numeric and categorical": ({"numeric": ["stars"], "categorical": ["mailer", "place"]}, {}),
    "min_documents": ({"min_documents": 3, "max_terms": 9}, {}),
    "most informative": ({"select": MostInformative(7)}, {"weight": "weight"}),
    "domains": ({"select": [WithoutMostFrequent(2), MostInformative(5, by="ld", domain="place")]}, {}),
    "without fingerprints": ({"remember": False}, {}),
    "rules": ({"rules": {"(?i)fox": "bad"}}, {}),
    "labels are numbers": ({}, {"label": "number"}),
    "labels are booleans": ({}, {"label": "flag", "weight": "weight"}),
    "two text columns": ({}, {"text": ["subject", "text"]}),
    "two text columns, fields": ({"fields": True, "categorical": ["place"]}, {"text": ["subject", "text"]}),
}


@pytest.mark.parametrize("case", CASES)
def test_a_model_has_the_bytes_of_one_machine(df: Any, tmp_path: Path, case: str) -> None:
    options, columns = CASES[case]
    fitted = tercet.spark.train(df, Categorizer(**options), **columns)
    assert bytes_of(fitted, tmp_path) == bytes_of(Categorizer(**options).fit(documents(**columns)), tmp_path)


@pytest.mark.parametrize("partitions", [1, 2, 7, 200])
def test_partitions_and_their_order_do_not_matter(df: Any, tmp_path: Path, partitions: int) -> None:
    cut = df.orderBy("stars").repartition(partitions) if partitions > 1 else df.coalesce(1)  # of 200, some are empty
    assert bytes_of(tercet.spark.train(cut, Categorizer()), tmp_path) == bytes_of(Categorizer().fit(documents()), tmp_path)


@pytest.mark.parametrize(
    "options", [{"min_documents": 3}, {"min_documents": 2, "select": MostInformative(5)}, {"max_terms": 4}]
)
def test_a_pruned_model_has_the_bytes_of_prune(df: Any, tmp_path: Path, options: dict[str, Any]) -> None:
    pruned = tercet.spark.train(df, Categorizer(**options), prune=True)
    assert bytes_of(pruned, tmp_path) == bytes_of(Categorizer(**options).fit(documents()).prune(), tmp_path)


FOLDER_CASES: list[dict[str, Any]] = [
    {},
    {"numeric": ["stars"], "select": MostInformative(5, by="ld", domain="place")},
    {"remember": False, "model": NaiveBayes("multinomial", 0.5)},
]


@pytest.mark.parametrize("options", FOLDER_CASES)
def test_a_folder_is_loaded_as_the_model_of_one_machine(df: Any, tmp_path: Path, options: dict[str, Any]) -> None:
    written = tercet.spark.train(df, Categorizer(**options), weight="weight", to=tmp_path / "folder")
    alone = Categorizer(**options).fit(documents(weight="weight"))
    assert written.n_terms == len(alone.table_)
    assert written.n_bytes == sum(path.stat().st_size for path in (tmp_path / "folder").iterdir())
    for mapped in (False, True):
        loaded = tercet.load(tmp_path / "folder", mapped=mapped)
        assert bytes_of(loaded, tmp_path) == bytes_of(alone, tmp_path)
    assert loaded.learn(documents()).predict(documents()).tolist() == alone.learn(documents()).predict(documents()).tolist()


def test_a_folder_of_a_pruned_model(df: Any, tmp_path: Path) -> None:
    tercet.spark.train(df, Categorizer(min_documents=4), prune=True, to=tmp_path / "folder")
    alone = Categorizer(min_documents=4).fit(documents()).prune()
    assert bytes_of(tercet.load(tmp_path / "folder"), tmp_path) == bytes_of(alone, tmp_path)


ESTIMATED: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {}),
    ({"model": NaiveBayes("multinomial", "auto"), "numeric": ["stars"]}, {"weight": "weight"}),
    ({"select": MostInformative(6), "remember": False}, {}),
    ({"select": MostInformative(5, by="ld", domain="place"), "rules": {"(?i)fox": "bad"}}, {}),
    ({"model": NaiveBayes("complement", 1.0), "categorical": ["mailer"]}, {"weight": "weight"}),
    ({"model": NaiveBayes("bernoulli", 0.5)}, {"label": "number"}),
]


@pytest.mark.parametrize(("options", "columns"), ESTIMATED)
def test_the_estimate_is_that_of_one_machine(df: Any, tmp_path: Path, options: dict[str, Any], columns: dict[str, Any]) -> None:
    found = tercet.spark.cross_validate(df, Categorizer(**options), folds=4, seed=1, record=True, **columns)
    alone = tercet.train(documents(**columns), categorizer=Categorizer(**options), folds=4, seed=1, folds_by="fingerprint")
    assert found.estimate.signature == alone.estimate.signature
    assert found.estimate.to_dict() == alone.estimate.to_dict()
    assert (found.n_documents, found.folds, found.confusions) == (alone.n_documents, alone.folds, alone.confusions)
    assert bytes_of(found.categorizer, tmp_path) == bytes_of(alone.categorizer, tmp_path)


def test_without_a_record_the_estimate_is_beside_the_model(df: Any, tmp_path: Path) -> None:
    found = tercet.spark.cross_validate(df, Categorizer(), folds=3)
    assert 0 < found.estimate.accuracy.value < 1
    assert bytes_of(found.categorizer, tmp_path) == bytes_of(Categorizer().fit(documents()), tmp_path)


def test_margins_are_trained_on_a_sample_that_is_the_same_every_time(df: Any, tmp_path: Path) -> None:
    first = tercet.spark.train(df, Categorizer(model="auto", calibrate="auto"), sample=60)
    again = tercet.spark.train(df.repartition(2, "stars"), Categorizer(model="auto", calibrate="auto"), sample=60)
    assert first.decisions_[0] == "trained on 60 documents, those with the smallest fingerprints (sample=60)"
    assert bytes_of(first, tmp_path) == bytes_of(again, tmp_path)
    whole = tercet.spark.train(df, Categorizer(model=tercet.LinearSVM()), sample=1000)
    assert bytes_of(whole, tmp_path) == bytes_of(Categorizer(model=tercet.LinearSVM()).fit(documents()), tmp_path)


# Predictions.


def test_each_row_has_its_answer_beside_it(df: Any) -> None:
    model = Categorizer(numeric=["stars"], categorical=["mailer"]).fit(documents())
    answered = tercet.spark.predict(df, model).collect()
    assert len(answered) == len(ROWS)
    own = Documents(
        [row.text for row in answered],
        columns={"stars": [row.stars for row in answered], "mailer": [row.mailer for row in answered]},
    )
    assert [row.predicted for row in answered] == model.predict(own).tolist()
    assert sorted(map(repr, (row[: len(NAMES)] for row in answered))) == sorted(map(repr, ROWS))
    shares = tercet.spark.predict_proba(df, model, column="p").collect()
    assert np.array_equal([row.p for row in shares], model.predict_proba(Documents(own.texts, columns=own.columns)))


@pytest.mark.parametrize("label", ["number", "flag"])
def test_answers_have_the_type_of_the_labels(df: Any, label: str) -> None:
    model = Categorizer().fit(documents(label))
    answered = tercet.spark.predict(df, model)
    assert dict(answered.dtypes)["predicted"] == {"number": "bigint", "flag": "boolean"}[label]
    assert {row.predicted for row in answered.collect()} <= set(column(label))


def test_explanations_are_json(df: Any) -> None:
    model = Categorizer(numeric=["stars"]).fit(documents())
    (row,) = tercet.spark.explain(df.limit(1), model).collect()
    own = model.explain(Documents([row.text], columns={"stars": [row.stars]})).to_dict()
    assert json.loads(row.explanation) == own


def test_bad_rows_have_a_reason_and_no_answer(df: Any, spark: Any) -> None:
    model = Categorizer(numeric=["stars"]).fit(documents())
    rows = [("a good film", 1.0), (None, 1.0), ("the fox", None), ("", 2.0)]
    answered = tercet.spark.predict(spark.createDataFrame(rows, "text string, stars double").coalesce(1), model).collect()
    assert [row.predicted is None for row in answered] == [False, True, True, False]
    assert [row.problem for row in answered][1] == "no text: 'text' is null"
    assert "'stars'" in answered[2].problem
    assert answered[0].problem is answered[3].problem is None


def test_a_model_file_and_a_folder_answer_as_the_model(df: Any, tmp_path: Path) -> None:
    model = Categorizer().fit(documents())
    model.save(tmp_path / "model.tercet")
    model.compact().save(tmp_path / "compact.tercet")
    tercet.spark.train(df, Categorizer(), to=tmp_path / "folder")
    expected = [row.predicted for row in tercet.spark.predict(df, model).collect()]
    for name in ("model.tercet", "compact.tercet", "folder"):
        assert [row.predicted for row in tercet.spark.predict(df, tmp_path / name).collect()] == expected
    assert [row.predicted for row in tercet.spark.predict(df, model.compact()).collect()] == expected


def test_an_evaluation_is_that_of_one_machine(df: Any) -> None:
    model = Categorizer().fit(documents())
    found = tercet.spark.evaluate(df, model)
    alone = tercet.evaluate(column("label"), model.predict(column("text")))
    assert found.to_dict() == alone.to_dict()
    with pytest.warns(RuntimeWarning, match="127 rows have no text"), pytest.raises(InvalidLabel, match="nothing to evaluate"):
        tercet.spark.evaluate(df, model, text="empty")


# What goes wrong.


def test_a_worker_that_is_killed_does_not_change_the_bytes(df: Any, tmp_path: Path) -> None:
    flag = str(tmp_path / "killed")

    def kill_once(batches: Any) -> Iterator[Any]:
        for batch in batches:
            try:
                os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                yield batch
            else:
                os.kill(os.getpid(), 9)

    cut = df.mapInArrow(kill_once, df.schema)
    assert bytes_of(tercet.spark.train(cut, Categorizer()), tmp_path) == bytes_of(Categorizer().fit(documents()), tmp_path)
    assert os.path.exists(flag)


NO_TEXT = "127 have no text: 'empty' is null"
ERRORS: list[tuple[dict[str, Any], dict[str, Any], type[TercetError], str]] = [
    ({}, {"text": "empty"}, InvalidText, NO_TEXT),
    ({}, {"label": "empty"}, InvalidLabel, "127 have no label"),
    ({}, {"weight": "stars"}, InvalidMatrix, "finite numbers >= 0"),
    ({}, {"text": "txet"}, MissingColumn, "Did you mean 'text'"),
    ({"numeric": ["star"]}, {}, MissingColumn, "Did you mean 'stars'"),
    ({"categorical": ["label"]}, {}, InvalidOption, "only repeat it"),
    ({}, {"text": "number"}, InvalidText, "holds int, not text"),
    ({"model": "auto"}, {}, InvalidOption, "give `sample`"),
    ({"calibrate": "auto"}, {}, InvalidOption, "calibrate_on"),
    ({"keep_documents": True}, {}, InvalidOption, "bring all texts"),
    ({"rules": {"fox": "no such label"}}, {}, InvalidLabel, "no document has it"),
    ({"numeric": ["mailer"]}, {}, InvalidMatrix, "not a number"),
]


@pytest.mark.parametrize(("options", "columns", "error", "message"), ERRORS)
def test_one_clear_error_and_no_stack_trace(
    df: Any,
    capfd: pytest.CaptureFixture[str],
    options: dict[str, Any],
    columns: dict[str, Any],
    error: type[TercetError],
    message: str,
) -> None:
    with pytest.raises(error, match=message) as found:
        tercet.spark.train(df, Categorizer(**options), **columns)
    assert "org.apache" not in str(found.value) + "".join(capfd.readouterr())
    assert found.value.__cause__ is None


def test_labels_of_several_types_are_refused(df: Any, capfd: pytest.CaptureFixture[str]) -> None:
    for expression in ("array(label)", "parse_json(to_json(struct(label)))", "cast('2020-01-01' as date)", "map(label, 1)"):
        with pytest.raises(InvalidLabel, match="labels have one type"):
            tercet.spark.train(df.selectExpr("text", f"{expression} as label"), Categorizer())
    assert "org.apache" not in "".join(capfd.readouterr())


def test_no_rows_are_refused(df: Any) -> None:
    with pytest.raises(InvalidLabel, match="there are no documents"):
        tercet.spark.train(df.limit(0), Categorizer())


def hide(spark: Any, monkeypatch: pytest.MonkeyPatch, folder: Path, module: str) -> None:
    """Workers that start from now on can't import this module."""
    (folder / "sitecustomize.py").write_text(
        "import sys\n"
        "class Hidden:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name.partition('.')[0] == {module!r}:\n"
        "            raise ModuleNotFoundError(f'No module named {name!r}', name=name)\n"
        "sys.meta_path.insert(0, Hidden())\n"
    )
    monkeypatch.setitem(spark.sparkContext.environment, "PYTHONPATH", str(folder))


def test_a_package_that_a_worker_lacks_is_named(
    spark: Any, df: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    hide(spark, monkeypatch, tmp_path, "simplemma")
    with pytest.raises(MissingExtra, match=r"a worker can't read texts as the driver does: .*pip install 'tercet\[forms\]'"):
        tercet.spark.train(df, Categorizer(Analyzer(lemmas="en")))
    assert "org.apache" not in "".join(capfd.readouterr())


@pytest.mark.parametrize("module", ["tercet", "pyarrow"])
def test_a_worker_without_tercet_is_named(
    spark: Any, df: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path, module: str
) -> None:
    hide(spark, monkeypatch, tmp_path, module)
    with pytest.raises(ClusterFailed, match=f"No module named '{module}'.*PYSPARK_PYTHON"):
        tercet.spark.predict(df, Categorizer().fit(["a"], ["x"]))
    assert "org.apache" not in "".join(capfd.readouterr())


def test_a_job_that_fails_for_another_reason_is_one_line(df: Any) -> None:
    def fail(batches: Any) -> Iterator[Any]:
        raise RuntimeError("the disk is on fire")
        yield

    with pytest.raises(ClusterFailed, match=r"^a worker failed: RuntimeError: the disk is on fire$"):
        tercet.spark.train(df.mapInArrow(fail, df.schema), Categorizer())
    with pytest.raises(ClusterFailed, match=r"DIVIDE_BY_ZERO|Division by zero"):
        tercet.spark.train(df.selectExpr("text", "cast(1 / (number - number) as string) as label"), Categorizer())


def test_what_a_folder_can_not_have_is_refused(df: Any, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("mine")
    for options, more, error, message in [
        ({}, {"to": tmp_path / "full"}, CannotWrite, "not empty"),
        ({}, {"to": "s3://bucket/model"}, CannotWrite, "mounted"),
        ({"model": NaiveBayes(smoothing="auto")}, {}, InvalidOption, "give a smoothing"),
        ({"max_terms": 5}, {"prune": True}, InvalidOption, "compares all terms"),
        ({}, {"prune": True}, InvalidOption, "nothing to prune"),
        ({}, {"text": "empty"}, InvalidText, NO_TEXT),
    ]:
        with pytest.raises(error, match=message):
            tercet.spark.train(df, Categorizer(**options), **({"to": tmp_path / "new"} | more))
    assert not list((tmp_path / "new").glob("*")) or not (tmp_path / "new").exists()
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["notes.txt"]


def test_a_damaged_folder_is_refused(df: Any, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    tercet.spark.train(df, Categorizer(), to=folder)
    other = tmp_path / "other"
    tercet.spark.train(df.limit(50), Categorizer(), to=other)
    shard = next(folder.glob("shard-*"))
    good = shard.read_bytes()
    for bad in (good[:-1] + bytes([good[-1] ^ 1]), good[:100], (other / shard.name).read_bytes()):
        shard.write_bytes(bad)
        with pytest.raises(BadModelFile):
            tercet.load(folder)
    shard.unlink()
    with pytest.raises(BadModelFile, match="does not exist"):
        tercet.load(folder)
    (folder / "model.tercet").unlink()
    with pytest.raises(BadModelFile, match="is a folder"):
        tercet.load(folder)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda df, model: tercet.spark.predict(df, model, column="text"), "a column 'text' already"),
        (lambda df, model: tercet.spark.predict(df, 7), "the path of a model"),
        (lambda df, model: tercet.spark.predict([1], model), "a data frame of Spark"),
        (lambda df, model: tercet.spark.train([1], Categorizer()), "a data frame of Spark"),
        (lambda df, model: tercet.spark.cross_validate(df, Categorizer(), folds=1), "an int >= 2"),
        (lambda df, model: tercet.spark.train(df, "auto"), "a Categorizer or None"),
        (lambda df, model: tercet.spark.cross_validate(df.limit(1), Categorizer()), "all documents are in one fold"),
    ],
)
def test_wrong_options_are_refused(df: Any, call: Any, message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        call(df, Categorizer().fit(["a"], ["x"]))
