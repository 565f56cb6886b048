"""The audit's one statistic: whether how soon a program sends depends on what is true."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import scipy

NEVER: Final = 1e-6
"""Chance with which an honest program is accused."""

SURE: Final = 0.99
"""Chance with which an audit sees what is said to be the least that it sees."""

LEAST_DELAY: Final = 0.005
"""Seconds: less than this is lost in how long a person takes and a network."""


def delay(differences: Sequence[float]) -> float | None:
    """Find out whether a program waits for something that depends on what is true.

    `differences`: of each pair of visits, by how many seconds the one of whom the first is true
    took longer. Which of a pair came first was drawn by chance. Result: the median difference, if
    it is at least `LEAST_DELAY` either way and so many pairs differ the same way with a chance of
    at most `NEVER` where times do not depend on what is true. That takes 21 pairs.

    Notes
    -----
    Whatever else a machine does meanwhile, drawing which comes first makes each difference as
    likely as its opposite. So the signed ranks of Wilcoxon (1945) have their exact law.
    """
    found = float(np.median(differences)) if len(differences) else 0.0
    if abs(found) < LEAST_DELAY:
        return None
    chance = float(scipy.stats.wilcoxon(differences, method="exact").pvalue)
    return found if chance <= NEVER else None
