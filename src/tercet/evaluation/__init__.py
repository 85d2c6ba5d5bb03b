"""Gold labels + predicted labels or probabilities → numbers: metrics, intervals, significance tests; splits and folds.

Nothing here sees a text. Read first: `confusion.py` (most metrics need nothing else), `metrics.py` (each metric by its name),
`intervals.py` (a number with its interval), `sample.py` (the estimate of any metric of a sample). Then `probabilities.py` and
`roc_and_precision_recall.py` (metrics and curves of probabilities), `standard_errors.py` (nothing is resampled),
`resampling.py` and `bootstrap.py`, `significance.py` (is a difference more than chance?), `best_of_several.py` (for `tune`),
`baseline.py`, `function_metrics.py` (a metric of the user), `checked_labels.py`, `checked_sample.py` (which documents a person
should check), `splits.py` (which documents are held out). The folder `sets` is about documents with several labels.

Resampling documents only changes how many fall into each cell of the confusion matrix, so the cells are drawn, and all
metrics of a report use the same draws. `evaluate` and `compare` in `tercet.report` put the numbers into words.
"""
