"""Text categorization that can be trusted.

    text ─► tokens ─► terms ─► counts ─► model ─► scores ─► labels, probabilities

`Analyzer` is the recipe from a text to its terms, `TermCounter` counts them, `NaiveBayes` scores the counts and
`GaussianBayes` numbers. A scikit-learn pipeline takes all of them as they are.
"""

from tercet import errors
from tercet.counts.counter import TermCounter
from tercet.models.gaussian import GaussianBayes
from tercet.models.naive_bayes import NaiveBayes
from tercet.text.analyzer import Analyzer, Token

__version__ = "0.1.0"

__all__ = ["Analyzer", "GaussianBayes", "NaiveBayes", "TermCounter", "Token", "__version__", "errors"]
