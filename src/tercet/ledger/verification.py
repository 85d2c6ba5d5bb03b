"""Is a ledger whole, and does it give the model that was published?"""

import os
from dataclasses import dataclass

from tercet.errors import BadLedger, ModelGone, NoLedger
from tercet.ledger.ledger import Ledger
from tercet.ledger.lost_model import find_problem
from tercet.ledger.publishing import find_published
from tercet.report.tables import pluralize


@dataclass(frozen=True)
class Verification:
    """The answer, and the sentences that explain it."""

    is_good: bool
    findings: tuple[str, ...]
    n_events: int  # events that are good
    head: str | None  # the hash of the last event; None if the chain is broken


def verify(path: str | os.PathLike[str]) -> Verification:
    """Check the chain of hashes, replay the model that was published last, and look whether there is a model now."""
    try:
        ledger = Ledger.open(path)
    except NoLedger:
        raise  # a wrong name is a mistake of the user, and no answer about a ledger
    except BadLedger as error:
        return Verification(False, (str(error),), error.last_good, None)
    erasures = ledger.pick_events(number for number, _ in ledger.history.erasures)
    erased = sum(event.details["documents"] for event in erasures)
    findings = [(True, f"the chain of {pluralize(ledger.head.number, 'event')} is whole")]
    findings += [(True, f"{pluralize(erased, 'document')} erased")] if erased else []
    findings += [check_published(ledger), *check_present(ledger)]
    findings.sort(key=lambda finding: finding[0])  # first what is wrong
    is_good = all(is_good for is_good, _ in findings)
    return Verification(is_good, tuple(said for _, said in findings), ledger.head.number, ledger.head.hash.hex())


def check_present(ledger: Ledger) -> list[tuple[bool, str]]:
    """Whether no event has taken the model away, and why there is none; nothing if there is a model, or no document."""
    problem = find_problem(ledger)
    if problem is None:
        return []
    is_gone = isinstance(problem, ModelGone)
    return [(not is_gone, str(problem) if is_gone else f"there is no model yet: {problem}")]


def check_published(ledger: Ledger) -> tuple[bool, str]:
    """Whether the events give the model that was published last. Another version of tercet is asked for the counts only."""
    from tercet import __version__

    published = find_published(ledger)
    if published is None:
        return True, "no model is published, so none is compared"
    replay, known = ledger.replay(published.target), published.details
    named = f"the model of event {published.target}"
    if replay.n_erased:
        return True, f"{named} had learned documents that are erased by now, so it is not compared"
    if replay.checksum == known["model"]:
        return True, f"{named} is the one that was published, byte for byte"
    if known["version"] == __version__ or replay.counts_checksum != known["counts"]:
        return False, f"{named} is not the one that was published"
    return True, f"the counts of {named} are those that tercet {known['version']} published; trained weights are not compared"
