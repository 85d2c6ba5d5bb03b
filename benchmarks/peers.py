"""The programs that do the same work, as their users would call them."""

import importlib
import tempfile
from functools import cache, partial
from typing import Any, NamedTuple

from corpora import read_corpus
from measures import seconds

RATE, N_HALVINGS = 0.1, 5  # fastText's rate, and how often it may be halved


class PeerMissing(Exception):
    """A peer cannot be measured, because it cannot be imported or fails: its rows are skipped."""


def load_peer(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise PeerMissing(f"{error}: pip install -r benchmarks/requirements.txt") from error


def make_sklearn() -> Any:
    """An untrained pipeline from texts to labels."""
    vectorizer = load_peer("sklearn.feature_extraction.text").CountVectorizer()
    model = load_peer("sklearn.naive_bayes").MultinomialNB()
    return load_peer("sklearn.pipeline").make_pipeline(vectorizer, model)


@cache
def fit_sklearn(corpus: str) -> Any:
    return make_sklearn().fit(*read_corpus(corpus, "train"))


def make_tfidf_svm() -> Any:
    """An untrained pipeline from texts to labels: a good first try with scikit-learn."""
    pattern = r"\w+|[^\w\s]"
    text = load_peer("sklearn.feature_extraction.text")
    vectorizer = text.TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, token_pattern=pattern)
    return load_peer("sklearn.pipeline").make_pipeline(vectorizer, load_peer("sklearn.svm").LinearSVC(random_state=0))


class FastText(NamedTuple):
    model: Any
    seconds: float  # to train it
    rate: float

    @property
    def note(self) -> str:
        return "" if self.rate == RATE else f"fastText aborted with NaN until its rate was halved to {self.rate:g}"


@cache
def fit_fasttext(corpus: str, epochs: int = 5) -> FastText:
    """The time of writing its file is not counted, nor that of trainings that end in NaN."""
    fasttext = load_peer("fasttext")
    texts, labels = read_corpus(corpus, "train")
    options = {"wordNgrams": 2, "epoch": epochs, "thread": 2, "dim": 10, "bucket": 2_000_000, "verbose": 0}
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
        file.writelines(f"__label__{label} {line}\n" for label, line in zip(labels, join_lines(texts), strict=True))
        file.flush()
        for rate in (RATE / 2**halvings for halvings in range(N_HALVINGS + 1)):
            train = partial(fasttext.train_supervised, file.name, lr=rate, **options)
            try:
                # Two threads never train twice alike: the runs that are timed can end in NaN too.
                return FastText(train(), seconds(train, 3 if epochs <= 5 else 1), rate)
            except RuntimeError as error:
                if "NaN" not in str(error):
                    raise
    raise PeerMissing(f"fastText aborts with NaN even at the rate {rate:g}")


def join_lines(texts: list[str]) -> list[str]:
    """fastText reads a text as one line."""
    return [text.replace("\n", " ") for text in texts]
