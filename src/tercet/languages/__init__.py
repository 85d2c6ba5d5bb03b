"""Which language a text is in: `LanguageIdentifier`, `identify_languages`, and the builder of their models.

    sources ─► counts of n-grams ─► rows ─► LanguageModel (a file)          here, when a model is built
    text ─► letters ─► rows ─► costs ─► answer or segments                  kernel/languages, when a text is asked about

To answer: `identifier.py` asks the kernel, `answers.py` has the results, `codes.py` the codes and groups of languages,
`model.py` the file. The few numbers that were fitted to sentences are in `identifier.py` (`find_settings`). For texts of one to
four words, `writers.py` has how many people write a language, and `common_words.py` its common words and greetings.

To build: `text_sources.py` reads packages that are installed, and `lingua_counts.py` the published wheel. `Sources`
(`sources.py`) gives the counts of each label for an alphabet; `transliteration.py` makes counts of another script, for Chinese
and Serbian. `ngram_counts.py` has n-grams as integers, and finds the boundaries of words in counts without them.
`ngram_rows.py` estimates P(letter | letters before it) of each language and chooses the rows that matter. `building.py` does
this for each writing system (`writing_systems.py`) and joins the parts to three models; `installing.py` writes them to the
cache folder.

In the kernel, `letters.hpp` reads words and leaves addresses out, `ngram_rows.hpp` finds the row of the longest known n-gram
for each letter and adds the rows up, `language_scorer.hpp` chooses the writing system, `language_identifier.hpp` makes
probabilities of costs and says what is unknown, `common_words.hpp` finds the languages that list the words of a short text,
and `language_segments.hpp` splits mixed texts.
"""
