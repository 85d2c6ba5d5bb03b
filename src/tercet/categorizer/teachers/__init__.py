"""Labels that other teachers gave: an LLM, an old system, crowd workers, rules by hand.

`votes.py` reads what they say, `combination.py` combines it and judges each teacher, `text_votes.py` lets the words of the
texts have a say, and `teaching.py` trains a model on the combined labels. The mathematics is in `tercet.models.dawid_skene`.
"""
