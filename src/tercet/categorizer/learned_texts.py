"""The texts that a categorizer has learned: which documents are among them, and which are most similar to another text."""

from typing import TYPE_CHECKING, Any

from tercet.categorizer.joined_texts import join_texts
from tercet.counts.document_index import DocumentIndex, Neighbour
from tercet.counts.weighting import TermWeighting
from tercet.data.documents import Documents
from tercet.errors import InvalidOption
from tercet.evaluation.intervals import format_rounded
from tercet.row_table import PackedTexts

if TYPE_CHECKING:
    from tercet.categorizer.categorizer import Categorizer

MIN_LEARNED_SHARE = 0.01  # the share of learned documents that hardly changes the numbers


def list_learned(categorizer: "Categorizer") -> Documents:
    """The learned documents, in the order of their fingerprints. The columns of a text have U+001F between them.

    >>> from tercet import Categorizer
    >>> fitted = Categorizer(keep_documents=True).fit(["the old hen", "a sly fox"], ["bird", "beast"])
    >>> sorted(zip(list_learned(fitted).texts, list_learned(fitted).labels))
    [('a sly fox', 'beast'), ('the old hen', 'bird')]
    """
    if not categorizer.keeps_documents_:
        raise InvalidOption(
            "the model has no texts, only what it has counted in them: give the data that it was trained on, or train it with "
            "keep_documents=True (--documents)."
        )
    kept = categorizer.fitted_.state.documents
    assert kept is not None
    part = kept.ordered
    return Documents(PackedTexts(*part.texts).tolist(), part.data.labels[part.data.codes].tolist())


def list_unlabelled(categorizer: "Categorizer") -> list[str] | None:
    """The texts without labels that the categorizer keeps; None if it keeps none."""
    unlabelled = categorizer.fitted_.state.unlabelled
    kept = None if unlabelled is None else unlabelled.documents
    return None if kept is None else PackedTexts(*kept.ordered.texts).tolist()


def count_learned(model: Any, documents: Documents) -> int:
    """How many of the documents the model has learned; 0 if it has no fingerprints that can tell."""
    if not getattr(model, "remembers_", False) or model.domain_ is not None:
        return 0
    n: int = model.count_learned(documents)
    return n


def count_unlabelled(model: Any, documents: Documents) -> int:
    """How many of the texts the model has learned from without a label; 0 if it has no fingerprints that can tell."""
    return int(model.find_unlabelled(documents).sum()) if getattr(model, "remembers_", False) else 0


def describe_unlabelled(n_unlabelled: int, n: int, name: str = "the model") -> str:
    """A sentence about texts that a model is tested on, and has learned from without a label; empty if there are none.

    >>> describe_unlabelled(400, 1000)
    'the model has learned from 400 of the 1000 texts, without their labels: on other texts it may be a little worse.'
    """
    if not n_unlabelled:
        return ""
    said = f"{name} has learned from {n_unlabelled} of the {n} texts, without their labels"
    return f"{said}: on other texts it may be a little worse."


def describe_learned(n_learned: int, n: int, name: str = "the model") -> str:
    """A sentence about documents that a model is tested on and has learned; empty if there are none.

    >>> describe_learned(3, 1000), describe_learned(400, 1000)
    ('the model has learned 3 of the 1000 documents (0.30 %): leave them out for an exact measure.',
     'the model has learned 400 of the 1000 documents, so the numbers are too good: test with other documents.')
    """
    if not n_learned:
        return ""
    if n_learned < MIN_LEARNED_SHARE * n:
        share = format_rounded(n_learned / n, ".2%").replace("%", " %")
        return f"{name} has learned {n_learned} of the {n} documents ({share}): leave them out for an exact measure."
    return f"{name} has learned {n_learned} of the {n} documents, so the numbers are too good: test with other documents."


def find_nearest(
    categorizer: "Categorizer", learned: Documents, text: str, k: int, weighting: TermWeighting | None = None
) -> list[Neighbour]:
    """The k learned documents that are most similar to the text, by the terms that the categorizer counts."""
    analyzer = categorizer.table_.analyzer
    index = DocumentIndex(analyzer, weighting=weighting, threads=categorizer.threads).fit(learned.texts)
    return index.nearest(join_texts([text], analyzer.layout)[0], k)
