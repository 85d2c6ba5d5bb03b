"""The weights of several linear models → the weights of their sum."""

from typing import Any

import numpy as np

from tercet.arrays import Floats
from tercet.kernel.base.arguments import expect


def mix_values(models: list[Any], weights: Floats, mixes: list[Floats] | None, threads: int = 1) -> None:
    """Write the sum of these models into the values of the first. Values are rows × margins.

    The part of a model is its values times its weight; with `mixes`, also its values times its matrix, margins × margins.
    """
    expect(len(models) > 0 and len(models) == len(weights), "each model needs a weight")
    expect(all(values.shape == models[0].shape for values in models), "the models have different shapes")
    margins = models[0].shape[1]
    expect(mixes is None or [mix.shape for mix in mixes] == [(margins, margins)] * len(models), "each model needs a mix")
    total = np.zeros(models[0].shape)
    for number, values in enumerate(models):
        for i, column in enumerate(values.astype(np.float64).T):
            total[:, i] += weights[number] * column
            if mixes is not None:
                total += column[:, None] * mixes[number][i]
    models[0][:] = total
