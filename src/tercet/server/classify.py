"""Classify and explain."""

import math
from collections.abc import Callable, Iterator
from typing import Any

from tercet.data.documents import Documents
from tercet.errors import InvalidOption
from tercet.report.explanation.explanation import Explanation
from tercet.report.prediction_lines import Ranked
from tercet.server.calls import Call
from tercet.server.limits import MAX_SCORED
from tercet.server.line_streams import classify_lines
from tercet.server.messages import Answer, Classified, Classify, Explain, Explained, Scored
from tercet.server.problems import Problem
from tercet.server.served_model import ModelState, ServedModel

MAX_EXPLAINED = 1 << 15  # characters: the evidence of each takes 3 kB
MAX_CELLS = 1 << 23  # characters × labels: each takes 8 bytes, up to three times
MAX_SHORT = 1 << 11  # characters: their evidence takes a moment
MAX_AT_ONCE = 1 << 14  # characters that are classified in the thread of all requests: changing threads takes longer
MAX_DOCUMENTS_AT_ONCE = 16
AT_A_TIME = 500  # documents that are classified together: a change of the model waits for them


async def classify(call: Call, message: Classify | None = None) -> Any:
    """Classify texts or documents.

    The answers come in the order of the documents. A request of the type application/x-ndjson or text/csv is a stream: its
    lines are answered one by one, and may be many.
    """
    if message is None:
        return await classify_lines(call)
    n = count_documents(message)
    check_number(call, n)
    check_size(call, n, message.top)
    await call.wait_for(message.after)
    found = None
    is_short = n <= MAX_DOCUMENTS_AT_ONCE and count_characters(message) <= MAX_AT_ONCE
    if is_short:  # the thread of all requests must not wait for a change of the model
        found = answer_documents(call.served.try_answer, call.served, message)
    if found is None:
        run = call.in_thread if is_short else call.work
        found = await run(lambda: answer_documents(call.served.answer, call.served, message))
    assert found is not None
    answers, state = found
    call.service.metrics.count("classified", len(answers))
    return Classified(**call.describe(state), answers=answers)


def count_documents(message: Classify) -> int:
    """How many documents a request has."""
    if [message.text, message.texts, message.documents].count(None) != 2:
        raise InvalidOption("give one of text, texts and documents.")
    return 1 if message.text is not None else len(message.texts if message.texts is not None else message.documents or [])


def count_characters(message: Classify) -> int:
    """How many characters the texts and columns of a request have."""
    if message.documents is None:
        return len(message.text) if message.text is not None else sum(map(len, message.texts or []))
    columns = (cell for document in message.documents for cell in document.columns.values() if isinstance(cell, str))
    return sum(len(document.text or "") for document in message.documents) + sum(map(len, columns))


def check_number(call: Call, n: int) -> None:
    """Raise a Problem if a request has too many documents."""
    if n > call.limits.texts:
        raise Problem(
            413, "too_many", f"a request may have at most {call.limits.texts} documents, got {n}: send several, or a stream."
        )


def check_size(call: Call, n: int, top: int) -> None:
    """Raise a Problem if the answer would have too many labels."""
    if top == 1:
        return
    n_labels = call.served.n_labels
    listed = min(top or n_labels, n_labels)
    if n * listed > MAX_SCORED:
        raise Problem(
            413,
            "too_many",
            f"{listed} labels of {n} documents are more than the {MAX_SCORED} that an answer may list: ask for fewer labels "
            "(`top`), or send fewer documents at a time.",
        )


Ask = Callable[[Callable[[Any], list[Ranked]]], tuple[list[Ranked], ModelState] | None]


def answer_documents(ask: Ask, served: ServedModel, message: Classify) -> tuple[list[Answer], ModelState] | None:
    """The answer for each document; None if the model can't be asked now. A later part may know of later events than the state.

    Large batches are asked in parts: a change of the model waits for each of them.
    """
    top = message.top
    if message.documents is not None:
        documents: Any = served.collect(message.documents)
    else:
        documents = served.collect_texts([message.text] if message.text is not None else message.texts or [])
    answers: list[Answer] = []
    first: ModelState | None = None
    for part in split_documents(documents):
        found = ask(lambda model: model.rank_labels(part, top or None))  # noqa: B023
        if found is None:
            return None
        ranked, state = found
        first = first or state
        answers += [Answer(*best[0], [] if top == 1 else [Scored(*each) for each in best]) for best in ranked]
    return answers, first or served.state


def split_documents(documents: Any) -> Iterator[Any]:
    """The documents in parts that take a fraction of a second each."""
    if not isinstance(documents, Documents):
        yield from (documents[start : start + AT_A_TIME] for start in range(0, len(documents), AT_A_TIME))
        return
    for start in range(0, len(documents.texts), AT_A_TIME):
        yield documents.pick(range(start, min(start + AT_A_TIME, len(documents.texts))))


async def explain(call: Call, message: Explain) -> Any:
    """Explain the label of a document, word by word."""
    documents = call.served.collect([message])
    n, n_labels = len(documents.texts[0]), call.served.n_labels
    most = min(MAX_EXPLAINED, MAX_CELLS // n_labels)
    if n > most:
        raise Problem(413, "too_long", f"a text of more than {most} characters can't be explained: send a part of it.")
    await call.wait_for(message.after)
    run = call.in_thread if n * max(1, n_labels / 20) <= MAX_SHORT else call.find_evidence
    answer = await run(lambda: explain_document(call, documents, message))
    call.service.metrics.count("explained", 1)
    return answer


def explain_document(call: Call, documents: Documents, message: Explain) -> Explained:
    found, state = call.served.answer(
        lambda model: model.explain(documents, message.label, message.against, arithmetic=message.arithmetic)
    )
    return Explained(**call.describe(state), explanation=found.to_dict(), highlights=list_highlights(found))


def list_highlights(explanation: Explanation) -> list[tuple[int, int, float | str]]:
    """The pieces of a text with their values. JSON has no infinite numbers: they are written as `Explanation.to_dict` does."""
    return [
        (piece.start, piece.end, piece.value if math.isfinite(piece.value) else str(piece.value))
        for piece in explanation.highlights()
    ]
