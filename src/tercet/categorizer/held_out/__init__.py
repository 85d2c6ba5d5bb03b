"""Documents that a model has not learned: splits, leave-one-out, cross-validation, curves, and estimates.

Read first: `split.py` (`tercet.split`), then `held_out.py` (leave-one-out and cross-validation), `folds.py` (mean and spread
over folds), `estimate.py` (the estimate of `train` and its record), `suspects.py` (labels that may be wrong), `curves.py`
(learning curve, smoothing curve), `counting_plan.py` (the same counts in parts, for a cluster).

Counts of held-out documents are subtracted from the table and added again afterwards; margins are trained again for each
fold. Copies of a text are held out together, if that is asked for. Folds are dealt, and the calibrator (model/calibrator.py)
fits probabilities and label sets to held-out scores, in the order of fingerprints: the order of the documents does not
matter. evaluation/splits.py deals folds and shares, checks folds that are given, and sees labels only. `split.py` adds texts
and groups.

`CountingPlan` says how to count some documents anywhere, and makes of the sum what `fit` makes. From the counts of each fold
follows a `FoldModel` of all other folds: the counts of the fold are subtracted from the sum.
"""
