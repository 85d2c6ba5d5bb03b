"""Models: counts → scores, and scores → probabilities and sets of labels."""
