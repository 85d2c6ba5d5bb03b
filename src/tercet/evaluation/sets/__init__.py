"""Sets of gold labels + sets of predicted labels, and scores if there are any → numbers with intervals; stratified splits.

Read first: `set_answers.py` (which labels are right, missed and wrong), `set_metrics.py` (each metric by its name),
`rankings.py` (metrics of scores), `set_sample.py` (the estimate of any metric). Then `set_differences.py` (is one system
better?), `confused_labels.py` (which labels are mistaken for each other, or missed together) and `set_splits.py` (iterative
stratification). `evaluate_sets` and `compare_sets` in `tercet.report` put the numbers into words.

There are two kinds of metrics. Some are functions of sums over documents: micro averages, and means of a number that each
document has. A resample needs only these few numbers of each document. Others need the correct, gold and predicted documents of
each label, as metrics of single labels do: macro averages, and the metrics of one label. They share the formulas in
`metrics.py`, and are resampled in blocks, so memory stays small with thousands of labels.
"""
