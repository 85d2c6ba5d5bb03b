"""Text to tokens: the reference of each step, beside its C++ header."""
