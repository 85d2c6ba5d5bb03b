"""What is wrong with data or with a model."""
