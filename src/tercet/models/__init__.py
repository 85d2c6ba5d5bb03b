"""Room 3: counts → scores."""
