"""Text: text → terms."""
