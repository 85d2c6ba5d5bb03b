"""Counts: terms → counts, weights and selections of terms."""
