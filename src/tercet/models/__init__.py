"""Counts → scores, and scores → probabilities and sets of labels. These models take matrices, and stand alone.

Read first: `classifier.py` (the base classes, with scikit-learn's contract) and `naive_bayes.py` with `bayes_rule.py` and
`smoothing.py`. Then `smoothing_choice.py`, `gaussian.py`; `linear.py` with `linear_svm.py`, `logistic_regression.py` and
`nbsvm.py`; `stack.py`; `calibration.py` (probabilities) and `conformal.py` (label sets); `given_parameters.py`,
`parameters.py`, `sampling.py`.

log P(term | label) has a part for the term, one for the label, and one for the cell, which is 0 if the label does not have
the term, so such labels take no time. The kernel's `LeftOut` computes the same parts without a document's own counts.

`parameters.py` lists what a model has learned of each term, from a `LearnedTerms`, which `NaiveBayes` and each `TermWeights`
of a categorizer give. Counts are copied at once, because the table may change; values come from weights, which never change;
terms are spelled when they are shown. The top terms are found block by block, and only tied terms need the canonical order.

`stack.py` fits the weights of a stack's members to held-out scores, for matrices and for texts
(categorizer/model/stack_model.py). `sampling.py` draws the terms of random documents, for matrices and for texts
(categorizer/language_model.py). `given_parameters.py` checks parameters that the user gives, for `NaiveBayes`,
`GaussianBayes` and categorizers.

The textbook's perceptron and support vector machine are in `tercet.course`.
"""
