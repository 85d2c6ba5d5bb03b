"""Which texts to label next, and what the next labels would bring.

`suggest.py` is `tercet.suggest`. `order.py` has the rules that `tercet label` and the page use, too: first texts that are
spread over the pool (`clusters.py`, on the vectors of `text_vectors.py`), then those between whose two best labels the model
can hardly decide. `next_labels.py` says what the next 50 labels would bring.
"""
