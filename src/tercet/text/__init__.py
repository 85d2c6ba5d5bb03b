"""Room 1: text → terms."""
