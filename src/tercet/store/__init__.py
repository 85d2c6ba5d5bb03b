"""Named arrays and what belongs to them ↔ one safe file."""
