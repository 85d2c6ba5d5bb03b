"""Text categorization that can be trusted.

    text ─► tokens ─► terms ─► counts ─► model ─► scores ─► labels, probabilities, evidence

`Categorizer` is the whole chain: it learns texts with labels, decides, explains, and forgets. Its parts stand alone, too:
`Analyzer` is the recipe from a text to its terms, `TermCounter` counts them, `NaiveBayes` scores the counts and
`GaussianBayes` numbers. A scikit-learn pipeline takes all of them as they are. `Documents` are texts with what belongs to
them; `read` finds them in files and folders, and `split` holds some of them out. `evaluate` says how good anybody's predictions
are, `compare` which of two are better, every number with its interval; `evaluate_sets` and `compare_sets` do so for several
labels of each text. `examine` finds what is wrong with documents, and `audit` whom a model treats differently.
`identify_languages` says which language each text is in.
`WordVectors` are vectors of words with similar meanings, and `suggest` says which texts to label next. `begin` makes a first
model from texts without labels, and `induce_lexicon` finds words that behave like given ones. `draw_check_sample` says which
predictions a person should check, to know how good a model is on texts without labels.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tercet import errors, figures
    from tercet.auditing.audit.audit import audit
    from tercet.auditing.card.card import make_card
    from tercet.auditing.doctor.doctor import examine
    from tercet.auditing.doctor.label_errors import find_label_errors
    from tercet.categorizer.categorizer import Categorizer
    from tercet.categorizer.check_sample import draw_check_sample
    from tercet.categorizer.files.save_load import load
    from tercet.categorizer.held_out.curves import measure_learning_curve, measure_smoothing_curve
    from tercet.categorizer.held_out.split import split
    from tercet.categorizer.rules import Rule
    from tercet.categorizer.seeds.begin import begin
    from tercet.categorizer.seeds.lexicon import induce_lexicon
    from tercet.categorizer.suggestion.suggest import suggest
    from tercet.categorizer.train import train
    from tercet.categorizer.tune import tune
    from tercet.counts.counter import TermCounter
    from tercet.counts.document_index import DocumentIndex
    from tercet.counts.near_copies import find_near_copies, find_near_leaks
    from tercet.counts.selection import MostInformative, WithoutMostFrequent
    from tercet.counts.weighting import TermWeighting
    from tercet.course.hulls import nearest_hull_points
    from tercet.course.margin_svm import MarginSVM
    from tercet.course.perceptron import Perceptron
    from tercet.data.documents import Documents
    from tercet.data.label_rules import LabelRules
    from tercet.data.reading import DocumentStream, read
    from tercet.languages.identifier import LanguageIdentifier, identify_languages
    from tercet.ledger.ledger import Ledger
    from tercet.models.gaussian import GaussianBayes
    from tercet.models.linear_svm import LinearSVM
    from tercet.models.logistic_regression import LogisticRegression
    from tercet.models.naive_bayes import NaiveBayes
    from tercet.models.nbsvm import NBSVM
    from tercet.models.smoothing import AbsoluteDiscount, Additive, Dirichlet, JelinekMercer
    from tercet.models.stack import Member, Stack
    from tercet.report.agreement import measure_agreement
    from tercet.report.comparison import compare
    from tercet.report.report import evaluate
    from tercet.report.set_comparison import compare_sets
    from tercet.report.set_report import evaluate_sets
    from tercet.text.analyzer import Analyzer, Token
    from tercet.text.vectors.word_vectors import WordVectors

__version__ = "0.2.0"

__all__ = [
    "NBSVM",
    "AbsoluteDiscount",
    "Additive",
    "Analyzer",
    "Categorizer",
    "Dirichlet",
    "DocumentIndex",
    "DocumentStream",
    "Documents",
    "GaussianBayes",
    "JelinekMercer",
    "LabelRules",
    "LanguageIdentifier",
    "Ledger",
    "LinearSVM",
    "LogisticRegression",
    "MarginSVM",
    "Member",
    "MostInformative",
    "NaiveBayes",
    "Perceptron",
    "Rule",
    "Stack",
    "TermCounter",
    "TermWeighting",
    "Token",
    "WithoutMostFrequent",
    "WordVectors",
    "__version__",
    "audit",
    "begin",
    "compare",
    "compare_sets",
    "draw_check_sample",
    "errors",
    "evaluate",
    "evaluate_sets",
    "examine",
    "figures",
    "find_label_errors",
    "find_near_copies",
    "find_near_leaks",
    "identify_languages",
    "induce_lexicon",
    "load",
    "make_card",
    "measure_agreement",
    "measure_learning_curve",
    "measure_smoothing_curve",
    "nearest_hull_points",
    "read",
    "split",
    "suggest",
    "train",
    "tune",
]

HOMES = {
    "AbsoluteDiscount": "tercet.models.smoothing",
    "Additive": "tercet.models.smoothing",
    "Analyzer": "tercet.text.analyzer",
    "Categorizer": "tercet.categorizer.categorizer",
    "Dirichlet": "tercet.models.smoothing",
    "DocumentIndex": "tercet.counts.document_index",
    "DocumentStream": "tercet.data.reading",
    "Documents": "tercet.data.documents",
    "GaussianBayes": "tercet.models.gaussian",
    "JelinekMercer": "tercet.models.smoothing",
    "LabelRules": "tercet.data.label_rules",
    "LanguageIdentifier": "tercet.languages.identifier",
    "Ledger": "tercet.ledger.ledger",
    "LinearSVM": "tercet.models.linear_svm",
    "LogisticRegression": "tercet.models.logistic_regression",
    "MarginSVM": "tercet.course.margin_svm",
    "Member": "tercet.models.stack",
    "MostInformative": "tercet.counts.selection",
    "NBSVM": "tercet.models.nbsvm",
    "NaiveBayes": "tercet.models.naive_bayes",
    "Perceptron": "tercet.course.perceptron",
    "Rule": "tercet.categorizer.rules",
    "Stack": "tercet.models.stack",
    "TermCounter": "tercet.counts.counter",
    "TermWeighting": "tercet.counts.weighting",
    "Token": "tercet.text.analyzer",
    "WithoutMostFrequent": "tercet.counts.selection",
    "WordVectors": "tercet.text.vectors.word_vectors",
    "audit": "tercet.auditing.audit.audit",
    "begin": "tercet.categorizer.seeds.begin",
    "compare": "tercet.report.comparison",
    "compare_sets": "tercet.report.set_comparison",
    "draw_check_sample": "tercet.categorizer.check_sample",
    "evaluate": "tercet.report.report",
    "evaluate_sets": "tercet.report.set_report",
    "examine": "tercet.auditing.doctor.doctor",
    "find_label_errors": "tercet.auditing.doctor.label_errors",
    "find_near_copies": "tercet.counts.near_copies",
    "find_near_leaks": "tercet.counts.near_copies",
    "identify_languages": "tercet.languages.identifier",
    "induce_lexicon": "tercet.categorizer.seeds.lexicon",
    "load": "tercet.categorizer.files.save_load",
    "make_card": "tercet.auditing.card.card",
    "measure_agreement": "tercet.report.agreement",
    "measure_learning_curve": "tercet.categorizer.held_out.curves",
    "measure_smoothing_curve": "tercet.categorizer.held_out.curves",
    "nearest_hull_points": "tercet.course.hulls",
    "read": "tercet.data.reading",
    "split": "tercet.categorizer.held_out.split",
    "suggest": "tercet.categorizer.suggestion.suggest",
    "train": "tercet.categorizer.train",
    "tune": "tercet.categorizer.tune",
}


def __getattr__(name: str) -> Any:
    """Every name is imported on first use, so that the command line starts at once."""
    if name in ("errors", "figures", "spark"):  # spark is not named above: it is a package on top of all others
        return import_module(f"tercet.{name}")
    if name not in HOMES:
        raise AttributeError(f"module 'tercet' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
