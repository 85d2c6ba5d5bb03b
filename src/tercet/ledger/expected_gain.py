"""What the next labels would bring to the model of a ledger, by the documents that it has learned."""

from typing import TYPE_CHECKING

import numpy as np

from tercet.categorizer.suggestion.next_labels import MAX_DOCUMENTS, N_MORE, ExpectedGain, estimate_gain
from tercet.data.document_batches import join_batches
from tercet.ledger.replay import read_documents, read_offers

if TYPE_CHECKING:
    from tercet.ledger.ledger import Ledger


def estimate_gain_of_ledger(ledger: "Ledger") -> ExpectedGain:
    """What more labels would bring. Of many documents, a sample is read. No lock is held while models are trained."""
    if ledger.has_start:
        return ExpectedGain(0, N_MORE, reason="the ledger does not have the documents that its model began with")
    if ledger.recipe.record is not None and not ledger.recipe.record.is_checked:
        return ExpectedGain(0, N_MORE, reason="labels of this model were guessed, and nobody knows how many are right")
    now = ledger.find_learned()
    learned = now.labels
    numbers = np.random.default_rng(0).permutation(sorted(learned))[:MAX_DOCUMENTS].tolist()
    batches = list(read_documents(ledger, {number: learned[number] for number in sorted(numbers)}))
    if not batches:
        return ExpectedGain(0, N_MORE, reason="there are no labelled documents")
    recipe = ledger.recipe.with_seeds(now.seeds)
    unlabelled = read_offers(ledger, recipe, now.offers)
    return estimate_gain(recipe.make_categorizer(), join_batches(batches), n_documents=len(learned), unlabelled=unlabelled)
