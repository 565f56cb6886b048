"""The price of privacy: how many times as many respondents a design needs as a direct question."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from deniable.analysis.numerics.arrays import FloatArray
from deniable.channel import Channel
from deniable.estimator import check_shares, share_variance


@dataclass(frozen=True)
class PrivacyPrice:
    """The design effect at one ε. Made by `price_of_privacy`.

    Parameters
    ----------
    epsilon : float
        The channel's own ε, at most the requested one.
    design_effect : float
        Variance relative to asking directly: the factor in the number of respondents.
    """

    epsilon: float
    design_effect: float

    @property
    def standard_error_ratio(self) -> float:
        """Width of intervals relative to asking directly, with the same respondents."""
        return math.sqrt(self.design_effect)


def design_effect(channel: Channel, theta: npt.ArrayLike) -> FloatArray:
    """Return the variance of each truth's estimated share relative to asking directly.

    Parameters
    ----------
    theta : array_like of float, shape (truths,)
        Shares of the truths.

    Returns
    -------
    ndarray, shape (truths,)
        1 where no precision is lost. Infinite for a share of 0 or 1, which a direct question
        estimates without error, unless the design does too (then nan).

    Notes
    -----
    With Warner's design of flip probability p it is
    ``1 + p (1 - p) / ((1 - 2 p)^2 θ (1 - θ))``.

    References
    ----------
    Kish, L. (1965). Survey sampling. Wiley, section 8.2: the design effect. Warner, S. L. (1965).
    Randomized response: a survey technique for eliminating evasive answer bias. Journal of the
    American Statistical Association 60, 63-69, section 2: the variance.

    Examples
    --------
    >>> from deniable import designs
    >>> design_effect(designs.truth_or_random(), [0.9, 0.1]).round(2)
    array([9.33, 9.33])
    """
    planned = check_shares(theta, channel)
    # A variance below this is 0 but for rounding.
    protected = share_variance(channel, planned)
    protected = np.where(protected < 1e-12, 0, protected)
    with np.errstate(divide="ignore", invalid="ignore"):
        return protected / (planned * (1 - planned))


def price_of_privacy(
    design: Callable[[float], Channel],
    epsilons: Sequence[float],
    theta: npt.ArrayLike,
    *,
    truth: int = 1,
) -> tuple[PrivacyPrice, ...]:
    """Tabulate the design effect over ε.

    Parameters
    ----------
    design : callable
        ε in, channel out, such as ``lambda epsilon: designs.k_ary(4, epsilon)``.
    epsilons : sequence of float
        Above 0.
    theta : array_like of float, shape (truths,)
        Shares of the truths.
    truth : int
        The truth whose share is estimated.

    Examples
    --------
    >>> from deniable import designs
    >>> for row in price_of_privacy(lambda e: designs.warner(epsilon=e), [0.5, 1, 2], [0.8, 0.2]):
    ...     print(row.epsilon, round(row.design_effect, 1), round(row.standard_error_ratio, 1))
    0.5 25.5 5.0
    1.0 6.8 2.6
    2.0 2.1 1.5
    """
    prices = []
    for epsilon in epsilons:
        channel = design(epsilon)
        if not 0 <= truth < channel.truths:
            raise ValueError(f"expected a truth from 0 to {channel.truths - 1}, found {truth}")
        effect = float(design_effect(channel, theta)[truth])
        prices.append(PrivacyPrice(channel.epsilon, effect))
    return tuple(prices)
