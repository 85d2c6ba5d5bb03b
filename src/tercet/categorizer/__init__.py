"""Text → labels, probabilities, evidence: analyzer, counts and model tied together."""
