"""A matrix to linear models and their scores: the reference of each step, beside its C++ header."""
