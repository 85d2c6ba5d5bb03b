"""tercet demo, and its texts"""

import csv
import shlex
import shutil
import sys
from collections.abc import Iterable
from contextlib import redirect_stdout
from itertools import islice
from pathlib import Path
from typing import Any

import click

from tercet.cli.commands import define_command
from tercet.cli.talk import is_quiet, say

CROATIAN = "Svatko ima pravo na slobodu mišljenja"

# "Where is the railway station?"
QUESTIONS = (
    "Wo ist der Bahnhof?", "¿Dónde está la estación?", "Où est la gare ?", "Dov'è la stazione?",
    "Onde fica a estação de comboios?", "Waar is het treinstation?", "Hvor er togstasjonen?",
    "Var ligger järnvägsstationen?", "Missä on rautatieasema?", "Hol van a vasútállomás?",
    "Gdzie jest dworzec kolejowy?", "Kde je vlakové nádraží?", "Gdje je željeznički kolodvor?",
    "Tren istasyonu nerede?", "Где находится вокзал?", "Де знаходиться залізничний вокзал?",
    "Πού είναι ο σιδηροδρομικός σταθμός;", "איפה תחנת הרכבת?", "محطة القطار أين هي؟", "ایستگاه قطار کجاست؟",
    "रेलवे स्टेशन कहाँ है?", "ரயில் நிலையம் எங்கே உள்ளது?", "สถานีรถไฟอยู่ที่ไหน", "火车站在哪里？",
    "駅はどこですか。", "기차역이 어디에 있나요?", "Nhà ga ở đâu?", "Di mana stasiun kereta api?",
    "Kituo cha treni kiko wapi?", "Where is the train station?",
)  # fmt: skip
MIXED = "Der Zug fährt um neun. The train leaves at nine o'clock. Le train part à neuf heures. Поезд идёт в девять часов."
HAWAIIAN = "Aloha kākou, pehea ʻoe i kēia lā?"
WITHOUT_LANGUAGE = ("12345", "https://example.com/index.html", "for (int i = 0; i < n; ++i) sum += x[i];")

# Fields of a language in gflanguages that hold the texts.
FIELDS = ("styles", "tester", "specimen_48", "specimen_36", "specimen_32", "specimen_21", "specimen_16")
MIN_PHRASES = 4  # phrases of a language, because one of four is held out


FORGOTTEN = "Croatian"  # the language that the demo forgets and learns again


@define_command("demo", "tercet demo", "tercet demo --folder languages --quiet")
@click.option(
    "--folder",
    type=click.Path(),
    default="tercet-demo",
    show_default=True,
    metavar="FOLDER",
    help="Folder to write all files to.",
)
def command(folder: str) -> None:
    """Run a demo that identifies languages, from training to forgetting.

    First a model is trained that finds the language of a phrase, on the Universal Declaration of Human Rights in several
    hundred languages. The demo reports how good it is and which languages it confuses, explains a prediction, and lets it
    forget a language and learn it again. Data, models and report are written to a folder.

    Then `tercet languages` answers, whose models know much more. If they are not there yet, they are built in the user's cache
    folder, in about two minutes. That downloads one package; without a network, it builds from what is installed.
    """
    data, test, model = (str(Path(folder, name)) for name in ("train.csv", "test.csv", "languages.tercet"))
    page, table, questions = (str(Path(folder, name)) for name in ("report.html", "report.txt", "questions.txt"))
    _write_data(data, test)
    _run("train", data, "-o", model, "--preset", "languages", "--fast")
    _run("evaluate", model, test, "--html", page, to=table)
    _show_beginning(table, 14)
    _run("explain", model, CROATIAN, "--terms", "8")
    _forget_and_learn(data, model)
    _build_models()
    Path(questions).write_text("\n".join(QUESTIONS) + "\n", encoding="utf-8")
    _run("languages", questions, "--keep")
    _run("languages", MIXED, "--segments")
    _run("languages", HAWAIIAN, *WITHOUT_LANGUAGE, "--keep", "--string")
    _run("languages", HAWAIIAN, "--model", "wide")
    say(f"\nOpen {page} in a browser. What to try next:\n")
    for line in list_next(data, test, model):
        say(f"  {line}")


def list_next(data: str, test: str, model: str) -> list[str]:
    """Commands that can be run after the demo."""
    return [
        write_line("languages", "A line in your own language"),
        write_line("explain", model, CROATIAN, "--label", "Croatian", "--against", "Bosnian"),
        write_line("inspect", model, "--terms", "3"),
        write_line("generate", model, "Italian", "--words", "40"),
        write_line("forget", model, data, "-o", str(Path(model).with_name("empty.tercet"))),
        write_line(
            "train", data, "-o", str(Path(model).with_name("words.tercet")), "--preset", "words", "--fast", "--test", test
        ),
        write_line("compare", model, str(Path(model).with_name("words.tercet")), test),
    ]


def _forget_and_learn(data: str, model: str) -> None:
    """Forget a language and learn it again: the file is the same as before."""
    part, without, again = (str(Path(model).with_name(name)) for name in ("part.csv", "without.tercet", "again.tercet"))
    with Path(data).open(encoding="utf-8", newline="") as file:
        rows = [(text, label) for text, label in csv.reader(file) if label == FORGOTTEN]
    _write_csv(part, rows)
    _run("forget", model, part, "-o", without)
    _run("learn", without, part, "-o", again)
    is_same = Path(model).read_bytes() == Path(again).read_bytes()
    say(f"\n{again} has {'exactly the same bytes as' if is_same else 'other bytes than'} {model}.")


def _build_models() -> None:
    from tercet.languages.installing import MODELS, name_model_file

    if not all(name_model_file(name).exists() for name in MODELS):
        _run("languages", "--build")


def write_line(*arguments: str) -> str:
    return shlex.join([find_program(), *arguments])


def find_program() -> str:
    """`tercet`, or its path if the shell would not find it by its name."""
    called = Path(sys.argv[0])
    return str(called) if called.name == "tercet" and shutil.which("tercet") is None else "tercet"


def _write_data(data: str, test: str) -> None:
    """Write the training data and the test data; every fourth phrase is held out for the test."""
    rows = [(phrase, name, i % MIN_PHRASES) for name, phrases in read_declaration().items() for i, phrase in enumerate(phrases)]
    Path(data).parent.mkdir(parents=True, exist_ok=True)
    for path, held_out in ((data, False), (test, True)):
        chosen = [(phrase, name) for phrase, name, turn in rows if (turn == MIN_PHRASES - 1) == held_out]
        _write_csv(path, chosen)
        n_languages = len({name for _, name in chosen})
        say(f"{len(chosen)} phrases of the Universal Declaration of Human Rights in {n_languages} languages: {path}")


def _write_csv(path: str, rows: Iterable[tuple[str, str]]) -> None:
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("text", "label"), *rows])


def _show_beginning(path: str, n_lines: int) -> None:
    say(f"\n$ {shlex.join(['head', '-n', str(n_lines), path])}\n")
    with Path(path).open(encoding="utf-8") as file:
        for line in islice(file, n_lines):
            click.echo(line, nl=False)


def _run(*arguments: str, to: str | None = None) -> None:
    """Run a command as a user would, and print it first."""
    from tercet.cli.main import run

    say(f"\n$ {write_line(*arguments)}" + (f" > {to}" if to else "") + "\n")
    arguments = (*arguments, "--quiet") if is_quiet() else arguments
    if to is None:
        code = run(list(arguments))
    else:
        with Path(to).open("w", encoding="utf-8") as file, redirect_stdout(file):
            code = run(list(arguments))
    if code:
        raise click.exceptions.Exit(code)


def read_declaration() -> dict[str, list[str]]:
    """Phrases of the Universal Declaration of Human Rights for each language that has enough of them.

    The package gflanguages has the declaration in several hundred languages.
    """
    from tercet.extras import import_extra

    purpose = "the demo reads the Universal Declaration of Human Rights from"
    languages = import_extra("gflanguages", package="gflanguages", extra="demo", purpose=purpose).LoadLanguages()
    phrases: dict[str, list[str]] = {}
    for _, language in sorted(languages.items()):
        if language.HasField("sample_text"):
            phrases.setdefault(language.name, []).extend(_list_phrases(language.sample_text))
    return {name: found for name, found in sorted(phrases.items()) if len(found) >= MIN_PHRASES}


def _list_phrases(sample: Any) -> list[str]:
    """Phrases that do not overlap, so that no held-out phrase is part of a training text."""
    from tercet.text.analyzer import Analyzer

    lines = keep_longest(line.strip() for field in FIELDS for line in getattr(sample, field).splitlines())
    sentences = [sentence.text for line in lines for sentence in Analyzer.sentences(line)]
    return keep_longest(phrase for sentence in sentences for phrase in cut_phrases(sentence))


def keep_longest(texts: Iterable[str]) -> list[str]:
    """The texts that are not part of another one, each once.

    >>> keep_longest(["All human", "All human beings", "All human beings", "are born"])
    ['All human beings', 'are born']
    """
    once = list(dict.fromkeys(texts))
    return [text for text in once if not any(text in other for other in once if other != text)]


def cut_phrases(sentence: str, n_words: int = 6) -> list[str]:
    """Phrases of about this many words, as equal in length as possible.

    >>> cut_phrases("Everyone has the right to life, liberty and the security of person.")
    ['Everyone has the right to life,', 'liberty and the security of person.']
    """
    words = sentence.split()
    n = max(1, round(len(words) / n_words))
    return [" ".join(words[i * len(words) // n : (i + 1) * len(words) // n]) for i in range(n)]
