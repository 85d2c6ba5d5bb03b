"""A wheel, just installed: does it count, and with the native kernel?  python tests/smoke.py"""

import tercet
from tercet.kernel import is_native

counter = tercet.TermCounter(tercet.Analyzer(word_ngrams=(1, 2)))
matrix = counter.fit_transform(["Midway upon the journey of our life", "the life of our days"])
assert is_native, "the wheel has no native kernel"
assert matrix.shape == (2, 17), matrix.shape
assert counter.transform(["our life, our days"]).sum() == 6
print(f"tercet {tercet.__version__} counts: {matrix.shape[1]} terms, 1 passed")
