"""A check by hand with numbers of which nothing follows."""

from tercet.categorizer.files.hand_check import HandCheck
from tercet.evaluation.checked_sample import LabelShare
from tercet.evaluation.intervals import Estimate


def make_check(n: int = 40, *, n_pool: int = 500, pool: str = "new.csv", model: str = "", label: str = "+") -> HandCheck:
    accuracy, share = Estimate(0.9, 0.8, 0.95, 0.95, "wilson"), Estimate(0.4, 0.3, 0.5, 0.95, "wilson")
    shares = (LabelShare(label, share, 0.5), LabelShare("-", Estimate(0.6, 0.5, 0.7, 0.95, "wilson"), 0.5))
    return HandCheck(accuracy, shares, n + 1, n_pool, pool, model)
