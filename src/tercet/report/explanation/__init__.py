"""The explanation of one decision: why this label and not that one?

`evidence.py` has what each term adds, and how it lies over the text. `explanation.py` is the result that users hold; it comes
from categorizer/evidence. `arithmetic.py` has each value as a formula, in plain text and in LaTeX. `as_text.py`, `as_html.py`
and `as_latex.py` write an explanation.
"""
