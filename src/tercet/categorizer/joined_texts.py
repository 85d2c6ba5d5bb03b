"""Documents → the texts that the kernel reads: all text columns and categorical columns of a document in one str."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tercet.arrow_columns import list_cells
from tercet.data.document_batches import PlainTexts, list_texts
from tercet.data.documents import Documents
from tercet.data.raw_rows import spell_label
from tercet.errors import InvalidOption, InvalidText, is_missing
from tercet.kernel.text.columns import SEPARATOR
from tercet.text.layout import Layout


def derive_layout(first: Documents, categorical: Sequence[str], fields: bool) -> Layout | None:
    """The layout of these documents; None for plain texts. Later documents must have the same."""
    texts = first.text_columns if len(first.text_columns) > 1 else ()
    if fields and not texts:
        raise InvalidOption(
            "fields=True needs several text columns, and the documents have one text: all terms would have the same column. "
            "Name two columns (--text subject --text body, or Documents.join in Python), or leave fields out."
        )
    return Layout(texts, categorical, fields) if texts or categorical else None


def join_texts(texts: Any, layout: Layout | None) -> Any:
    """The texts as an analyzer with this layout reads them: the text columns, then the categorical columns.

    Raises InvalidOption for documents that have other text columns, or lack a categorical column.

    >>> layout = Layout(["subject", "body"], ["mailer"])
    >>> join_texts(Documents(["See you"], columns={"mailer": ["mutt"]}), layout)
    ['\\x1fSee you\\x1fmutt']
    """
    placed = arrange_texts(texts, layout)
    if layout is None:
        return placed.texts if isinstance(placed, Documents) else placed
    joined: list[str] = placed.texts
    for name in layout.categorical:
        values = _list_values(placed, name, len(joined))
        joined = [f"{text}{SEPARATOR}{value}" for text, value in zip(joined, values, strict=True)]
    return joined


def arrange_texts(texts: Any, layout: Layout | None) -> Any:
    """Documents with the text columns of the layout; without a layout, the texts as they are.

    A text of one named column goes into that column. A plain text that has all columns, with U+001F between them, is read as
    such; any other plain text goes into the last column. The other columns are empty.

    >>> layout = Layout(["subject", "body"])
    >>> arrange_texts(Documents(["Refund"], text_columns=("subject",)), layout).texts
    ['Refund\\x1f']
    >>> arrange_texts(["Where is it?", "Refund\\x1fWhere is it?"], layout).texts
    ['\\x1fWhere is it?', 'Refund\\x1fWhere is it?']
    """
    if layout is None and not isinstance(texts, Documents):
        return texts
    documents = texts if isinstance(texts, Documents) else PlainTexts(texts)
    own = documents.text_columns
    if len(own) > 1 and own != (() if layout is None else layout.texts):
        raise InvalidOption(
            f"the documents have the text columns {_spell(own)}, and the model learned "
            f"{_spell(layout.texts) if layout is not None and layout.texts else 'one text'}: "
            "its terms would be looked up in the wrong column. Give the same columns in the same order."
        )
    if layout is None:
        return documents
    held = list_texts(documents.texts)
    if len(own) > 1:
        _check_parts(held, layout)
    else:
        held = _arrange_plain(held, layout, own)
    return replace(documents, texts=held, text_columns=layout.texts or own)


def _arrange_plain(texts: list[str], layout: Layout, own: tuple[str, ...]) -> list[str]:
    last = layout.n_texts - 1
    index = layout.texts.index(own[0]) if own and own[0] in layout.texts else last
    before, after = SEPARATOR * index, SEPARATOR * (last - index)
    return [
        text if not own and text.count(SEPARATOR) == last else f"{before}{text.replace(SEPARATOR, ' ')}{after}"
        for text in texts
    ]


def _check_parts(texts: list[str], layout: Layout) -> None:
    n_separators = layout.n_texts - 1
    for position, text in enumerate(texts):
        if text.count(SEPARATOR) != n_separators:
            raise InvalidText(
                f"text {position} (counted from 0) does not have {layout.n_texts} parts: the columns "
                f"{_spell(layout.texts)} are joined by U+001F. Documents.join makes such texts."
            )


def _list_values(documents: Documents, name: str, n: int) -> list[str]:
    """The value of each document in a categorical column, as a str; empty for a missing value."""
    if isinstance(documents, PlainTexts):
        raise InvalidOption(
            f"categorical={name!r} names a column, and texts alone have none: pass Documents(texts, labels, "
            f"columns={{{name!r}: [...]}})."
        )
    if name not in documents.columns:
        known = _spell(list(documents.columns)) or "none"
        raise InvalidOption(
            f"the documents have no column {name!r}, which the model needs: there is {known}. Add it, or train without it."
        )
    column = documents.columns[name]
    values = list_cells(column, f"the cells of {name!r}", InvalidOption)
    if len(values) != n:
        raise InvalidOption(f"there are {n} texts, and {len(values)} values of {name!r}: each text needs one.")
    return ["" if is_missing(value) else spell_label(value).replace(SEPARATOR, " ") for value in values]


def _spell(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names))
