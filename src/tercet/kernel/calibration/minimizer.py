"""The minimum of a smooth function inside bounds, by L-BFGS with projected steps.

A parameter at a bound is fixed while the function falls towards the outside. The others move along the direction of L-BFGS, and
each step is cut at the bounds.
"""

import math
from collections import deque
from collections.abc import Callable

import numpy as np

from tercet.arrays import Flags, Floats

MEMORY = 12
Loss = Callable[[Floats], tuple[float, Floats]]  # the value and its derivatives
Steps = deque[tuple[Floats, Floats]]  # the last steps, and how they changed the gradient


def minimize(loss: Loss, lower: Floats, upper: Floats, at: Floats, tol: float, max_steps: int) -> Floats:
    """The parameters with the lowest value, searched from `at`. No derivative there is larger than `tol`.

    >>> none = np.array([np.inf, np.inf])
    >>> minimize(lambda x: (float(((x - 3) ** 2).sum()), 2 * (x - 3)), -none, np.array([np.inf, 1.0]), np.zeros(2), 1e-9, 99)
    array([3., 1.])
    """
    at = np.clip(at, lower, upper)
    value, gradient = loss(at)
    steps: Steps = deque(maxlen=MEMORY)
    for _ in range(max_steps):
        is_free = np.where(gradient > 0, at > lower, at < upper)
        steepest = float(np.abs(gradient[is_free]).max(initial=0.0))
        if not steepest > tol:
            break
        length = 1.0 if steps else min(1.0, 1 / steepest)
        found = _search(loss, lower, upper, at, value, gradient, find_direction(steps, gradient, is_free), length)
        if found is None:  # the memory misleads: try once more without it
            if not steps:
                break
            steps.clear()
            continue
        next_at, value, next_gradient = found
        steps.append((next_at - at, next_gradient - gradient))
        at, gradient = next_at, next_gradient
    return at


def find_direction(steps: Steps, gradient: Floats, is_free: Flags) -> Floats:
    """Minus the gradient divided by the curvature, for the free parameters; 0 for the others."""
    direction, scale, used = np.where(is_free, -gradient, 0.0), 1.0, []
    for step, change in reversed(steps):
        own_step, own_change = np.where(is_free, step, 0.0), np.where(is_free, change, 0.0)
        curvature, square = float(own_step @ own_change), float(own_change @ own_change)
        if not curvature > 1e-12 * square:
            continue
        scale = curvature / square if scale == 1 else scale
        share = float(own_step @ direction) / curvature
        direction -= share * own_change
        if share != 0:
            used.append((own_step, own_change, curvature, share))
    direction *= scale
    for own_step, own_change, curvature, share in reversed(used):
        direction += (share - float(own_change @ direction) / curvature) * own_step
    return direction


def _search(
    loss: Loss, lower: Floats, upper: Floats, at: Floats, value: float, gradient: Floats, direction: Floats, length: float
) -> tuple[Floats, float, Floats] | None:
    """The end of a step along the direction where the value is low enough; None if there is none."""
    for _ in range(40):
        next_at = np.clip(at + length * direction, lower, upper)
        slope = float(gradient @ (next_at - at))
        if not slope < 0:
            return None
        found, next_gradient = loss(next_at)
        if found <= value + 1e-4 * slope:
            return next_at, found, next_gradient
        best = slope / (2 * (slope + value - found)) if math.isfinite(found) else 0.1
        length *= min(max(best, 0.1), 0.5)
    return None
