"""Texts → pairs of texts that are nearly equal: the reference of each step, beside its C++ header."""
