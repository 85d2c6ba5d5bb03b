"""Text → labels, probabilities, evidence: analyzer, counts and model tied together.

Read first: `categorizer.py` (the class that users hold), `fitted.py` (what it has learned), `fitting.py` (how documents
become that), `state.py` (the counts and the lock), `predictor.py` and `scorer.py` (decisions). Then `settings.py` (checked
options), `rules.py` (rules by hand), `joined_texts.py` (several columns as one text), `auto.py` (`model="auto"`), `train.py`
and `tune.py` (with an estimate), `language_model.py`, `learned_texts.py`, `selected_terms.py`, `notebook.py`. Seven packages
are inside: `model`, `held_out`, `evidence`, `files`, `suggestion`, `seeds`, `teachers`.

`Categorizer().fit(texts, labels).predict(more)`:

1. `open_batches` (data/document_batches.py) makes batches of `Documents` from lists, streams and other containers. A thread
   reads the next batch while the last batch is counted.
2. `count_labelled` (fitting.py) makes one pass. The kernel's `TableCounter` analyses and counts each text; labels are numbered
   as they arrive; each document adds a fingerprint of 128 bits. With `keep`, the terms of each document are kept
   (counts/document_rows.py), so that no text is read twice.
3. The result is a `State`: table, fingerprints, moments of numeric columns, kept documents, and the result of training.
   `learn` is `+=`, `forget` is `-=`.
4. The first prediction makes a `Scorer`: vocabulary, weights of terms, prior, calibration. The kernel reads a text, looks up
   its terms and adds their weights. `learn` and `forget` drop the `Scorer`. Rules by hand decide before it: the `Scorer`
   applies them to texts, and `HeldDocuments` to held-out documents, for which `TrainingData.matches` says which rules are
   found.

`Fitted`
    A frozen value: settings, `State`, calibration, the record of `train`, the last check by hand, and the labels that it is
    restricted to. A model file holds exactly this. `learn`, `forget` and `relabel` change the counts in place, because a copy
    of the table would take longer than the change; `merge`, `prune` and `restrict` give new values. `FitOptions` are the
    checked options before there are documents. `FitResult` is a `Fitted` with what an estimate of it needs.

The inside door
    Other packages use `Categorizer.check_options`, `fitted_`, `hold`, `publish` and `scorer`, and no private name.

Learning is immediate
    With absolute discounting every weight depends on the totals, which every document changes. So the weights of all terms are
    not derived after each change: the kernel scores the first texts from the counts, and derives all weights when many texts
    come (see `tercet.kernel`). Weights are derived at once if the model does not know all terms: with a selection of terms,
    `vocabulary="shared"`, or pseudo-counts of terms. `smoothing="table"` looks at all counts after each change. The first or
    last document of a label renumbers the labels in all rows, unless a new label comes last. Margins do not change with the
    counts. `relabel` subtracts and adds, and if the new labels are refused, adds the old ones again (`State.exchange`).

Threads
    Each categorizer has one lock for changes (`ChangeLock`). Predictions use the last complete `Scorer` without the lock. A
    fork waits until a change is complete, and the child gets new locks.

Kept documents
    With `keep_documents`, `learn`, `forget`, `relabel` and `+` change the multiset of documents and train again on all of it
    (`Categorizer._train_again`, `fitting.train_again`): they count afresh, choose, train, calibrate, and write the record as
    `tercet.train` does (`renew_record` in held_out/estimate.py). Training does not hold the lock. At the end it looks whether
    another thread has changed the documents, and then starts again. If everything follows from the counts, they are added or
    subtracted instead.

Out of date
    What does not follow from counts has a digest of the documents that it was fitted to (`DocumentsDigest`): `Fitted.fitted_on`
    for margins, smoothing and calibration, and the record for the estimate. `out_of_date_` compares it with the documents of
    now.

Small models
    `prune` keeps the counts of the selected terms. Scores depend on nothing else, so they do not change. `Settings.pruned` says
    that no change of the counts is possible any more. `compact` keeps terms and weights only (files/compact.py).

Training with an estimate
    `train` fits a categorizer and estimates its accuracy in the same pass. It adds a `TrainingRecord` (files/record.py):
    columns and rules for labels of the data, number and hash of the documents, the estimate. `fit` does not.

    `tune` is a race of categorizers on the same folds. It has a fixed list of candidates, the simplest first. Each recipe is
    analysed once, and candidates that differ only by calibration share their scores. evaluation/best_of_several.py says which
    candidates are shown to be worse than the best, and estimates the winner: the choice is repeated for each fifth of the
    documents by candidates that have not learned this fifth, and the fifth judges the choice.
"""
