"""Texts of other people that mention a person who is erased: they are counted and listed, and stay until somebody decides."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tercet import Categorizer, Documents
from tercet.errors import InvalidOption
from tercet.ledger.changes import Verdict
from tercet.ledger.ledger import Ledger
from tercet.ledger.live import LiveModel
from tercet.ledger.mentions import NamePattern, find_mentions, list_names

TEXTS = [
    "I am Cas Lee, so good",  # of the person
    "cas  LEE was bad",
    "write to cas@example.org",
    "a casual lee",
    "Cas-Lee or casLee",
    "nothing",
]
LABELS = ["+", "-", "+", "-", "+", "-"]
PERSONS = ["Cas Lee", "ben", None, "dan", "eva", None]


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    documents = Documents(TEXTS, LABELS)
    with Ledger.begin(tmp_path / "a.ledger", Categorizer(), documents, actor="ann", subjects=PERSONS) as ledger:
        yield ledger


def list_events(ledger: Ledger, *names: str, subject: str | None = None) -> list[int]:
    return [each.number for each in find_mentions(ledger, list_names(subject, names), subject=subject)]


@pytest.mark.parametrize(
    ("name", "text", "is_there"),
    [
        ("Ann", "annual", False),
        ("Ann", "thanks, ann.", True),
        ("Ann", "Ann's", True),
        ("Ann", "ann_lee", True),
        ("Ann Lee", "Ann\u00a0\nLee", True),
        ("Ann Lee", "Ann\x1fLee", True),  # in two columns
        ("Straße", "STRASSE 7", True),
        ("José", "jose\u0301", True),
        ("José", "josef", False),
        ("a.b+c@example.org", "<A.B+C@EXAMPLE.ORG>", True),
        ("a.b@example.org", "axb@example.org", False),
        ("4711", "no. 4711!", True),
        ("4711", "14711", False),
        ("王小明", "我和王小明去", True),
        ("שרה", "לשרה", True),
        ("Ann", "和Ann去", True),
    ],
)
def test_a_name_is_found_as_it_was_given_but_not_inside_a_word(name: str, text: str, is_there: bool) -> None:
    assert NamePattern([name]).is_in(text) == is_there


def test_texts_of_others_are_found_and_those_of_the_person_are_not(ledger: Ledger) -> None:
    assert list_events(ledger, subject="Cas Lee") == [3]
    assert list_events(ledger, "cas@example.org", subject="Cas Lee") == [3, 4]
    assert list_events(ledger, "Cas Lee") == [2, 3]


def test_a_subject_that_is_only_a_number_is_not_looked_for(ledger: Ledger) -> None:
    assert list_names("7", []) == []
    erasure = ledger.erase(events=[7], actor="admin")
    assert erasure.mentions is None
    assert erasure.certificate is not None
    assert erasure.certificate.to_dict()["mentions"] is None


def test_an_empty_name_is_refused_and_nothing_is_erased(ledger: Ledger) -> None:
    with pytest.raises(InvalidOption):
        ledger.erase("Cas Lee", names=[" "], actor="admin")
    assert ledger.history.erasures == []


def test_an_offered_text_is_listed_once_and_columns_are_looked_through(tmp_path: Path) -> None:
    categorizer = Categorizer(categorical=["sender"])
    documents = Documents(["so good", "so bad"], ["+", "-"], columns={"sender": ["Cas Lee", "ben"]})
    with Ledger.begin(tmp_path / "b.ledger", categorizer, documents, actor="ann") as ledger:
        offered = Documents(["Cas Lee is here"], columns={"sender": ["ben"]})
        (offer,) = ledger.offer(offered, pool="new", actor="ann")
        ledger.judge(offer.number, Verdict(label="+"), actor="ann")
        assert list_events(ledger, "Cas Lee") == [2, offer.number]


@pytest.mark.parametrize("is_live", [False, True])
def test_the_certificate_has_their_number_and_no_list(ledger: Ledger, is_live: bool) -> None:
    eraser = LiveModel(ledger) if is_live else ledger
    erasure = eraser.erase("Cas Lee", names=["cas@example.org"], actor="admin")
    assert erasure.mentions == (3, 4)
    assert erasure.certificate is not None
    written = erasure.certificate.to_dict()
    assert written["mentions"] == {"names": 2, "texts": 2}
    assert erasure.certificate.event.details.keys() == {"events", "documents", "subject", "outside", "mentions"}
    assert erasure.certificate.event.details["events"][:1] == [2]
    assert "cas" not in repr(written).lower().replace("cascade", "")
    assert not NamePattern(["Cas Lee"]).is_in(str(written))
    assert list_events(ledger, "Cas Lee") == [3]  # they stay
    ledger.erase(events=[3], actor="admin")
    assert list_events(ledger, "Cas Lee") == []
