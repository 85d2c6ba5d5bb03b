"""The kinds of findings: how severe each is, what was looked for, and what to do."""

from typing import NamedTuple

BAD_ROW = "bad row"
LEAKED_TEXT, LEAKED_ID, NEAR_LEAK = "leaked text", "leaked id", "near leak"
TELLING_TERM, TELLING_COLUMN = "telling term", "telling column"
CONTRADICTION, NEAR_CONTRADICTION, COPY, NEAR_COPY = "contradiction", "near contradiction", "copy", "near copy"
LABEL_ERROR, LABEL_VARIANT, UNKNOWN_LABEL = "label error", "label variant", "unknown label"
RARE_LABEL, IMBALANCE = "rare label", "imbalance"
LEARNED_TEST, NEW_LABEL, UNLIKELY_LABEL = "learned test", "new label", "unlikely label"
EMPTY_TEXT, WRONG_DECODING = "empty text", "wrong decoding"
SHORT_TEXT, LONG_TEXT, UNRELATED_TEXT = "short text", "long text", "unrelated text"


class Kind(NamedTuple):
    """A kind of finding."""

    severity: str
    looked_for: str
    remedy: str


# The most severe first: in this order findings are listed.
KINDS = {
    LEAKED_TEXT: Kind(
        "high", "test texts that are in the data", "Remove it from the test documents: a score on them is too high otherwise."
    ),
    LEARNED_TEST: Kind(
        "high",
        "test documents that the model has learned",
        "Remove it from the test documents: a score of the model on them is too high otherwise.",
    ),
    LEAKED_ID: Kind("high", "test ids that are in the data", "Check whether it is the same document, and keep one of the two."),
    TELLING_TERM: Kind(
        "high",
        "a term that gives the label away",
        "Check where the term comes from. If new documents will not have it, remove it from the texts.",
    ),
    CONTRADICTION: Kind("high", "equal texts with different labels", "Decide which label is right, and correct the others."),
    BAD_ROW: Kind("high", "rows that can't be read", "Correct the row: it is left out."),
    TELLING_COLUMN: Kind(
        "medium",
        "a column that gives the label away",
        "Do not let a model learn from this column, unless new documents will have it before they have a label.",
    ),
    LABEL_ERROR: Kind("medium", "probable label errors", "Read the text and correct its label if it is wrong."),
    UNLIKELY_LABEL: Kind(
        "medium",
        "documents whose label the model finds improbable",
        "Read the text. If its label is right, let the model learn it.",
    ),
    NEW_LABEL: Kind(
        "medium",
        "labels that the model does not know",
        "Train a model on documents with this label, or replace the label (--map-labels).",
    ),
    NEAR_LEAK: Kind(
        "medium",
        "test texts that are nearly in the data",
        "Remove it from the test documents if both say the same.",
    ),
    NEAR_CONTRADICTION: Kind(
        "medium", "near copies with different labels", "Read the texts, and decide whether each label is right."
    ),
    LABEL_VARIANT: Kind(
        "medium", "labels in several spellings", "Use one spelling: see --map-labels and --fold-labels of tercet train."
    ),
    UNKNOWN_LABEL: Kind(
        "medium",
        "test labels that the data do not have",
        "Add such documents to the data, or remove them from the test.",
    ),
    RARE_LABEL: Kind(
        "medium", "labels with too few documents", "Add documents with this label, or join it with another label."
    ),
    EMPTY_TEXT: Kind("medium", "empty texts", "Remove the row, or fill in its text."),
    WRONG_DECODING: Kind(
        "medium", "wrongly decoded texts", "Read the file again in its own encoding (--encoding). --fix repairs what it can."
    ),
    COPY: Kind("low", "equal texts", "Keep one of them, unless the number of copies means something."),
    NEAR_COPY: Kind("low", "near copies", "Keep one of them, or keep them on one side of each split."),
    IMBALANCE: Kind("low", "an imbalance of the labels", "Look at recall and F1 of each label instead of accuracy."),
    SHORT_TEXT: Kind("low", "very short texts", "Check whether the text is complete."),
    LONG_TEXT: Kind("low", "very long texts", "Check whether several documents were joined, for example by a missing quote."),
    UNRELATED_TEXT: Kind(
        "low",
        "texts that share no word with another text",
        "Check its language and its encoding. A model learns little from it.",
    ),
}
