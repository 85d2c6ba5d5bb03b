"""Pieces of words → vectors: products of matrices with a fixed order of sums, and the network of a sentence encoder."""
