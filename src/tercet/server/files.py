"""Files in and out: an e-mail as a document, and the model as a file."""

from functools import partial
from typing import Any
from urllib.parse import quote

from starlette.responses import Response

from tercet.data.column_choice import Fields
from tercet.data.mail import MailText, find_header_field
from tercet.data.read_options import ReadOptions
from tercet.kernel.text.columns import SEPARATOR
from tercet.ledger.replay import WrittenModel
from tercet.server import messages
from tercet.server.calls import Call, parse_content_type
from tercet.server.limits import read_body
from tercet.server.problems import Problem
from tercet.server.served_model import ModelState, ServedModel

EMAIL = "message/rfc822"


async def read_mail(call: Call) -> Any:
    """The text of an e-mail, as the model reads it, and its columns. Nothing is learned, and nothing is kept."""
    if (kind := parse_content_type(call.request)) != EMAIL:
        raise Problem(415, "unknown_type", f"send an e-mail with the Content-Type {EMAIL}, got {kind or 'none'}.")
    with call.service.bytes.take(call.user, 0) as taken:
        mail = await read_body(call.request, call.limits, taken)
        return await call.work(partial(describe_mail, call, mail))


def describe_mail(call: Call, mail: bytes) -> messages.ReadMail:
    known = call.served.columns
    text = MailText(ReadOptions(like=Fields(known.texts)))
    written = text.make(mail)
    columns: dict[str, Any] = dict(zip(text.columns, written.split(SEPARATOR), strict=True)) if text.columns else {}
    columns |= {name: find_header_field(mail, name) for name in known.others}
    subject, sender = (find_header_field(mail, name) for name in ("subject", "from"))
    shown = "\n\n".join(written.split(SEPARATOR)) if text.columns else written
    return messages.ReadMail(text=shown, columns=columns, subject=subject, sender=sender)


async def export_model(call: Call) -> Any:
    """The model file of the last event, as a download. If it keeps its documents, it contains their texts."""
    served = call.served
    written, state = await call.work(partial(write_model, served))
    headers = {
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(served.path.name, safe='')}",
        "X-Tercet-Event": str(state.number),
    }
    return Response(written, headers=headers, media_type="application/octet-stream")


def write_model(served: ServedModel) -> tuple[bytes, ModelState]:
    """The bytes of the file, and the state of the model. A model that can't learn is the file that is served."""
    if served.live is None:
        return served.path.read_bytes(), served.state
    written, state = served.answer(WrittenModel.of)
    return b"".join(written.parts), state
