"""Terms to counts: the reference of each step, beside its C++ header."""
