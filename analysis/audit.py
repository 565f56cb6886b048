"""The audit's one statistic: whether a program's delay depends on the truth."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import scipy

NEVER: Final = 1e-6
"""Greatest chance that an honest program is accused."""

SURE: Final = 0.99
"""Chance that an audit finds the rarest fault that it claims to find."""

LEAST_DELAY: Final = 0.005
"""Seconds: a shorter delay is lost in the time that a person and a network take."""


def delay(differences: Sequence[float]) -> float | None:
    """Test whether a program waits for something that depends on the truth.

    `differences`: for each pair of visits, how many seconds longer the visit with the pair's first
    truth took. Which visit of a pair came first was drawn by chance. Result: the median difference,
    in seconds; None if it is shorter than `LEAST_DELAY` either way, or if chance explains it with a
    p-value above `NEVER`. A p-value below that takes at least 21 pairs.

    Notes
    -----
    Drawing which visit comes first makes each difference as likely as its opposite, whatever else
    the machine does meanwhile. So the distribution of Wilcoxon's (1945) signed ranks is exact.
    """
    found = float(np.median(differences)) if len(differences) else 0.0
    if abs(found) < LEAST_DELAY:
        return None
    chance = float(scipy.stats.wilcoxon(differences, method="exact").pvalue)
    return found if chance <= NEVER else None
