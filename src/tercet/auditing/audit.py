"""`audit`: whom a model treats differently. It ties performance by group, pairs of sentences and swapped terms together."""

from collections.abc import Sequence
from typing import Any

from tercet.auditing.groups import audit_groups
from tercet.auditing.pairs import audit_pairs
from tercet.auditing.probe import probe_terms
from tercet.auditing.templates import TEMPLATE, fill_templates
from tercet.categorizer.categorizer import Decisions
from tercet.data.document_batches import open_batches
from tercet.errors import InvalidOption, bad_option
from tercet.report.audit import Audit

WAYS = (
    "by (--by) compares groups of labelled documents; pair with by (--pair) compares sentences that differ only in a group; "
    "templates and words with by (--templates, --words) make such sentences; swaps (--swap) swaps terms in texts"
)


def audit(
    categorizer: Any,
    documents: Any = None,
    *,
    by: str | Sequence[str] = (),
    pair: str | Sequence[str] | None = None,
    templates: Any = None,
    words: Any = None,
    swaps: Any = None,
    positive: Any = None,
    confidence: float = 0.95,
    seed: int = 0,
) -> Audit:
    """Whom a model treats differently: see `Audit`. What is measured depends on what is given.

    - `by` alone: labelled documents by the values of these columns. Accuracy, error rates and areas under ROC curves of each
      group against those of the others (`audit_groups`).
    - `pair` and `by`: sentences that differ only in a group, such as the two genders in the same template; no labels are needed
      (`audit_pairs`).
    - `templates`, `words` and `by`: the same for sentences that are made of templates and lists of words (`fill_templates`).
    - `swaps`: terms that are swapped in the documents, such as `[("he", "she"), ("him", "her")]` (`probe_terms`). It can be
      added to each of the others.

    `positive` is the label whose rates and probabilities are compared; by default the last of two labels.

    >>> from tercet import Categorizer
    >>> model = Categorizer().fit(["he is good", "she is bad", "a good day", "a bad day"], ["pos", "neg", "pos", "neg"])
    >>> audit(model, ["He came", "She left", "They stayed"], swaps=[("he", "she")]).probe.n_flips
    2
    """
    if not isinstance(categorizer, Decisions):
        raise bad_option("categorizer", "a fitted Categorizer", categorizer, "its answers are compared. Try tercet.load(path).")
    check_options(documents=documents, by=by, pair=pair, templates=templates, words=words, swaps=swaps)
    options = {"positive": positive, "confidence": confidence}
    held = None if documents is None else list(open_batches(documents))  # a stream can be read only once
    groups = pairs = None
    if templates is not None:
        pairs = audit_pairs(categorizer, fill_templates(templates, words), TEMPLATE, by, seed=seed, **options)
    elif pair is not None:
        pairs = audit_pairs(categorizer, held, pair, by, seed=seed, **options)
    elif by:
        groups = audit_groups(categorizer, held, by, **options)
    probe = None if swaps is None else probe_terms(categorizer, held, swaps, seed=seed, **options)
    return Audit(groups, pairs, probe)


def check_options(*, documents: Any, by: Any, pair: Any, templates: Any, words: Any, swaps: Any) -> None:
    """Raise InvalidOption if nothing is asked for, or if the options of `audit` do not go together."""
    is_paired = pair is not None or templates is not None
    if not by and not is_paired and swaps is None:
        raise InvalidOption(f"nothing to audit: {WAYS}.")
    if is_paired and not by:
        raise InvalidOption(
            "no column of groups is named: sentences are compared by the groups of a column, such as gender. Name it with by "
            "(--by)."
        )
    if pair is not None and templates is not None:
        raise InvalidOption("pair and templates exclude each other: the sentences of templates are paired by their template.")
    if (templates is None) != (words is None):
        raise InvalidOption(
            "templates (--templates) need words (--words), and words need templates: the words fill them, and have groups. "
            "Give both."
        )
    if documents is None and (templates is None or swaps is not None):
        raise InvalidOption("there are no documents to audit: give them, or only templates and words.")
    if documents is not None and templates is not None and swaps is None:
        raise InvalidOption("templates make the sentences, so the documents would not be used: leave one of them out.")
