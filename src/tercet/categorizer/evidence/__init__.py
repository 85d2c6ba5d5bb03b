"""Why a label was chosen: the weights of a decision, term by term.

`explain.py` reads the weights that decide, and makes an `Explanation` (report/explanation). It also adds up the same evidence
over many texts at once, for the terms responsible in an audit of pairs (auditing/audit/pairs.py). `word_lines.py` shows
character n-grams with the word they stand in, and `meanings.py` what words add by their vectors. `formulas.py` writes each
value of an explanation as a formula of counts or weights, for `explain(arithmetic=True)`: the numbers of a smoothing for naive
Bayes, and of layers for margins.
"""
