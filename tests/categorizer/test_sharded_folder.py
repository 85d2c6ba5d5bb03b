"""Models in folders, one file for each shard: they load as the model of one file, and damage is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

import tercet
from tercet import Categorizer, Documents, MostInformative
from tercet.categorizer.categorizer import Categorizer as Fitted
from tercet.categorizer.files.partial_counts import PartialCounts
from tercet.categorizer.files.sharded_folder import (
    MANIFEST,
    ShardedModel,
    ShardFile,
    clear_folder,
    finish_folder,
    start_folder,
    write_shard,
)
from tercet.categorizer.held_out.counting_plan import CountingPlan
from tercet.errors import BadModelFile, CannotWrite
from tercet.store.model_file import read_model, write_model

N_SHARDS = 3
COLUMNS = {"place": ["x", "y", "x", "y"], "stars": [1.0, 2.5, -3.0, 0.0]}
DOCUMENTS = Documents(["a hen and a fox", "the fox", "the hen sat", "a fox"], ["b", "a", "b", "c"], columns=COLUMNS)
OPTIONS: list[dict[str, Any]] = [
    {},
    {"numeric": ["stars"], "remember": False},
    {"select": MostInformative(3, by="ld", domain="place")},
]


def write_folder(folder: Path, options: dict[str, Any], documents: Documents = DOCUMENTS) -> ShardedModel:
    """As workers and the driver write it."""
    plan = CountingPlan.of(Categorizer(**options), documents)
    totals, shards = PartialCounts(plan.analyzer), {k: PartialCounts(plan.analyzer) for k in range(N_SHARDS)}
    for shard, part in plan.count([documents]).split(N_SHARDS):
        shards[shard].add(part)
    path = start_folder(folder)
    files: list[ShardFile] = []
    for shard, counts in shards.items():
        if len(counts.labels):
            totals.add(counts.take_totals().encode())
            counts.drop_totals()
        files.append(write_shard(path, shard, N_SHARDS, counts))
        before = Path(path, files[-1].name).read_bytes()
        assert write_shard(path, shard, N_SHARDS, counts) == files[-1]  # a task that runs twice
        assert Path(path, files[-1].name).read_bytes() == before
    return finish_folder(path, plan.finish(Categorizer(**options), totals), files)


@pytest.mark.parametrize("options", OPTIONS)
def test_a_folder_loads_as_the_model_of_one_file(tmp_path: Path, options: dict[str, Any]) -> None:
    written = write_folder(tmp_path / "folder", options)
    alone = Categorizer(**options).fit(DOCUMENTS)
    alone.save(tmp_path / "alone.tercet")
    for path in (tmp_path / "folder", tmp_path / "folder" / MANIFEST):
        for verify in (True, False):
            loaded = tercet.load(path, verify=verify)
            loaded.save(tmp_path / "again.tercet")
            assert (tmp_path / "again.tercet").read_bytes() == (tmp_path / "alone.tercet").read_bytes()
            (tmp_path / "again.tercet").unlink()
    assert (written.n_documents, written.n_terms, written.n_shards) == (4, len(alone.table_), N_SHARDS)
    assert isinstance(written.load(), Fitted)


def test_a_folder_that_is_not_empty_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("")
    with pytest.raises(CannotWrite, match="not empty"):
        start_folder(tmp_path)
    with pytest.raises(CannotWrite, match="mounted"):
        start_folder("s3://bucket/folder")
    with pytest.raises(CannotWrite, match="can't be made"):
        start_folder(tmp_path / "mine.txt" / "folder")


def test_a_shard_that_the_driver_does_not_see_is_an_error(tmp_path: Path) -> None:
    lost = ShardFile("shard-00000-of-00001.tercet", "0" * 64, 7, 1)
    with pytest.raises(CannotWrite, match="the driver does not see it"):
        finish_folder(str(tmp_path), Categorizer().fit(["a"], ["x"]), [lost])


def test_a_failed_training_leaves_nothing(tmp_path: Path) -> None:
    write_folder(tmp_path / "folder", {})
    (tmp_path / "folder" / "shard-00000-of-00003.tercet.abc.part").write_bytes(b"half")
    clear_folder(str(tmp_path / "folder"))
    assert [path.name for path in (tmp_path / "folder").iterdir()] == [MANIFEST]


def change_manifest(folder: Path, change: Any) -> None:
    file = read_model(folder / MANIFEST)
    content = json.loads(json.dumps(file.content))
    change(content)
    write_model(folder / MANIFEST, content, file.arrays)


def repeat_shard(content: dict[str, Any]) -> None:
    content["shards"].append(content["shards"][0])


def name_another_folder(content: dict[str, Any]) -> None:
    content["shards"][0]["name"] = "../folder/" + content["shards"][0]["name"]


def drop_labels(content: dict[str, Any]) -> None:
    del content["categorizer"]["labels"]


@pytest.mark.parametrize("change", [repeat_shard, drop_labels, lambda content: content.pop("shards")])
def test_a_crafted_manifest_is_refused(tmp_path: Path, change: Any) -> None:
    write_folder(tmp_path / "folder", {})
    change_manifest(tmp_path / "folder", change)
    with pytest.raises(BadModelFile):
        tercet.load(tmp_path / "folder")


def test_a_manifest_names_only_files_beside_it(tmp_path: Path) -> None:
    write_folder(tmp_path / "folder", {})
    (tmp_path / "outside").mkdir()
    change_manifest(tmp_path / "folder", name_another_folder)
    (tmp_path / "folder").rename(tmp_path / "moved")
    assert tercet.load(tmp_path / "moved").predict(["fox"]).tolist() == Categorizer().fit(DOCUMENTS).predict(["fox"]).tolist()


def test_a_damaged_or_foreign_shard_is_refused(tmp_path: Path) -> None:
    write_folder(tmp_path / "folder", {})
    write_folder(tmp_path / "other", {}, Documents(["one two three four five six"], ["b"]))
    shard = tmp_path / "folder" / "shard-00001-of-00003.tercet"
    good = shard.read_bytes()
    for bad in (good[:-1] + bytes([good[-1] ^ 1]), good[:100], b"", (tmp_path / "other" / shard.name).read_bytes()):
        shard.write_bytes(bad)
        with pytest.raises(BadModelFile):
            tercet.load(tmp_path / "folder")
    shard.unlink()
    with pytest.raises(BadModelFile, match="does not exist"):
        tercet.load(tmp_path / "folder")
    (tmp_path / "folder" / MANIFEST).unlink()
    with pytest.raises(BadModelFile, match="is a folder"):
        tercet.load(tmp_path / "folder")
