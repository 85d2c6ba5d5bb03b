"""E-mails: what is hidden in them is decoded, their header fields are columns, and none is refused."""

import base64
import mailbox
import quopri
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from helpers.command_line import Shell
from helpers.written_files import COMPRESSIONS, MAILS, compress
from hypothesis import given
from hypothesis import strategies as st

import tercet
from tercet.data.column_choice import Fields
from tercet.data.mail import decode_mail
from tercet.errors import BadSource


def read_one(folder: Path, content: bytes, **options: Any) -> Any:
    path = folder / "one.eml"
    path.write_bytes(content)
    return tercet.read(path, labelled=False, **options)


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_one_email_is_one_document(compression: str, tmp_path: Path) -> None:
    path = tmp_path / f"one.eml{compression}"
    path.write_bytes(compress(MAILS[0].encode(), compression))
    stream = tercet.read(path, labelled=False)
    assert (stream.texts, stream.guess) == ([MAILS[0]], None)
    assert tercet.read(path.rename(tmp_path / f"one.dat{compression}"), labelled=False, format="email").texts == [MAILS[0]]


def test_header_fields_are_columns_in_all_formats_of_mail(tmp_path: Path) -> None:
    head = "Subject: =?utf-8?b?UmVmdW5k?=\n  now\nMESSAGE-ID: <1@b.org>\n"
    one = head.encode() + "\nSubject: caffè\n".encode()
    (tmp_path / "spam" / "cur").mkdir(parents=True)
    (tmp_path / "spam" / "new").mkdir()
    (tmp_path / "spam" / "tmp").mkdir()
    (tmp_path / "spam" / "cur" / "1:2,S").write_bytes(one)
    (tmp_path / "mails.mbox").write_bytes(b"From a Thu\n" + one)
    expected = {"subject": ["Refund now"], "message-id": ["<1@b.org>"], "from": [None]}
    assert read_one(tmp_path, one, columns=list(expected)).columns == expected
    assert tercet.read(tmp_path / "mails.mbox", labelled=False, columns=list(expected)).columns == expected
    assert tercet.read(tmp_path / "spam", labelled=False, columns=list(expected)).columns == expected


REFUND = b"From: a@b.org\nSubject: =?utf-8?b?UmVmdW5k?=\nContent-Transfer-Encoding: base64\n\nV2hlcmU/"


@pytest.mark.parametrize("names", [("Subject", "Body"), ("subject", "Nachricht"), ("text", "SUBJECT", "From")])
def test_text_columns_that_are_named_like_parts_of_an_email_are_these_parts(names: tuple[str, ...], tmp_path: Path) -> None:
    parts = {"subject": "Refund", "from": "a@b.org"}
    expected = ["\x1f".join(parts.get(name.casefold(), "Where?") for name in names)]
    (tmp_path / "mails" / "spam").mkdir(parents=True)
    (tmp_path / "mails" / "spam" / "1.eml").write_bytes(REFUND)
    (tmp_path / "mails.mbox").write_bytes(b"From a Thu\n" + REFUND + b"\n")
    like = Fields(names)
    streams = [
        read_one(tmp_path, REFUND, like=like),
        tercet.read(tmp_path / "mails", like=like),
        tercet.read(tmp_path / "mails.mbox", like=like, labelled=False),
        tercet.read([tmp_path / "one.eml", tmp_path / "mails" / "spam" / "1.eml"], like=like, labelled=False),
    ]
    said = f"text: {' and '.join(map(repr, names))} of the e-mail, as in the training data"
    for stream in streams:
        assert [text.rstrip() for text in stream.texts] == expected * len(stream.texts)
        assert stream.text_columns == names
        assert said in (stream.guess or "")


@pytest.mark.parametrize("names", [("title", "body"), ("subject", "from"), ("text", "body"), ("Subject", "notes", "city")])
def test_an_email_is_read_as_a_whole_if_the_text_columns_have_other_names(names: tuple[str, ...], tmp_path: Path) -> None:
    stream = read_one(tmp_path, REFUND, like=Fields(names))
    assert stream.texts == read_one(tmp_path, REFUND).texts
    assert (stream.text_columns, stream.guess) == ((), f"the whole e-mail is read as {names[-1]!r}")


def test_a_model_of_subject_and_body_reads_an_email_as_the_row_of_a_table(shell: Shell) -> None:
    Path("one.eml").write_bytes(b"From: a@b.org\nSubject: Refund please\n\nWhere is my money?")
    shell.do("tercet train tickets.csv -o s.tercet --text subject --text body --label queue --fields --quiet")
    first = shell.do("tercet predict s.tercet tickets.csv").out.splitlines()[0]
    answered = shell.do("tercet predict s.tercet one.eml")
    assert answered.out == f"{first}\n"
    assert answered.err == "one.eml: text: 'subject' and 'body' of the e-mail, as in the training data\n"


def test_maildirs_come_back_with_flags_and_without_unfinished_ones(tmp_path: Path) -> None:
    for label, mails in {"ham": MAILS[:2], "spam": MAILS[2:]}.items():
        box = mailbox.Maildir(str(tmp_path / label))
        for mail in mails:
            message = mailbox.MaildirMessage(mail.partition("\n")[2])
            message.set_subdir("cur")
            message.set_flags("RS")
            box.add(message)
        (tmp_path / label / "tmp" / "unfinished").write_text("Subj")
    stream = tercet.read(tmp_path)
    bodies = [mail.partition("\n")[2] for mail in MAILS]
    assert sorted(zip(stream.texts, stream.labels or [], strict=True)) == sorted(
        zip(bodies, ["ham", "ham", "spam"], strict=True)
    )
    assert stream.guess == "format: emails"
    assert sorted(tercet.read(tmp_path / "ham", labelled=False).texts) == sorted(bodies[:2])


def test_a_folder_of_emails_without_labels_is_read_only_if_none_are_wanted(tmp_path: Path) -> None:
    (tmp_path / "1.eml").write_text("Subject: so\n\nla")
    assert tercet.read(tmp_path, labelled=False).texts == ["Subject: so\n\nla"]
    with pytest.raises(
        BadSource, match="is a folder of e-mails, which has no labels: give a folder with a sub-folder for each"
    ):
        tercet.read(tmp_path).collect()
    box = tmp_path / "box"
    mailbox.Maildir(str(box))
    assert tercet.read(box, labelled=False).texts == []
    with pytest.raises(
        BadSource, match="box is a Maildir, which has no labels: give a folder with a sub-folder for each label"
    ):
        tercet.read(box).collect()


def test_parts_are_decoded_and_content_that_is_not_text_is_left_out() -> None:
    message = EmailMessage()
    message["Subject"] = "Città d'arte"
    message.set_content("Привет, мир", charset="koi8-r", cte="base64")
    message.add_alternative("<p>Così è</p>", subtype="html", charset="latin-1", cte="quoted-printable")
    message.add_attachment(b"\x89PNG" * 99, "image", "png", filename="a.png")
    text = decode_mail(message.as_bytes())
    assert "Subject: Città d'arte" in text
    assert "\nПривет, мир\n" in text
    assert "\n<p>Così è</p>\n" in text
    assert base64.b64encode(b"\x89PNG" * 3).decode() not in text
    assert 'filename="a.png"' in text


def test_a_mail_inside_a_mail_is_decoded() -> None:
    inner = b"Subject: so\nContent-Transfer-Encoding: quoted-printable\n\n" + quopri.encodestring("è così".encode())
    outer = (
        b"Subject: Fwd\nContent-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: message/rfc822\n\n"
        + inner
        + b"\n--x--\n"
    )
    assert "è così" in decode_mail(outer)


DAMAGED = [
    b"",
    b"\n",
    b"Subject: so",
    b"Subject: so\n\n",
    b"no header at all",
    b"Subject: =?utf-8?b?!?=\n\nso",
    b"Subject: =?no-such-charset?q?so?=\n\nso",
    b"Content-Type: text/plain; charset=no-such-charset\nContent-Transfer-Encoding: base64\n\nc28=",
    b"Content-Type: text/plain; charset=idna\n\nso",
    b"Content-Transfer-Encoding: base64\n\nc28",
    b"Content-Transfer-Encoding: base64\n\n\xff\xfe!!",
    b"Content-Type: multipart/mixed\n\n=?so",
    b"Content-Type: multipart/mixed; boundary=x\n\nbase64\n--x\n",
    b"Content-Type: multipart/mixed; boundary*0*=x''%\n\nbase64",
    b"Content-Type: multipart/mixed; boundary=x\n\n" * 3000 + b"--x\n=?",
]


@pytest.mark.parametrize("mail", DAMAGED)
def test_a_damaged_email_is_a_document_with_what_is_there(mail: bytes, tmp_path: Path) -> None:
    stream = read_one(tmp_path, mail, columns=["subject"])
    assert (len(stream.texts), stream.n_bad) == (1, 0)
    if b"\n\nc28" in mail:
        assert stream.texts[0].endswith("\n\nso")
    elif b"so" in mail:
        assert "so" in stream.texts[0]


@given(st.lists(st.sampled_from([*b"\n\n\n ;=?-:\"'/x\xff", *DAMAGED, b"Content-Type: multipart/x; boundary=x\n", b"\n--x\n"])))
def test_any_bytes_are_an_email(pieces: list[Any]) -> None:
    mail = b"".join(piece if isinstance(piece, bytes) else bytes([piece]) for piece in pieces)
    assert isinstance(decode_mail(mail), str)
