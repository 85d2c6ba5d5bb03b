"""How good the model is by the judgments of people, and how far people agree."""

import math
from typing import Any

from tercet.evaluation.intervals import Estimate
from tercet.server import messages
from tercet.server.calls import Call


async def show_quality(call: Call) -> Any:
    """How good the model is by the judgments of people: its proposals against their labels.

    `suspects` are documents whose label looks wrong. They are looked for in the background: `suspects_event` is the last event
    that they are of, or null. Only teachers and admins see them, because they have texts.
    """
    return await call.in_thread(lambda: describe_quality(call))


def describe_quality(call: Call) -> messages.Quality:
    served = call.served
    proposals = call.judged.find_proposals()
    confusion = proposals.count_confusion()
    sees_texts = call.identity.has_role("teacher")
    return messages.Quality(
        **call.describe(served.state),
        proposals=messages.ProposalFacts(len(proposals), int(proposals.is_right.sum()), describe_estimate(proposals.accuracy)),
        running=[
            messages.RunningPoint(event=each.event, n=each.n, **describe_accuracy(each.accuracy))
            for each in proposals.list_running()
        ],
        learning=[
            messages.LearningPoint(n_documents=each.n_documents, n=each.n, **describe_accuracy(each.accuracy))
            for each in proposals.list_learning()
        ],
        confusion=messages.ConfusionFacts([], [])
        if confusion is None
        else messages.ConfusionFacts(confusion.labels.tolist(), confusion.counts.astype(int).tolist()),
        calibration=messages.CalibrationFacts(
            [messages.CalibrationBin(**vars(each)) for each in proposals.list_bins()], proposals.calibration_error
        ),
        suspects=call.suspects.find() if sees_texts else [],
        suspects_event=call.suspects.event if sees_texts else None,
    )


async def show_findings(call: Call) -> Any:
    """What the doctor finds in the files that were imported: in each pool, and in the documents that came with their labels.

    Of each, the newest 2,000 texts are examined. `pool` is null for the documents with labels.
    """
    found = await call.in_thread(call.findings.find)
    return messages.Findings(**call.describe(call.served.state), files=found)


async def show_agreement(call: Call) -> Any:
    """How far people agree: Krippendorff's alpha of all, and Cohen's kappa of each two."""
    found = await call.in_thread(call.judged.find_agreement)
    state = call.describe(call.served.state)
    if found is None:
        nothing = messages.AlphaFacts(value=None, low=None, high=None, note="", n_units=0)
        return messages.AgreementFacts(**state, alpha=nothing, pairs=[], n_judges=0)
    alpha = describe_estimate(found.alpha)
    return messages.AgreementFacts(
        **state,
        alpha=messages.AlphaFacts(alpha.value, alpha.low, alpha.high, alpha.note, n_units=found.n_texts),
        pairs=[messages.PairFacts(pair.first, pair.second, pair.n, describe_estimate(pair.kappa)) for pair in found.pairs],
        n_judges=len(found.judges),
    )


def describe_estimate(estimate: Estimate) -> messages.EstimateFacts:
    """Null instead of a number that is undefined."""
    value, low, high = (None if math.isnan(each) else each for each in (estimate.value, estimate.low, estimate.high))
    return messages.EstimateFacts(value, low, high, estimate.note)


def describe_accuracy(estimate: Estimate) -> dict[str, float]:
    return {"accuracy": estimate.value, "low": estimate.low, "high": estimate.high}
