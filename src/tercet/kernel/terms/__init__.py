"""Tokens to terms: the reference of each step, beside its C++ header."""
