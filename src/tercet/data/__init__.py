"""Documents, and the readers that find them in files and folders.

    Source ─► LineReader ─► a reader ─► RawRows ─► DocumentBatch
    bytes     whole lines   rows        values     documents and bad rows, each with its place

Read first: `documents.py` (`Documents`, `DocumentBatch`), `reading.py` (`tercet.read` makes a `DocumentStream`, which opens
nothing until it is iterated), `formats.py` (chooses the reader), `raw_rows.py`, and `document_batches.py` (whatever `fit` is
given → batches of documents; `Places` knows the line of each document, and its row as a spreadsheet counts rows).

There is one reader for each family of formats: `csv_tables.py`, `json_files.py`, `arrow_tables.py`, `spreadsheets.py` (whose
workbooks `workbook_parts.py` unpacks with limits), `text_lines.py`, `mail.py`, `folders.py`; and `several_files.py` for
several of them. `source.py` reads and decompresses bytes, `fed_source.py` gets them piece by piece
from a server (`FedDocuments` in `reading.py`), and `lines.py` makes lines of them. It only proposes an encoding,
in an error.

`read_options.py` has the options. `column_choice.py` chooses the columns by their names, their cells (`column_signs.py`) and
what the texts say about them, or takes those of a model (`remembered_columns.py`). A bad row keeps its position, so N rows
give N answers. A stream may have filters (`document_choice.py`), which keep documents of some labels or at some positions.
`read_labels` reads labels without texts: gold labels, or the answers of any system (cli/system_answers.py matches them).
`label_rules.py` joins spellings of a label, and `similar_labels.py` finds them.

`points.py` and `point_columns.py` are tables of numbers with a label for each row, for `tercet.course`.

A document with several columns is one text: its text columns, then the values of its categorical columns, with U+001F between
them (`documents.py`, categorizer/joined_texts.py). So fingerprints, kept rows and tables need no columns.
"""
