"""Text → language: letters and words, rows of n-grams, costs, answers, segments."""
