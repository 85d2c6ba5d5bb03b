"""Numbers → words and pages: reports, comparisons, explanations, as text, Markdown, LaTeX, HTML and JSON."""
