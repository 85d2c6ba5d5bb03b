"""A first model from a pool of texts and what somebody knows of the labels, before any text has a label.

`seeds.py` has what is known: names, descriptions, words. `prior.py` says what that means for each text of the pool, `begin.py`
fits a model to it, `clear_words.py` finds the words that speak for a label, and `lexicon.py` finds words that behave like given
ones.
"""
