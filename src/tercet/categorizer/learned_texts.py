"""The texts that a categorizer has learned, to find those that are most similar to another text."""

from typing import TYPE_CHECKING

from tercet.categorizer.joined_texts import join_texts
from tercet.counts.document_index import DocumentIndex, Neighbour
from tercet.counts.weighting import TermWeighting
from tercet.data.documents import Documents
from tercet.errors import InvalidOption
from tercet.row_table import PackedTexts

if TYPE_CHECKING:
    from tercet.categorizer.categorizer import Categorizer


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
    kept = categorizer._state.documents
    assert kept is not None
    part = kept.ordered
    return Documents(PackedTexts(*part.texts).tolist(), part.data.labels[part.data.codes].tolist())


def find_nearest(
    categorizer: "Categorizer", learned: Documents, text: str, k: int, weighting: TermWeighting | None = None
) -> list[Neighbour]:
    """The k learned documents that are most similar to the text, by the terms that the categorizer counts."""
    analyzer = categorizer.table_.analyzer
    index = DocumentIndex(analyzer, weighting=weighting, threads=categorizer.threads).fit(learned.texts)
    return index.nearest(join_texts([text], analyzer.layout)[0], k)
