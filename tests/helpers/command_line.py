"""The program called in this process, and small invented files to call it on."""

import csv
import io
import json
import os
import random
import shlex
import shutil
import sys
from contextlib import redirect_stdout
from itertools import islice
from pathlib import Path

import pytest

from tercet.cli.main import run

GOOD = ["lovely", "warm", "funny", "clever", "great", "superb", "touching", "brilliant"]
BAD = ["dull", "boring", "long", "loud", "predictable", "awful", "weak", "messy"]
BOTH = ["film", "story", "cast", "plot", "every", "minute", "what", "a"]


def write_reviews(path: Path, n: int, seed: int) -> None:
    """Rows of id, text, label and source, of which one in ten is mislabelled."""
    draw = random.Random(seed)
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "text", "label", "source"])
        for i in range(n):
            label = draw.choice(["good", "bad"])
            words = GOOD if (label == "good") == (draw.random() < 0.9) else BAD
            rows.writerow([i, " ".join(draw.choices(words + BOTH, k=8)), label, draw.choice("ab")])


def write_corrections(folder: Path) -> None:
    """The first rows of reviews.csv with the other label, and with the label that they had before."""
    other = {"good": "bad", "bad": "good"}
    with (folder / "reviews.csv").open(newline="") as file, (folder / "corrected.csv").open("w", newline="") as written:
        rows = csv.writer(written)
        rows.writerow(["text", "label", "before"])
        rows.writerows([row["text"], other[row["label"]], row["label"]] for row in islice(csv.DictReader(file), 5))


def write_taught(folder: Path) -> None:
    """The rows of reviews.csv with gold labels for the first 40, an LLM's answers, votes, and a file of rules."""
    draw = random.Random(5)
    with (folder / "reviews.csv").open(newline="") as file, (folder / "taught.csv").open("w", newline="") as written:
        rows = csv.writer(written)
        rows.writerow(["text", "label", "llm", "votes"])
        for number, row in enumerate(csv.DictReader(file)):
            says = [row["label"] if draw.random() < 0.85 else draw.choice(["good", "bad"]) for _ in range(4)]
            votes = json.dumps(says[1:])
            rows.writerow([row["text"], row["label"] if number < 40 else "", says[0] if draw.random() < 0.9 else "", votes])
    (folder / "rules.toml").write_text('rules = ["lovely|great|superb=good", "dull|awful|messy=bad"]\n')


def write_tickets(path: Path) -> None:
    """Rows of subject, body, mailer and queue."""
    rows = [
        ("Refund please", "Where is my money?", "mutt", "bill"),
        ("Invoice wrong", "The sum is wrong", "pine", "bill"),
        ("Server down", "It does not start", "mutt", "tech"),
        ("Crash again", "It crashes each day", "elm", "tech"),
        ("Refund", "I want my money back", "pine", "bill"),
        ("Screen black", "The screen is black", "", "tech"),
    ]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("subject", "body", "mailer", "queue"), *rows])


def write_points(path: Path) -> None:
    """Rows of width, height and kind. A line separates the kinds."""
    draw = random.Random(0)
    rows = [(draw.gauss(at, 0.5), draw.gauss(at, 0.5), kind) for at, kind in ((1, "no"), (4, "yes")) for _ in range(12)]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("width", "height", "kind"), *rows])


def write_pairs(folder: Path) -> None:
    """Sentences that differ only in a person, and the templates and words that make them."""
    people = [("He", "male"), ("My uncle", "male"), ("She", "female"), ("My aunt", "female")]
    moods = ["lovely", "warm", "dull", "awful", "messy", "great"]
    rows = [(f"{who} is {mood}.", "x is y", who, mood, sex) for mood in moods for who, sex in people]
    tables = {
        "pairs": [("text", "template", "person", "mood", "gender"), *rows],
        "people": [("person", "gender"), *people],
        "moods": [("mood",), *((mood,) for mood in moods)],
    }
    for name, table in tables.items():
        with (folder / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows(table)
    (folder / "templates.txt").write_text("{person} is {mood}.\nI find {person} {mood}.\n")


def write_tags(folder: Path) -> None:
    """Texts with several labels, and the answers of two systems."""
    draw, names = random.Random(0), ("art", "politics", "sport", "travel")
    rows = [[name for k, name in enumerate(names) if draw.random() < 0.5 / (k + 1)] for _ in range(60)]
    tables = {"tags": 0.0, "tags_a": 0.1, "tags_b": 0.3}  # by the share of labels that are wrong
    for table, share in tables.items():
        lines = [("id", "text", "label")]
        for number, row in enumerate(rows):
            given = [name for name in names if (name in row) != (draw.random() < share)]
            lines.append((str(number), f"text number {number}", "; ".join(given)))
        with (folder / f"{table}.csv").open("w", newline="") as file:
            csv.writer(file).writerows(lines)


MODELS = {
    "a": "reviews.csv --word-ngrams 1 --smoothing 0.5",
    "b": "reviews.csv --smoothing 0.1",
    "careful": "reviews.csv --fast",
    "raw": "reviews.csv --smoothing 0.5 --calibrate none",
    "m": "reviews.csv --smoothing 0.5",
    "north": "reviews.csv --smoothing 0.5",
    "south": "new.csv --smoothing 0.5",
    "margins": "reviews.csv --model svm --no-documents",
    "later": "reviews.csv --model svm",
}


def write_files(folder: Path) -> None:
    """All that the examples of the commands name, the models, too."""
    for seed, (name, n) in enumerate({"reviews": 120, "test": 40, "new": 10, "removed": 10}.items()):
        write_reviews(folder / f"{name}.csv", n, seed)
    write_corrections(folder)
    write_taught(folder)
    write_tickets(folder / "tickets.csv")
    write_points(folder / "points.csv")
    write_pairs(folder)
    write_tags(folder)
    (folder / "texts.txt").write_text("a dull plot\nwhat a lovely film\n\n")
    (folder / "message.eml").write_text("From: a@b.org\nSubject: tonight\n\nwhat a lovely film\n")
    (folder / "recipe.toml").write_text('word-ngrams = [1, 2]\nsmoothing = "dirichlet:50"\nmin_documents = 2\n')
    (folder / "labels.toml").write_text('[good]\nwords = ["lovely", "great"]\n\n[bad]\nwords = ["dull", "awful"]\n')
    (folder / "password.txt").write_text("correct horse battery\n")
    (folder / "card.toml").write_text('[model]\nlicense = "mit"\n\n[intended_use]\nprimary_uses = "Sort film reviews."\n')
    for name, words in MODELS.items():
        data, *options = words.split()
        assert run(["train", str(folder / data), "-o", str(folder / f"{name}.tercet"), "--quiet", *options]) == 0
    for name in "ab":
        output = ["-o", str(folder / f"answers_{name}.csv"), "--proba", "--quiet"]
        assert run(["predict", str(folder / f"{name}.tercet"), str(folder / "test.csv"), *output]) == 0
    write_ledgers(folder)
    for name, role in (("ann", "admin"), ("ben", "teacher"), ("robot", "reader")):
        assert run(["user", "add", str(folder / "team.users"), name, "--role", role, "--no-password", "--quiet"]) == 0
    (folder / "models").mkdir()
    shutil.copy(folder / "m.tercet", folder / "models" / "m.tercet")
    suspects = ["--suspects", str(folder / "suspects.csv")]
    assert run(["train", str(folder / "reviews.csv"), "-o", str(folder / "reviews.tercet"), "--quiet", *suspects]) == 0
    assert run(["learn", str(folder / "reviews.tercet"), str(folder / "removed.csv"), "--quiet"]) == 0
    write_checked(folder)


def write_checked(folder: Path) -> None:
    """A sheet of `tercet check`, filled in with the labels of test.csv; and keys that a person would press."""
    sheet, model, pool = folder / "filled.csv", folder / "reviews.tercet", folder / "test.csv"
    assert run(["check", str(model), str(pool), "-n", "30", "-o", str(sheet), "--quiet"]) == 0
    with pool.open(newline="") as file:
        gold = {row["text"]: row["label"] for row in csv.DictReader(file)}
    with sheet.open(newline="") as file:
        rows = [{**row, "label": gold[row["text"]]} for row in csv.DictReader(file)]
    with sheet.open("w", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)
    (folder / "keys.txt").write_text("1\n2\n1\n?\n2\n")


def write_ledgers(folder: Path) -> None:
    """The ledger of a model, and the same after an erasure."""
    for name in ("live", "erased"):
        ledger, model = str(folder / f"{name}.ledger"), folder / f"{name}.tercet"
        shutil.copy(folder / "m.tercet", model)
        assert run(["ledger", "begin", ledger, str(model), str(folder / "reviews.csv"), "--subject-column", "id", "-q"]) == 0
    target = ["--model", str(model), "-o", str(folder / "erased.json")]
    assert run(["ledger", "erase", ledger, "--subject", "3", "--actor", "ann", "--quiet", *target]) == 0


class Outcome:
    """What a command has printed, and how it ended."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


class Shell:
    """Runs lines as a shell would, in a folder, as far as < and > go."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
        self.folder, self._monkeypatch, self._captured = folder, monkeypatch, capfd
        monkeypatch.chdir(folder)

    def __call__(self, line: str) -> Outcome:
        program, *words = shlex.split(line)
        assert program == "tercet"
        words, source = _take_after("<", words)
        words, target = _take_after(">", words)
        self._captured.readouterr()
        out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")
        with open(source or os.devnull, "rb") as file, redirect_stdout(out):
            self._monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(file, encoding="utf-8"))
            code = run(words)
        out.flush()
        written = out.buffer.getvalue().decode()
        if target:
            Path(target).write_text(written)
        return Outcome(code, written, self._captured.readouterr().err)

    def do(self, line: str) -> Outcome:
        """The same for what must go well."""
        outcome = self(line)
        assert outcome.code == 0, outcome.err
        return outcome


def _take_after(mark: str, words: list[str]) -> tuple[list[str], str | None]:
    if mark not in words:
        return words, None
    place = words.index(mark)
    return words[:place] + words[place + 2 :], words[place + 1]


def list_files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def refuse(shell: Shell, line: str) -> str:
    """The complaint, without its beginning; nothing else has happened."""
    before = list_files(shell.folder)
    outcome = shell(line)
    assert outcome.code == 2, outcome.err
    assert "Traceback" not in outcome.err
    assert list_files(shell.folder) == before
    *_, complaint = outcome.err.splitlines()
    assert complaint.startswith("tercet: ")
    return complaint.removeprefix("tercet: ")
