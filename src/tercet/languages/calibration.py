"""Numbers that turn costs into calibrated probabilities, and say when a text is in no known language.

They were fitted to the training half of the sentences of lingua, and to single words and pairs of words from them:
`python benchmarks/languages.py --fit` does that again.
"""

import numpy as np

from tercet.arrays import Floats

# scale, power, doubt, doubt_short, refusal, refusal_short, margin, margin_short, tie: see kernel/languages/language_identifier.hpp
SETTINGS = {
    "full": (1.0, 0.0, 0.2, 1.0, 1.0, 3.0, 0.0, 0.0, 0.8),
    "small": (1.0, 0.0, 0.2, 1.0, 1.0, 3.0, 0.0, 0.0, 0.8),
    "wide": (1.0, 0.0, 0.2, 1.0, 1.0, 3.0, 0.0, 0.0, 0.8),
}


def find_settings(model: str) -> Floats:
    return np.array(SETTINGS[model])
