"""The words of the texts as one more teacher: naive Bayes that has learned the combined labels of the other texts."""

import numpy as np

from tercet.categorizer.categorizer import Categorizer
from tercet.categorizer.soft_labels import list_soft_labels
from tercet.categorizer.teachers.combination import combine_rows
from tercet.categorizer.teachers.votes import TaughtRows, Teacher
from tercet.counts.labels import find_labels
from tercet.data.documents import Documents
from tercet.models.dawid_skene import Combination


def combine_texts(documents: Documents, rows: TaughtRows) -> Combination:
    """The combined labels. Words of the texts have a say if that clearly predicts left-out gold labels better.

    Errors of teachers that have nothing to do with the text are repaired so. Without gold labels nobody could see whether
    words make the errors of a teacher worse, so they have no say.
    """
    combined = combine_rows(rows)
    if not len(combined.losses):
        return combined
    asked = TaughtRows(rows.labels, rows.gold, (*rows.teachers, ask_words(documents, rows, combined)))
    found = combine_rows(asked)
    return found if found.is_clearly_better(combined) else combined


def ask_words(documents: Documents, rows: TaughtRows, combined: Combination) -> Teacher:
    """What naive Bayes says of each labelled text, after it has learned the combined labels of all texts but this."""
    from scipy.sparse import csr_matrix  # on first use: import tercet stays quick

    learned = soften(documents, rows, combined)
    predicted = Categorizer().fit(learned).leave_one_out(learned, copies="all").predicted
    labelled = np.flatnonzero(rows.is_labelled)
    soft = list_soft_labels(combined.proba[labelled])
    answers = np.zeros(len(labelled), np.int64)
    answers[soft.rows] = find_labels(predicted, rows.labels)  # both documents of a row have the same answer
    shape = len(rows.gold), len(rows.labels)
    return Teacher("words of the texts", csr_matrix((np.ones(len(labelled)), (labelled, answers)), shape=shape))


def soften(documents: Documents, rows: TaughtRows, combined: Combination) -> Documents:
    """The documents with the combined labels, with probabilities as weights. Those that nobody has labelled are left out."""
    labelled = np.flatnonzero(rows.is_labelled)
    soft = list_soft_labels(combined.proba[labelled])
    chosen = documents.pick(labelled[soft.rows].tolist())
    labels = rows.labels[soft.codes].tolist()
    return Documents(chosen.texts, labels, soft.weights.tolist(), chosen.columns, text_columns=chosen.text_columns)
