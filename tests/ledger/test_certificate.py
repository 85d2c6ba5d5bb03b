"""The certificate of an erasure: everything in it is under its hash, and an old one says what is not."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.changed_certificates import change_somewhere

from tercet import Categorizer, Documents
from tercet.errors import InvalidFile
from tercet.ledger.certificate import OLD_KIND, Certificate, read_certificate
from tercet.ledger.ledger import Ledger

N_CHANGES = 300  # attacks/erasure.py makes more


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    documents = Documents(["so good", "so bad", "a lovely cast"], ["+", "-", "+"])
    with Ledger.begin(tmp_path / "a.ledger", Categorizer(), documents, actor="ann", subjects=["ann", "ben", "cas"]) as ledger:
        yield ledger


@pytest.fixture
def written(ledger: Ledger) -> dict[str, Any]:
    erasure = ledger.erase("cas", actor="admin")
    assert erasure.certificate is not None
    certificate: dict[str, Any] = json.loads(json.dumps(erasure.certificate.to_dict()))
    return certificate


def is_true(written: Any, **known: Any) -> bool:
    try:
        return Certificate.from_dict(written).check(**known) == ()
    except InvalidFile:
        return False


def make_old(written: dict[str, Any]) -> dict[str, Any]:
    """The certificate as tercet 0.2 wrote it."""
    old = {name: value for name, value in written.items() if name not in ("hash", "unconfirmed", "mentions")}
    return old | {"certificate": OLD_KIND}


def test_no_change_of_any_field_passes(written: dict[str, Any]) -> None:
    assert is_true(written)
    draw = random.Random(0)
    for _ in range(N_CHANGES):
        what, changed = change_somewhere(written, draw)
        assert not is_true(changed), what


@pytest.mark.parametrize("field", ["outside", "ledger", "unconfirmed", "subject_salt", "hash"])
def test_nothing_can_be_struck_out(written: dict[str, Any], field: str) -> None:
    assert not is_true({name: value for name, value in written.items() if name != field})
    assert not is_true(written | {field: [] if isinstance(written[field], list) and written[field] else ["x"]})


def test_the_ledger_knows_what_is_outside_even_if_the_hash_was_made_anew(written: dict[str, Any], ledger: Ledger) -> None:
    forged = Certificate.from_dict(written | {"outside": []})
    assert forged.check() != ()
    again = Certificate.from_dict(forged.to_dict() | {"hash": forged.compute_hash()})
    assert again.check(ledger=ledger) == ("its list of what is outside is not that of its event",)


def test_a_number_of_another_type_does_not_pass(written: dict[str, Any]) -> None:
    event = written["events"][0]
    for number in (float(event["number"]), str(event["number"])):
        assert not is_true(written | {"events": [event | {"number": number}, *written["events"][1:]]})


def test_an_old_certificate_is_checked_and_says_what_is_under_no_hash(written: dict[str, Any], ledger: Ledger) -> None:
    old = make_old(written)
    certificate = Certificate.from_dict(old)
    assert certificate.check(ledger=ledger, subject="cas") == ()
    assert certificate.to_dict() == old
    assert "older kind" in certificate.notes[0]
    changed = old["events"][0] | {"actor": "eve"}
    assert not is_true(old | {"events": [changed, *old["events"][1:]]})
    assert Certificate.from_dict(written).notes == ()


def test_a_file_is_read_as_it_was_written(written: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text(json.dumps(written, indent=2))
    assert read_certificate(tmp_path / "c.json").to_dict() == written
