"""Gold and predicted labels → numbers."""
