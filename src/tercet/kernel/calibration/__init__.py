"""Scores → probabilities: the numbers of a calibration or of a stack that make held-out labels most likely."""
