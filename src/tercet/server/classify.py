"""Classify and explain."""

import math
from typing import Any

from tercet.errors import InvalidOption
from tercet.report.explanation.explanation import Explanation
from tercet.server.calls import Call
from tercet.server.line_streams import classify_lines
from tercet.server.messages import Answer, Classified, Classify, Explain, Explained, Scored
from tercet.server.problems import Problem
from tercet.server.served_model import ModelState, ServedModel

MAX_EXPLAINED = 1 << 17  # characters: the evidence of each word takes time and room
MAX_AT_ONCE = 1 << 14  # characters that are classified in the thread of all requests: changing threads takes longer


async def classify(call: Call, message: Classify | None = None) -> Any:
    """Classify texts or documents.

    The answers come in the order of the documents. A request of the type application/x-ndjson or text/csv is a stream: its
    lines are answered one by one, and may be many.
    """
    if message is None:
        return await classify_lines(call)
    documents, size = collect(call, message)
    await call.wait_for(message.after)
    served, top = call.served, message.top
    if size <= MAX_AT_ONCE:
        answers, state = answer_documents(served, documents, top)
    else:
        answers, state = await call.in_thread(lambda: answer_documents(served, documents, top))
    call.service.metrics.count("classified", len(answers))
    return Classified(**call.describe(state), answers=answers)


def collect(call: Call, message: Classify) -> tuple[Any, int]:
    """The documents of a request, and their characters."""
    if [message.text, message.texts, message.documents].count(None) != 2:
        raise InvalidOption("give one of text, texts and documents.")
    if message.documents is not None:
        check_number(call, len(message.documents))
        found = call.served.collect(message.documents)
        return found, sum(map(len, found.texts))
    texts = [message.text] if message.text is not None else message.texts or []
    check_number(call, len(texts))
    return call.served.collect_texts(texts), sum(map(len, texts))


def check_number(call: Call, n: int) -> None:
    """Raise a Problem if a request has too many documents."""
    if n > call.limits.texts:
        raise Problem(
            413, "too_many", f"a request may have at most {call.limits.texts} documents, got {n}: send several, or a stream."
        )


def answer_documents(served: ServedModel, documents: Any, top: int) -> tuple[list[Answer], ModelState]:
    """The answer for each document."""
    ranked, state = served.answer(lambda model: model.rank_labels(documents, top or None))
    if top == 1:
        return [Answer(*best[0]) for best in ranked], state
    return [Answer(best[0][0], best[0][1], [Scored(*each) for each in best]) for best in ranked], state


async def explain(call: Call, message: Explain) -> Any:
    """Explain the label of a document, word by word."""
    documents = call.served.collect([message])
    if len(documents.texts[0]) > MAX_EXPLAINED:
        raise Problem(413, "too_long", f"a text of more than {MAX_EXPLAINED} characters can't be explained: send a part of it.")
    await call.wait_for(message.after)
    found, state = await call.in_thread(
        lambda: call.served.answer(
            lambda model: model.explain(documents, message.label, message.against, arithmetic=message.arithmetic)
        )
    )
    call.service.metrics.count("explained", 1)
    return Explained(**call.describe(state), explanation=found.to_dict(), highlights=list_highlights(found))


def list_highlights(explanation: Explanation) -> list[tuple[int, int, float | str]]:
    """The pieces of a text with their values. JSON has no infinite numbers: they are written as `Explanation.to_dict` does."""
    return [
        (piece.start, piece.end, piece.value if math.isfinite(piece.value) else str(piece.value))
        for piece in explanation.highlights()
    ]
