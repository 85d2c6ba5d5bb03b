"""Terms → counts, weights and selections of terms. Counts can be added and subtracted.

Read first: `table.py` (`CountTable`: a vocabulary, and counts for each term and label), `labels.py`, `label_sets.py` (several
labels of a document), `units.py`, `training_data.py` (labelled documents, batch by batch, encoded and counted),
`fingerprints.py` (128 bits of each document), `document_rows.py` (the terms of each document, kept while counting),
`kept_documents.py` (the texts themselves). Then `selection.py` (which terms are used), `weighting.py` (tf-idf),
`term_names.py`, `shards.py` (a table in parts), `near_copies.py`. For matrices: `counter.py` (`TermCounter`), `matrices.py`,
`label_counts.py`. For numbers: `label_moments.py` and `exact_sums.py`. `document_index.py` finds similar documents.

The kernel's `Counts` holds, for each term, the labels that have it: occurrences and documents, in units of 2⁻²⁰, so that sums
are exact. For each label it holds the number of documents and the sum of their squared weights. `LabelCounts` adds names of
labels (for matrices), `CountTable` a vocabulary (for texts). Terms are numbered as they arrive, so the time to learn one more
document depends only on that document. When half of the terms are forgotten, a new table is made. The canonical order is used
for `==`, fingerprints and files: words and word n-grams, then character n-grams, then features; token by token, each token by
its bytes.

`LabelMoments` (n, Σx, Σxxᵀ, in sums without rounding) does for columns of numbers what counts do for terms.

`KeptDocuments` is a multiset of texts with labels, weights, numbers and domains, in the order of their fingerprints. The
kernel packs the texts (kernel/base/packed_texts.hpp): numbers of runs of characters, the most frequent run first.
`Fingerprints` and `KeptDocuments` keep small changes apart, and sort them in when somebody needs the order.

Shards: the hash of a term (kernel/counts/shards.hpp) says in which shard it is, in every table. A shard is a table without
documents of labels; those are in the totals, a table without terms. So the sum of all parts is the table, in any order.
"""
