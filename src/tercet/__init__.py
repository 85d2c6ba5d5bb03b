"""Text categorization that can be trusted.

    text ─► tokens ─► terms ─► counts

`Analyzer` is the recipe from a text to its terms, `TermCounter` counts them. Both are values and estimators that a
scikit-learn pipeline takes as they are.
"""

from tercet import errors
from tercet.counts.counter import TermCounter
from tercet.text.analyzer import Analyzer, Token

__version__ = "0.1.0"

__all__ = ["Analyzer", "TermCounter", "Token", "__version__", "errors"]
