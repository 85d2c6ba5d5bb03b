"""The models inside a categorizer, behind one interface.

A categorizer uses its model only through the interface in `text_model.py`. `BayesModel` and `MarginModel` implement it, and
`StackModel` is a `MarginModel`. Other code calls its methods and does not check which model it has.

- `TextModel`: checked options. It trains, makes weights, and scores held-out documents.
- `TrainedState`: the results of training beside the counts: the chosen smoothing, or the trained margins. It is written to
  the file.
- `TermWeights`: the weight of each term for each label. `pack` and `unpack` write it into compact files.

Read next: `bayes_model.py`, `margin_model.py`, `trained_margins.py`, `stack_model.py`. Then `calibrator.py` (held-out scores
→ probabilities and label sets), `numeric_columns.py` (normal distributions of numbers beside the text),
`given_probabilities.py` (a categorizer from probabilities that the user gives, which models/given_parameters.py checks; the
kernel scores them in 64 bits, as counts with smoothing 0) and `shared_rows.py`.

Naive Bayes follows from the table of counts. Margins cannot be added or subtracted. Two labels have one margin, and each gets
half of it.

Margins are trained by a `MarginTrainer` (`margin_model.py`). It makes the rows of the documents once (`TextRows` of the
kernel), in the order of their fingerprints, for all models and folds: documents that are held out have weight 0. The kind of
a term, word or character n-gram, is its block, and a `TermWeighting` may norm each block on its own. The kernel never scales
the rows: it keeps factor · w, and for an `NBSVM` r · w. It trains up to 15 labels in one visit of a document.

`TrainedMargins` has layers. A layer has a weight for each term and margin, and says how counts become values: damping,
factors, norm. The score is the bias plus the sum of the layers, which the kernel's `LinearWeights` adds in one pass. All
scorers share one `LinearWeights`, each with the set of terms that are not forgotten. Weights of a stack have 16 bits in a
file; those of compact margins are rounded to 8 bits (`round_layers`). `shared_rows.py` writes weights once that many terms
share: most terms occur in one document only. The kernel uses the shared rows in place.

A stack: `model="auto"` (categorizer/auto.py) chooses the recipe and the model by the sizes of the data, mostly a `Stack`.
`StackModel` trains the members on some folds, and scores the documents that were held out. models/stack.py fits the weights
of the members to these scores; members without weight are dropped. The others are trained on all documents, from the duals of
the last fold, and folded into layers: members that weigh counts alike share one. Each held-out document is also judged by
weights that it had no say in (`StackedDocuments`). These answers are the estimate of `train`, and the stack needs no other
calibration. The counts stay, for `generate`, `perplexity`, `most_informative` and suspects.

Word vectors: `vector_choice.py` (categorizer) decides whether they are used, and `vector_member.py` trains one more member on
the mean vectors of the texts. Unlabelled texts (`unlabelled.py`, categorizer) have a member, too: a teacher labels them, and a
student learns (`student_member.py`). models/joined_scores.py joins each of them with the stack by two weights. The results are
`AddedBlock`s (`added_block.py`), margins with a vocabulary of their own (`word_terms.py`, `packed_terms.py`). The `Scorer`
adds them to the other scores.
"""
