"""Gold labels + predicted labels or probabilities → numbers: metrics, intervals, significance tests; splits and folds."""
