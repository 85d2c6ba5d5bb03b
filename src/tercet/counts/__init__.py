"""Room 2: terms → counts."""
