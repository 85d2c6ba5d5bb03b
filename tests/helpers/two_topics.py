"""Invented texts about sports and about banks, and vectors that know what their words mean."""

import random

import numpy as np
from helpers.invented_encoders import InventedMeanings

from tercet import WordVectors

SPORTS, BANKS = ["team", "goal", "match", "coach", "stadium", "referee"], ["bank", "rate", "loan", "market", "bond", "price"]
OTHERS = ["the", "a", "news", "today", "report", "week"]
NAMES = ["sports", "business"]
DRAW = np.random.default_rng(0)
ROWS = DRAW.normal(size=(20, 8)) * 0.3 + np.eye(8)[0] * np.repeat([3, -3, 0, 0], [6, 6, 6, 2])[:, None]
ROWS[18:] = np.eye(8)[0] * np.array([[3], [-3]])
VECTORS = WordVectors(InventedMeanings(SPORTS + BANKS + OTHERS + NAMES, ROWS, "begin"))


def invent_pool(n: int = 80, seed: int = 0) -> list[str]:
    draw = random.Random(seed)
    own = [SPORTS if i % 2 else BANKS for i in range(n)]
    return [" ".join([*draw.choices(words, k=3), *draw.choices(OTHERS, k=3), f"y{i}"]) for i, words in enumerate(own)]


POOL = invent_pool()
GOLD = ["sports" if i % 2 else "business" for i in range(len(POOL))]
