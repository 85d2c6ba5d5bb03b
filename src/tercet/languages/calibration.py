"""Numbers that turn costs into calibrated probabilities, and say when a text is in no known language.

They were fitted to the training half of the sentences of lingua, and to single words and pairs of words from them:
`python benchmarks/languages.py --fit` does that again.
"""

import numpy as np

from tercet.arrays import Floats

# spread, spread_per_letter, doubt, doubt_short, refusal, refusal_short, margin, margin_short, tie, switch_cost: see
# kernel/languages/language_identifier.hpp
SETTINGS = {
    "full": (0.919, 0.09, 0.4, 1.0, 0.8, 2.7, 0.0, 1.2, 0.8, 10.0),
    "small": (1.116, 0.0599, 0.4, 1.0, 0.8, 2.7, 0.0, 1.2, 0.8, 10.0),
    "wide": (0.916, 0.0528, 0.4, 1.0, 0.8, 2.7, 0.0, 1.2, 0.8, 10.0),
}


def find_settings(model: str) -> Floats:
    return np.array(SETTINGS[model])
