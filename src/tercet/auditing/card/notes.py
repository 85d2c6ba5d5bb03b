"""The notes of a model card: what only people know of a model, from a TOML file with known questions."""

import datetime
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from tercet.errors import InvalidFile, InvalidOption, shorten, suggest

LANGUAGE = re.compile(r"[a-z]{2,3}|multilingual|code")
DATASET = re.compile(r"[\w.-]+(/[\w.-]+)?", re.ASCII)
DATE = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?", re.ASCII)


class Question(NamedTuple):
    """A question that the notes answer: one text, or a list of texts. Without an answer, a card says that it is missing.

    An optional question is asked only of those who want to answer it: without an answer a card does not mention it.
    """

    asked: str
    is_list: bool = False
    is_optional: bool = False
    check: Callable[[str], str] = lambda answer: ""  # what is wrong with an answer; empty if nothing is


def _check_language(answer: str) -> str:
    wanted = 'must be a code of ISO 639 in small letters, such as "en" or "deu", or "multilingual"'
    return "" if LANGUAGE.fullmatch(answer) else f"{wanted}: model hubs know no other names"


def _check_dataset(answer: str) -> str:
    return "" if DATASET.fullmatch(answer) else 'must be the name of a dataset on a model hub, such as "owner/name"'


def _check_date(answer: str) -> str:
    return "" if DATE.fullmatch(answer) else "must be a date such as 2025-12-31, a month such as 2025-12, or a year"


def _check_line(answer: str) -> str:
    return "must be one line" if len(answer.splitlines()) > 1 else ""


# By section and key, in the order of the template. A card asks for them in the sections of Mitchell et al. (2019).
QUESTIONS: dict[str, dict[str, Question]] = {
    "model": {
        "name": Question("Name of the model. By default it is that of the file.", is_optional=True, check=_check_line),
        "description": Question("What does the model do? One or two sentences."),
        "version": Question("Version of the model.", is_optional=True, check=_check_line),
        "date": Question("When was it trained?", check=_check_date),
        "authors": Question("Who has made it? People or organizations.", is_list=True),
        "contact": Question("Where can questions and complaints be sent?"),
        "license": Question('License of the model, such as "mit" or "apache-2.0".', check=_check_line),
        "license_link": Question("Address of the text of the license.", is_optional=True, check=_check_line),
        "languages": Question(
            'Languages of the texts, as codes of ISO 639, such as "en".', is_list=True, check=_check_language
        ),
        "citation": Question("How should it be cited?", is_optional=True),
        "tags": Question("More tags for a model hub.", is_list=True, is_optional=True, check=_check_line),
    },
    "intended_use": {
        "primary_uses": Question("What is the model for? Which decisions does it support?"),
        "primary_users": Question("Who should use it?"),
        "out_of_scope": Question("What should it not be used for?"),
    },
    "factors": {
        "groups": Question("Which groups of people, texts or sources may be treated differently?"),
    },
    "metrics": {
        "reasons": Question("Which errors are worse, and why do these metrics fit?"),
        "thresholds": Question("Which probability is enough to act on an answer, and what happens below it?"),
    },
    "evaluation_data": {
        "description": Question("What are the test documents, and why these?"),
        "dataset": Question("Name of the test dataset on a model hub.", is_optional=True, check=_check_dataset),
    },
    "training_data": {
        "description": Question("Where do the training documents come from, and who has labelled them how?"),
        "datasets": Question(
            "Names of the training datasets on a model hub.", is_list=True, is_optional=True, check=_check_dataset
        ),
    },
    "ethics": {
        "considerations": Question("Which harm could the model do, to whom, and what was done about it?"),
        "personal_data": Question("Do the texts contain personal data? On what grounds are they used?"),
    },
    "caveats": {
        "recommendations": Question("What else should somebody know before using it?"),
    },
}


def list_questions() -> dict[str, Question]:
    """All questions by their names, such as `intended_use.primary_uses`."""
    return {f"{section}.{key}": question for section, keys in QUESTIONS.items() for key, question in keys.items()}


@dataclass(frozen=True)
class CardNotes:
    """Checked answers to some of the questions. An empty answer is a missing one.

    >>> notes = CardNotes.of({"model": {"license": "MIT", "authors": ["Ada", "Ben"]}, "caveats": {"recommendations": ""}})
    >>> notes["model.authors"], notes["caveats.recommendations"], len(notes.missing)
    (('Ada', 'Ben'), (), 15)
    """

    answers: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, given: Any, source: str = "notes") -> "CardNotes":
        """From tables of answers, or from CardNotes, or from the path of a TOML file. None is no notes."""
        if isinstance(given, CardNotes):
            return given
        if isinstance(given, str | os.PathLike):
            return cls.of(_read_toml(given), str(given))
        if given is not None and not isinstance(given, Mapping):
            raise InvalidOption(
                f"{source} must be tables of answers or the path of a TOML file, got {shorten(repr(given))}: write the "
                "questions to a file with `tercet card --template`."
            )
        return cls({name: answer for name, answer in _list_answers(given or {}, source) if answer})

    def __getitem__(self, name: str) -> tuple[str, ...]:
        """The answer to a question: one text, or the texts of a list; empty if there is none."""
        return self.answers.get(name, ())

    @property
    def missing(self) -> tuple[str, ...]:
        """The names of the questions that have no answer and are not optional."""
        return tuple(name for name, question in list_questions().items() if not question.is_optional and not self[name])


def write_template() -> str:
    """A TOML file with all questions and no answers."""
    lines = ["# The notes of a model card. Write answers between the quotes; an empty answer is shown as missing.", ""]
    for section, questions in QUESTIONS.items():
        lines.append(f"[{section}]")
        for key, question in questions.items():
            lines.append(f"# {question.asked}{' Optional.' if question.is_optional else ''}")
            lines.append(f"{key} = " + ("[]" if question.is_list else '""'))
        lines.append("")
    return "\n".join(lines)


def _read_toml(path: str | os.PathLike[str]) -> dict[str, Any]:
    import tomllib  # on first use: few users have notes

    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise InvalidFile(f"{path} does not exist: write it with `tercet card --template > {path}` and answer it.") from None
    except (ValueError, RecursionError) as error:  # not only faults of TOML and UTF-8: a number may be too long, lists too deep
        raise InvalidFile(f'{path} is not TOML: {error}. A text with several lines stands between two """.') from None
    except OSError as error:
        raise InvalidFile(f"{path} can't be read: {error.strerror}.") from None


def _list_answers(given: Mapping[str, Any], source: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each question that is answered, with its answer."""
    for section, answers in given.items():
        if section not in QUESTIONS:
            raise InvalidOption(f"{source} has a table {section!r}, which no card has.{_suggest_name(section)}")
        if not isinstance(answers, Mapping):
            raise InvalidOption(f"{source}: {section} must be a table of answers, got {shorten(repr(answers), 60)}.")
        for key, answer in answers.items():
            if key not in QUESTIONS[section]:
                known = ", ".join(QUESTIONS[section])
                hint = suggest(key, QUESTIONS[section]) or f" [{section}] has {known}."
                raise InvalidOption(f"{source} answers {section}.{key}, which no card asks.{hint}")
            yield f"{section}.{key}", _check_answer(f"{source}: {section}.{key}", answer, QUESTIONS[section][key])


def _suggest_name(name: str) -> str:
    """The table or the question that is most like this name; all tables if none is like it.

    >>> _suggest_name("licence"), _suggest_name("usage")[:25]
    (" Did you mean 'model.license'?", ' The tables are model, in')
    """
    near = [full for full in (*QUESTIONS, *list_questions()) if suggest(name, [full.rpartition(".")[2]])]
    return f" Did you mean {near[0]!r}?" if near else f" The tables are {', '.join(QUESTIONS)}."


def _check_answer(name: str, answer: Any, question: Question) -> tuple[str, ...]:
    """The texts of an answer, without blanks around them."""
    parts = answer if isinstance(answer, list | tuple) and question.is_list else [answer]
    parts = [str(part) if type(part) is datetime.date else part for part in parts]  # TOML has dates of its own
    if not all(isinstance(part, str) for part in parts):
        wanted = "a list of texts" if question.is_list else "a text"
        raise InvalidOption(f"{name} must be {wanted}, got {shorten(repr(answer), 60)}. Write it in quotes.")
    texts = tuple(part.strip() for part in parts if part.strip())
    for text in texts:
        if fault := question.check(text):
            raise InvalidOption(f"{name} {fault}, got {shorten(repr(text), 60)}.")
    return texts
