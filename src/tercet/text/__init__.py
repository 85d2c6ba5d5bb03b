"""Text → terms: the `Analyzer` and what its options name.

Read first: `analyzer.py` (the options and their checks) and `recipe.py` (an `Analyzer` → the kernel's `Recipe`). Then
`presets.py`, `word_lists.py`, `lexicons.py`, `wordforms.py` (stems and lemmas), `tags.py` (parts of speech), `patterns.py`,
`layout.py` (several columns), `measures.py` (numbers that describe a text), `language_names.py`.
`vectors/` has vectors of words.

An `Analyzer` is a mapping of checked options. Word lists, lexicons and patterns are frozen values that are written out in
full, so a recipe finds the same terms on another machine; stems, lemmas and tags need their package, and the signature names
its version. Steps:

    neutral words ─► placeholder: the text that all other steps see                                      kernel/text
    html ─► Unicode form ─► groups ─► [treebank gaps] ─► lower case ─► marks ─► repeats ─► punctuation   kernel/text
    ─► tokens ─► negation, stop words, forms, lexicon ─► n-grams, skip-grams                             kernel/terms
    text before html ─► patterns, parts of speech ─► features                                            text/recipe.py

Neutral words are replaced in the text itself, not among the tokens: character n-grams, patterns, tags, measures and rules
read the text, and none of them may see a listed word. Each step keeps positions in the text with placeholders; `locate` maps
them to the original text at the end.

Documents with several columns have a layout, which is an option of the analyzer; `fit` takes it from the first documents. The
kernel analyses each part on its own.

Rules that depend only on the token are applied once to each distinct token. Python is asked for word forms for many documents
together, so the time of a stemmer depends on the number of distinct words.
"""
