"""Categorizers ↔ files.

`save_load.py` writes a `Fitted` as a model file, and reads it. `record.py` is what `train` writes into it: the data and the
estimate. `compact.py` is a categorizer without counts, for deployment: terms and weights only. `partial_counts.py` and
`sharded_folder.py` are for clusters: counts as rows of bytes that add up, and a model as a folder of shards.

`save_load.py` describes a categorizer; registry.py writes and reads every value, under the registered name of its class;
store/model_file.py writes the bytes. Nothing in a file is a time or the name of a machine, and arrays are in canonical order,
so equal models give equal bytes. The hash tables of the vocabulary are in the file and are used in place. A file with kept
documents has none, because it is large already, and they are built again.

Anybody may have written the file. So each reader (`from_dict`, `from_file`, `read_floats`) checks types, shapes and ranges,
and every error becomes `BadModelFile`. A file that is loaded without `verify` never crashes a lookup. A categorizer remembers
the checksum of each of its files (`FileVersion`), and does not replace another version.

In a compact file the vocabulary is packed: word n-grams are a tree, of which differences are written.

In counts of parts, the hash of a term says in which shard it is, fingerprints are cut by ranges, and the moments of numeric
columns are in the totals. A part has about 1 MB. Equal shards of a folder have equal bytes, so it does no harm if a task of a
cluster runs twice.
"""
