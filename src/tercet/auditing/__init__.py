"""What is wrong with data or with a model.

- `doctor`: documents → findings. `examine`, probable label errors, cleaned copies.
- `audit`: whom a model treats differently. Groups of documents, pairs of sentences, swapped terms.
- `card`: what people should know of a model, as a model card.

Each result stands in the file of the function that makes it.
"""
