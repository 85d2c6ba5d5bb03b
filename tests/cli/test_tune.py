"""tercet tune: it writes a model and a recipe file, and refuses what it can not use."""

import json
from pathlib import Path

import pytest
from helpers.command_line import Shell, write_reviews

from tercet import Categorizer, load
from tercet.categorizer import tune as candidates
from tercet.cli.options.config import list_recipe, write_toml
from tercet.cli.train import command as train_command


@pytest.fixture
def two_candidates(monkeypatch: pytest.MonkeyPatch) -> None:
    """A short list, because the whole list takes long."""
    monkeypatch.setattr(candidates, "CANDIDATES", candidates.CANDIDATES[:1])


@pytest.mark.usefixtures("two_candidates")
def test_the_recipe_file_trains_the_model_of_the_winner(shell: Shell) -> None:
    shell.do("tercet tune reviews.csv -o tuned.tercet --folds 3 --save-config tuned.toml")
    shell.do("tercet train reviews.csv -o again.tercet --config tuned.toml")
    tuned, again = load(shell.folder / "tuned.tercet"), load(shell.folder / "again.tercet")
    assert tuned.table_ == again.table_
    assert not tuned.keeps_documents_  # it is naive Bayes, which learns and forgets without them
    assert tuned.describe() == again.describe()
    texts = ["a dull plot", "what a lovely film", "long but touching"]
    assert tuned.predict_proba(texts).tolist() == again.predict_proba(texts).tolist()


@pytest.mark.usefixtures("two_candidates")
def test_the_same_seed_writes_the_same_bytes(shell: Shell) -> None:
    for name in ("one", "two"):
        shell.do(f"tercet tune reviews.csv -o {name}.tercet --folds 3 --seed 4 --save-config {name}.toml")
    for suffix in ("tercet", "toml"):
        assert (shell.folder / f"one.{suffix}").read_bytes() == (shell.folder / f"two.{suffix}").read_bytes()


@pytest.mark.usefixtures("two_candidates")
def test_json_has_all_candidates_and_the_estimate(shell: Shell) -> None:
    found = json.loads(shell.do("tercet tune reviews.csv -o tuned.tercet --folds 3 --metric macro_f1 --json").out)
    assert [result["name"] for result in found["candidates"]] == list(candidates.list_candidates())
    assert found["metric"] == "macro_f1"
    assert found["estimate"]["low"] <= found["estimate"]["value"] <= found["estimate"]["high"]
    record = load(shell.folder / "tuned.tercet").record_
    assert record is not None
    assert record.columns is not None
    assert record.columns.label == "label"


def test_the_winner_keeps_its_documents_as_train_does(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, "CANDIDATES", candidates.CANDIDATES[-1:])  # auto
    said = shell.do("tercet tune reviews.csv -o tuned.tercet --folds 3 --save-config tuned.toml").err
    assert "this file contains the training texts; --no-documents leaves them out" in said
    shell.do("tercet train reviews.csv -o again.tercet --config tuned.toml")
    for name in ("tuned", "again"):
        shell.do(f"tercet learn {name}.tercet new.csv")
    assert (shell.folder / "tuned.tercet").read_bytes() == (shell.folder / "again.tercet").read_bytes()
    said = shell.do("tercet tune reviews.csv -o bare.tercet --folds 3 --save-config bare.toml --no-documents").err
    assert "contains the training texts" not in said
    assert not load("bare.tercet").keeps_documents_
    assert "documents = false" in (shell.folder / "bare.toml").read_text()


def test_every_candidate_can_be_written_as_a_recipe_file(tmp_path: Path) -> None:
    from tercet.cli.options.config import list_given, make_categorizer

    for name, candidate in candidates.list_candidates().items():
        path = tmp_path / "recipe.toml"
        path.write_text(write_toml(list_recipe(candidate)), encoding="utf-8")
        arguments = ["x.csv", "-o", str(tmp_path / "x.tercet"), "--config", str(path)]
        context = train_command.make_context("train", arguments)
        made = make_categorizer(list_given(context))
        assert list_recipe(made) == list_recipe(candidate), name
        assert isinstance(made, Categorizer)
        assert made.calibrate == candidate.calibrate, name


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("tercet tune reviews.csv -o t.tercet --metric makro_f1", "Did you mean 'macro_f1'?"),
        ("tercet tune reviews.csv -o t.tercet --metric f1:fine", "Did you mean"),
        ("tercet tune reviews.csv -o t.tercet --metric brier", "needs probabilities"),
        ("tercet tune reviews.csv -o t.tercet --folds 2", "x>=3"),
        ("tercet tune new.csv -o t.tercet", "tune needs 50 or more"),
        ("tercet tune rare.csv -o t.tercet", "'fine' has only one document"),
        ("tercet tune one.csv -o t.tercet", "nothing to choose by"),
        ("tercet tune reviews.csv -o t.tercet --save-config reviews.csv", "would be overwritten"),
        ("tercet tune reviews.csv -o t.tercet --save-config t.tercet", "name two files"),
        ("tercet tune reviews.csv -o nowhere/t.tercet", "no folder"),
    ],
)
def test_wrong_use_is_one_line_and_writes_nothing(line: str, words: str, shell: Shell) -> None:
    write_reviews(shell.folder / "rare.csv", 60, 0)
    with (shell.folder / "rare.csv").open("a") as file:
        file.write("99,it is fine,fine,a\n")
    rows = (shell.folder / "reviews.csv").read_text().splitlines()
    (shell.folder / "one.csv").write_text("\n".join([rows[0], *(row for row in rows if ",good," in row)]) + "\n")
    before = sorted(path.name for path in shell.folder.iterdir())
    outcome = shell(line)
    assert outcome.code == 2
    assert words in outcome.err
    assert outcome.err.strip().splitlines()[-1].startswith("tercet: ")
    assert sorted(path.name for path in shell.folder.iterdir()) == before
