"""Designs for a number on a grid of evenly spaced levels.

The truths are the levels 0, 1, …, ``levels - 1``; their unit, years or euros, belongs to the
question. Every design here treats small and large numbers symmetrically, and its sensitivity is the
whole range: the probabilities of a report from the least and from the greatest level differ by a
factor of at most e^ε.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

import numpy as np

from deniable import exact
from deniable.channel import ROW_SUM, Channel
from deniable.designs.categorical import k_ary
from deniable.designs.named import named
from deniable.designs.programme import LEAST_OUTPUTS, minimax
from deniable.designs.rounding import asked_of, rounded, windows
from deniable.estimator import NotIdentifiable, for_values, variance
from deniable.exact import Number

__all__ = [
    "best_numeric",
    "laplace",
    "numeric_designs",
    "piecewise",
    "square_wave",
    "two_point",
    "worst_case_variance",
]


@named(epsilon="1", levels="5")
def laplace(levels: int, epsilon: Number) -> Channel:
    r"""Discrete Laplace noise, clamped to the range: local Laplace on a bounded number.

    Parameters
    ----------
    levels : int
        2 to 255.
    epsilon : number
        The privacy loss to stay within, above 0.

    Notes
    -----
    Truths and reports: the levels.
    Noise :math:`Z` with :math:`P(Z = z) \propto \alpha^{|z|}` and
    :math:`\alpha = e^{-\epsilon / (levels - 1)}` is added to the level, and a sum beyond the range
    is moved to its nearer end:

    .. math::

        P(a | x) = \frac{\alpha^{|a - x|}}{1 + \alpha} (1 - \alpha)^{[0 < a < levels - 1]}

    Clamping keeps ε: it is applied to the noisy number and never sees the truth, and no column
    holds a ratio above :math:`\alpha^{1 - levels} = e^\epsilon`, which the two ends attain.
    Renormalising each row of the noise within the range would keep ε too, but would draw the
    reports of small and of large numbers together: the least-variance estimate would have four
    times the standard deviation at ε = 1 on 101 levels.

    Before clamping the noise has variance :math:`2 \alpha / (1 - \alpha)^2`, which tends to
    :math:`2 (levels - 1)^2 / \epsilon^2`. The least-variance estimate of a mean from the clamped
    reports has less.

    References
    ----------
    Ghosh, A., Roughgarden, T. and Sundararajan, M. (2009). Universally utility-maximizing privacy
    mechanisms. STOC, section 2 (the truncated geometric mechanism).
    Inusah, S. and Kozubowski, T. J. (2006). A discrete analogue of the Laplace distribution.
    Journal of Statistical Planning and Inference 136, 1090-1102, section 2.

    Examples
    --------
    >>> laplace(11, 2).probabilities[0, :3].round(3)
    array([0.55 , 0.082, 0.067])
    """
    asked, bound = asked_of(levels, epsilon)
    last = levels - 1
    decay = [1 / exact.exp_lower(asked * distance / last) for distance in range(levels)]
    at_end = [ROW_SUM * power / (1 + decay[1]) for power in decay]
    within = [(1 - decay[1]) * weight for weight in at_end]
    return rounded(
        [
            [
                (within if 0 < report < last else at_end)[abs(report - level)]
                for report in range(levels)
            ]
            for level in range(levels)
        ],
        bound,
    )


@named(epsilon="1", levels="5")
def two_point(levels: int, epsilon: Number) -> Channel:
    r"""Report low or high, the likelier high the greater the number.

    Notes
    -----
    Truths: the levels. Reports: low, high.
    The probability of high is linear in the level, from :math:`1 / (e^\epsilon + 1)` to
    :math:`e^\epsilon / (e^\epsilon + 1)`. Where ε is small it tells the mean with less noise than
    any other design here but `minimax`, and it tells nothing else: with more than two levels their
    shares are not identifiable.
    With :math:`m = (levels - 1) / 2` the noise in an estimated mean of n reports has
    variance :math:`\{ m^2 (e^\epsilon + 1)^2 / (e^\epsilon - 1)^2 - (x - m)^2 \} / n` for truths
    x, greatest in the middle of the range.

    References
    ----------
    Duchi, J. C., Jordan, M. I. and Wainwright, M. J. (2018). Minimax optimal procedures for locally
    private estimation. Journal of the American Statistical Association 113, 182-201, section 3,
    in one dimension.

    Examples
    --------
    >>> two_point(3, 1).probabilities.round(3)
    array([[0.731, 0.269],
           [0.5  , 0.5  ],
           [0.269, 0.731]])
    """
    _, bound = asked_of(levels, epsilon)
    low = ROW_SUM / (bound + 1)
    high = [low * (1 + (bound - 1) * Fraction(level, levels - 1)) for level in range(levels)]
    return rounded([[ROW_SUM - weight, weight] for weight in high], bound)


@named(epsilon="1", levels="5")
def piecewise(levels: int, epsilon: Number) -> Channel:
    r"""Report a number from a window that begins at the truth, or one from the rest.

    Notes
    -----
    Truths: the levels. Reports: numbers on a longer grid of the same step, 255 at most.
    Every one of the `width` reports :math:`x, …, x + width - 1` is :math:`e^\epsilon` times as
    likely as every report outside of this window, so that the expected report is linear in the
    truth. In the continuous mechanism, on [-1, 1] with :math:`C = (e^{\epsilon/2} + 1) /
    (e^{\epsilon/2} - 1)`, the window is C - 1 wide and its beginning travels C + 1; here the width
    is the integer nearest to the same part of the travel: :math:`e^{-\epsilon/2} (levels - 1)`, and
    1 at least. With a width of 1 it is k-ary randomised response.

    The continuous mechanism's noise has variance :math:`t^2 / (e^{\epsilon/2} - 1) +
    (e^{\epsilon/2} + 3) / (3 (e^{\epsilon/2} - 1)^2)` at a truth t in [-1, 1], greatest at the
    ends; the least-variance estimate from these reports has a little less there.

    Where the windows of all levels do not fit into 255 reports, which takes more than 127 levels,
    the levels are `coarsened` to as many as do fit. The mean is then still identifiable, and the
    shares of the levels are not.

    References
    ----------
    Wang, N., Xiao, X., Yang, Y., Zhao, J., Hui, S. C., Shin, H., Shin, J. and Yu, G. (2019).
    Collecting and analyzing multidimensional data with local differential privacy. ICDE, section
    III-B (algorithm 2, lemma 1).

    Examples
    --------
    >>> channel = piecewise(5, "1.4")
    >>> (channel.probabilities / channel.probabilities.min()).round(2)
    array([[4.06, 4.06, 1.  , 1.  , 1.  , 1.  ],
           [1.  , 4.06, 4.06, 1.  , 1.  , 1.  ],
           [1.  , 1.  , 4.06, 4.06, 1.  , 1.  ],
           [1.  , 1.  , 1.  , 4.06, 4.06, 1.  ],
           [1.  , 1.  , 1.  , 1.  , 4.06, 4.06]])
    """
    asked, bound = asked_of(levels, epsilon)
    part = 1 / exact.exp_lower(asked / 2)
    return windows(levels, bound, lambda fitting: max(1, round(part * (fitting - 1))))


@named(epsilon="1", levels="5")
def square_wave(levels: int, epsilon: Number) -> Channel:
    r"""Report a number near the truth, or any other, on a grid wider than the range.

    Notes
    -----
    Truths: the levels. Reports: the levels with b more at either end, 255 at most.
    Every report that is at most b steps from the truth is :math:`e^\epsilon` times as likely as
    every other, with

    .. math::

        b = \left\lfloor levels \cdot \frac{\epsilon e^\epsilon - e^\epsilon + 1}
            {2 e^\epsilon (e^\epsilon - 1 - \epsilon)} \right\rfloor

    which makes the mutual information of truth and report large: the design is meant for the whole
    distribution, by maximum likelihood. Where b is 0 it is k-ary randomised response. Where there
    would be more than 255 reports the levels are `coarsened`, as in `piecewise`.

    References
    ----------
    Li, Z., Wang, T., Lopuhaä-Zwakenberg, M., Li, N. and Škoric, B. (2020). Estimating numerical
    distributions under local differential privacy. SIGMOD, section 5 (bucketise before randomise).

    Examples
    --------
    >>> channel = square_wave(21, 1)
    >>> channel.truths, channel.reports, int((channel.probabilities[0] > 0.03).sum())
    (21, 31, 11)
    """
    asked, bound = asked_of(levels, epsilon)
    half = ((asked - 1) * bound + 1) / (2 * bound * (bound - 1 - asked))
    return windows(levels, bound, lambda fitting: 2 * math.floor(half * fitting) + 1)


@dataclass(frozen=True)
class NumericDesign:
    """A design for a number, with its worst noise in the mean. Made by `numeric_designs`.

    `name`: the function that returns the channel. `variance`: see `worst_case_variance`.
    """

    name: str
    channel: Channel = field(repr=False)
    variance: float

    @property
    def distribution(self) -> bool:
        """Whether the shares of the levels can be estimated, and not their mean alone."""
        return self.channel.identifiable


def numeric_designs(
    levels: int, epsilon: Number, *, programme: bool = True
) -> tuple[NumericDesign, ...]:
    """List the designs for a number, the one with the least noise in the mean first.

    `programme`: whether to include `minimax`, which takes up to half a second to compute.

    Examples
    --------
    >>> for design in numeric_designs(21, 1):
    ...     print(f"{design.name:12}{design.variance:6.1f}  {design.distribution}")
    minimax      399.8  False
    two_point    468.3  False
    piecewise    500.8  True
    square_wave  502.8  True
    laplace      551.2  True
    k_ary       7147.0  True
    """
    families: list[Callable[[int, Number], Channel]]
    families = [k_ary, piecewise, square_wave, laplace, two_point]
    # On two levels `minimax` is k-ary randomised response, too.
    if programme and levels > 2:
        families.append(minimax)
    channels = [family(levels, epsilon) for family in families]
    designs = [
        NumericDesign(family.__name__, channel, worst_case_variance(channel))
        for family, channel in zip(families, channels, strict=True)
    ]
    # The sort is stable: on two levels all are k-ary randomised response, and `k_ary` stays first.
    return tuple(sorted(designs, key=lambda design: design.variance))


@named(epsilon="1", levels="5")
def best_numeric(levels: int, epsilon: Number, *, distribution: bool = True) -> Channel:
    """Choose the design whose estimate of the mean has the least noise in the worst case.

    `distribution`: whether the shares of the levels must be identifiable too. Then the choice is
    `minimax` only where these shares need at most twice as many people as with the next best
    design: with fewer than 13 levels, and seldom there. Without, `minimax` nearly always is best.

    Examples
    --------
    >>> best_numeric(11, 1) == piecewise(11, 1)
    True
    >>> best_numeric(11, 1, distribution=False) == minimax(11, 1)
    True
    """
    return _best(levels, epsilon, distribution)


@lru_cache(maxsize=32)
def _best(levels: int, epsilon: Number, distribution: bool) -> Channel:
    # A file is compiled anew after each edit, and most of its numbers stay.
    designs = numeric_designs(levels, epsilon, programme=not distribution or levels < LEAST_OUTPUTS)
    if not distribution:
        return designs[0].channel
    least, *others = (design for design in designs if design.distribution)
    if least.name == "minimax" and variance(least.channel) > 2 * variance(others[0].channel):
        return others[0].channel
    return least.channel


def worst_case_variance(channel: Channel) -> float:
    r"""Return the greatest variance that the design's noise gives one report's part in the mean.

    The truths are the levels 0, 1, 2, … Result: in squared steps between two levels. Divided by n,
    it bounds the variance of the mean of n reports about the mean of the n truths. Infinite where
    that mean is not identifiable.

    Notes
    -----
    With g the least-variance unbiased estimator (`deniable.estimator.for_values`), one
    report contributes g(report). Over people with truths X, its variance is
    :math:`E[Var(g | X)] + Var(X)`. The second part, from drawing the people, is the same for
    every design. The first is linear in the distribution of X, so that its worst case has everybody
    at one level: :math:`\max_x Var(g | x)`, a maximum over the rows of the channel. It is the
    worst-case variance by which Wang et al. (2019), section III, compare their mechanisms.
    """
    levels = np.arange(channel.truths)
    try:
        g = for_values(channel, levels)
    except NotIdentifiable:
        return math.inf
    return float((channel.probabilities @ g**2 - levels**2).max())
