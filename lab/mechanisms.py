"""Central mechanisms, as small as a lesson needs them: noise where all truths are known.

None of them is part of a survey. They are exact as formulas, and computed in floating point: who
publishes real counts needs noise whose last digits give nothing away either (Mironov 2012), as the
library OpenDP draws it.

References
----------
Mironov, I. (2012). On significance of the least significant bits for differential privacy. CCS.
"""

import math
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt
import scipy

from deniable.analysis.numerics.arrays import FloatArray

_FAR: Final = 40.0
"""In scales of the noise: beyond it lies e^-40 of it."""

_NODES: Final = 8
"""Of Gauss and Legendre, in each piece as long as half a scale at most."""


def exponential(
    utilities: npt.ArrayLike, epsilon: float, sensitivity: float = 1, scale: float = 2
) -> FloatArray:
    """Return how often the exponential mechanism chooses each candidate.

    McSherry, F. and Talwar, K. (2007). Mechanism design via differential privacy. FOCS.
    """
    exponents = epsilon * np.asarray(utilities, dtype=np.float64) / (scale * sensitivity)
    return np.asarray(scipy.special.softmax(exponents), dtype=np.float64)


def noisy_max(counts: npt.ArrayLike, scale: float) -> FloatArray:
    r"""Return how often each count is the greatest, if Laplace noise is added to all.

    With density f and distribution F of the noise, it is :math:`\int f(y - c_i) \prod_{j \ne i}
    F(y - c_j) dy`. The integrand is smooth between the counts, so it is integrated piece by piece.

    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, claim 3.9.
    """
    # Equal counts are equally likely, and many of thousands are equal.
    places, back, equal = np.unique(
        np.asarray(counts, dtype=np.float64) / scale, return_inverse=True, return_counts=True
    )
    # Nothing much below the greatest but one can be the greatest, and nothing lies far above it.
    ends = places[places >= places[-1] - _FAR]
    ends = np.concatenate([[places[-1] - _FAR], ends, [places[-1] + _FAR]])
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    y, width = [], []
    for low, high in pairwise(ends.tolist()):
        cuts = np.linspace(low, high, math.ceil(2 * (high - low)) + 1)
        half = np.diff(cuts) / 2
        y.append(((cuts[:-1] + half)[:, None] + half[:, None] * nodes).ravel())
        width.append((half[:, None] * weights).ravel())
    at, each = np.concatenate(y), np.concatenate(width)
    away = at[:, None] - places
    density = np.exp(-np.abs(away)) / 2
    below = np.where(away < 0, density, 1 - density)
    logs = np.log(below)
    chances = each @ (density * np.exp((logs @ equal)[:, None] - logs))
    return np.asarray(chances[back], dtype=np.float64)


def gaussian_delta(sigma: float, epsilon: float, sensitivity: float = 1) -> float:
    """Return the least δ at which Gaussian noise is (ε, δ)-private.

    Balle, B. and Wang, Y.-X. (2018). Improving the Gaussian mechanism for differential privacy.
    ICML, theorem 8.
    """
    half, cut = sensitivity / (2 * sigma), epsilon * sigma / sensitivity
    above = scipy.special.log_ndtr(half - cut)
    beyond = epsilon + scipy.special.log_ndtr(-half - cut)
    # The difference of two nearly equal chances, without losing the digits in which they differ.
    return float(np.exp(above) * -np.expm1(beyond - above))


def gaussian_sigma(epsilon: float, delta: float, sensitivity: float = 1) -> float:
    """Return the least standard deviation at which Gaussian noise is (ε, δ)-private."""
    found = scipy.optimize.brentq(
        lambda log_sigma: gaussian_delta(math.exp(log_sigma), epsilon) - delta,
        math.log(1e-3),
        math.log(1e6),
        xtol=1e-14,
    )
    return sensitivity * math.exp(found)
