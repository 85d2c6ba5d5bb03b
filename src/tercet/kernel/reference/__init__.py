"""The kernel in plain Python: the specification of what the native one does, and its stand-in where none was built.

Unicode facts are those of the running Python; the native kernel has its own, of one pinned version. Each module
says the same as the C++ header of its name.
"""

import unicodedata

from tercet.kernel.reference.analysis import Recipe
from tercet.kernel.reference.counts import LabelCounter, MatrixCounter, Texts, Vocabulary

unicode_version: str = unicodedata.unidata_version

__all__ = ["LabelCounter", "MatrixCounter", "Recipe", "Texts", "Vocabulary", "unicode_version"]
