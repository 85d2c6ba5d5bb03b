"""Unlabelled texts: a sentence encoder reads them when the model is trained, and what it says of them teaches the model.

They are documents without a label: with `keep_documents` they are kept. They are a set: a text that is there already changes
nothing, and what is forgotten is gone. Without `keep_documents` the model has only their fingerprints, which show that a test
text was among them. Vectors of texts are in no file.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from tercet.arrays import Array, Flags
from tercet.categorizer.joined_texts import arrange_texts, join_texts
from tercet.characters import show_line
from tercet.counts.fingerprints import HalfPrints, Prints
from tercet.counts.kept_documents import JoinedTexts, KeptDocuments
from tercet.counts.training_data import LabelledTexts, collect_kept
from tercet.data.document_batches import list_texts
from tercet.data.documents import Documents
from tercet.errors import InvalidOption, InvalidText, NeverLearned
from tercet.kernel import engine
from tercet.kernel.text.columns import SEPARATOR
from tercet.row_table import PackedTexts
from tercet.text.analyzer import Analyzer
from tercet.text.layout import Layout
from tercet.text.vectors.vector_table import TABLE
from tercet.text.vectors.word_vectors import WordVectors

NO_LABEL = ""  # what a document without a label has in a multiset of documents
MAX_LENGTH = 1 << 16  # characters of a text: longer ones are left out, as they are from a pool for labelling
MAX_CHARACTERS = 1000  # of a text that the encoder reads: more of a long text made no better teacher
MAX_SHOWN = 60  # characters of a text in an error
MAX_SAMPLED, MIN_SHARE = 500, 0.5  # texts whose words are looked up, and how many of the words must be listed
MAX_TEXTS = 10_000  # unlabelled texts that teach: those with the smallest fingerprints
MAX_BYTES = 1 << 24  # of these texts together
MAX_LABELLED = 10_000  # documents: with more of them, their own labels say all


def collect_unlabelled(batches: Iterator[Documents], layout: Layout | None, threads: int) -> KeptDocuments:
    """The texts as they are kept, without blank ones and very long ones. Raises InvalidText if no text is left."""
    read = [batch for batch in (_read_batch(batch, layout) for batch in batches) if batch.texts]
    if not read:
        raise InvalidText(
            f"there are no unlabelled texts, or all are blank or have more than {MAX_LENGTH:,} characters: leave the option "
            "out, or give texts."
        )
    return collect_kept(read, threads)


def _read_batch(batch: Documents, layout: Layout | None) -> LabelledTexts:
    texts = list_texts(join_texts(arrange_texts(batch, layout), layout))
    written = [text for text in texts if text.replace(SEPARATOR, "").strip() and len(text) <= MAX_LENGTH]
    return LabelledTexts(written, [NO_LABEL] * len(written))


def fingerprint_texts(texts: JoinedTexts) -> Prints:
    """The fingerprint of each text."""
    return join_halves(engine.fingerprint(texts.open()))


def join_halves(halves: HalfPrints) -> Prints:
    """Fingerprints of 16 bytes, from their halves.

    >>> join_halves(np.array([[1, 2]], np.uint64)).tobytes().hex()
    '00000000000000010000000000000002'
    """
    return np.frombuffer(halves.astype(">u8").tobytes(), "S16")


@dataclass(frozen=True, eq=False)
class UnlabelledTexts:
    """The unlabelled texts of a model: their fingerprints, each once and sorted, and the texts themselves if they are kept."""

    prints: Prints
    documents: KeptDocuments | None

    @classmethod
    def of(cls, documents: KeptDocuments) -> Self:
        """The texts of these documents, each once."""
        part = documents.ordered
        _, first = np.unique(part.data.prints, return_index=True)
        kept = documents if len(first) == len(documents) else KeptDocuments([part.pick(first)])
        return cls(np.sort(fingerprint_texts(kept.ordered.texts)), kept)

    def __len__(self) -> int:
        return len(self.prints)

    def __add__(self, other: "UnlabelledTexts") -> "UnlabelledTexts":
        if self.documents is not None and other.documents is not None:
            return UnlabelledTexts.of(self.documents + other.documents)
        return UnlabelledTexts(np.union1d(self.prints, other.prints), None)

    def without(self, documents: KeptDocuments) -> "UnlabelledTexts | None":
        """The texts that are left without these; None if none is. Raises NeverLearned if one of them is missing."""
        known, given = self.need_documents(), documents.ordered
        missing = np.flatnonzero(~np.isin(given.data.prints, known.prints))
        if len(missing):
            text = PackedTexts(*given.texts).tolist()[int(missing[0])]
            raise NeverLearned(
                f"{len(missing)} of {len(documents)} texts are not among those without labels that the model has learned from, "
                f"such as {show_line(text, MAX_SHOWN)!r}: nothing is changed."
            )
        left = known.leave_out(given.data.prints)
        return UnlabelledTexts.of(left) if len(left) else None

    def need_documents(self) -> KeptDocuments:
        if self.documents is None:
            raise InvalidOption(
                "the model does not keep its unlabelled texts, so it can't be trained again or learn more of them: train it "
                "anew with all texts, and keep them (keep_documents=True; not --no-documents)."
            )
        return self.documents

    def drop_texts(self) -> "UnlabelledTexts":
        return UnlabelledTexts(self.prints, None)

    def find_known(self, prints: Prints) -> Flags:
        """Which of these fingerprints of texts are among them."""
        return np.isin(prints, self.prints)

    # Files.

    def to_file(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Values for JSON, and arrays."""
        arrays: dict[str, Array] = {"prints": self.prints.view(np.uint8).reshape(-1, 16)}
        if self.documents is None:
            return {"documents": None}, arrays
        content, own = self.documents.to_file()
        prints = self.documents.ordered.data.prints.view(np.uint8).reshape(-1, 16)
        return {"documents": content}, arrays | {"document_prints": prints, **own}

    @classmethod
    def from_file(cls, content: Mapping[str, Any], arrays: Mapping[str, Array]) -> Self:
        """The texts that `to_file` wrote. `check` looks at them."""
        prints, arrays = read_prints(arrays["prints"]), dict(arrays)
        del arrays["prints"]
        if content["documents"] is None:
            if arrays or not len(prints):
                raise ValueError("the unlabelled texts of the file do not fit its description")
            return cls(prints, None)
        of_documents = read_prints(arrays.pop("document_prints"))
        return cls(prints, KeptDocuments.from_file(content["documents"], arrays, of_documents, 0, False))

    def check(self) -> None:
        """Raises ValueError if the texts are damaged, or if the fingerprints are not theirs."""
        if self.documents is not None:
            self.documents.check()
            data = self.documents.ordered.data
            if data.labels.tolist() != [NO_LABEL] or data.weights is not None:
                raise ValueError("an unlabelled text has a label or a weight")
        expected = self.prints if self.documents is None else fingerprint_texts(self.documents.ordered.texts)
        if not np.array_equal(np.unique(expected), self.prints) or len(expected) != len(self.prints):
            raise ValueError("the fingerprints are not those of the unlabelled texts")


def read_prints(written: Array) -> Prints:
    if written.dtype != np.uint8 or written.ndim != 2 or written.shape[1] != 16:
        raise ValueError("the fingerprints do not have 16 bytes each")
    return np.ascontiguousarray(written).view("S16").ravel()


class TrainingPool(NamedTuple):
    """The texts that a student learns from: those of labelled documents, and unlabelled ones if there are any."""

    documents: KeptDocuments
    unlabelled: KeptDocuments | None

    @property
    def labelled_texts(self) -> JoinedTexts:
        """In the order of the fingerprints of their documents."""
        return self.documents.ordered.texts

    def choose_unlabelled(self) -> JoinedTexts:
        """The texts that teach, without copies of labelled texts: those with the smallest fingerprints.

        They are at most `MAX_TEXTS`, and have at most `MAX_BYTES`.
        """
        if self.unlabelled is None:
            return JoinedTexts(*engine.Texts([]).join())
        texts = self.unlabelled.ordered.texts
        prints = fingerprint_texts(texts)
        order = np.argsort(prints, kind="stable")
        free = order[~np.isin(prints[order], fingerprint_texts(self.labelled_texts))][:MAX_TEXTS]
        chosen = free[np.cumsum(np.diff(texts.offsets)[free]) <= MAX_BYTES]
        return JoinedTexts(*texts.open().pick(chosen).join())


def read_beginnings(texts: JoinedTexts, n_categories: int) -> list[str]:
    """The beginnings of these texts. Their categories, which come last, are not read."""
    return [cut_categories(text, n_categories)[:MAX_CHARACTERS] for text in PackedTexts(*texts).tolist()]


def cut_categories(text: str, n: int) -> str:
    """The text columns of a text with so many categories.

    >>> cut_categories("Refund\x1fWhere is it?\x1fmutt", 1)
    'Refund Where is it?'
    """
    return (text.rsplit(SEPARATOR, n)[0] if n else text).replace(SEPARATOR, " ")


def check_encoder(vectors: WordVectors | None, *, has_blocks: bool, has_seeds: bool) -> None:
    """Raise an error if a model of these options can't learn from unlabelled texts."""
    if has_blocks and vectors is None and has_seeds:
        return  # what the seeds say of the texts teaches, too
    if not has_blocks:
        raise InvalidOption(
            "unlabelled texts teach the default model alone: another one has no member that learns from them. Leave them out, "
            "or use model='auto' and vectors='auto' (no --model, no --fast)."
        )
    if vectors is None:
        WordVectors()  # raises MissingExtra if it is not installed
        raise InvalidOption("unlabelled texts are read by a sentence encoder: use vectors='auto' (no --vectors none).")
    if vectors.identity.startswith(TABLE):
        why = "unlabelled texts are read by a sentence encoder, and a table has vectors of words only"
        raise InvalidOption(f"{why}: use vectors='auto' (no --vectors FILE).")
    vectors.check()


class UnlabelledChoice(NamedTuple):
    """Whether unlabelled texts are used, and a sentence if they, or some of them, are not."""

    is_used: bool
    said: tuple[str, ...] = ()


def choose_unlabelled(
    vectors: WordVectors | None, texts: UnlabelledTexts, words: Analyzer | None, n_labelled: int, *, has_seeds: bool
) -> UnlabelledChoice:
    """Whether to use these texts beside so many labelled documents. `words` is the recipe of their words."""
    if n_labelled > MAX_LABELLED:
        return UnlabelledChoice(False, (f"{n_labelled} labelled documents say more than unlabelled texts, which are left out",))
    if words is None or texts.documents is None or (vectors is None and not has_seeds):
        return UnlabelledChoice(False, ("the unlabelled texts are left out, because the word vectors are",))
    documents = PackedTexts(*texts.documents.ordered.texts).tolist()
    share = 1.0 if vectors is None else measure_known(vectors, documents[:MAX_SAMPLED], words)
    if share < MIN_SHARE:
        why = f"the word vectors list only {100 * share:.0f} % of the words of the unlabelled texts"
        return UnlabelledChoice(False, (f"{why}: they are left out",))
    if len(texts) > MAX_TEXTS:
        why = "more would take longer than they are worth"
        return UnlabelledChoice(True, (f"{MAX_TEXTS} of the {len(texts)} unlabelled texts teach: {why}",))
    return UnlabelledChoice(True)


def measure_known(vectors: WordVectors, texts: list[str], words: Analyzer) -> float:
    """The share of the words of texts that the vectors list; 1 if there are no words."""
    counts = Counter(word for text in texts for word in words.terms(text[:MAX_CHARACTERS]) if any(map(str.isalpha, word)))
    listed = set(vectors.words)
    return sum(n for word, n in counts.items() if word in listed) / counts.total() if counts else 1.0
