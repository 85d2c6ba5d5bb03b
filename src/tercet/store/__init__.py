"""Named arrays and what belongs to them ↔ one safe file. Reading runs no code.

`model_file.py` writes safetensors; the header begins with a SHA-256 checksum of everything else. `atomic_file.py` replaces a
file as a whole or not at all; `write_all` completes several files before it replaces the first. Every writer holds the lock
of `file_lock.py`. `small_numbers.py` writes whole numbers in few bytes. What the arrays of a categorizer are is said in
categorizer/files.
"""
