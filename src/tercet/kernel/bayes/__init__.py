"""Counts to the scores of naive Bayes: the reference of each step, beside its C++ header."""
