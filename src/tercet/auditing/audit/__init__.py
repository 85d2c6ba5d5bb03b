"""Audits: whom a model treats differently (`tercet.audit`, `tercet audit`).

`audit.py` ties three audits together: `groups.py` (how good the answers are for each group), `pairs.py` (sentences that
differ only in a name or an identity term) and `swaps.py` (listed terms are swapped in texts). Each has its result in the same
file.

They share `model_answers.py`: the columns of groups, what a model answers, and which labels are compared. `cells.py` has the
cells of sentences that `pairs.py` compares, `templates.py` makes such sentences, and `term_swaps.py` makes the versions of a
text.

The statistics know no texts: `group_differences.py` has the rates and areas of groups, and `differences.py` the differences
of proportions, and of means for pairs and swaps. `difference_pictures.py` draws them as SVG.
"""
