"""Isotonic regression by pooling adjacent violators: the rising function that is nearest to the documents."""

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats
from tercet.kernel.base.arguments import expect


def fit_steps(leads: Floats, has_label: npt.NDArray[np.uint8], weights: Floats, unseen: float) -> tuple[Floats, Floats]:
    """The corners of the function: leads in rising order, and the share of documents with each lead that have the label.

    A document of weight `unseen` that has the label is added at the smallest lead. Documents with equal leads count together.
    """
    expect(len(leads) == len(has_label) == len(weights) > 0, "each document needs a label and a weight")
    expect(bool(np.isfinite(leads).all()) and unseen >= 0, "leads must be finite")
    expect(bool((np.isfinite(weights) & (weights > 0)).all()), "weights must be finite and > 0")
    distinct, which = np.unique(leads, return_inverse=True)
    total, own = np.bincount(which.reshape(-1), weights), np.bincount(which.reshape(-1), weights * (has_label > 0))
    total[0], own[0] = total[0] + unseen, own[0] + unseen
    blocks: list[tuple[float, float, float, float]] = []  # first and last lead, documents with the label, all documents
    for block in zip(distinct.tolist(), distinct.tolist(), own.tolist(), total.tolist(), strict=True):
        blocks.append(block)
        while len(blocks) > 1 and blocks[-2][2] / blocks[-2][3] >= blocks[-1][2] / blocks[-1][3]:
            last, before = blocks.pop(), blocks.pop()
            blocks.append((before[0], last[1], before[2] + last[2], before[3] + last[3]))
    corners = [(lead, block[2] / block[3]) for block in blocks for lead in dict.fromkeys(block[:2])]
    steps = np.array(corners).T
    return np.ascontiguousarray(steps[0]), np.ascontiguousarray(steps[1])
