"""Documents without any defect, for the tests of the doctor."""

import random

COMMON = [f"{a}{b}" for a in ("ka", "lo", "mi", "nu", "re", "sa") for b in ("ba", "do", "fi", "go", "lu", "ne")]


OWN = {"x": ["lovely", "warm", "funny", "great", "superb", "clever"], "y": ["dull", "boring", "loud", "awful", "weak", "messy"]}


def draw_text(draw: random.Random, label: str, n: int = 24) -> str:
    return " ".join(draw.choices(COMMON, k=n - 6) + draw.choices(OWN[label], k=6))


def make_clean(n: int = 80, seed: int = 0) -> tuple[list[str], list[str]]:
    """Texts with labels that have no defect."""
    draw = random.Random(seed)
    labels = ["xy"[k % 2] for k in range(n)]
    return [draw_text(draw, label) for label in labels], labels
