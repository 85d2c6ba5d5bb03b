"""Who may read the files: new files that hold texts are for their owner, others follow the umask, old files keep their mode."""

import json
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tercet
from tercet import Categorizer, Documents
from tercet.cli.main import run
from tercet.ledger.backup import back_up
from tercet.ledger.ledger import Ledger
from tercet.ledger.live import LiveModel
from tercet.store import atomic_file
from tercet.store.atomic_file import write_together, write_whole

TEXTS, LABELS = ["so good", "so bad", "a lovely cast"], ["+", "-", "+"]
PRIVATE = 0o600

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights")


@pytest.fixture(params=[0o022, 0o077])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The modes of the temporary files, before the first byte is in them."""
    found: list[int] = []
    real = os.open

    def note(path: Any, *options: Any) -> int:
        handle = real(path, *options)
        found.extend([read_mode(path)] if str(path).endswith("part") else [])
        return handle

    monkeypatch.setattr(atomic_file.os, "open", note)
    return found


def read_mode(path: Any) -> int:
    return stat.S_IMODE(os.stat(path).st_mode)


def fit(**options: Any) -> Categorizer:
    return Categorizer(**options).fit(TEXTS, LABELS)


def begin(path: Path, **options: Any) -> Ledger:
    subjects = ["ann", "ben", "ben"]
    return Ledger.begin(path, Categorizer(**options), Documents(TEXTS, LABELS), actor="ann", subjects=subjects)


def test_a_new_ledger_and_the_files_beside_it_are_for_their_owner(tmp_path: Path, umask: int) -> None:
    with begin(tmp_path / "a.ledger") as ledger:
        ledger.learn(Documents(["more"], ["+"]), actor="ann")
        modes = {path.name: read_mode(path) for path in tmp_path.glob("a.ledger*")}
    assert modes == dict.fromkeys(["a.ledger", "a.ledger-wal", "a.ledger-shm"], PRIVATE)


def test_a_ledger_keeps_the_mode_that_its_owner_gave_it(tmp_path: Path, umask: int) -> None:
    begin(tmp_path / "a.ledger").close()
    (tmp_path / "a.ledger").chmod(0o640)
    with Ledger.open(tmp_path / "a.ledger", write=True) as ledger:
        assert ledger.erase("ben", actor="admin").certificate is not None  # the file is written anew
        modes = {read_mode(path) for path in tmp_path.glob("a.ledger*")}
    assert modes == {0o640}


def test_copies_of_a_ledger_are_for_their_owner(
    tmp_path: Path, umask: int, temporary: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    begin(tmp_path / "a.ledger").close()
    (tmp_path / "a.ledger").chmod(0o644)
    back_up("a.ledger", "copy.ledger")
    assert run(["ledger", "export", "a.ledger", "-o", "events.jsonl"]) == 0
    assert [read_mode("copy.ledger"), read_mode("events.jsonl")] == [PRIVATE, PRIVATE]
    assert temporary == [PRIVATE, PRIVATE]


def test_only_a_model_file_with_texts_is_for_its_owner(tmp_path: Path, umask: int, temporary: list[int]) -> None:
    fit(keep_documents=True).save(tmp_path / "texts.tercet")
    fit().save(tmp_path / "plain.tercet")
    fit().compact().save(tmp_path / "compact.tercet")
    follows = 0o666 & ~umask
    assert [read_mode(tmp_path / f"{name}.tercet") for name in ("texts", "plain", "compact")] == [PRIVATE, follows, follows]
    assert temporary == [PRIVATE, follows, follows]


@pytest.mark.parametrize("mode", [0o640, 0o664, 0o600])
def test_a_model_file_keeps_its_mode(tmp_path: Path, umask: int, mode: int, temporary: list[int]) -> None:
    path = tmp_path / "m.tercet"
    for keeps in (False, True):
        fit(keep_documents=keeps).save(path)
        path.chmod(mode)
        model = tercet.load(path)
        assert isinstance(model, Categorizer)
        temporary.clear()
        model.learn(["more"], ["+"]).save(path)
        assert (read_mode(path), temporary) == (mode, [PRIVATE])
        path.unlink()


@pytest.mark.parametrize("keeps", [False, True])
def test_the_file_of_a_live_model_has_the_mode_of_any_model_file(tmp_path: Path, umask: int, keeps: bool) -> None:
    path = tmp_path / "a.tercet"
    with begin(tmp_path / "a.ledger", keep_documents=keeps) as ledger:
        live = LiveModel(ledger, path)
        live.publish(actor="server")
        assert read_mode(path) == (PRIVATE if keeps else 0o666 & ~umask)
        live.train(actor="ann")
        path.chmod(0o640)
        live.erase("ben", actor="admin")
        assert read_mode(path) == 0o640


def test_a_file_that_was_deleted_for_an_erasure_gets_its_mode_again(tmp_path: Path, umask: int) -> None:
    path = tmp_path / "a.tercet"
    with begin(tmp_path / "a.ledger") as ledger:
        live = LiveModel(ledger, path)
        live.publish(actor="server")
        path.chmod(0o640)
        ledger.erase("ben", actor="admin")  # somebody who does not know the file
        live.follow()
        assert not path.exists()
        live.publish(actor="server")
        assert read_mode(path) == 0o640


def test_files_of_results_follow_the_umask_and_keep_their_mode(tmp_path: Path, umask: int) -> None:
    write_whole(tmp_path / "new.json", [json.dumps({}).encode()])
    write_together(tmp_path, {"a.csv": [b"text"], "b.csv": [b"text"]})
    assert {read_mode(path) for path in tmp_path.iterdir()} == {0o666 & ~umask}
    (tmp_path / "a.csv").chmod(0o640)
    write_together(tmp_path, {"a.csv": [b"other"]})
    assert read_mode(tmp_path / "a.csv") == 0o640


def test_the_file_of_users_is_for_its_owner_and_keeps_its_mode(tmp_path: Path, umask: int) -> None:
    pytest.importorskip("msgspec", reason="the server needs the extra [server]")
    from tercet.server.accounts import Accounts

    path = tmp_path / "team.users"
    Accounts(path, new=True).add_user("ann", "admin", None)
    assert read_mode(path) == PRIVATE
    path.chmod(0o640)
    Accounts(path, new=True).add_user("ben", "reader", None)
    assert read_mode(path) == 0o640
