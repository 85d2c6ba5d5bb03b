"""Numbers → words and pages: reports, comparisons, explanations, as text, Markdown, LaTeX, HTML and JSON.

Here are the forms that all results share, and the reports that several packages use. Any other result stands beside the
function that makes it.

Read first: `tables.py` (a `Sheet` is the content of a report: headline, tables, notes, and the signature of its numbers) and
`forms.py` (a sheet in each form; `Rendering` is the base class of results). Then `report.py` (`evaluate`), `comparison.py`
(`compare`), `set_report.py` and `set_comparison.py` (the same for several labels of a document), `agreement.py` (how far people
agree), `mistakes.py` (wrong answers with their texts), `prediction_lines.py` (predictions as lines or rows),
`svg_pictures.py`. The folder `explanation` is about one decision.

A signature says how a number was measured, so that anybody can repeat it. Cells are made safe for spreadsheets and terminals.
"""
