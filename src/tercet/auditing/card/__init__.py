"""Model cards, after Mitchell et al. (2019) (`tercet.make_card`, `tercet card`).

`card.py` works out what the program knows of a model. `sections.py` and `caveats.py` say it in words, `notes.py` has the
questions that only people can answer, and `privacy.py` measures what the model reveals of its training texts. `model_card.py`
lays the sections out as Markdown and HTML, and `header.py` writes the YAML header that model hubs read.

Nothing in a card is a time or the name of a machine: the same files give the same card.
"""
