"""The doctor: documents → a diagnosis of everything that is wrong with them (`tercet.examine`, `tercet doctor`).

Read first: `doctor.py` (`examine`, and the lists `CHECKS` and `MODEL_CHECKS`), then `examined.py` (the documents in memory,
each with its place), `checks.py` (the checks of texts, labels, copies, leaks, and of documents against a model),
`diagnosis.py` (kinds, findings, and the result in all forms), `label_errors.py` (documents ranked by the held-out probability
of their label), `decoding.py` (texts decoded with the wrong encoding), `cleaning.py` (a cleaned copy, with a reason for every
change).

A check is a function from `Examined` to findings. `CHECKS` says which kinds it may find, and what is missing if it cannot
run.
"""
