"""Room 5: numbers → words and pages."""
