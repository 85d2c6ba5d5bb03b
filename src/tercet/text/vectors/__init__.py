"""Words → vectors of int8 that have similar directions if the words have similar meanings.

Read first: `word_vectors.py` (`WordVectors`, which users hold). Its vectors come from one of two sources:

- `vector_table.py` (`VectorTable`): a table of the user. `vector_files.py` reads the files in which such tables are published.
- `encoded_words.py` (`EncodedWords`): a sentence encoder, which encodes each word as a text of its own. `text_encoder.py`
  (`TextEncoder`) turns texts into pieces and pieces into vectors. `encoder_package.py` opens the encoder that is installed,
  and is the only file that imports it. `piece_vocabulary.py` reads its pieces of words. `frequent_words.py` reads lists of
  frequent words of languages. `vector_cache.py` keeps the vectors of the encoder's own words and of frequent words in the cache
  folder. `checked_files.py` reads files of packages whose SHA-256 is fixed.

Only directions count. A vector is stored as q = round(127 · v / max |v|), and its direction is q / √(Σ q²). The encoder's
network runs in the kernel, in a fixed order of sums: a word has the same bytes in any batch, on any machine, with and without
the cache. The words of users are never written to the cache.
"""
