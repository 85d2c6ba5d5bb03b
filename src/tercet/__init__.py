"""Text categorization that can be trusted.

    text ─► tokens ─► terms ─► counts ─► model ─► scores ─► labels, probabilities, evidence

`Categorizer` is the whole chain: it learns texts with labels, decides, explains, and forgets. Its parts stand alone, too:
`Analyzer` is the recipe from a text to its terms, `TermCounter` counts them, `NaiveBayes` scores the counts and
`GaussianBayes` numbers. A scikit-learn pipeline takes all of them as they are. `Documents` are texts with what belongs to
them. `evaluate` says how good anybody's predictions are, `compare` which of two are better, every number with its interval.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tercet import errors
from tercet.categorizer.categorizer import Categorizer
from tercet.data.documents import Documents
from tercet.models.naive_bayes import NaiveBayes
from tercet.text.analyzer import Analyzer, Token

if TYPE_CHECKING:
    from tercet.counts.counter import TermCounter
    from tercet.counts.most_informative import MostInformative
    from tercet.counts.stop_words import WithoutMostFrequent
    from tercet.models.gaussian import GaussianBayes
    from tercet.report.comparison import compare
    from tercet.report.evaluation import evaluate

__version__ = "0.1.0"

__all__ = [
    "Analyzer",
    "Categorizer",
    "Documents",
    "GaussianBayes",
    "MostInformative",
    "NaiveBayes",
    "TermCounter",
    "Token",
    "WithoutMostFrequent",
    "__version__",
    "compare",
    "errors",
    "evaluate",
]

LAZY = {
    "GaussianBayes": "tercet.models.gaussian",
    "MostInformative": "tercet.counts.most_informative",
    "TermCounter": "tercet.counts.counter",
    "WithoutMostFrequent": "tercet.counts.stop_words",
    "compare": "tercet.report.comparison",
    "evaluate": "tercet.report.evaluation",
}


def __getattr__(name: str) -> Any:
    """What stands beside the `Categorizer` is imported on first use, so that `import tercet` stays quick."""
    if name not in LAZY:
        raise AttributeError(f"module 'tercet' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(LAZY[name]), name)
    return value
